"""Starts virtual time in this process: what a script asks of torch.distributed goes to the virtual group."""
import atexit
import functools
import os
import sys
from typing import Any, Callable, Optional

import torch

from .._errors import UsageError
from ._clock import show_virtual
from ._session import Session
from ._settings import Settings, from_environment

_session: Optional[Session] = None


def current() -> Optional[Session]:
    """The run in virtual time of this process, or None."""
    return _session


def note(text: str) -> None:
    print(f"arlab: {text}", file=sys.stderr, flush=True)


def start(settings: Optional[Settings] = None) -> Session:
    """Starts virtual time, by the variables unless settings are given. A second call returns the session that runs."""
    global _session
    if _session is None:
        chosen = settings or from_environment()
        _session = Session(chosen)
        _session.times.of("allreduce", 1, "float32", 4)  # a wrong network or algorithm is an error now
        _begin(_session)
    return _session


def _begin(session: Session) -> None:
    from . import _files, _report, _scripts
    if session.settings.real:
        from . import _processes
        _processes.name_ranks(session.settings.ranks)
    else:
        ranks = str(session.settings.ranks)
        os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE=ranks, LOCAL_WORLD_SIZE=ranks)  # as torchrun sets them
    if _report.reports(session):
        for path in (session.settings.json, session.settings.trace, session.settings.profile):
            if path:
                _files.check_can_write(path)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29500")
    _scripts.patch(session)
    if session.settings.processor_time and torch.get_num_threads() > 1:
        raise UsageError(f"ARLAB_VIRTUAL: clock=processor adds the times of threads, and PyTorch has {torch.get_num_threads()}: set "
                         "OMP_NUM_THREADS=1, or leave it out")
    if session.settings.gpu:
        from . import _flops
        _flops.begin(session)
    if session.settings.on_cpu:
        from . import _processor
        _processor.replace_cuda(session.settings.ranks)
    if session.settings.virtual_time:
        show_virtual(session.clock)
    atexit.register(_report.finish, session, os.getpid())


def need_real_time(what: str, instead: str) -> None:
    """Throws UsageError if this process runs in virtual time."""
    if _session is not None:
        raise UsageError(f"virtual time has no {what}: {instead}")


def refuse(what: str) -> Callable[..., Any]:
    """Returns a function that raises UsageError."""
    def refused(*_: Any, **__: Any) -> Any:
        raise UsageError(what)
    return refused


def wrapped(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Replaces a function by one that calls around(function, ...)."""
    inner = getattr(owner, name)

    @functools.wraps(inner)
    def outer(*args: Any, **kwargs: Any) -> Any:
        return around(inner, *args, **kwargs)
    setattr(owner, name, outer)
