"""Focus: which lines of a panel have a color and a name, and which are gray.

Named are a library's own algorithms or the wanted baseline, those that are the fastest somewhere, then the nearest to
the fastest: MOST lines. Lines that coincide are one, named after the first; ties() names the others.
"""

import math
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence

from . import style
from .records import Record
from .settings import label_of
from .slices import Slice
from .text import shortened

MOST = 7
OTHERS = "#b9c0c8"  # color of the lines without a name

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    """One line for all labels whose points coincide."""

    labels: tuple[str, ...]
    color: Optional[str]

    @property
    def first(self) -> str:
        return self.labels[0]

    @property
    def name(self) -> str:
        ties = len(self.labels) - 1
        more = f" + {ties} tie{'s' if ties > 1 else ''}" if ties else ""
        return shortened(self.first, 18 - len(more)) + more if more else self.first


@dataclass(frozen=True)
class Focus:
    named: tuple[Line, ...]
    others: tuple[Line, ...]

    def count_others(self) -> int:
        return sum(len(line.labels) for line in self.others)

    def ties(self) -> list[str]:
        """Returns "Circulant = PAT = Swing" for each named line that stands for several labels."""
        return [" = ".join(line.labels) for line in self.named if len(line.labels) > 1]


def own_of_libraries(records: Sequence[Record]) -> set[str]:
    """Returns the labels of libraries' own algorithms, such as MPI_Allreduce."""
    return {label_of(record) for record in records if record.get("family") in (None, "native")}


def focus(one: Slice, wanted: Optional[str]) -> Focus:
    """Returns the lines of a panel over sizes or ranks."""
    points = {series.label: [(point.x, point.time) for point in series.points] for series in one.series}
    return choose(points, {series.label: series.color for series in one.series}, baselines_of(one.records, wanted))


def baselines_of(records: Sequence[Record], wanted: Optional[str]) -> set[str]:
    return {wanted} if wanted is not None else own_of_libraries(records)


def nearness_of(points: Mapping[str, Points]) -> Callable[[str], tuple[int, float]]:
    """Returns how near to the fastest a line of times is: where it is as fast, then by the mean ratio."""
    fastest = {}
    for x, time in (point for line in points.values() for point in line):
        fastest[x] = min(time, fastest.get(x, time))

    def nearness(label: str) -> tuple[int, float]:
        ratios = [time / fastest[x] for x, time in points[label]]
        return sum(ratio <= style.TIE for ratio in ratios), -sum(map(math.log, ratios)) / len(ratios)
    return nearness


def merged(points: Mapping[str, Points], colors: Mapping[str, Optional[str]], labels: Sequence[str]) -> list[Line]:
    """Returns one line for all labels whose points coincide, named after the first."""
    groups: list[list[str]] = []
    for label in labels:
        group = next((group for group in groups if style.coincide(points[label], points[group[0]])), None)
        if group is None:
            groups.append([label])
        else:
            group.append(label)
    return [Line(tuple(group), colors.get(group[0])) for group in groups]


def choose(points: Mapping[str, Points], colors: Mapping[str, Optional[str]], baselines: set[str],
           nearness: Optional[Callable[[str], object]] = None) -> Focus:
    """Names the baselines and the lines of the greatest nearness; without one, the points are times."""
    nearness = nearness or nearness_of(points)
    colors = {label: colors[label] or (style.INK if label in baselines else None) for label in points}
    lines = [*merged(points, colors, sorted(points.keys() - baselines)), *(Line((label,), colors[label]) for label in baselines & points.keys())]
    lines.sort(key=lambda line: line.first)
    if len(lines) <= MOST + 1:  # one gray line would say less than a name
        return Focus(tuple(lines), ())
    best = sorted(lines, key=lambda line: (line.first in baselines, nearness(line.first)), reverse=True)[:MOST]
    return Focus(tuple(line for line in lines if line in best), tuple(line for line in lines if line not in best))
