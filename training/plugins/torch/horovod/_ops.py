"""Collectives on tensors, and their handles."""
import enum
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
import torch.distributed

from arlab.torch import _torch

from . import _job
from ._compression import Compression
from ._job import ProcessSet, global_process_set

dist: Any = torch.distributed  # most of its functions have no types


class ReduceOp(enum.Enum):
    """How an allreduce combines tensors."""

    Average = 0
    Sum = 1
    Adasum = 2
    Min = 3
    Max = 4
    Product = 5


Average, Sum, Adasum = ReduceOp.Average, ReduceOp.Sum, ReduceOp.Adasum
Min, Max, Product = ReduceOp.Min, ReduceOp.Max, ReduceOp.Product
_OPS = {Average: dist.ReduceOp.AVG, Sum: dist.ReduceOp.SUM, Min: dist.ReduceOp.MIN, Max: dist.ReduceOp.MAX, Product: dist.ReduceOp.PRODUCT}

_open: Dict[int, Tuple[Any, Callable[[], Any]]] = {}  # by handle: what to wait for, and what then returns the result
_last_handle = 0


def add_handle(work: Any, finish: Callable[[], Any]) -> int:
    """Returns a handle for a work of torch.distributed."""
    global _last_handle
    _last_handle += 1
    _open[_last_handle] = work, finish
    return _last_handle


def poll(handle: int) -> bool:
    """Whether synchronize() would return at once."""
    if handle not in _open:
        raise ValueError(f"handle {handle} is not open: each handle is synchronized once")
    return bool(_open[handle][0].is_completed())


def synchronize(handle: int) -> Any:
    """Waits for an asynchronous collective, and returns its result."""
    if handle not in _open:
        raise ValueError(f"handle {handle} is not open: each handle is synchronized once")
    work, finish = _open.pop(handle)
    work.wait()
    return finish()


def _tensor_of(handle: int) -> torch.Tensor:
    tensor: torch.Tensor = synchronize(handle)
    return tensor


def checked_op(op: Optional[ReduceOp], average: Optional[bool] = None) -> ReduceOp:
    """The operation, by Horovod's two ways to say it."""
    if op is not None and average is not None:
        raise ValueError(f"give op={op} or average={average}, not both")
    its = (Average if average is None or average else Sum) if op is None else op
    if not isinstance(its, ReduceOp):
        raise ValueError(f"op is {its!r}: give hvd.Average, hvd.Sum, hvd.Adasum, hvd.Min, hvd.Max, or hvd.Product")
    return its


def _adasum(parts: List[torch.Tensor]) -> torch.Tensor:
    """Pairs of ranks, then pairs of pairs: what two vectors have in common counts once."""
    while len(parts) > 1:
        sums = []
        for a, b in zip(parts[::2], parts[1::2]):
            dot, aa, bb = (float(torch.dot(x.double().flatten(), y.double().flatten())) for x, y in ((a, b), (a, a), (b, b)))
            sums.append((1 - dot / (2 * aa) if aa else 1.0) * a + (1 - dot / (2 * bb) if bb else 1.0) * b)
        parts = sums
    return parts[0]


def _adasum_async(tensor: torch.Tensor, group: Any) -> int:
    ranks = dist.get_world_size(group)
    if ranks & (ranks - 1):
        raise ValueError(f"Adasum needs a power of two of ranks, not {ranks}: use hvd.Average")
    if not tensor.is_floating_point():
        raise ValueError(f"Adasum needs floating-point numbers, not {tensor.dtype}: use hvd.Sum")
    parts = [torch.empty_like(tensor) for _ in range(ranks)]
    work = dist.all_gather(parts, tensor.contiguous(), group=group, async_op=True)
    return add_handle(work, lambda: tensor.copy_(_adasum(parts)))


def allreduce_async_(tensor: torch.Tensor, average: Optional[bool] = None, name: Optional[str] = None, op: Optional[ReduceOp] = None,
                     prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                     process_set: ProcessSet = global_process_set) -> int:
    """Reduces a tensor in place over all ranks. Returns a handle."""
    its, group = checked_op(op, average), _job.group_of(process_set)
    with torch.no_grad():
        if prescale_factor != 1.0:
            tensor.mul_(prescale_factor)
        if its is Adasum:
            return _adasum_async(tensor, group)
        work = dist.all_reduce(tensor, _OPS[its], group=group, async_op=True)
        return add_handle(work, lambda: tensor if postscale_factor == 1.0 else tensor.mul_(postscale_factor))


def allreduce_async(tensor: torch.Tensor, average: Optional[bool] = None, name: Optional[str] = None, op: Optional[ReduceOp] = None,
                    prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                    process_set: ProcessSet = global_process_set) -> int:
    """The same into a new tensor."""
    return allreduce_async_(tensor.detach().clone(), average, name, op, prescale_factor, postscale_factor, process_set)


def allreduce_(tensor: torch.Tensor, average: Optional[bool] = None, name: Optional[str] = None, op: Optional[ReduceOp] = None,
               prescale_factor: float = 1.0, postscale_factor: float = 1.0,
               process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Reduces a tensor in place over all ranks."""
    return _tensor_of(allreduce_async_(tensor, average, name, op, prescale_factor, postscale_factor, process_set))


class _Allreduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, *how: Any) -> torch.Tensor:  # type: ignore[override]
        ctx.how = how
        return _tensor_of(allreduce_async(tensor, None, None, *how))

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        return (synchronize(allreduce_async(gradient, None, None, *ctx.how)), *(None for _ in ctx.how))


def allreduce(tensor: torch.Tensor, average: Optional[bool] = None, name: Optional[str] = None, compression: Any = Compression.none,
              op: Optional[ReduceOp] = None, prescale_factor: float = 1.0, postscale_factor: float = 1.0,
              process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Reduces a tensor over all ranks, into a new one. Gradients pass through it."""
    small, context = compression.compress(tensor)
    reduced = _Allreduce.apply(small, checked_op(op, average), prescale_factor, postscale_factor, process_set)
    result: torch.Tensor = compression.decompress(reduced, context)
    return result


def grouped_allreduce_(tensors: Sequence[torch.Tensor], average: Optional[bool] = None, name: Optional[str] = None,
                       op: Optional[ReduceOp] = None, prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                       process_set: ProcessSet = global_process_set) -> List[torch.Tensor]:
    """Reduces tensors in place."""
    handles = [allreduce_async_(each, average, name, op, prescale_factor, postscale_factor, process_set) for each in tensors]
    return [synchronize(handle) for handle in handles]


def grouped_allreduce(tensors: Sequence[torch.Tensor], average: Optional[bool] = None, name: Optional[str] = None,
                      compression: Any = Compression.none, op: Optional[ReduceOp] = None, prescale_factor: float = 1.0,
                      postscale_factor: float = 1.0, process_set: ProcessSet = global_process_set) -> List[torch.Tensor]:
    """Reduces tensors, into new ones."""
    return [allreduce(each, average, name, compression, op, prescale_factor, postscale_factor, process_set) for each in tensors]


def _first_sizes(tensor: torch.Tensor, group: Any) -> List[int]:
    sizes = torch.empty(dist.get_world_size(group), dtype=torch.int64)
    dist.all_gather_into_tensor(sizes, torch.tensor([tensor.shape[0]]), group=group)
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
        return _tensor_of(allgather_async(tensor, None, process_set))

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        total = _tensor_of(allreduce_async(gradient, op=Sum, process_set=ctx.process_set))
        first = sum(ctx.sizes[:ctx.process_set.rank()])
        return total[first:first + ctx.sizes[ctx.process_set.rank()]].reshape(ctx.shape), None


def allgather(tensor: torch.Tensor, name: Optional[str] = None, process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Joins the tensors of all ranks along their first dimension, whose sizes may differ. Gradients pass through it."""
    joined: torch.Tensor = _Allgather.apply(tensor, process_set)
    return joined


def broadcast_async_(tensor: torch.Tensor, root_rank: int, name: Optional[str] = None,
                     process_set: ProcessSet = global_process_set) -> int:
    """Gives all ranks the root's tensor, in place. Returns a handle."""
    work = dist.broadcast(tensor.detach(), root_rank, group=_job.group_of(process_set), async_op=True)
    return add_handle(work, lambda: tensor)


def broadcast_async(tensor: torch.Tensor, root_rank: int, name: Optional[str] = None,
                    process_set: ProcessSet = global_process_set) -> int:
    """The same into a new tensor."""
    return broadcast_async_(tensor.detach().clone(), root_rank, name, process_set)


def broadcast_(tensor: torch.Tensor, root_rank: int, name: Optional[str] = None,
               process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Gives all ranks the root's tensor, in place."""
    return _tensor_of(broadcast_async_(tensor, root_rank, name, process_set))


class _Broadcast(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, root: int, process_set: ProcessSet) -> torch.Tensor:  # type: ignore[override]
        ctx.root, ctx.process_set = root, process_set
        return _tensor_of(broadcast_async(tensor, root, None, process_set))

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        total = _tensor_of(allreduce_async(gradient, op=Sum, process_set=ctx.process_set))
        return total if _job.rank() == ctx.root else torch.zeros_like(total), None, None


def broadcast(tensor: torch.Tensor, root_rank: int, name: Optional[str] = None,
              process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Gives all ranks the root's tensor, in a new one. Gradients pass through it."""
    given: torch.Tensor = _Broadcast.apply(tensor, root_rank, process_set)
    return given


def alltoall(tensor: torch.Tensor, splits: Optional[torch.Tensor] = None, name: Optional[str] = None,
             process_set: ProcessSet = global_process_set) -> Any:
    """Sends `splits[r]` rows to rank r. Returns the rows received, and with `splits` also how many came from each rank."""
    group = _job.group_of(process_set)
    ranks = dist.get_world_size(group)
    if splits is None and tensor.shape[0] % ranks:
        raise ValueError(f"alltoall of {tensor.shape[0]} rows among {ranks} ranks: give splits, or rows that the ranks divide")
    sent = [tensor.shape[0] // ranks] * ranks if splits is None else [int(each) for each in splits]
    received = torch.empty(ranks, dtype=torch.int64)
    dist.all_to_all_single(received, torch.tensor(sent), group=group)
    output = tensor.new_empty((int(received.sum()), *tensor.shape[1:]))
    dist.all_to_all_single(output, tensor.detach().contiguous(), received.tolist(), sent, group=group)
    return output if splits is None else (output, received.to(torch.int32))


def reducescatter(tensor: torch.Tensor, name: Optional[str] = None, compression: Any = Compression.none, op: ReduceOp = Average,
                  process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Reduces tensors, and returns this rank's rows of the result. The first ranks have one row more if the ranks do not divide them."""
    its = checked_op(op)
    if its not in (Average, Sum):
        raise ValueError(f"reducescatter by {its} is not supported: use hvd.Average or hvd.Sum")
    group = _job.group_of(process_set)
    ranks, me, rows = dist.get_world_size(group), dist.get_rank(group), tensor.shape[0]
    small, context = compression.compress(tensor.detach())
    if rows % ranks:
        total = small.clone()
        dist.all_reduce(total, _OPS[its], group=group)
        first = me * (rows // ranks) + min(me, rows % ranks)
        output = total[first:first + rows // ranks + (me < rows % ranks)].clone()
    else:
        output = small.new_empty((rows // ranks, *small.shape[1:]))
        dist.reduce_scatter_tensor(output, small.contiguous(), _OPS[its], group=group)
    result: torch.Tensor = compression.decompress(output, context)
    return result


def barrier(process_set: ProcessSet = global_process_set) -> None:
    """Waits until all ranks have called it."""
    dist.barrier(group=_job.group_of(process_set))


def join(device: int = -1) -> int:
    """Says that this rank has no more data. Sums and averages of the others go on, to which it adds zeros, until all ranks have joined.

    Returns the last rank that did. Averages are still over all ranks.
    """
    return _torch.join(_job.group_of(global_process_set))
