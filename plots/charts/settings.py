"""Settings: the records that were made in the same way, and so may share a line.

They differ only in algorithm, size and ranks. Measured and simulated records never share a setting; nor do two hosts, two
sessions, two versions of the program or of a library, and what two files both measured.
"""

from dataclasses import dataclass
from typing import Any, Iterable, Sequence

from .naming import ORIGIN, separate, text_of
from .records import Record
from .text import plain

MEASURED, SIMULATED = "run", "simulate"

# Keys that comparable records share. A record of a native library has neither model nor segments, and is still
# compared with the algorithms that were measured with it.
_SAME = {
    MEASURED: ("backend", "collective", "dtype", "op", "compressor", "segments", "place", "mode", "cache"),
    SIMULATED: ("model", "topology", "machine", "collective", "dtype", "op", "compressor", "segments", "disturbance"),
}
_USUAL = {"collective": "allreduce", "segments": 1, "compressor": "none", "place": "in", "mode": "alone", "cache": "warm"}
# The other keys of a configuration's identity (bench/results/record.cpp), which part records wherever they differ: words
# only then.
_APART = {MEASURED: ("root", "start", "repeats", "summary_over_ranks", "disturbance"), SIMULATED: ("root",)}
# How ranks are arranged follows from their number, unless the records of one algorithm and number of ranks differ.
_LAYOUT = ("groups", "dims", "trees")
# What is in the identity besides the algorithm and what is swept.
SETTINGS = tuple(dict.fromkeys((*_SAME[MEASURED], *_SAME[SIMULATED], *_APART[MEASURED], *_LAYOUT)))
# Keys that part records only where one configuration has several times.
_OF_TIMES = {MEASURED: ("lanes",), SIMULATED: ("lanes", "commit", "version", "path")}


@dataclass(frozen=True)
class Setting:
    """How records were made: their kind, the host that measured them, what else tells their files apart, and the keys that
    are not swept."""

    kind: str
    host: str
    words: tuple[str, ...]
    origin: tuple[str, ...] = ()


def label_of(record: Record) -> str:
    return str(record.get("label") or record.get("algorithm") or "unnamed")


def launch_of(record: Record) -> Any:
    """Returns what distinguishes the launches of a measurement; simulated times differ by none."""
    return record.context.get("launch") if record.get("kind") == MEASURED else None


def time_of(record: Record) -> float | None:
    """Returns microseconds, measured or simulated; None without a time, or if the measured result was wrong."""
    if record.get("kind") == MEASURED and record.get("wrong"):
        return None
    time = record.get("time_us.median")
    if time is None and record.get("kind") == SIMULATED:
        time = record.get("modelled_us")
    return time if time and time > 0 else None


def drawable(record: Record) -> bool:
    """Returns whether a chart over sizes and ranks can show the record; logarithmic axes have no 0."""
    return record.get("kind") in _SAME and bool(record.get("ranks") and record.get("bytes"))


def settings(records: Iterable[Record]) -> dict[Setting, list[Record]]:
    """Returns the records of every setting, in file order."""
    shown = [record for record in records if drawable(record)]
    varied = {(kind, key) for kind in _SAME for key in _SAME[kind]
              if len({_usual(r, key) for r in shown if r.get("kind") == kind} - {None}) > 1}
    alike: dict[Setting, list[Record]] = {}
    for record in shown:
        alike.setdefault(_setting_of(record, varied), []).append(record)
    parts: dict[Setting, list[Record]] = {}
    for one, rows in alike.items():
        for origin, same in _by_origin(one.kind, rows):
            for words, part in _by_identity(one.kind, same):
                parts[Setting(one.kind, one.host, one.words + words, origin)] = part
    return parts


def _given(record: Record, key: str) -> Any:
    """Returns the value of the key; None for segments that nobody asked for: an algorithm chooses them by the size."""
    if key == "segments" and record.get("kind") == SIMULATED and "--segments" not in str(record.context.get("command") or "--segments"):
        return None
    return record.get(key)


def _usual(record: Record, key: str) -> Any:
    value = _given(record, key)
    return _USUAL.get(key) if value is None else value


def _setting_of(record: Record, varied: set[tuple[str, str]]) -> Setting:
    kind = record.get("kind")
    words = []
    for key in _SAME[kind]:
        value = _given(record, key)
        if value is not None and value != _USUAL.get(key):
            words.append(text_of(key, value))
        elif (kind, key) in varied and (usual := _usual(record, key)) is not None:
            words.append(text_of(key, usual))
    host = str(record.context.get("host") or "") if kind == MEASURED else ""
    return Setting(kind, host, tuple(map(plain, words)))


def _by_origin(kind: str, records: Sequence[Record]) -> list[tuple[tuple[str, ...], list[Record]]]:
    if kind == SIMULATED:
        return [((), list(records))]
    parts = []
    for words, same in separate(records, [key for key in ORIGIN if key not in ("host", "path")]):
        files = separate(same, ["path"]) if _files_repeat(same) else [((), same)]
        parts += [(words + path, part) for path, part in files]
    return parts


def _configurations(records: Sequence[Record], keys: Sequence[str] = ("ranks", "bytes")) -> list[list[Record]]:
    found: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        found.setdefault((label_of(record), *map(record.get, keys)), []).append(record)
    return list(found.values())


def _files_repeat(records: Sequence[Record]) -> bool:
    """Returns whether two files measured one configuration: they are compared, not launches of one run."""
    return any(len({record.path for record in same}) > 1 for same in _configurations(records))


def _by_identity(kind: str, records: Sequence[Record]) -> list[tuple[tuple[str, ...], list[Record]]]:
    """Parts records by the keys of their identity that differ and that are not swept."""
    arranged = _configurations(records, ["ranks"])
    layout = [key for key in _LAYOUT if any(_differ(same, key) for same in arranged)]
    found = []
    for words, part in separate(records, [*_APART[kind], *layout]):
        repeated = [same for same in _launches(part) if len({time_of(record) for record in same} - {None}) > 1]
        keys = [key for key in _OF_TIMES[kind] if any(_differ(same, key) for same in repeated)]
        found += [((*words, *more), rows) for more, rows in separate(part, keys)]
    return found


def _launches(records: Sequence[Record]) -> list[list[Record]]:
    """Returns the records of each configuration in each launch."""
    found: dict[tuple[int, str], list[Record]] = {}
    for number, same in enumerate(_configurations(records)):
        for record in same:
            found.setdefault((number, repr(launch_of(record))), []).append(record)
    return list(found.values())


def _differ(records: Sequence[Record], key: str) -> bool:
    return len(separate(records, [key])) > 1
