"""The clock of a rank: computation as it is measured, and waits as they are simulated."""
import time
from typing import Any, Callable

_real = time.perf_counter  # before a script's clocks are replaced
_processor = time.process_time


class Clock:
    """Seconds of virtual time. While it is paused, as in this package's own work, computation does not count."""

    def __init__(self, slowdown: float = 1.0, read: Callable[[], float] = _real) -> None:
        self._slowdown, self._read, self._mark, self._pauses = slowdown, read, read(), 0
        self._computed = self.waited = 0.0
        self.stands = slowdown == 0  # whether only waits, and computation that is known, move it

    def computed(self) -> float:
        """Returns the time of computation since the start."""
        return self._computed if self._pauses else self._computed + (self._read() - self._mark) * self._slowdown

    def now(self) -> float:
        return self.computed() + self.waited

    def paused(self) -> bool:
        return self._pauses > 0

    def compute(self, seconds: float) -> None:
        """Adds computation that is not measured, but known."""
        self._computed += seconds

    def wait_until(self, time: float) -> float:
        """Moves to a later time, and returns how much later it is."""
        late = max(0.0, time - self.now())
        self.waited += late
        return late

    def __enter__(self) -> "Clock":
        self._computed = self.computed()
        self._pauses += 1
        return self

    def __exit__(self, *_: Any) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._mark = self._read()


def show_virtual(clock: Clock) -> None:
    """Lets time.time(), perf_counter(), monotonic(), and their forms in nanoseconds read the clock from now on."""
    for name in ("time", "perf_counter", "monotonic"):
        begin = getattr(time, name)() - clock.now()
        setattr(time, name, lambda begin=begin: begin + clock.now())
        begin_ns = getattr(time, name + "_ns")() - round(clock.now() * 1e9)
        setattr(time, name + "_ns", lambda begin=begin_ns: begin + round(clock.now() * 1e9))
