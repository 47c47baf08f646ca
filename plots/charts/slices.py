"""Slices: the records that belong in one panel.

Records of one Setting were made in the same way and differ only in algorithm, size and ranks. A panel fixes one of
these two numbers; the other is the x axis. Measured and simulated records never share a setting.
"""

import math
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Iterable, Optional, Sequence

from .records import Record

MEASURED, SIMULATED = "run", "simulate"

# Keys that comparable records share. A record of a native library has neither model nor segments, and is still
# compared with the algorithms that were measured with it.
_SAME = {
    MEASURED: ("backend", "collective", "dtype", "op", "compressor", "segments", "place", "mode", "cache"),
    SIMULATED: ("model", "topology", "machine", "collective", "dtype", "op", "compressor", "segments"),
}
_USUAL = {"collective": "allreduce", "segments": 1, "compressor": "none", "place": "in", "mode": "alone", "cache": "warm"}
_WORDS = {"segments": "{} segments", "place": "{} of place", "cache": "{} caches"}
_USUAL_SIZE = 1 << 20
FEWEST = 6  # launches or runs that have a 95% interval of their median


@dataclass(frozen=True)
class Setting:
    """How records were made: their kind, the host that measured them, and the keys that are not swept."""

    kind: str
    host: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Point:
    """One configuration: x is bytes or ranks; times in microseconds, all positive."""

    x: int
    time: float  # of several launches the median of their medians
    ci95: Optional[tuple[float, float]]  # of fewer than FEWEST launches their range
    modelled: Optional[float]
    bound: Optional[float] = None  # simulated: no run on this network can beat it
    launches: int = 1


@dataclass(frozen=True)
class Series:
    label: str
    color: Optional[str]
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Slice:
    """One panel: `over` is the key on the x axis, `fixed` the value of the other one."""

    setting: Setting
    over: str
    fixed: int
    others: tuple[int, ...]
    series: tuple[Series, ...]
    records: tuple[Record, ...]

    def xs(self) -> list[int]:
        return sorted({point.x for one in self.series for point in one.points})


def label_of(record: Record) -> str:
    return str(record.get("label") or record.get("algorithm") or "unnamed")


def best_slices(records: Iterable[Record], over: str) -> list[Slice]:
    """Returns the most informative slice of every setting over `over` ("bytes" or "ranks"), measured ones first.

    It has the most values on the x axis, then the most algorithms, then the largest rank count or the size nearest to
    1 MiB. A setting with fewer than two values has no slice.
    """
    settings: dict[Setting, list[Record]] = {}
    for record in records:
        if record.get("kind") in _SAME and record.get("ranks") and record.get("bytes"):
            settings.setdefault(setting_of(record), []).append(record)
    best = (_best(setting, rows, over) for setting, rows in settings.items())
    return sorted((one for one in best if one),
                  key=lambda s: (s.setting.kind, s.setting.words, s.setting.host))


def setting_of(record: Record) -> Setting:
    """Returns the setting: records with the same one belong together."""
    kind = record.get("kind")
    words = []
    for key in _SAME[kind]:
        value = record.get(key)
        if value is not None and value != _USUAL.get(key):
            words.append(_WORDS.get(key, "{}").format(value))
    host = str(record.context.get("host") or "") if kind == MEASURED else ""
    return Setting(kind, host, tuple(words))


def _best(setting: Setting, records: list[Record], over: str) -> Optional[Slice]:
    held = "ranks" if over == "bytes" else "bytes"
    values = sorted({record.get(held) for record in records})
    slices = [_slice(setting, [r for r in records if r.get(held) == value], over, value,
                     tuple(v for v in values if v != value)) for value in values]

    def informs(one: Slice) -> tuple[int, int, float]:
        near = one.fixed if held == "ranks" else -abs(math.log2(one.fixed / _USUAL_SIZE))
        return len(one.xs()), len(one.series), near

    best = max(slices, key=informs)
    return best if len(best.xs()) > 1 else None


def _slice(setting: Setting, records: list[Record], over: str, fixed: int,
           others: tuple[int, ...]) -> Slice:
    points: dict[str, dict[int, dict[Any, Point]]] = {}
    colors: dict[str, Optional[str]] = {}
    for record in records:
        point = _point(record, over)
        if point:  # of a configuration that is repeated in a launch the latest record counts
            points.setdefault(label_of(record), {}).setdefault(point.x, {})[launch_of(record)] = point
            colors[label_of(record)] = record.get("color")
    series = tuple(Series(label, colors[label], tuple(_of_launches(list(at[x].values())) for x in sorted(at)))
                   for label, at in sorted(points.items()))
    return Slice(setting, over, fixed, others, series, tuple(records))


def launch_of(record: Record) -> Any:
    """Returns what distinguishes the launches of a measurement; simulated times differ by none."""
    return record.context.get("launch") if record.get("kind") == MEASURED else None


def _of_launches(points: Sequence[Point]) -> Point:
    """Returns one point: the median of the launches' medians, and its 95% interval, or their range."""
    if len(points) == 1:
        return points[0]
    times = sorted(point.time for point in points)
    skipped = interval_skips(len(times))
    return replace(points[-1], time=median(times), ci95=(times[skipped], times[-1 - skipped]), launches=len(times))


def interval_skips(n: int) -> int:
    """Returns how many of n sorted values are below the 95% interval of their median; as many are above.

    By the binomial distribution of ranks (Le Boudec 2010, theorem 2.1). Fewer than FEWEST values have no such interval:
    then 0, the whole range.
    """
    below, skipped = 1, 0  # ways in which at most `skipped` of n values are below the median
    while 2 * (below + math.comb(n, skipped + 1)) <= 0.05 * 2**n:
        skipped += 1
        below += math.comb(n, skipped)
    return skipped


def time_of(record: Record) -> Optional[float]:
    """Returns microseconds, measured or simulated; None without a time."""
    time = record.get("time_us.median")
    if time is None and record.get("kind") == SIMULATED:
        time = record.get("modelled_us")
    return time if time and time > 0 else None


def _point(record: Record, over: str) -> Optional[Point]:
    simulated, time = record.get("kind") == SIMULATED, time_of(record)
    if not time:
        return None
    ci95, modelled = (None, None) if simulated else (record.get("time_us.ci95"), record.get("modelled_us"))
    band = (ci95[0], ci95[1]) if ci95 and ci95[0] > 0 else None
    bound = record.get("bound_us") if simulated else None
    return Point(record.get(over), time, band, modelled if modelled and modelled > 0 else None,
                 bound if bound and bound > 0 else None)
