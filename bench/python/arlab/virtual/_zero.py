"""ZeroRedundancyOptimizer: rank 0 updates its shard in virtual time, and those of the other ranks while the clock is paused."""
# mypy: disable-error-code="attr-defined, assignment"
from typing import Any, Callable

from torch.distributed.optim import ZeroRedundancyOptimizer

from .._errors import UsageError
from . import _start


def patch() -> None:
    if getattr(ZeroRedundancyOptimizer, "virtual", False):
        return
    ZeroRedundancyOptimizer.virtual = True
    _start.wrapped(ZeroRedundancyOptimizer, "__init__", _make)
    _start.wrapped(ZeroRedundancyOptimizer, "_init_local_optimizer", _init)
    _start.wrapped(ZeroRedundancyOptimizer, "_local_step", _step)
    ZeroRedundancyOptimizer.consolidate_state_dict = _start.refuse(
        "ZeroRedundancyOptimizer.consolidate_state_dict() collects what other ranks hold, who are not there in virtual time: leave it out")


def _make(init: Callable[..., Any], self: Any, *args: Any, overlap_with_ddp: bool = False, **kwargs: Any) -> None:
    if overlap_with_ddp:
        raise UsageError("virtual time has no ZeroRedundancyOptimizer with overlap_with_ddp=True: leave it out, or use real ranks")
    init(self, *args, **kwargs)


def _init(init: Callable[..., Any], self: Any) -> None:
    """Also makes the optimizer of all other shards."""
    init(self)
    groups = [{**own, "params": [one for shard in self._partition_parameters()[1:] for one in shard[number]["params"]]}
              for number, own in enumerate(self.optim.param_groups)]
    self._others = self._optim_constructor(groups, **self._optim_defaults)


def _step(step: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    loss = step(self, *args, **kwargs)
    session = _start.current()
    if session is not None:
        with session.clock:
            self._sync_param_groups(self.param_groups, self._others.param_groups)
            self._others.step()
    return loss
