"""A run in virtual time: its clock, its network, and its steps."""
import contextlib
import dataclasses
import math
import os
import statistics
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import _trace
from ._clock import Clock, _processor, _real
from ._settings import Settings
from ._times import CollectiveTimes, Group


@dataclasses.dataclass
class Step:
    """Seconds of one step, which ends with the optimizer."""
    begin: float
    end: float = 0.0
    computed: float = 0.0
    exposed: float = 0.0        # waits for communication
    communicated: float = 0.0
    samples: int = 0
    sent: float = 0.0           # bytes of a rank
    collectives: int = 0

    @property
    def time(self) -> float:
        return self.end - self.begin


@dataclasses.dataclass(frozen=True)
class Summary:
    """Means, in seconds, over the middle half by time of the second half of the steps."""
    ranks: int
    network: str
    steps: int
    step: float
    computation: float
    communication: float
    exposed: float
    samples: Optional[float]  # of a rank
    half: Optional[float] = None  # of the 95% interval of the mean step; None: too few steps
    sent: float = 0.0             # bytes of a rank
    collectives: float = 0.0

    @property
    def speedup(self) -> float:
        """Samples per time, against one rank without communication."""
        return self.ranks * self.computation / self.step if self.step else float(self.ranks)


def counted_steps(times: List[float]) -> List[int]:
    """Returns which steps count: without the first half, which warms up, and without the fastest and slowest quarters."""
    second = range(len(times) // 2, len(times))
    ordered = sorted(second, key=lambda i: times[i])
    cut = len(ordered) // 4
    return sorted(ordered[cut:len(ordered) - cut])


def half_interval(times: List[float]) -> Optional[float]:
    """Half of the 95% interval of the mean of the middle half (Tukey and McLaughlin, 1963); None for fewer than 8 times."""
    ordered, cut = sorted(times), len(times) // 4
    degrees = len(times) - 2 * cut - 1
    if len(times) < 8:
        return None
    pulled = [min(max(one, ordered[cut]), ordered[-cut - 1]) for one in ordered]
    error = statistics.stdev(pulled) * math.sqrt(len(times)) / (degrees + 1)
    z = 1.959964
    quantile = (z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2) +
                (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3))  # of Student's t
    return quantile * error


class Session:
    """One at a time in a process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = Clock(0.0) if settings.gpu else Clock(settings.slowdown, _processor if settings.processor_time else _real)
        self.times = CollectiveTimes(settings.network, settings.ranks, settings.algorithms)
        self.network_free = 0.0                                  # when the last collective ends
        self.steps: List[Step] = []
        self.used: Dict[Tuple[str, str], List[int]] = {}         # collective, algorithm: calls, bytes
        self.trace = _trace.Trace(settings) if settings.trace else None
        self.in_optimizer = False
        self.recorder: Any = None                                # of the model's profile
        self.model, self.device = "model", ""
        self.at_end: List[Any] = []                              # functions that this process calls before it ends
        self.process = os.getpid()
        self.asked = ""                                          # the backend that the script named for the group it makes
        self.grouped = False                                     # whether this process has made a process group
        self.children = 0                                        # that the script has started by itself, before it had a group
        self._open = Step(0.0)
        self._waited = self._computed = 0.0                      # when the open step began
        self._kept: Dict[int, Any] = {}                          # works that C++ may still wait for
        self._expected: List[Tuple[Any, float]] = []             # that this backward pass waits for
        self._callbacks = 0

    def carry(self, collective: str, elements: int, dtype: str, size: int, group: Group, arrived: Optional[float] = None) -> float:
        """Starts a collective, and returns when it ends. The network carries one at a time. `arrived`: when the last rank can begin."""
        took, algorithm = self.times.of(collective, elements, dtype, size, group)
        begin = self.earliest() if arrived is None else arrived
        self.network_free = begin + took
        self._open.communicated += took
        self._open.sent += self.times.sent_of(collective, elements, dtype, size, group)
        self._open.collectives += 1
        used = self.used.setdefault((collective, algorithm), [0, 0])
        used[0], used[1] = used[0] + 1, used[1] + elements * size
        if self.trace:
            self.trace.add("network", collective, begin, self.network_free, bytes=elements * size, algorithm=algorithm,
                           ranks=len(group) if group else self.settings.ranks)
        return self.network_free

    def earliest(self) -> float:
        """When this rank could begin a collective."""
        return max(self.clock.now(), self.network_free)

    def wait(self, end: float) -> None:
        if self._callbacks:  # of a future: it runs beside the computation
            return
        with self.clock:
            begin = self.clock.now()
            if self.clock.wait_until(end) and self.trace:
                self.trace.add("computation", "wait", begin, end)

    def keep(self, work: Any) -> None:
        self._kept[id(work)] = work

    def release(self, work: Any) -> None:
        self._kept.pop(id(work), None)

    def expect(self, work: Any, end: float) -> None:
        """Somebody wants the future of a collective. In a backward pass that is DDP, which waits at its end in C++."""
        import torch
        try:
            torch.autograd.Variable._execution_engine.queue_callback(self._end_backward)
        except RuntimeError:  # no backward pass: the future will be waited for in Python
            self.release(work)
            return
        self._expected.append((work, end))

    def _end_backward(self) -> None:
        expected, self._expected = self._expected, []
        self.wait(max((end for _, end in expected), default=0.0))
        for work, _ in expected:
            self.release(work)

    @contextlib.contextmanager
    def callback(self) -> Iterator[None]:
        self._callbacks += 1
        try:
            yield
        finally:
            self._callbacks -= 1

    def begin_forward(self, samples: int) -> None:
        """A pass of the model: the first one begins the first step, before which the script prepares."""
        if not self.steps and not self._open.samples:
            with self.clock:
                self._begin_step()
                if self.recorder is not None:
                    self.recorder.begin_step()
        self._open.samples += samples

    def _begin_step(self) -> None:
        self._open, self._waited, self._computed = Step(self.clock.now()), self.clock.waited, self.clock.computed()

    def end_step(self) -> None:
        """After the optimizer."""
        with self.clock:
            step, now = self._open, self.clock.now()
            step.end, step.exposed = now, self.clock.waited - self._waited
            step.computed = self.clock.computed() - self._computed
            self.steps.append(step)
            if self.trace:
                self.trace.add("steps", f"step {len(self.steps)}", step.begin, now, samples=step.samples)
            if self.recorder is not None:
                self.recorder.end_step()
            self._begin_step()

    def summary(self) -> Optional[Summary]:
        """Returns None before the first step."""
        chosen = [self.steps[i] for i in counted_steps([step.time for step in self.steps])]
        if not chosen:
            return None

        def mean(what: Callable[[Step], float]) -> float:
            return sum(what(step) for step in chosen) / len(chosen)

        samples = mean(lambda s: s.samples)
        return Summary(self.settings.ranks, self.settings.network, len(self.steps), mean(lambda s: s.time), mean(lambda s: s.computed),
                       mean(lambda s: s.communicated), mean(lambda s: s.exposed), samples or None,
                       half_interval([step.time for step in self.steps[len(self.steps) // 2:]]), mean(lambda s: s.sent),
                       mean(lambda s: s.collectives))
