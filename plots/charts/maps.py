"""Maps over sizes and ranks: the fastest algorithm and its margin, and each algorithm against a baseline."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Iterable, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from . import style
from .focus import Line, merged, own_of_libraries
from .marks import line_color
from .records import Record
from .settings import Setting, label_of, settings
from .slices import order_of, times_of
from .text import bytes_text, count_text, shortened

# Orange is slower, white equal, blue faster: colors of Okabe and Ito, which color-blind readers distinguish.
DIVERGING = LinearSegmentedColormap.from_list("speedup", ["#D55E00", "#F2B68C", "#FFFFFF", "#86B9DC", "#0072B2"])
MOST_MAPS = 6  # against a baseline
MOST_WRITTEN = 14  # columns with numbers; with more, they would touch


@dataclass(frozen=True)
class Grid:
    """One setting: times[label][(bytes, ranks)] in microseconds, of several launches the median of their medians."""

    setting: Setting
    sizes: tuple[int, ...]
    ranks: tuple[int, ...]
    times: dict[str, dict[tuple[int, int], float]]
    colors: dict[str, Optional[str]]
    records: tuple[Record, ...]


def grids(records: Iterable[Record]) -> list[Grid]:
    """Returns every setting with at least two sizes and two rank counts, measured ones first."""
    made = []
    for setting, rows in settings(records).items():
        times = times_of(rows)
        sizes = tuple(sorted({size for of in times.values() for size, _ in of}))
        ranks = tuple(sorted({p for of in times.values() for _, p in of}))
        if len(sizes) > 1 and len(ranks) > 1:
            colors = {label_of(record): record.get("color") for record in rows}
            made.append(Grid(setting, sizes, ranks, times, colors, tuple(rows)))
    return sorted(made, key=lambda grid: order_of(grid.setting))


def _frame(axes: Axes, grid: Grid) -> None:
    axes.set_xlim(0, len(grid.sizes))
    axes.set_ylim(0, len(grid.ranks))
    every = max(1, math.ceil(len(grid.sizes) / style.fitting(axes, 6)))
    axes.set_xticks([i + 0.5 for i in range(0, len(grid.sizes), every)], [bytes_text(s) for s in grid.sizes[::every]])
    rows = max(1, math.ceil(len(grid.ranks) / 14))
    axes.set_yticks([i + 0.5 for i in range(0, len(grid.ranks), rows)], [count_text(p) for p in grid.ranks[::rows]])
    axes.grid(False)
    axes.set_xlabel("bytes per rank")
    axes.set_ylabel("ranks")


def _cell(axes: Axes, column: int, row: int, color: object, text: str, ink: str) -> None:
    axes.add_patch(style.Rectangle((column, row), 1, 1, facecolor=color, edgecolor="white", linewidth=0.8))
    if text:
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=style.TINY, color=ink)


@dataclass(frozen=True)
class Best:
    """A cell of the map: the fastest, those that tie with it, and time of the first slower one / time of the fastest."""

    label: str
    ties: tuple[str, ...]
    margin: Optional[float]


def best_of(grid: Grid) -> dict[tuple[int, int], Best]:
    """Returns the fastest of each cell. Of several that tie, it is the one that is fastest in the most cells."""
    times = {cell: sorted((of[cell], label) for label, of in grid.times.items() if cell in of)
             for cell in {cell for of in grid.times.values() for cell in of}}
    ties = {cell: [label for time, label in here if time <= here[0][0] * style.TIE] for cell, here in times.items()}
    wins = Counter(label for labels in ties.values() for label in labels)
    best = {}
    for cell, here in times.items():
        first = min(ties[cell], key=lambda label: (-wins[label], label))
        slower = [time / here[0][0] for time, label in here if label not in ties[cell]]
        best[cell] = Best(first, tuple(label for label in ties[cell] if label != first), min(slower, default=None))
    return best


def best_map(axes: Axes, grid: Grid) -> None:
    """Draws the color of the fastest algorithm, with its margin; pale: a small margin. +n: n others are as fast."""
    best = best_of(grid)
    written = len(grid.sizes) <= MOST_WRITTEN
    for (size, p), one in best.items():
        row, column = grid.ranks.index(p), grid.sizes.index(size)
        color = style.mixed(grid.colors[one.label], 0.35 + 0.65 * min(1.0, math.log2(one.margin or 1.0)))
        text = "" if one.margin is None else f"{one.margin:.3g}x" if one.margin < 1.1 else f"{one.margin:.2g}x" if one.margin < 100 else f"{one.margin:.0f}x"
        _cell(axes, column, row, color, text if written else "", style.ink_on(color))
        if one.ties and written:
            axes.text(column + 0.97, row + 0.95, f"+{len(one.ties)}", ha="right", va="top", fontsize=0.6 * style.TINY, color=style.ink_on(color))
    _frame(axes, grid)
    place = 0.97
    for label in sorted({one.label for one in best.values()}):
        axes.add_patch(style.Rectangle((1.03, place - 0.02), 0.03, 0.04, transform=axes.transAxes, clip_on=False,
                                       facecolor=line_color(grid.colors[label]), linewidth=0))
        axes.text(1.075, place, shortened(label), transform=axes.transAxes, fontsize=style.SMALL, va="center",
                  color=style.text_color(grid.colors[label]))
        place -= 1.15 * style.line_height(axes, style.SMALL)
        always = set.intersection(*(set(one.ties) for one in best.values() if one.label == label))
        for other in sorted(always):
            axes.text(1.075, place, shortened(f"= {other}", 20), transform=axes.transAxes, fontsize=0.8 * style.TINY, va="center", color=style.QUIET)
            place -= style.line_height(axes, 0.8 * style.TINY)
        place -= 0.3 * style.line_height(axes, style.SMALL)


def baseline_of(grid: Grid, wanted: Optional[str]) -> Optional[str]:
    """Returns the label to compare with: the wanted one, a library's own, else the most often fastest."""
    if wanted is not None:
        return wanted if wanted in grid.times else None
    native = own_of_libraries(grid.records) & grid.times.keys()
    if native:
        return min(native)
    cells = {cell for of in grid.times.values() for cell in of}
    fastest = [min((of[cell], label) for label, of in grid.times.items() if cell in of)[1] for cell in cells]
    return max(sorted(set(fastest)), key=fastest.count)


def speedup_map(axes: Axes, grid: Grid, label: str, baseline: str) -> None:
    """Draws time of the baseline / time of the algorithm: blue is faster than the baseline, orange slower, white equal."""
    for row, p in enumerate(grid.ranks):
        for column, size in enumerate(grid.sizes):
            mine, theirs = (grid.times[one].get((size, p)) for one in (label, baseline))
            if not mine or not theirs:
                continue
            ratio = theirs / mine
            color = DIVERGING(0.5 + 0.5 * max(-1.0, min(1.0, math.log2(ratio) / 3)))  # full color from a factor of 8
            number = f"{ratio:.2g}" if 0.1 <= ratio < 100 else f"1/{1 / ratio:.0f}" if ratio < 1 else f"{ratio:.0f}"
            text = number if len(grid.sizes) <= MOST_WRITTEN else ""
            _cell(axes, column, row, color, text, style.ink_on(color))
    _frame(axes, grid)


def labels_against(grid: Grid, baseline: str) -> Sequence[str]:
    """Returns the labels to compare with the baseline, in their order: those that are faster than it by the most on average."""
    def slowness(label: str) -> float:
        both = grid.times[label].keys() & grid.times[baseline].keys()
        return sum(math.log(grid.times[label][cell] / grid.times[baseline][cell]) for cell in both) / max(1, len(both))
    others = [line.first for line in ties_of(grid, baseline) if line.first != baseline]
    return sorted(sorted(others, key=slowness)[:MOST_MAPS])


def ties_of(grid: Grid, baseline: str) -> list[Line]:
    """Returns one line for all labels that are as fast in every cell; the first of the baseline's is the baseline."""
    points = {label: [(float(i), of[cell]) for i, cell in enumerate(sorted(of))] for label, of in grid.times.items()}
    return merged(points, {}, sorted(points, key=lambda label: (label != baseline, label)))
