"""Time by network: a row per network, a mark per algorithm; one panel per size, on the most ranks that all networks have."""

import math
from functools import partial
from typing import Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from . import style
from .focus import OTHERS, Focus, baselines_of, choose
from .layout import Panel
from .marks import line_color
from .records import Record
from .settings import label_of, time_of
from .slices import USUAL_SIZE
from .text import bytes_text, count_text, plain, time_text
from .winners import networks

NEEDS = "simulated times of two networks, of one size and number of ranks"
NOTE = "left is faster"
Cell = tuple[int, int]  # ranks, bytes
Times = dict[str, dict[Cell, dict[str, float]]]  # by network, cell, and label


def panels(records: Sequence[Record], marker: dict[str, str], baseline: Optional[str]) -> list[Panel]:
    """Returns panels of the smallest size, the one nearest to 1 MiB, and the largest."""
    parts = list(networks(records))
    times: Times = {name: {} for name, _ in parts}
    for name, part in parts:
        for record in part:
            times[name].setdefault((record.get("ranks"), record.get("bytes")), {})[label_of(record)] = time_of(record) or 0.0
    if len({(r.get("model"), r.get("topology"), r.get("machine")) for _, part in parts for r in part}) < 2:
        return []
    made = []
    for cell in _cells(times):
        shown = [r for _, part in parts for r in part if (r.get("ranks"), r.get("bytes")) == cell]
        focus = _focus({name: at[cell] for name, at in times.items()}, shown, baseline)
        made.append(Panel((f"Simulated: {bytes_text(cell[1])}, {count_text(cell[0])} ranks", NOTE), shown,
                          partial(_draw, times={name: at[cell] for name, at in times.items()}, focus=focus, marker=marker),
                          rows=len(times), notes=focus.ties()))
    return made


def _cells(times: Times) -> list[Cell]:
    """Returns up to three cells that all networks have, of the most ranks."""
    common = set.intersection(*(set(at) for at in times.values()))
    if not common:
        return []
    most = max(ranks for ranks, _ in common)
    sizes = sorted(size for ranks, size in common if ranks == most)
    usual = min(sizes, key=lambda size: abs(math.log2(size / USUAL_SIZE)))
    return [(most, size) for size in sorted({sizes[0], usual, sizes[-1]})]


def _focus(times: dict[str, dict[str, float]], records: Sequence[Record], wanted: Optional[str]) -> Focus:
    labels = {label for at in times.values() for label in at}
    points = {label: [(float(row), at[label]) for row, at in enumerate(times.values()) if label in at] for label in labels}
    return choose(points, {label_of(record): record.get("color") for record in records}, baselines_of(records, wanted) & labels)


def _draw(axes: Axes, times: dict[str, dict[str, float]], focus: Focus, marker: dict[str, str]) -> None:
    for row, (name, at) in enumerate(times.items()):
        axes.plot([min(at.values()), max(at.values())], [row, row], color=style.GRID, linewidth=1.2, zorder=1.5)
        axes.annotate(plain(name), (0, row), (2, 8), xycoords=axes.get_yaxis_transform(), textcoords="offset points", fontsize=style.TINY,
                      color=style.INK, zorder=4)
    for line in focus.others:
        for label in line.labels:
            xs, rows = zip(*((at[label], row) for row, at in enumerate(times.values()) if label in at))
            axes.plot(xs, rows, color=OTHERS, marker=".", linestyle="none", zorder=2, gid=plain(f"line {label}"))
    for line in reversed(focus.named):  # the first above the others
        for label in line.labels:
            xs, rows = zip(*((at[label], row) for row, at in enumerate(times.values()) if label in at))
            axes.plot(xs, rows, color=line_color(line.color), marker=marker[line.first], markersize=7, linestyle="none",
                      markeredgecolor="white", markeredgewidth=0.7, zorder=3, gid=plain(f"line {label}"))
    axes.set_xscale("log")
    axes.set_ylim(len(times) - 0.5, -0.75)
    axes.set_yticks([])
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 20 * low else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("time of the slowest rank")
    entries = [(line_color(line.color), line.name) for line in focus.named]
    shapes = [marker[line.first] for line in focus.named]
    if focus.others:
        entries, shapes = [*entries, (OTHERS, f"{focus.count_others()} others")], [*shapes, "."]
    style.legend(axes, entries, shapes)
