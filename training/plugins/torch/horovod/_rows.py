"""Collectives along the first dimension of tensors: allgather, alltoall, reducescatter, and sums of sparse tensors."""
from typing import Any, Callable, List, Optional, Sequence

import torch

from . import _job
from ._compression import Compression
from ._handles import OPS, Average, ReduceOp, Sum, add_handle, checked_op, dist, group_handle, scale, synchronize, tensor_of, wait_for
from ._job import ProcessSet, global_process_set
from ._ops import allreduce_async


def _first_sizes(tensor: torch.Tensor, group: Any) -> List[int]:
    sizes = torch.empty(dist.get_world_size(group), dtype=torch.int64)
    wait_for(dist.all_gather_into_tensor(sizes, torch.tensor([tensor.shape[0]]), group=group, async_op=True))
    return sizes.tolist()


def allgather_async(tensor: torch.Tensor, name: Optional[str] = None, process_set: ProcessSet = global_process_set) -> int:
    """Joins the tensors of all ranks along their first dimension, whose sizes may differ. Returns a handle."""
    group = _job.group_of(process_set)
    mine = tensor.detach()
    mine = (mine if mine.dim() else mine.reshape(1)).contiguous()
    sizes = _first_sizes(mine, group)
    most = max(sizes)
    if mine.shape[0] < most:
        mine = torch.cat([mine, mine.new_zeros((most - mine.shape[0], *mine.shape[1:]))])
    parts = [torch.empty_like(mine) for _ in sizes]
    work = dist.all_gather(parts, mine, group=group, async_op=True)
    return add_handle(work, lambda: torch.cat([part[:each] for part, each in zip(parts, sizes)]))


class _Allgather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, process_set: ProcessSet) -> torch.Tensor:  # type: ignore[override]
        ctx.shape, ctx.process_set = tensor.shape, process_set
        ctx.sizes = _first_sizes(tensor if tensor.dim() else tensor.reshape(1), _job.group_of(process_set))
        return tensor_of(allgather_async(tensor, None, process_set))

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        total = tensor_of(allreduce_async(gradient, op=Average, process_set=ctx.process_set))
        first = sum(ctx.sizes[:ctx.process_set.rank()])
        return total[first:first + ctx.sizes[ctx.process_set.rank()]].reshape(ctx.shape), None


def allgather(tensor: torch.Tensor, name: Optional[str] = None, process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Joins the tensors of all ranks along their first dimension, whose sizes may differ. Gradients pass through it."""
    joined: torch.Tensor = _Allgather.apply(tensor, process_set)
    return joined


def grouped_allgather_async(tensors: Sequence[torch.Tensor], name: Optional[str] = None,
                            process_set: ProcessSet = global_process_set) -> int:
    """Joins each of several tensors. Returns a handle for all."""
    return group_handle([allgather_async(each, name, process_set) for each in tensors])


def grouped_allgather(tensors: Sequence[torch.Tensor], name: Optional[str] = None,
                      process_set: ProcessSet = global_process_set) -> List[torch.Tensor]:
    """Joins each of several tensors. Gradients pass through it."""
    return [allgather(each, name, process_set) for each in tensors]


def sparse_allreduce_async(tensor: torch.Tensor, name: Optional[str] = None, op: Optional[ReduceOp] = None,
                           process_set: ProcessSet = global_process_set) -> Callable[[], torch.Tensor]:
    """Adds or averages sparse tensors: all ranks get all indices and values. Returns a function that waits for the result."""
    its = checked_op(op)
    if its not in (Average, Sum):
        raise ValueError(f"sparse_allreduce_async by {its} is not supported: use hvd.Average or hvd.Sum")
    parts = group_handle([allgather_async(tensor._indices().t().contiguous(), None, process_set),
                          allgather_async(tensor._values(), None, process_set)])

    def finish() -> torch.Tensor:
        indices, values = synchronize(parts)
        sums = values / process_set.size() if its is Average else values
        return torch.sparse_coo_tensor(indices.t(), sums, tensor.size())

    return finish


def _sent_rows(tensor: torch.Tensor, splits: Optional[torch.Tensor], ranks: int) -> List[int]:
    """How many rows go to each rank, checked."""
    if not tensor.dim():
        raise ValueError("alltoall of a tensor without dimensions: give it rows")
    rows = tensor.shape[0]
    if splits is None:
        if rows % ranks:
            raise ValueError(f"alltoall of {rows} rows among {ranks} ranks: give splits, or rows that the ranks divide")
        return [rows // ranks] * ranks
    given = torch.as_tensor(splits)
    if given.is_floating_point() or given.dim() != 1 or given.numel() != ranks:
        raise ValueError(f"splits of alltoall has type {given.dtype} and shape {tuple(given.shape)}: give {ranks} integers, one per rank")
    sent: List[int] = given.tolist()
    if sum(sent) > rows or min(sent) < 0:
        raise ValueError(f"splits of alltoall is {sent}, and the tensor has {rows} rows: give counts from 0 whose sum is at most that")
    return sent


def alltoall_async(tensor: torch.Tensor, splits: Optional[torch.Tensor] = None, name: Optional[str] = None,
                   process_set: ProcessSet = global_process_set) -> int:
    """Sends `splits[r]` rows to rank r. Returns a handle; its result has the rows received, and with `splits` also how many came from each rank."""
    group = _job.group_of(process_set)
    ranks = dist.get_world_size(group)
    sent = _sent_rows(tensor, splits, ranks)
    received = torch.empty(ranks, dtype=torch.int64)
    wait_for(dist.all_to_all_single(received, torch.tensor(sent), group=group, async_op=True))
    output = tensor.new_empty((int(received.sum()), *tensor.shape[1:]))
    rows = tensor.detach()[:sum(sent)].contiguous()
    work = dist.all_to_all_single(output, rows, received.tolist(), sent, group=group, async_op=True)
    return add_handle(work, lambda: output if splits is None else (output, received.to(torch.int32)))


class _Alltoall(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, splits: torch.Tensor, process_set: ProcessSet) -> Any:  # type: ignore[override]
        output, received = synchronize(alltoall_async(tensor, splits, None, process_set))
        ctx.received, ctx.process_set, ctx.rows = received, process_set, tensor.shape[0]
        ctx.mark_non_differentiable(received)
        return output, received

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> Any:  # type: ignore[override]
        back, _ = synchronize(alltoall_async(gradient, ctx.received, None, ctx.process_set))
        rest = back.new_zeros((ctx.rows - back.shape[0], *back.shape[1:]))  # of rows that were not sent
        return torch.cat([back, rest]), None, None


def alltoall(tensor: torch.Tensor, splits: Optional[torch.Tensor] = None, name: Optional[str] = None,
             process_set: ProcessSet = global_process_set) -> Any:
    """Sends `splits[r]` rows to rank r. Returns the rows received, and with `splits` also how many came from each rank.

    Gradients pass through it.
    """
    sent = _sent_rows(tensor, splits, dist.get_world_size(_job.group_of(process_set)))
    output, received = _Alltoall.apply(tensor, torch.tensor(sent), process_set)
    return output if splits is None else (output, received)


def reducescatter_async(tensor: torch.Tensor, name: Optional[str] = None, op: ReduceOp = Average,
                        process_set: ProcessSet = global_process_set, prescale_factor: float = 1.0, postscale_factor: float = 1.0) -> int:
    """Reduces tensors. Returns a handle, whose result is this rank's rows: the first ranks have one row more if the ranks do not divide them."""
    its, group = checked_op(op), _job.group_of(process_set)
    if its not in (Average, Sum):
        raise NotImplementedError(f"reducescatter by {its} is not supported: use hvd.Average or hvd.Sum")
    if not tensor.dim():
        raise ValueError("reducescatter of a tensor without dimensions: give it rows")
    ranks, me, rows = dist.get_world_size(group), dist.get_rank(group), tensor.shape[0]
    small = tensor.detach().contiguous() if prescale_factor == 1.0 else scale(tensor.detach().clone(), prescale_factor)
    if rows % ranks:
        total = small.clone()
        first = me * (rows // ranks) + min(me, rows % ranks)
        work = dist.all_reduce(total, OPS[its], group=group, async_op=True)
        return add_handle(work, lambda: scale(total[first:first + rows // ranks + (me < rows % ranks)].clone(), postscale_factor))
    output = small.new_empty((rows // ranks, *small.shape[1:]))
    work = dist.reduce_scatter_tensor(output, small, OPS[its], group=group, async_op=True)
    return add_handle(work, lambda: scale(output, postscale_factor))


class _Reducescatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, op: ReduceOp, process_set: ProcessSet, prescale: float, postscale: float) -> torch.Tensor:  # type: ignore[override]
        ctx.factor = prescale * postscale * (process_set.size() if op is Sum else 1)
        ctx.process_set = process_set
        return tensor_of(reducescatter_async(tensor, None, op, process_set, prescale, postscale))

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        return tensor_of(allgather_async(scale(gradient.clone(), ctx.factor), None, ctx.process_set)), None, None, None, None


def reducescatter(tensor: torch.Tensor, name: Optional[str] = None, compression: Any = Compression.none, op: ReduceOp = Average,
                  process_set: ProcessSet = global_process_set, prescale_factor: float = 1.0,
                  postscale_factor: float = 1.0) -> torch.Tensor:
    """Reduces tensors, and returns this rank's rows of the result. The first ranks have one row more if the ranks do not divide them.

    Gradients pass through it.
    """
    small, context = compression.compress(tensor)
    output = _Reducescatter.apply(small, checked_op(op), process_set, prescale_factor, postscale_factor)
    result: torch.Tensor = compression.decompress(output, context)
    return result


def grouped_reducescatter_async(tensors: Sequence[torch.Tensor], name: Optional[str] = None, op: ReduceOp = Average,
                                process_set: ProcessSet = global_process_set, prescale_factor: float = 1.0,
                                postscale_factor: float = 1.0) -> int:
    """The same for several tensors. Returns a handle for all."""
    return group_handle([reducescatter_async(each, name, op, process_set, prescale_factor, postscale_factor) for each in tensors])


def grouped_reducescatter(tensors: Sequence[torch.Tensor], name: Optional[str] = None, compression: Any = Compression.none,
                          op: ReduceOp = Average, process_set: ProcessSet = global_process_set, prescale_factor: float = 1.0,
                          postscale_factor: float = 1.0) -> List[torch.Tensor]:
    """The same for several tensors."""
    return [reducescatter(each, name, compression, op, process_set, prescale_factor, postscale_factor) for each in tensors]
