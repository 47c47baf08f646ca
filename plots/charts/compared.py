"""Predicted against measured times, and how near each algorithm is to the fastest."""

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from . import style
from .maps import Grid
from .slices import Slice
from .text import plain, time_text


def has_prediction(one: Slice) -> bool:
    return any(point.modelled for series in one.series for point in series.points)


def predicted(axes: Axes, one: Slice, marker: dict[str, str]) -> None:
    """Draws one mark per configuration: on the diagonal the model is exact; the gray band is within a factor of 2."""
    pairs = [(p.modelled, p.time) for series in one.series for p in series.points if p.modelled]
    low, high = min(min(pair) for pair in pairs) / 1.5, max(max(pair) for pair in pairs) * 1.5
    axes.fill_between([low, high], [low / 2, high / 2], [low * 2, high * 2], color=style.GRID, zorder=1, linewidth=0)
    axes.plot([low, high], [low, high], color=style.QUIET, linewidth=0.9, zorder=2)
    ends = []
    for series in one.series:
        points = [(p.modelled, p.time) for p in series.points if p.modelled]
        if not points:
            continue
        axes.plot(*zip(*points), color=style.line_color(series.color), marker=marker[series.label], linewidth=0.8, alpha=0.9,
                  markeredgecolor="white", markeredgewidth=0.5, zorder=3, gid=plain(f"line {series.label}"))
        ends.append((series.label, series.color, *points[-1]))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    style.time_y_axis(axes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us)))
    axes.set_ylim(low, high)
    axes.set_xlabel("predicted")
    axes.set_ylabel("measured (median)")
    style.label_ends(axes, ends)


def nearness(axes: Axes, grid: Grid, marker: dict[str, str]) -> None:
    """ECDF over all sizes and ranks of time / fastest time (Dolan & More's performance profile)."""
    cells = sorted({cell for of in grid.times.values() for cell in of})
    fastest = {cell: min(of[cell] for of in grid.times.values() if cell in of) for cell in cells}
    limit = 64.0
    drawn: dict[str, list[tuple[float, float]]] = {}
    for label, of in sorted(grid.times.items()):
        ratios = sorted(of[cell] / fastest[cell] for cell in of)
        xs, ys = [1.0], [0.0]
        for i, ratio in enumerate(ratios):
            xs += [min(ratio, limit)] * 2
            ys += [i / len(cells), (i + 1) / len(cells)]
        xs.append(limit)
        ys.append(sum(ratio <= limit for ratio in ratios) / len(cells))
        ys = [min(y, ys[-1]) for y in ys]
        drawn[label] = list(zip(xs, ys))
    lines = list(drawn.values())
    for i, (label, line) in enumerate(drawn.items()):
        hiding = sum(style.coincide(line, later) for later in lines[i + 1:])  # this one shows as a rim
        axes.plot(*zip(*line), linewidth=style.LINE + 2 * hiding, color=style.line_color(grid.colors[label]), marker=marker[label], markevery=(0.2, 0.25), zorder=3,
                  markeredgecolor="white", markeredgewidth=0.5, gid=plain(f"line {label}"))
    axes.set_xscale("log", base=2)
    axes.set_xlim(1, limit)
    axes.set_ylim(0, 1.02)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}x"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.0f}%"))
    axes.set_xlabel("time / time of the fastest")
    axes.set_ylabel("fraction of sizes and rank counts")
    style.label_ends(axes, [(label, grid.colors[label], limit, line[-1][1]) for label, line in drawn.items()])
