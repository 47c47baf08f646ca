"""Parameters, optimizers, and any objects of Python."""
import io
from typing import Any, Callable, Iterable, List, Mapping, Optional, Tuple, Union

import torch
import torch.distributed

from . import _job
from ._handles import HorovodInternalError, synchronize
from ._job import ProcessSet, global_process_set
from ._ops import broadcast_async_

dist: Any = torch.distributed  # most of its functions have no types
Parameters = Union[Mapping[str, Any], Iterable[Tuple[str, Any]]]


def broadcast_parameters(params: Parameters, root_rank: int, process_set: ProcessSet = global_process_set) -> None:
    """Gives all ranks the root's parameters, in place: model.state_dict(), or model.named_parameters()."""
    pairs = sorted(params.items()) if isinstance(params, Mapping) else list(params)
    handles = []
    for name, tensor in pairs:
        if tensor is None:
            continue
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(f"parameter {name} is {type(tensor).__name__}, not a tensor: use hvd.broadcast_object() for it")
        handles.append(broadcast_async_(tensor.data, root_rank, name, process_set))
    for handle in handles:
        synchronize(handle)


def _packed(obj: Any) -> torch.Tensor:
    file = io.BytesIO()
    torch.save(obj, file)
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


def _unpacked(data: torch.Tensor) -> Any:
    return torch.load(io.BytesIO(data.numpy().tobytes()), weights_only=False)  # by default, PyTorch 2.6 takes few types


def broadcast_object(obj: Any = None, root_rank: int = 0, name: Optional[str] = None,
                     process_set: ProcessSet = global_process_set) -> Any:
    """Returns the root's object, which pickle must know, on all ranks."""
    group = _job.group_of(process_set)
    is_root = _job.holds(root_rank)
    data, failure = torch.empty(0, dtype=torch.uint8), None
    if is_root:
        try:
            data = _packed(obj)
        except Exception as error:  # of any class: pickle calls the object's own functions
            failure = error
    length = torch.tensor([data.numel() if failure is None else -1])
    dist.broadcast(length, root_rank, group=group)
    if failure is not None:
        raise failure
    if length < 0:
        raise HorovodInternalError(f"broadcast_object: rank {root_rank} cannot pickle its object, and says why")
    if not is_root:
        data = torch.empty(int(length), dtype=torch.uint8)
    dist.broadcast(data, root_rank, group=group)
    return obj if is_root else _unpacked(data)


def broadcast_object_fn(root_rank: int = 0, session: Any = None, name: Optional[str] = None,
                        process_set: ProcessSet = global_process_set) -> Callable[[Any], Any]:
    """Returns a function that broadcasts its argument."""
    return lambda obj: broadcast_object(obj, root_rank, name, process_set)


def allgather_object(obj: Any, name: Optional[str] = None, process_set: ProcessSet = global_process_set) -> List[Any]:
    """Returns the objects of all ranks, in their order."""
    group = _job.group_of(process_set)
    objects: List[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(objects, obj, group=group)
    return objects


def broadcast_optimizer_state(optimizer: torch.optim.Optimizer, root_rank: int, model: Any = None,
                              process_set: ProcessSet = global_process_set) -> None:
    """Gives all ranks the root's state and settings of an optimizer of the same parameters."""
    if isinstance(optimizer, torch.optim.LBFGS):
        raise ValueError("broadcast_optimizer_state() does not support LBFGS: broadcast the parameters, and start it anew")
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.requires_grad and p.grad is None:
                p.grad = torch.zeros_like(p)  # as Horovod leaves them: scripts read them
    state = broadcast_object(optimizer.state_dict() if _job.holds(root_rank) else None, root_rank, process_set=process_set)
    if not _job.holds(root_rank):
        optimizer.load_state_dict(state)
