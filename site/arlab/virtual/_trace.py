"""A trace of the steps for Perfetto: Chrome's JSON, as `arlab plan --trace` writes it."""
import json
from typing import Any, Dict, List

from ._settings import Settings

_TRACKS = ("steps", "computation", "network")


class Trace:
    """Slices on the tracks of rank 0, in microseconds of virtual time."""

    def __init__(self, settings: Settings) -> None:
        self._events: List[Dict[str, Any]] = [{"ph": "M", "pid": 0, "name": "process_name",
                                               "args": {"name": f"rank 0 of {settings.ranks} on {settings.network}"}}]
        self._events += [{"ph": "M", "pid": 0, "tid": number, "name": "thread_name", "args": {"name": track}}
                         for number, track in enumerate(_TRACKS)]
        self._computed = 0.0  # up to when the track of computation is known

    def add(self, track: str, name: str, begin: float, end: float, **arguments: Any) -> None:
        if track == "computation":
            self._add(track, "compute", self._computed, begin)
            self._computed = end
        self._add(track, name, begin, end, **arguments)

    def _add(self, track: str, name: str, begin: float, end: float, **arguments: Any) -> None:
        if end > begin:
            self._events.append({"ph": "X", "pid": 0, "tid": _TRACKS.index(track), "name": name, "ts": round(begin * 1e6, 3),
                                 "dur": round((end - begin) * 1e6, 3), "args": arguments})

    def save(self, path: str, now: float) -> None:
        self._add("computation", "compute", self._computed, now)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"displayTimeUnit": "ms", "traceEvents": self._events}, file)
