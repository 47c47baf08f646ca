"""Predicted against measured times, and how near each algorithm is to the fastest."""

import math

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from . import style
from .focus import Focus, choose, own_of_libraries
from .lines import draw_focus, named_ends
from .maps import Grid
from .slices import Slice
from .text import time_text

LIMIT = 64.0  # of the ratios that a profile shows


def has_prediction(one: Slice) -> bool:
    return any(point.modelled for series in one.series for point in series.points)


def predicted(axes: Axes, one: Slice, marker: dict[str, str], focus: Focus) -> style.Ends:
    """Draws one mark per configuration: on the diagonal the model is exact; the gray band is within a factor of 2."""
    pairs = [(p.modelled, p.time) for series in one.series for p in series.points if p.modelled]
    low, high = min(min(pair) for pair in pairs) / 1.5, max(max(pair) for pair in pairs) * 1.5
    axes.fill_between([low, high], [low / 2, high / 2], [low * 2, high * 2], color=style.GRID, zorder=1, linewidth=0)
    axes.plot([low, high], [low, high], color=style.QUIET, linewidth=0.9, zorder=2)
    points = {series.label: [(p.modelled, p.time) for p in series.points if p.modelled] for series in one.series}
    shown = Focus(*(tuple(line for line in lines if points[line.first]) for lines in (focus.named, focus.others)))
    draw_focus(axes, points, shown, marker, linewidth=0.8, alpha=0.9)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    style.time_y_axis(axes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us)))
    axes.set_ylim(low, high)
    axes.set_xlabel("predicted")
    axes.set_ylabel("measured (median)")
    return named_ends(points, shown)


def nearness(axes: Axes, grid: Grid, marker: dict[str, str]) -> style.Ends:
    """ECDF over all sizes and ranks of time / fastest time (Dolan & More's performance profile)."""
    points, shown = _profiles(grid), profile_focus(grid)
    draw_focus(axes, points, shown, marker, markevery=(0.2, 0.25))
    axes.set_xscale("log", base=2)
    axes.set_xlim(1, LIMIT)
    axes.set_ylim(0, 1.02)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}x"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.0f}%"))
    axes.set_xlabel("time / time of the fastest")
    axes.set_ylabel("fraction of sizes and rank counts")
    return named_ends(points, shown)


def _profiles(grid: Grid) -> dict[str, list[tuple[float, float]]]:
    """Returns the steps of each label's profile."""
    cells = sorted({cell for of in grid.times.values() for cell in of})
    fastest = {cell: min(of[cell] for of in grid.times.values() if cell in of) for cell in cells}
    profiles = {}
    for label, of in grid.times.items():
        ratios = sorted(of[cell] / fastest[cell] for cell in of)
        xs, ys = [1.0], [0.0]
        for i, ratio in enumerate(ratios):
            xs += [min(ratio, LIMIT)] * 2
            ys += [i / len(cells), (i + 1) / len(cells)]
        xs.append(LIMIT)
        ys.append(sum(ratio <= LIMIT for ratio in ratios) / len(cells))
        profiles[label] = list(zip(xs, [min(y, ys[-1]) for y in ys]))
    return profiles


def profile_focus(grid: Grid) -> Focus:
    points = _profiles(grid)

    def area(label: str) -> float:  # below the profile, on the logarithmic axis
        return sum(y * math.log(after / x) for (x, y), (after, _) in zip(points[label], points[label][1:]))
    return choose(points, grid.colors, own_of_libraries(grid.records), area)
