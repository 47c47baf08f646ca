"""Operations, handles of collectives that run, and what all collectives share."""
import enum
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
import torch.distributed

dist: Any = torch.distributed  # most of its functions have no types


class HorovodInternalError(RuntimeError):
    """A collective failed: ranks asked for different things, or one did not come."""


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
OPS = {Average: dist.ReduceOp.AVG, Sum: dist.ReduceOp.SUM, Min: dist.ReduceOp.MIN, Max: dist.ReduceOp.MAX, Product: dist.ReduceOp.PRODUCT}

_open: Dict[int, Tuple[Any, Callable[[], Any]]] = {}  # by handle: what to wait for, and what then returns the result
_last_handle = 0


class _All:
    """The works of several handles."""

    def __init__(self, works: List[Any]) -> None:
        self.works = works

    def is_completed(self) -> bool:
        return all(work.is_completed() for work in self.works)

    def wait(self) -> None:
        for work in self.works:
            work.wait()


def add_handle(work: Any, finish: Callable[[], Any]) -> int:
    """Returns a handle for a work of torch.distributed."""
    global _last_handle
    _last_handle += 1
    _open[_last_handle] = work, finish
    return _last_handle


def group_handle(handles: Sequence[int]) -> int:
    """Returns one handle for several, whose result is the list of theirs."""
    pairs = [_open.pop(handle) for handle in handles]
    return add_handle(_All([work for work, _ in pairs]), lambda: [finish() for _, finish in pairs])


def poll(handle: int) -> bool:
    """Whether synchronize() would return at once."""
    if handle not in _open:
        raise ValueError(f"handle {handle} is not open: each handle is synchronized once")
    return bool(_open[handle][0].is_completed())


def wait_for(work: Any) -> None:
    """Waits for a work of torch.distributed."""
    try:
        work.wait()
    except RuntimeError as error:
        raise HorovodInternalError(str(error)) from error


def synchronize(handle: int) -> Any:
    """Waits for an asynchronous collective, and returns its result."""
    if handle not in _open:
        raise ValueError(f"handle {handle} is not open: each handle is synchronized once")
    work, finish = _open.pop(handle)
    wait_for(work)
    return finish()


def tensor_of(handle: int) -> torch.Tensor:
    """The same for a handle of one tensor."""
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


def scale(tensor: torch.Tensor, factor: float) -> torch.Tensor:
    """Multiplies in place: integers as float64, and cut; 16 bits as float32."""
    if factor == 1.0:
        return tensor
    if not tensor.is_floating_point():
        return tensor.copy_(tensor.double() * factor)
    return tensor.copy_(tensor.float() * factor) if tensor.element_size() == 2 else tensor.mul_(factor)
