#!/usr/bin/python3
"""Charts of result files: time against size, time against ranks, and links over time.

One panel for every way the records were made (measured with a backend, simulated with a model), one
line per algorithm with its 95% confidence band, and the model's time as a thin dashed line where a
measured record carries one. Records with links over time (`simulate --links N`) get a heat map each.
"""

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Callable, Sequence

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("error: charts need matplotlib: apt install python3-matplotlib (and run /usr/bin/python3)",
          file=sys.stderr)
    sys.exit(3)

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

import links
import style
from records import BadRecord, Record, read
from slices import MEASURED, Slice, best_slices, label_of

EXAMPLES = """examples:
  arlab run all -p 4 -s 1K..4M --json results/run.jsonl
  arlab simulate all -p 2..1024 -s 1M --json results/simulate.jsonl
  /usr/bin/python3 plots/charts.py results/*.jsonl -o results/

writes time_against_size and time_against_ranks, each as .svg and .png, where the records hold two
sizes or two rank counts of one kind, and links_over_time where they hold links. Exit status: 0 written, 2 unusable files, 3 no matplotlib or no
place to write.
"""
CHARTS = {"time_against_size": ("bytes", "Time against size"),
          "time_against_ranks": ("ranks", "Time against ranks")}
COLUMNS = 2


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="charts.py", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="result files (JSON Lines)")
    parser.add_argument("-o", "--output", default=".", metavar="FOLDER",
                        help="where to write (default: here)")
    options = parser.parse_args(arguments)
    try:
        records = [record for path in options.files for record in read(path)]
        folder = Path(options.output)
        folder.mkdir(parents=True, exist_ok=True)
        written = [path for name in CHARTS for path in write(name, records, folder)]
        written += links.write(records, folder)
    except BadRecord as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}; choose another folder with -o", file=sys.stderr)
        return 3
    for path in written:
        print(path)
    if not written:
        print("error: nothing to draw: no measured or simulated records of two sizes or two rank counts, "
              "and none of links over time",
              file=sys.stderr)
        return 2
    return 0


def write(name: str, records: Sequence[Record], folder: Path) -> list[Path]:
    """Draws one chart and returns its files; none, with a note, when no records make a line."""
    over, title = CHARTS[name]
    slices = best_slices(records, over)
    if not slices:
        missing = "sizes" if over == "bytes" else "rank counts"
        print(f"note: no {name}: no kind of record has two {missing}", file=sys.stderr)
        return []
    style.apply()
    marker = style.markers([label_of(record) for record in records])
    return style.save(draw(slices, title, marker), folder / name)


def draw(slices: Sequence[Slice], title: str, marker: dict[str, str]) -> Figure:
    """The figure: the title, a grid of panels, the footer; margins in inches, so nothing ever overlaps."""
    columns = min(COLUMNS, len(slices))
    rows = -(-len(slices) // columns)
    width = columns * style.PANEL_WIDTH
    notes = sources(slices, int(width * 15.5))
    head, foot = 0.4, 0.3 + 0.145 * len(notes)
    height = rows * style.PANEL_HEIGHT + head + foot
    figure = Figure(figsize=(width, height))
    figure.text(0.14 / width, 1 - 0.14 / height, title, fontsize=style.TITLE, weight="bold", va="top")
    for i, one in enumerate(slices):
        row, column = divmod(i, columns)
        left, bottom = column * style.PANEL_WIDTH + 0.85, foot + (rows - 1 - row) * style.PANEL_HEIGHT + 0.5
        axes = figure.add_axes((left / width, bottom / height, (style.PANEL_WIDTH - 2.35) / width,
                                (style.PANEL_HEIGHT - 1.1) / height))
        panel(axes, one, marker)
    style.footer(figure, notes)
    return figure


def panel(axes: Axes, one: Slice, marker: dict[str, str]) -> None:
    """One slice: its axes, bands, lines, dashed model times, names; coinciding lines show as a rim."""
    of_size = one.over == "bytes"
    text: Callable[[float], str] = style.bytes_text if of_size else style.count_text
    style.binary_x_axis(axes, one.xs(), FuncFormatter(lambda x, _: text(x)), 8 if of_size else 11)
    axes.set_yscale("log")
    axes.set_xlabel("bytes per rank" if of_size else "ranks")
    for i, series in enumerate(one.series):
        color = style.line_color(series.color)
        hiding = sum(later.points == series.points for later in one.series[i + 1:])
        xs = [point.x for point in series.points]
        axes.plot(xs, [point.time for point in series.points], color=color, marker=marker[series.label],
                  linewidth=style.LINE + 2 * hiding, markeredgecolor="white", markeredgewidth=0.5, zorder=3,
                  gid=style.plain(f"line {series.label}"))
        nan = (float("nan"), float("nan"))
        low, high = zip(*(point.ci95 or nan for point in series.points))
        axes.fill_between(xs, low, high, color=color, alpha=0.18, linewidth=0, zorder=2)
        modelled = [(point.x, point.modelled) for point in series.points if point.modelled]
        if modelled:
            axes.plot(*zip(*modelled), color=color, linewidth=0.9, linestyle=(0, (4, 3)), zorder=2.5)
    style.time_y_axis(axes)
    style.panel_title(axes, *titles(one))
    style.label_ends(axes, [(s.label, s.color, s.points[-1].x, s.points[-1].time) for s in one.series])


def titles(one: Slice) -> tuple[str, str]:
    """What is drawn, and why this slice: the rank count or size chosen, and those left out."""
    measured = one.setting.kind == MEASURED
    of_size = one.over == "bytes"
    held = f"{style.count_text(one.fixed)} ranks" if of_size else style.bytes_text(one.fixed)
    host = f" on {one.setting.host}" if one.setting.host else ""
    machine = [word for word in one.setting.words if "=" in word]  # parameters are too long for a title
    words = [word for word in one.setting.words if word not in machine]
    first = f"{'Measured' if measured else 'Simulated'}{host}: {held}, {', '.join(words)}"
    xs = one.xs()
    second = "".join(f"{word.replace(',', ' ')}; " for word in machine)
    second += f"{len(xs)} {'sizes' if of_size else 'rank counts'}"
    if one.others:
        second += f"; {held} chosen from {len(one.others) + 1} {'rank counts' if of_size else 'sizes'}"
    if any(point.ci95 for series in one.series for point in series.points):
        second += "; median with 95% band"
    if any(point.modelled for series in one.series for point in series.points):
        second += "; dashed: model"
    return first, second


def sources(slices: Sequence[Slice], columns: int) -> list[str]:
    """Footer lines: every data file drawn, with the commands that wrote it."""
    pairs = dict.fromkeys((record.path, str(record.context.get("command") or "command unknown"))
                          for one in slices for record in one.records)
    return [line for path, command in pairs
            for line in textwrap.wrap(f"{path}: {command}", columns, subsequent_indent="    ")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
