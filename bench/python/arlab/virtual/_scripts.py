"""What of PyTorch is replaced so that a script runs as it is: the start of groups and processes, optimizers, and DDP."""
# mypy: disable-error-code="attr-defined, no-untyped-call"
import functools
import sys
import types
from typing import Any, Callable, Optional

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch.distributed import distributed_c10d
from torch.nn.parallel import DistributedDataParallel

from .._backends import register
from .._errors import UsageError
from . import _group, _processes, _profile, _start
from ._session import Session

_BACKEND = "virtual"
_OWN_SHARDS = ("each rank holds other parameters, and virtual time lets rank 0 stand for all: use DistributedDataParallel, or "
               "`arlab plan -s fsdp` for its times")


def patch(session: Session) -> None:
    """Replaces the functions, for this process. Scripts import them later."""
    register(_BACKEND, functools.partial(_created, session), ["cpu", "cuda"], extended_api=True)
    real = session.settings.real
    if not real:
        distributed_c10d._store_based_barrier = lambda *_, **__: None  # nobody else comes
    init = functools.partial(_init, session, distributed_c10d.init_process_group)
    group = functools.partial(_new_group, distributed_c10d.new_group)
    for module in (dist, distributed_c10d):
        module.init_process_group, module.new_group = init, group
        if not real:
            _start.wrapped(module, "broadcast_object_list", _broadcast_objects)
    torch.multiprocessing.spawn = functools.partial(_spawn_processes, torch.multiprocessing.spawn) if real else functools.partial(_spawn, session)
    _start.wrapped(torch.optim.Optimizer, "__init__", functools.partial(_make_optimizer, session))
    _start.wrapped(DistributedDataParallel, "__init__", functools.partial(_make_ddp, session))
    _start.wrapped(DistributedDataParallel, "forward", functools.partial(_forward, session))


def _created(session: Session, options: Any, *_: Any) -> Any:
    return _group.create(session, options)


def _init(session: Session, init: Callable[..., Any], backend: Any = None, init_method: Any = None, timeout: Any = None,
          world_size: int = -1, rank: int = -1, store: Any = None, *_: Any, **__: Any) -> None:
    """torch.distributed.init_process_group with the virtual group, whatever the backend."""
    if session.settings.real:
        _refuse_shards()
        more = {"timeout": timeout} if timeout is not None else {}
        if 0 < world_size != session.settings.ranks:
            raise UsageError(f"the script starts {world_size} ranks, and ARLAB_VIRTUAL has {session.settings.ranks}: give it as many")
        if store is None and init_method in (None, "env://"):
            _processes.check_launched(session.settings.ranks, rank, world_size)
        init(_BACKEND, init_method=init_method, world_size=world_size, rank=rank, store=store, **more)
        return
    if rank > 0:
        _start.note(f"this process would be rank {rank}, for which rank 0 stands: it ends")
        raise SystemExit(0)
    if world_size > 0 and world_size != session.settings.ranks:
        _start.note(f"the script starts {world_size} ranks: ARLAB_VIRTUAL={session.settings.ranks} replaces them")
    _refuse_shards()
    init(_BACKEND, store=dist.HashStore(), rank=0, world_size=session.settings.ranks)


def _refuse_shards() -> None:
    """Of modules that the script has imported: what ranks that are alike cannot do, or do otherwise."""
    fsdp = sys.modules.get("torch.distributed.fsdp")
    if fsdp is not None and hasattr(fsdp, "FullyShardedDataParallel"):
        fsdp.FullyShardedDataParallel.__init__ = _start.refuse(f"FullyShardedDataParallel: {_OWN_SHARDS}")
        if hasattr(fsdp, "fully_shard"):
            fsdp.fully_shard = _start.refuse(f"fully_shard: {_OWN_SHARDS}")
    if "torch.distributed.optim" in sys.modules:
        from . import _zero
        _zero.patch()


def _new_group(new_group: Callable[..., Any], ranks: Any = None, *_: Any, **__: Any) -> Any:
    return new_group(ranks, backend=_BACKEND)


def _broadcast_objects(broadcast: Callable[..., Any], objects: Any, src: int = 0, *args: Any, **kwargs: Any) -> None:
    """The source holds what rank 0 holds, who therefore sends."""
    _group.check_root(src, dist.get_world_size())
    broadcast(objects, 0, *args, **kwargs)


class _Ended:
    """What spawn(join=False) returns."""

    def join(self, *_: Any, **__: Any) -> bool:
        return True


def _spawn(session: Session, fn: Callable[..., Any], args: Any = (), nprocs: int = 1, join: bool = True, *_: Any,
           **__: Any) -> Optional[_Ended]:
    """torch.multiprocessing.spawn: the first process is this one, and stands for the others."""
    if nprocs != session.settings.ranks:
        _start.note(f"the script starts {nprocs} processes: ARLAB_VIRTUAL={session.settings.ranks} replaces them")
    fn(0, *args)
    return None if join else _Ended()


def _started(rank: int, fn: Callable[..., Any], args: Any) -> None:
    """In a new process: virtual time, and then what the script asked for."""
    _start.start()
    fn(rank, *args)


def _spawn_processes(spawn: Callable[..., Any], fn: Callable[..., Any], args: Any = (), *rest: Any, **kwargs: Any) -> Any:
    return spawn(_started, (fn, args), *rest, **kwargs)


def _make_optimizer(session: Session, init: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> None:
    """Optimizer.__init__: lets the step of this optimizer end a step of the run."""
    _refuse_shards()  # if it was imported since
    init(self, *args, **kwargs)
    if "step" in vars(self):
        return

    def step(optimizer: Any, *arguments: Any, **options: Any) -> Any:
        nested, session.in_optimizer = session.in_optimizer, True
        try:
            return type(optimizer).step(optimizer, *arguments, **options)
        finally:
            session.in_optimizer = nested
            if not nested:
                if torch.cuda.is_initialized():
                    torch.cuda.synchronize()
                session.end_step()
    self.step = types.MethodType(functools.update_wrapper(step, type(self).step), self)


def _make_ddp(session: Session, init: Callable[..., Any], self: Any, module: Any, *args: Any, **kwargs: Any) -> None:
    if session.settings.on_cpu:  # where devices have no numbers
        args = (None, None)[:len(args)] + args[2:]
        kwargs = {key: value for key, value in kwargs.items() if key not in ("device_ids", "output_device")}
    init(self, module, *args, **kwargs)
    session.model = type(module).__name__
    session.device = session.device or _profile.device_of(module)
    if session.settings.profile and session.recorder is None:
        session.recorder = _profile.Recorder(module, session.clock.computed)


def _forward(session: Session, forward: Callable[..., Any], self: Any, *inputs: Any, **kwargs: Any) -> Any:
    if self.training:
        session.begin_forward(_profile.samples_of((inputs, kwargs)))
    return forward(self, *inputs, **kwargs)
