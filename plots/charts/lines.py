"""Lines over sizes or ranks: time with labeled crossovers, bus bandwidth, efficiency."""

import math
import re
from typing import Callable, Optional

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from . import style
from .slices import Point, Series, Slice
from .text import bytes_text, count_text, plain

_RATES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3}


def x_axis(axes: Axes, one: Slice) -> None:
    of_size = one.over == "bytes"
    text: Callable[[float], str] = bytes_text if of_size else count_text
    style.binary_x_axis(axes, one.xs(), FuncFormatter(lambda x, _: text(x)), 6 if of_size else 11)
    axes.set_xlabel("bytes per rank" if of_size else "ranks")


def time_lines(axes: Axes, one: Slice, marker: dict[str, str]) -> None:
    """Draws bands, lines, dashed model times and names; a line below another one shows as a rim."""
    x_axis(axes, one)
    axes.set_yscale("log")
    for i, series in enumerate(one.series):
        color = style.line_color(series.color)
        hiding = sum(later.points == series.points for later in one.series[i + 1:])
        xs = [point.x for point in series.points]
        axes.plot(xs, [point.time for point in series.points], color=color, marker=marker[series.label],
                  linewidth=style.LINE + 2 * hiding, markeredgecolor="white", markeredgewidth=0.5, zorder=3,
                  gid=plain(f"line {series.label}"))
        nan = (float("nan"), float("nan"))
        low, high = zip(*(point.ci95 or nan for point in series.points))
        axes.fill_between(xs, low, high, color=color, alpha=0.18, linewidth=0, zorder=2)
        modelled = [(point.x, point.modelled) for point in series.points if point.modelled]
        if modelled:
            axes.plot(*zip(*modelled), color=color, linewidth=0.9, linestyle=(0, (4, 3)), zorder=2.5)
    _bound_line(axes, one)
    style.time_y_axis(axes)
    for i, (x, text) in enumerate(crossovers(one)):
        axes.axvline(x, color=style.QUIET, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1.5)
        axes.text(x, 0.02 + 0.06 * (i % 3), text, transform=axes.get_xaxis_transform(), fontsize=style.TINY, color=style.INK, ha="center",
                  va="bottom", zorder=4, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0})
    style.label_ends(axes, [(s.label, s.color, s.points[-1].x, s.points[-1].time) for s in one.series])


def _bound_line(axes: Axes, one: Slice) -> None:
    """Draws the time that no run can beat, where the records have one."""
    bound = {point.x: point.bound for series in one.series for point in series.points if point.bound}
    if not bound:
        return
    xs = sorted(bound)
    axes.plot(xs, [bound[x] for x in xs], color=style.QUIET, linewidth=1.2, linestyle=(0, (1, 1.5)), zorder=1.8, gid="bound")
    axes.annotate("bound", (xs[0], bound[xs[0]]), (4, 3), textcoords="offset points", fontsize=style.TINY, color=style.INK)


def crossovers(one: Slice) -> list[tuple[float, str]]:
    """Returns where the fastest algorithm changes, interpolated on logarithmic axes: (x, "≈ 300 KiB").

    Only if the 95% intervals of the two algorithms are disjoint on both sides.
    """
    band = {series.label: {point.x: point.ci95 for point in series.points} for series in one.series}

    def apart(x: int, quick: str, slow: str) -> bool:
        first, second = band[quick][x], band[slow][x]
        return not first or not second or first[1] < second[0]
    at = {series.label: {point.x: point.time for point in series.points} for series in one.series}
    xs = [x for x in one.xs() if all(x in of for of in at.values())]
    found = []
    for a, b in zip(xs, xs[1:]):
        first = min(sorted(at), key=lambda label: at[label][a])
        second = min(sorted(at), key=lambda label: at[label][b])
        if at[first][b] <= at[second][b] * (1 + 1e-9) or at[second][a] <= at[first][a] * (1 + 1e-9):
            continue  # the same one, or a tie
        if not apart(a, first, second) or not apart(b, second, first):
            continue
        before = math.log(at[second][a] / at[first][a])
        after = math.log(at[first][b] / at[second][b])
        if one.over == "ranks" and b == a + 1:
            continue  # no number of ranks is between
        x = a * (b / a) ** (before / (before + after))
        found.append((x, f"≈ {bytes_text(x, 2) if one.over == 'bytes' else f'{x:.2g} ranks'}"))
    return found


# Bus bandwidth by bytes / time on P ranks, as docs/records.md defines it.
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


def bandwidth_lines(axes: Axes, one: Slice, marker: dict[str, str]) -> None:
    """Draws bus bandwidth; the dashed line is the rate of a port, if the model has one."""
    x_axis(axes, one)
    _plain_lines(axes, one, marker, lambda series, point: bandwidth(point, one))
    axes.set_ylim(0, None)
    peak = peak_of(one)
    if peak:
        axes.axhline(peak, color=style.INK, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.annotate(f"a port: {peak:.4g} GB/s", (0, peak), (4, 3), xycoords=("axes fraction", "data"),
                      textcoords="offset points", fontsize=style.TINY, color=style.INK)
        axes.set_ylim(0, peak * 1.12)
    axes.set_ylabel("bus bandwidth, GB/s")
    style.label_ends(axes, [(s.label, s.color, s.points[-1].x, bandwidth(s.points[-1], one)) for s in one.series])


def efficiency_lines(axes: Axes, one: Slice, marker: dict[str, str]) -> None:
    """Draws bus bandwidth relative to the same algorithm on the fewest ranks, for one size."""
    x_axis(axes, one)

    fewest = {series.label: next((point for point in series.points if bandwidth(point, one) > 0), None) for series in one.series}

    def left(series: Series, point: Point) -> float:
        first = fewest[series.label]
        return bandwidth(point, one) / bandwidth(first, one) if first else 0.0
    _plain_lines(axes, one, marker, left)
    axes.axhline(1, color=style.QUIET, linewidth=0.8)
    axes.set_ylim(0, None)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.0f}%"))
    firsts = {first.x for first in fewest.values() if first}
    of = f"{count_text(min(firsts))} ranks" if len(firsts) == 1 else "the fewest ranks of each"
    axes.set_ylabel(f"bus bandwidth, % of that on {of}")
    style.label_ends(axes, [(s.label, s.color, s.points[-1].x, left(s, s.points[-1])) for s in one.series])


def _plain_lines(axes: Axes, one: Slice, marker: dict[str, str], value: Callable[[Series, Point], float]) -> None:
    lines = [[(point.x, value(series, point)) for point in series.points] for series in one.series]
    for i, (series, line) in enumerate(zip(one.series, lines)):
        hiding = sum(style.coincide(line, later) for later in lines[i + 1:])
        axes.plot(*zip(*line),
                  color=style.line_color(series.color), marker=marker[series.label], linewidth=style.LINE + 2 * hiding,
                  markeredgecolor="white", markeredgewidth=0.5, zorder=3, gid=plain(f"line {series.label}"))
