"""What a collective returns: its values are there at once, and whoever waits moves on to the time of its end."""
# mypy: disable-error-code="name-defined, misc, type-arg"
from typing import Any, Callable, List, Optional

import torch
import torch.distributed as dist

from ._session import Session


class Future(torch.futures.Future):
    """A result that is known, and the time at which it would be."""

    def __init__(self, session: Session, end: float) -> None:
        super().__init__()
        self._session, self._end = session, end

    def wait(self) -> Any:
        self._session.wait(self._end)
        return super().wait()

    def then(self, callback: Callable[[Any], Any]) -> Any:
        """Runs the callback now, on this rank's processor, and lets its collectives begin when this future is complete."""
        result = Future(self._session, self._end)
        with self._session.callback():
            try:
                result.set_result(callback(self))
            except Exception as error:
                result.set_exception(error)
        result._end = max(self._end, self._session.network_free)
        return result


class Work(dist._Work):
    def __init__(self, session: Session, end: float, tensors: List[torch.Tensor]) -> None:
        super().__init__()
        self._session, self._end, self._tensors = session, end, tensors
        self._polled: Optional[float] = None  # when is_completed() last was False
        session.keep(self)  # C++ holds it, but calls this object

    def wait(self, timeout: Any = None) -> bool:
        self._session.wait(self._end)
        self._session.release(self)
        return True

    def get_future(self) -> Future:
        self._session.expect(self, self._end)
        future = Future(self._session, self._end)
        future.set_result(self._tensors)
        return future

    def is_completed(self) -> bool:
        now = self._session.clock.now()
        if now < self._end and self._session.clock.stands and now == self._polled:
            return self.wait()  # a script that does nothing but poll would never see the end
        self._polled = now
        done = now >= self._end
        if done:
            self._session.release(self)
        return done

    def is_success(self) -> bool:
        return True

    def exception(self) -> Optional[Exception]:
        return None

    def synchronize(self) -> None:
        self.wait()

    def result(self) -> List[torch.Tensor]:
        return self._tensors


class Message(Work):
    """A message between two processes. It is exchanged beside the computation, with the time at which it is there."""

    def __init__(self, session: Session, end: float, tensors: List[torch.Tensor], exchanged: List[Any], stamp: torch.Tensor) -> None:
        super().__init__(session, end, tensors)
        self._exchanged, self._stamp = exchanged, stamp

    def wait(self, timeout: Any = None) -> bool:
        with self._session.clock:
            for work in self._exchanged:
                work.wait()
            self._exchanged = []
            self._end = max(self._end, float(self._stamp))
        return super().wait()

    def is_completed(self) -> bool:
        if not all(work.is_completed() for work in self._exchanged):
            return False
        self._end = max(self._end, float(self._stamp))
        return super().is_completed()
