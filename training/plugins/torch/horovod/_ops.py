"""Allreduce, broadcast, barrier, join."""
from typing import Any, List, Optional, Sequence

import torch

from arlab.torch import _torch
from arlab.virtual._start import need_real_time

from . import _job
from ._compression import Compression
from ._handles import (OPS, Adasum, Average, HorovodInternalError, ReduceOp, add_handle, checked_op, dist, group_handle, scale, synchronize,
                       tensor_of, wait_for)
from ._job import ProcessSet, global_process_set


def _adasum(parts: List[torch.Tensor]) -> torch.Tensor:
    """Pairs of ranks, then pairs of pairs: what two vectors have in common counts once."""
    while len(parts) > 1:
        sums = []
        for a, b in zip(parts[::2], parts[1::2]):
            dot, aa, bb = (float(torch.dot(x.double().flatten(), y.double().flatten())) for x, y in ((a, b), (a, a), (b, b)))
            sums.append((1 - dot / (2 * aa) if aa else 1.0) * a + (1 - dot / (2 * bb) if bb else 1.0) * b)
        parts = sums
    return parts[0]


def _adasum_async(tensor: torch.Tensor, group: Any, postscale_factor: float) -> int:
    ranks = dist.get_world_size(group)
    if ranks & (ranks - 1):
        raise ValueError(f"Adasum needs a power of two of ranks, not {ranks}: use hvd.Average")
    if not tensor.is_floating_point():
        raise ValueError(f"Adasum needs floating-point numbers, not {tensor.dtype}: use hvd.Sum")
    parts = [torch.empty_like(tensor) for _ in range(ranks)]
    work = dist.all_gather(parts, tensor.contiguous(), group=group, async_op=True)
    return add_handle(work, lambda: scale(tensor.copy_(_adasum(parts)), postscale_factor))


def allreduce_async_(tensor: torch.Tensor, average: Optional[bool] = None, name: Optional[str] = None, op: Optional[ReduceOp] = None,
                     prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                     process_set: ProcessSet = global_process_set) -> int:
    """Reduces a tensor in place over all ranks. Returns a handle."""
    its, group = checked_op(op, average), _job.group_of(process_set)
    with torch.no_grad():
        scale(tensor, prescale_factor)
        if its is Adasum:
            return _adasum_async(tensor, group, postscale_factor)
        work = dist.all_reduce(tensor, OPS[its], group=group, async_op=True)
        return add_handle(work, lambda: scale(tensor, postscale_factor))


def allreduce_async(tensor: torch.Tensor, average: Optional[bool] = None, name: Optional[str] = None, op: Optional[ReduceOp] = None,
                    prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                    process_set: ProcessSet = global_process_set) -> int:
    """The same into a new tensor."""
    return allreduce_async_(tensor.detach().clone(), average, name, op, prescale_factor, postscale_factor, process_set)


def allreduce_(tensor: torch.Tensor, average: Optional[bool] = None, name: Optional[str] = None, op: Optional[ReduceOp] = None,
               prescale_factor: float = 1.0, postscale_factor: float = 1.0,
               process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Reduces a tensor in place over all ranks."""
    return tensor_of(allreduce_async_(tensor, average, name, op, prescale_factor, postscale_factor, process_set))


class _Allreduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, *how: Any) -> torch.Tensor:  # type: ignore[override]
        ctx.how = how
        return tensor_of(allreduce_async(tensor, None, None, *how))

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


def grouped_allreduce_async_(tensors: Sequence[torch.Tensor], average: Optional[bool] = None, name: Optional[str] = None,
                             op: Optional[ReduceOp] = None, prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                             process_set: ProcessSet = global_process_set) -> int:
    """Reduces tensors in place. Returns a handle for all."""
    return group_handle([allreduce_async_(each, average, name, op, prescale_factor, postscale_factor, process_set) for each in tensors])


def grouped_allreduce_async(tensors: Sequence[torch.Tensor], average: Optional[bool] = None, name: Optional[str] = None,
                            op: Optional[ReduceOp] = None, prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                            process_set: ProcessSet = global_process_set) -> int:
    """The same into new tensors."""
    return group_handle([allreduce_async(each, average, name, op, prescale_factor, postscale_factor, process_set) for each in tensors])


def grouped_allreduce_(tensors: Sequence[torch.Tensor], average: Optional[bool] = None, name: Optional[str] = None,
                       op: Optional[ReduceOp] = None, prescale_factor: float = 1.0, postscale_factor: float = 1.0,
                       process_set: ProcessSet = global_process_set) -> List[torch.Tensor]:
    """Reduces tensors in place."""
    reduced: List[torch.Tensor] = synchronize(grouped_allreduce_async_(tensors, average, name, op, prescale_factor, postscale_factor, process_set))
    return reduced


def grouped_allreduce(tensors: Sequence[torch.Tensor], average: Optional[bool] = None, name: Optional[str] = None,
                      compression: Any = Compression.none, op: Optional[ReduceOp] = None, prescale_factor: float = 1.0,
                      postscale_factor: float = 1.0, process_set: ProcessSet = global_process_set) -> List[torch.Tensor]:
    """Reduces tensors, into new ones."""
    return [allreduce(each, average, name, compression, op, prescale_factor, postscale_factor, process_set) for each in tensors]


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
    return tensor_of(broadcast_async_(tensor, root_rank, name, process_set))


class _Broadcast(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, root: int, process_set: ProcessSet) -> torch.Tensor:  # type: ignore[override]
        ctx.root, ctx.process_set = root, process_set
        return tensor_of(broadcast_async(tensor, root, None, process_set))

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        total = tensor_of(allreduce_async(gradient, op=Average, process_set=ctx.process_set))
        return total if _job.rank() == ctx.root else torch.zeros_like(total), None, None


def broadcast(tensor: torch.Tensor, root_rank: int, name: Optional[str] = None,
              process_set: ProcessSet = global_process_set) -> torch.Tensor:
    """Gives all ranks the root's tensor, in a new one. Gradients pass through it."""
    given: torch.Tensor = _Broadcast.apply(tensor, root_rank, process_set)
    return given


def barrier(process_set: ProcessSet = global_process_set) -> None:
    """Waits until all ranks have called it."""
    wait_for(dist.barrier(group=_job.group_of(process_set), async_op=True))


def join(device: int = -1) -> int:
    """Says that this rank has no more data. Sums and averages of the others go on, to which it adds zeros, until all ranks have joined.

    Returns the last rank that did. Averages are still over all ranks.
    """
    if _job.alike():
        barrier()
        return _job.size() - 1
    need_real_time("join() of real processes", "give all ranks as much data")
    group = _job.group_of(global_process_set)
    refusals = 0
    while True:
        try:
            last = _torch.join(group)
            break
        except RuntimeError as error:  # the others asked for what a joined rank cannot do, and have been told; they may still join
            if "call different collectives" not in str(error):
                raise HorovodInternalError(str(error)) from error
            refusals += 1
    of_ranks = torch.empty(_job.size(), dtype=torch.int64)
    wait_for(dist.all_gather_into_tensor(of_ranks, torch.tensor([refusals]), group=group, async_op=True))
    latest: List[int] = (of_ranks == of_ranks.min()).nonzero().flatten().tolist()  # who waited through the fewest
    return last if last in latest else latest[-1]
