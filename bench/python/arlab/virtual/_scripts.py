"""What of PyTorch is replaced so that a script runs as it is: the start of groups and processes, optimizers, and DDP."""
# mypy: disable-error-code="attr-defined, no-untyped-call"
import functools
import multiprocessing.process
import os
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
from . import _group, _processes, _profile, _report, _start
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
    group = functools.partial(_new_group, session, distributed_c10d.new_group)
    for module in (dist, distributed_c10d):
        module.init_process_group, module.new_group, module.monitored_barrier = init, group, _monitored_barrier
        if not real:
            _start.wrapped(module, "broadcast_object_list", _broadcast_objects)
    _start.wrapped(dist, "get_backend", _get_backend)  # for scripts: PyTorch's own functions ask that of distributed_c10d
    for name in ("spawn", "start_processes"):
        spawn: Any = _spawn_processes if real else _spawn
        _start.wrapped(torch.multiprocessing, name, functools.partial(spawn, session))
    _start.wrapped(multiprocessing.process.BaseProcess, "start", functools.partial(_start_process, session))
    _start.wrapped(torch.optim.Optimizer, "__init__", functools.partial(_make_optimizer, session))
    _start.wrapped(DistributedDataParallel, "__init__", functools.partial(_make_ddp, session))
    _start.wrapped(DistributedDataParallel, "forward", functools.partial(_forward, session))
    _start.wrapped(DistributedDataParallel, "_register_builtin_comm_hook", _register_builtin_hook)


def _created(session: Session, options: Any, *_: Any) -> Any:
    return _group.create(session, options)


def _init(session: Session, init: Callable[..., Any], backend: Any = None, init_method: Any = None, timeout: Any = None,
          world_size: int = -1, rank: int = -1, store: Any = None, *_: Any, **__: Any) -> None:
    """torch.distributed.init_process_group with the virtual group, whatever the backend."""
    if os.getpid() != session.process:
        raise UsageError(_report.OWN_PROCESSES)
    session.grouped, session.asked = True, str(backend or "").lower()
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


def _get_backend(get_backend: Callable[..., str], group: Any = None) -> str:
    """torch.distributed.get_backend: what the script has asked for, by which it may choose its devices."""
    found = get_backend(group)
    return getattr(distributed_c10d._get_default_group() if group is None else group, "asked", "") or found


def _monitored_barrier(group: Any = None, *_: Any, **__: Any) -> None:
    """torch.distributed.monitored_barrier, which PyTorch has for Gloo only: no rank is late here."""
    dist.barrier(group)


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


def _new_group(session: Session, new_group: Callable[..., Any], ranks: Any = None, timeout: Any = None, backend: Any = None, *_: Any,
               **__: Any) -> Any:
    session.asked = str(backend or dist.get_backend()).lower()
    return new_group(ranks, backend=_BACKEND)


def _broadcast_objects(broadcast: Callable[..., Any], objects: Any, src: int = 0, *args: Any, **kwargs: Any) -> None:
    """The source holds what rank 0 holds, who therefore sends."""
    _group.check_root(src, dist.get_world_size())
    broadcast(objects, 0, *args, **kwargs)


class _Ended:
    """What spawn(join=False) returns."""

    def join(self, *_: Any, **__: Any) -> bool:
        return True


def _spawn(session: Session, _: Any, fn: Callable[..., Any], args: Any = (), nprocs: int = 1, join: bool = True, *__: Any,
           **___: Any) -> Optional[_Ended]:
    """torch.multiprocessing.spawn and start_processes: the first process is this one, and stands for the others."""
    if nprocs != session.settings.ranks:
        _start.note(f"the script starts {nprocs} processes: ARLAB_VIRTUAL={session.settings.ranks} replaces them")
    fn(0, *args)
    return None if join else _Ended()


def _started(rank: int, fn: Callable[..., Any], args: Any) -> None:
    """In a new process: virtual time, and then what the script asked for."""
    session = _start.start()
    forked = session.process != os.getpid()
    session.process, session.children = os.getpid(), 0
    fn(rank, *args)
    if forked:  # such a process ends without what was registered for its exit
        _report.finish(session, session.process)


def _spawn_processes(session: Session, spawn: Callable[..., Any], fn: Callable[..., Any], args: Any = (), *rest: Any, **kwargs: Any) -> Any:
    before = session.children
    try:
        return spawn(_started, (fn, args), *rest, **kwargs)
    finally:
        session.children = before  # those of spawn have virtual time


def _start_process(session: Session, start: Callable[..., None], self: Any) -> None:
    """Process.start: ranks that a script starts this way have no virtual time. Daemons, such as workers that load data, are no ranks."""
    if not session.grouped and not self.daemon:
        session.children += 1
    start(self)


def _register_builtin_hook(register: Callable[..., None], self: Any, kind: Any) -> None:
    """PyTorch's own FP16_COMPRESS is in C++, which needs futures of C++: here is its equal."""
    if kind != dist.BuiltinCommHookType.FP16_COMPRESS:
        return register(self, kind)
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
    self.register_comm_hook(self.process_group, default_hooks.fp16_compress_hook)


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
    step.by_class = True  # whoever gives the optimizer another class, as arlab.horovod does, need not replace this one
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
