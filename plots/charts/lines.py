"""Lines over sizes or ranks: time with labeled crossovers, bus bandwidth, efficiency; each with the lines in focus."""

import math
import re
from typing import Callable, Mapping, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from . import style
from .focus import OTHERS, Focus, Points
from .marks import line_color
from .slices import Point, Series, Slice
from .text import bytes_text, count_text, plain, shortened

MOST_CROSSOVERS = 4
_RATES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3}


def x_axis(axes: Axes, one: Slice) -> None:
    of_size = one.over == "bytes"
    text: Callable[[float], str] = bytes_text if of_size else count_text
    style.binary_x_axis(axes, one.xs(), FuncFormatter(lambda x, _: text(x)), style.fitting(axes, 7 if of_size else 4))
    axes.set_xlabel("bytes per rank" if of_size else "ranks")


def time_lines(axes: Axes, one: Slice, marker: dict[str, str], focus: Focus) -> style.Ends:
    """Draws bands, lines, dashed model times and names."""
    x_axis(axes, one)
    axes.set_yscale("log")
    series = {series.label: series for series in one.series}
    for line in focus.named:
        points, color = series[line.first].points, line_color(line.color)
        nan = (float("nan"), float("nan"))
        low, high = zip(*(point.ci95 or nan for point in points))
        axes.fill_between([point.x for point in points], low, high, color=color, alpha=0.18, linewidth=0, zorder=2)
        modelled = [(point.x, point.modelled) for point in points if point.modelled]
        if modelled:
            axes.plot(*zip(*modelled), color=color, linewidth=0.9, linestyle=(0, (4, 3)), zorder=2.5)
    _bound_line(axes, one)
    ends = _draw(axes, one, marker, focus, lambda _, point: point.time, style.time_y_axis)
    name_crossovers(axes, one, crossovers(one, focus))
    return ends


def name_crossovers(axes: Axes, one: Slice, found: Sequence[tuple[float, str]]) -> None:
    """Names crossovers where rising lines leave room: those of the left half at the top, the others at the bottom."""
    low, high = math.log(one.xs()[0]), math.log(one.xs()[-1])
    for i, (x, text) in enumerate(found):
        early = math.log(x) - low < (high - low) / 2
        step = 1.1 * style.line_height(axes, style.TINY) * (i % 3)
        axes.axvline(x, color=style.QUIET, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1.5)
        wide = 0.56 * len(text) * style.TINY / 72 / style.inches(axes)[0]
        at = axes.transAxes.inverted().transform(axes.transData.transform((x, 1)))[0]
        left = min(at + 0.01, 1 - wide) if early else max(at - wide - 0.01, 0)
        axes.text(left, 0.99 - step if early else 0.01 + step, text, transform=axes.transAxes, fontsize=style.TINY, color=style.INK, ha="left",
                  va="top" if early else "bottom", zorder=4, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0})


def _draw(axes: Axes, one: Slice, marker: dict[str, str], focus: Focus, value: Callable[[Series, Point], float],
          finish: Callable[[Axes], None]) -> style.Ends:
    """Draws the lines, those in focus above the gray ones; `finish` sets the limits. Returns their names."""
    points = {series.label: [(point.x, value(series, point)) for point in series.points] for series in one.series}
    draw_focus(axes, points, focus, marker)
    finish(axes)
    return named_ends(points, focus)


def draw_focus(axes: Axes, points: Mapping[str, Points], focus: Focus, marker: dict[str, str], **looks: object) -> None:
    """Draws each line once per label that it stands for: the SVG names them."""
    for line in focus.others:
        for label in line.labels:
            axes.plot(*zip(*points[label]), gid=plain(f"line {label}"), color=OTHERS, linewidth=0.9, zorder=1.7)
    for line in focus.named:
        for label in line.labels:
            axes.plot(*zip(*points[label]), gid=plain(f"line {label}"), color=line_color(line.color), marker=marker[line.first],
                      markeredgecolor="white", markeredgewidth=0.5, zorder=3, **looks)


def named_ends(points: Mapping[str, Points], focus: Focus) -> style.Ends:
    """Returns the names of the lines at their ends, and the number of the gray ones."""
    ends = [(line.name, line.color, *points[line.first][-1]) for line in focus.named]
    if focus.others:
        lasts = sorted((points[line.first][-1] for line in focus.others), key=lambda last: last[1])
        ends.append((f"{focus.count_others()} others", style.QUIET, *lasts[len(lasts) // 2]))
    return ends


def _bound_line(axes: Axes, one: Slice) -> None:
    """Draws the time that no run can beat, where the records have one."""
    bound = {point.x: point.bound for series in one.series for point in series.points if point.bound}
    if not bound:
        return
    xs = sorted(bound)
    axes.plot(xs, [bound[x] for x in xs], color=style.QUIET, linewidth=1.2, linestyle=(0, (1, 1.5)), zorder=1.8, gid="bound")
    axes.annotate("bound", (xs[0], bound[xs[0]]), (4, 3), textcoords="offset points", fontsize=style.TINY, color=style.INK)


def crossovers(one: Slice, focus: Focus) -> list[tuple[float, str]]:
    """Returns where the fastest algorithm changes: (x, "Tree → Ring ≈ 300 KiB"), interpolated on logarithmic axes; ranks are
    whole numbers.

    Only between lines in focus, and if their 95% intervals are disjoint on both sides; of many, those of the clearest.
    """
    names = {label: line.first for line in focus.named for label in line.labels}
    band = {series.label: {point.x: point.ci95 for point in series.points} for series in one.series}

    def apart(x: int, quick: str, slow: str) -> bool:
        first, second = band[quick][x], band[slow][x]
        return not first or not second or first[1] < second[0]
    at = {series.label: {point.x: point.time for point in series.points} for series in one.series}
    xs = [x for x in one.xs() if all(x in of for of in at.values())]
    found: list[tuple[float, str, float]] = []
    for a, b in zip(xs, xs[1:]):
        first = min(sorted(at), key=lambda label: at[label][a])
        second = min(sorted(at), key=lambda label: at[label][b])
        if at[first][b] <= at[second][b] * (1 + 1e-9) or at[second][a] <= at[first][a] * (1 + 1e-9):
            continue  # the same one, or a tie
        if first not in names or second not in names:
            continue
        if not apart(a, first, second) or not apart(b, second, first):
            continue
        before = math.log(at[second][a] / at[first][a])
        after = math.log(at[first][b] / at[second][b])
        if one.over == "ranks" and b == a + 1:
            continue  # no number of ranks is between
        x = a * (b / a) ** (before / (before + after))
        place = f"≈ {bytes_text(x, 2)}" if one.over == "bytes" else f"at {math.ceil(x)} ranks"
        found.append((x, f"{shortened(names[first])} → {shortened(names[second])} {place}", min(before, after)))
    clear = sorted(found, key=lambda one: one[2], reverse=True)[:MOST_CROSSOVERS]
    return [(x, text) for x, text, _ in sorted(clear)]


# Bus bandwidth by bytes / time on P ranks, as docs/reference/records.md defines it.
_BUS = {"reduce_scatter": lambda p: (p - 1) / p, "all_gather": lambda p: (p - 1) / p, "reduce": lambda p: 1.0, "broadcast": lambda p: 1.0}


def bandwidth(point: Point, one: Slice) -> float:
    """Returns the bus bandwidth in GB/s; 0 where nothing is sent."""
    bytes_, ranks = (point.x, one.fixed) if one.over == "bytes" else (one.fixed, point.x)
    collective = one.records[0].get("collective") if one.records else None
    factor = _BUS.get(collective, lambda p: 2 * (p - 1) / p)(ranks)
    return bytes_ / point.time * factor / 1e3 if ranks > 1 else 0.0


def has_bandwidth(one: Slice) -> bool:
    """Returns whether two values on the x axis have a bandwidth: one rank has none."""
    return len({point.x for series in one.series for point in series.points if bandwidth(point, one) > 0}) > 1


def peak_of(one: Slice) -> Optional[float]:
    """Returns the GB/s of a port, if the model has a parameter for the time per byte."""
    for word in one.setting.words:
        found = re.search(r"(?:^|,)(?:beta|G)=([\d.]+)(ps|ns|us|ms)(?:,|$)", word)
        if found and float(found[1]) > 0:
            return 1 / (float(found[1]) * _RATES[found[2]]) / 1e9
    return None


def bandwidth_lines(axes: Axes, one: Slice, marker: dict[str, str], focus: Focus) -> style.Ends:
    """Draws bus bandwidth; the dashed line is the rate of a port, if the model has one."""
    x_axis(axes, one)
    peak = peak_of(one)

    def finish(axes: Axes) -> None:
        axes.set_ylim(0, peak * 1.12 if peak else None)
        axes.set_ylabel("bus bandwidth, GB/s")
        if peak:
            axes.axhline(peak, color=style.INK, linewidth=0.9, linestyle=(0, (4, 3)))
            axes.annotate(f"a port: {peak:.4g} GB/s", (0, peak), (4, 3), xycoords=("axes fraction", "data"),
                          textcoords="offset points", fontsize=style.TINY, color=style.INK)
    return _draw(axes, one, marker, focus, lambda _, point: bandwidth(point, one), finish)


def efficiency_lines(axes: Axes, one: Slice, marker: dict[str, str], focus: Focus) -> style.Ends:
    """Draws bus bandwidth relative to the same algorithm on the fewest ranks, for one size."""
    x_axis(axes, one)
    fewest = {series.label: next((point for point in series.points if bandwidth(point, one) > 0), None) for series in one.series}
    firsts = {first.x for first in fewest.values() if first}
    of = f"{count_text(min(firsts))} ranks" if len(firsts) == 1 else "the fewest ranks of each"

    def left(series: Series, point: Point) -> float:
        first = fewest[series.label]
        return bandwidth(point, one) / bandwidth(first, one) if first else 0.0

    def finish(axes: Axes) -> None:
        axes.axhline(1, color=style.QUIET, linewidth=0.8)
        axes.set_ylim(0, None)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.0f}%"))
        axes.set_ylabel(f"bus bandwidth, % of that on {of}")
    return _draw(axes, one, marker, focus, left, finish)
