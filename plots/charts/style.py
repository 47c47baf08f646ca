"""Style: the look of every chart.

Light page, thin grid, names at the ends of lines instead of a legend, and a footer with the command and the file of the
data. Colors and markers are those of marks.py. The same data gives the same bytes.
"""

import math
from pathlib import Path
from typing import Optional, Sequence

import matplotlib

from . import whole_files
from .marks import line_color
from .text import plain, shortened, time_text

matplotlib.use("Agg")
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402, F401
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter  # noqa: E402

PANEL_WIDTH, PANEL_HEIGHT = 6.2, 4.3  # inches
INK, QUIET, GRID = "#1c1f23", "#5b6570", "#dfe3e8"
USUAL = 9.5  # points, of most texts
TITLE, TEXT, SMALL, TINY = 13.0, USUAL, 8.5, 7.5
LINE = 1.8
TIE = 1.001  # times within this factor of the best are equal: the last digits of simulated times differ
# For series without a color in their records; also for color-blind readers (after Okabe and Ito).
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7b4fb5", "#a6761d",
           "#4d9221", "#c51b7d", "#35978f", "#b2182b", "#6a7b8c", "#8e9b00")

_RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "svg.fonttype": "none",
    "svg.hashsalt": "arlab",
    "savefig.dpi": 160,
    "pdf.fonttype": 42,
}


def apply(points: float = USUAL) -> None:
    """Sets this style, with texts of this size, for matplotlib and the constants above."""
    global TITLE, TEXT, SMALL, TINY, LINE
    scale = points / USUAL
    TITLE, TEXT, SMALL, TINY = 13.0 * scale, points, 8.5 * scale, 7.5 * scale
    LINE = 1.8 * scale
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({**_RC, "font.size": TEXT, "axes.labelsize": TEXT, "xtick.labelsize": SMALL, "ytick.labelsize": SMALL,
                                "lines.linewidth": LINE, "lines.markersize": 4.5 * scale})


def save(figure: Figure, stem: Path, about: str) -> list[Path]:
    """Writes <stem>.svg, .pdf and .png, which say what they are `about`; equal figures give equal bytes."""
    about = plain(about)
    metadata = {"svg": {"Date": None, "Creator": None, "Description": about}, "png": {"Software": None, "Description": about},
                "pdf": {"CreationDate": None, "Producer": None, "Creator": None, "Subject": about}}
    outputs = [stem.with_suffix(f".{kind}") for kind in metadata]
    for output, kind in zip(outputs, metadata):
        with whole_files.replacing(output) as new:
            figure.savefig(new, format=kind, metadata=metadata[kind])
    return outputs


def text_color(color: Optional[str]) -> str:
    """Returns the hue of the line, dark enough for text on white (contrast 4.5, WCAG 2)."""
    channels = [int(line_color(color)[i:i + 2], 16) for i in (1, 3, 5)]
    while 1.05 / (_luminance(channels) + 0.05) < 4.5:
        channels = [int(c * 0.94) for c in channels]
    return "#" + "".join(f"{c:02x}" for c in channels)


def mixed(color: Optional[str], strength: float) -> tuple[float, float, float]:
    """Returns the color mixed with white: strength 1 is the color itself."""
    return tuple(1 - strength * (1 - int(line_color(color)[i:i + 2], 16) / 255) for i in (1, 3, 5))  # type: ignore[return-value]


def ink_on(color: Sequence[float]) -> str:
    """Returns black or white, for the better contrast."""
    return INK if _luminance([255 * c for c in color[:3]]) > 0.25 else "#ffffff"


def _luminance(channels: Sequence[float]) -> float:
    linear = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def coincide(one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]) -> bool:
    """Returns whether two lines coincide."""
    return len(one) == len(other) and all(a == c and abs(b - d) <= 2e-3 * abs(b) for (a, b), (c, d) in zip(one, other))


def chosen_ticks(values: Sequence[int], limit: int) -> list[int]:
    """Returns the values to name on a logarithmic axis: powers of two before others, the largest first, none too near."""
    high, low = math.log2(max(values)), math.log2(min(values))
    gap, named = 0.999 * (high - low) / limit, []
    for value in sorted(set(values), key=lambda v: (v & (v - 1) != 0, -v)):
        if all(abs(math.log2(value) - math.log2(other)) >= gap for other in named):
            named.append(value)
    return sorted(named)


def binary_x_axis(axes: Axes, values: Sequence[int], text: FuncFormatter, limit: int) -> None:
    """Makes a base-2 axis over positive `values`, with a tick at each, and labels at up to about `limit` of them."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(chosen_ticks(values, limit)))
    axes.xaxis.set_major_formatter(text)
    axes.xaxis.set_minor_locator(FixedLocator(values))
    axes.xaxis.set_minor_formatter(NullFormatter())


class BinaryLocator(MaxNLocator):
    """Ticks at multiples of a power of two, at most `most` of them."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._most = most

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        step = 2.0 ** math.ceil(math.log2(max(vmax - vmin, 1.0) / self._most))
        return [step * i for i in range(math.floor(vmin / step), math.floor(vmax / step) + 1)]


def log_y_ticks(axes: Axes) -> None:
    """Labels the decades of a finished log axis, and 2 and 5 between them if it spans less than two decades."""
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(low, high)


def time_y_axis(axes: Axes) -> None:
    axes.autoscale_view()
    log_y_ticks(axes)
    axes.set_ylabel("time of the slowest rank")


def inches(axes: Axes) -> tuple[float, float]:
    """Returns the width and the height of the axes."""
    extent = axes.get_window_extent()
    return extent.width / axes.figure.dpi, extent.height / axes.figure.dpi


def line_height(axes: Axes, points: float) -> float:
    """Returns the height of a line of text as a part of the axes' height."""
    return points * 1.35 / 72 / inches(axes)[1]


def fitting(axes: Axes, characters: int) -> int:
    """Returns how many tick labels of so many characters fit side by side."""
    return max(2, int(inches(axes)[0] / (characters * 0.75 * SMALL / 72)))


def renderer_of(figure: Figure) -> RendererAgg:
    return FigureCanvasAgg(figure).get_renderer()


def width_left_of(axes: Axes, renderer: RendererAgg) -> float:
    """Returns the inches that ticks and their label take."""
    extent = axes.yaxis.get_tightbbox(renderer)
    return max(0.0, axes.get_window_extent().x0 - extent.x0) / axes.figure.dpi if extent else 0.0


def width_right_of(axes: Axes, renderer: RendererAgg) -> float:
    """Returns the inches that names and legends take."""
    beside = [*(text for text in axes.texts if text.get_transform() is axes.transAxes and text.get_position()[0] > 1),
              *filter(None, [axes.get_legend()])]
    end = axes.get_window_extent().x1
    return max([0.0, *(artist.get_window_extent(renderer).x1 - end for artist in beside)]) / axes.figure.dpi


def panel_title(axes: Axes, titles: Sequence[str], notes: Sequence[str]) -> None:
    """Writes lines above the panel: what it shows, and how in small print."""
    lift = 7.0 * TEXT / USUAL
    for lines, size, color in ((notes, TINY, QUIET), (titles, TEXT, INK)):
        for line in reversed(lines):
            axes.annotate(plain(line), (0, 1), (0, lift), xycoords="axes fraction", textcoords="offset points",
                          fontsize=size, color=color, weight="bold" if color == INK else "normal")
            lift += 1.35 * size + (2 if line is lines[0] else 0) * TEXT / USUAL


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Returns places for ascending positions: at least `gap` apart, moved little, within low..high if they fit.

    Neighbors that would touch become one block at the mean of their wanted positions.
    """
    blocks: list[tuple[float, int]] = []  # center, members
    for center in wanted:
        members = 1
        while True:
            half = gap * (members - 1) / 2
            center = max(min(center, high - half), low + half)
            if not blocks or center - half - (blocks[-1][0] + gap * (blocks[-1][1] - 1) / 2) >= gap:
                break
            before, count = blocks.pop()
            center = (before * count + center * members) / (count + members)
            members += count
        blocks.append((center, members))
    return [center + gap * (i - (members - 1) / 2) for center, members in blocks for i in range(members)]


# A line's name, its color, and its last point.
Ends = Sequence[tuple[str, Optional[str], float, float]]


def label_ends(axes: Axes, ends: Ends) -> None:
    """Names each line in a column right of the axes, with a thin leader. Call when the limits are final."""
    to_axes = axes.transAxes.inverted()
    points = sorted(((to_axes.transform(axes.transData.transform((x, y))), label, color)
                     for label, color, x, y in ends), key=lambda end: (end[0][1], end[1]))
    gap = line_height(axes, SMALL)
    places = spread([point[1] for point, _, _ in points], gap, 0.0, 1.0)
    for (point, label, color), place in zip(points, places):
        axes.plot([point[0], 1.012, 1.03], [point[1], place, place], transform=axes.transAxes,
                  color=line_color(color), linewidth=0.6, alpha=0.6, clip_on=False, zorder=1.5)
        axes.text(1.038, place, shortened(label), transform=axes.transAxes, color=text_color(color),
                  fontsize=SMALL, va="center", ha="left")


def legend(axes: Axes, entries: Sequence[tuple[str, str]], markers: Sequence[str] = ()) -> None:
    """Explains colors, as (color, text), right of the axes; of markers, if there are some."""
    handles = [Line2D([], [], color=color, marker=marker, linestyle="none", markeredgecolor="white", markeredgewidth=0.5)
               for (color, _), marker in zip(entries, markers)]
    handles = handles or [Rectangle((0, 0), 1, 1, facecolor=color, linewidth=0) for color, _ in entries]
    axes.legend(handles, ["\n".join(map(plain, text.split("\n"))) for _, text in entries], loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False,
                fontsize=TINY, handlelength=0.9, handleheight=0.9, handletextpad=0.5)


def footer(figure: Figure, lines: Sequence[str]) -> None:
    """Writes the command and the data file of every source at the bottom left."""
    figure.text(0.14 / figure.get_figwidth(), 0.1 / figure.get_figheight(), "\n".join(plain(l) for l in lines),
                fontsize=TINY, color=QUIET, va="bottom", ha="left", linespacing=1.35)
