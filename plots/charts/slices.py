"""Slices: the records that belong in one panel.

Records of one Setting were made in the same way and differ only in algorithm, size and ranks. A panel fixes one of
these two numbers; the other is the x axis.
"""

import math
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Iterable, Optional, Sequence

from .records import Record
from .settings import SIMULATED, Setting, label_of, launch_of, settings, time_of

USUAL_SIZE = 1 << 20
FEWEST = 6  # launches or runs that have a 95% interval of their median


@dataclass(frozen=True)
class Point:
    """One configuration: x is bytes or ranks; times in microseconds, all positive."""

    x: int
    time: float  # of several launches the median of their medians
    ci95: Optional[tuple[float, float]]  # of fewer than FEWEST launches their range; of a prediction its 80% interval
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


def best_slices(records: Iterable[Record], over: str) -> list[Slice]:
    """Returns the most informative slice of every setting over `over` ("bytes" or "ranks"), measured ones first.

    It has the most values on the x axis, then the most algorithms, then the largest rank count or the size nearest to
    1 MiB. A setting with fewer than two values has no slice. One rank sends nothing: it is left out if two counts remain.
    """
    best = (_best(setting, rows, over) for setting, rows in settings(records).items())
    return sorted((one for one in best if one), key=lambda s: order_of(s.setting))


def order_of(setting: Setting) -> tuple[Any, ...]:
    return setting.kind, setting.words, setting.host, setting.origin


def _best(setting: Setting, records: list[Record], over: str) -> Optional[Slice]:
    held = "ranks" if over == "bytes" else "bytes"
    if over == "ranks" and len({record.get("ranks") for record in records if record.get("ranks") > 1 and time_of(record)}) > 1:
        records = [record for record in records if record.get("ranks") > 1]
    values = sorted({record.get(held) for record in records})
    slices = [_slice(setting, [r for r in records if r.get(held) == value], over, value,
                     tuple(v for v in values if v != value)) for value in values]

    def informs(one: Slice) -> tuple[int, int, float]:
        near = one.fixed if held == "ranks" else -abs(math.log2(one.fixed / USUAL_SIZE))
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


def times_of(records: Iterable[Record]) -> dict[str, dict[tuple[int, int], float]]:
    """Returns the times of each label by (bytes, ranks), of several launches the median of their medians."""
    launches: dict[str, dict[tuple[int, int], dict[Any, float]]] = {}
    for record in records:
        time, cell = time_of(record), (record.get("bytes"), record.get("ranks"))
        if time:
            launches.setdefault(label_of(record), {}).setdefault(cell, {})[launch_of(record)] = time
    return {label: {cell: median(of.values()) for cell, of in at.items()} for label, at in launches.items()}


def _point(record: Record, over: str) -> Optional[Point]:
    simulated, time = record.get("kind") == SIMULATED, time_of(record)
    if not time:
        return None
    ends, modelled = record.get("time_us.ci95"), record.get("modelled_us")
    if simulated:  # the 80% interval of a prediction on a calibrated machine
        ends, modelled = (record.get("low_us"), record.get("high_us")) if record.get("low_us") else None, None
    band = (ends[0], ends[1]) if ends and ends[0] > 0 else None
    bound = record.get("bound_us") if simulated else None
    return Point(record.get(over), time, band, modelled if modelled and modelled > 0 else None,
                 bound if bound and bound > 0 else None)
