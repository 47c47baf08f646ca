#!/usr/bin/python3
"""Charts of result files, each where the records hold what it needs.

time_against_size, time_against_ranks   lines with 95% bands, dashed model times, crossovers
bandwidth_against_size                  bus bandwidth, with a port's where the model tells it
efficiency_against_ranks                how much of the bandwidth is left on more ranks
best_map, speedup_map                   sizes x ranks: the fastest and its margin; each against a baseline
predicted_against_measured              where measured records carry a model's time
links_over_time                         how busy the hottest links were (`simulate --links N`)
training_loss, training_step            of `arlab train`: loss against seconds and bytes, where a step goes
training_scaling                        images a second against one worker
training_bandwidth                      compressors over bandwidths: a step, time to accuracy, break-even
nearness                                how often an algorithm is how near to the fastest (ECDF)

One panel for every way the records were made: measured with a backend, simulated with a model.
"""

import argparse
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Optional, Sequence

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("error: charts need matplotlib: apt install python3-matplotlib (and run /usr/bin/python3)",
          file=sys.stderr)
    sys.exit(3)

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import compared
import compression
import lines
import links
import maps
import style
import training
from records import BadRecord, Record, read
from slices import MEASURED, Setting, Slice, best_slices, label_of

EXAMPLES = """examples:
  arlab run all -p 4 -s 1K..4M --json results/run.jsonl
  arlab simulate all -p 2..1024 -s 1M --json results/simulate.jsonl
  /usr/bin/python3 plots/charts/charts.py results/*.jsonl -o results/
  /usr/bin/python3 plots/charts/charts.py results/*.jsonl --only speedup_map --baseline MPI_Allreduce

writes each chart as .svg, .png and .pdf; a note says which were left out and why. Exit status: 0 written,
2 unusable files, 3 no matplotlib or no place to write.
"""
COLUMNS = 2


@dataclass(frozen=True)
class Panel:
    """What one panel shows: two lines above it, the records behind it, and how it is drawn."""

    titles: tuple[str, str]
    records: Sequence[Record]
    draw: Callable[[Axes], None]


@dataclass(frozen=True)
class Chart:
    title: str
    needs: str  # said where nothing can be drawn
    panels: Callable[[Sequence[Record], dict[str, str], Optional[str]], list[Panel]]


def line_panels(over: str, draw: Callable[[Axes, Slice, dict[str, str]], None],
                wanted: Callable[[Slice], bool] = lambda _: True, note: str = "") -> Callable[..., list[Panel]]:
    def panels(records: Sequence[Record], marker: dict[str, str], _: Optional[str]) -> list[Panel]:
        return [Panel((titles(one)[0], note or titles(one)[1]), one.records, lambda axes, one=one: draw(axes, one, marker))  # type: ignore[misc]
                for one in best_slices(records, over) if wanted(one)]
    return panels


def best_panels(records: Sequence[Record], _marker: dict[str, str], _: Optional[str]) -> list[Panel]:
    note = "the number: how many times longer the second takes; paler where that is little"
    return [Panel((_where(grid.setting), note), grid.records, lambda axes, grid=grid: maps.best_map(axes, grid))  # type: ignore[misc]
            for grid in maps.grids(records)]


def speedup_panels(records: Sequence[Record], _marker: dict[str, str], wanted: Optional[str]) -> list[Panel]:
    panels = []
    for grid in maps.grids(records):
        baseline = maps.baseline_of(grid, wanted)
        if baseline is None:
            continue
        for label in maps.labels_against(grid, baseline):
            first = f"{style.shortened(label, 24)} against {style.shortened(baseline, 24)}"
            panels.append(Panel((first, f"above 1, blue: faster; full colour from 8 times on; {_where(grid.setting)}"),
                                grid.records, lambda axes, g=grid, a=label, b=baseline: maps.speedup_map(axes, g, a, b)))  # type: ignore[misc]
    return panels


def nearness_panels(records: Sequence[Record], marker: dict[str, str], _: Optional[str]) -> list[Panel]:
    return [Panel((_where(grid.setting), f"{len(grid.sizes)} sizes, {len(grid.ranks)} rank counts; higher is better"),
                  grid.records, lambda axes, grid=grid: compared.nearness(axes, grid, marker))  # type: ignore[misc]
            for grid in maps.grids(records)]


def training_panels(draw: Callable[[Sequence[Record]], list[training.Drawing]]) -> Callable[..., list[Panel]]:
    return lambda records, _marker, _wanted: [Panel(*drawing) for drawing in draw(records)]


SIZES, RANKS, GRID = "two sizes", "two rank counts", "two sizes and two rank counts"
CHARTS = {
    "time_against_size": Chart("Time against size", SIZES, line_panels("bytes", lines.time_lines)),
    "time_against_ranks": Chart("Time against ranks", RANKS, line_panels("ranks", lines.time_lines)),
    "bandwidth_against_size": Chart("Bus bandwidth against size", SIZES, line_panels("bytes", lines.bandwidth_lines)),
    "efficiency_against_ranks": Chart("Bandwidth left on more ranks", RANKS,
                                      line_panels("ranks", lines.efficiency_lines)),
    "best_map": Chart("The fastest, and its margin", GRID, best_panels),
    "speedup_map": Chart("Speed-up against a baseline", GRID, speedup_panels),
    "predicted_against_measured": Chart("Predicted against measured", "two sizes and a model's time beside the measured",
                                        line_panels("bytes", compared.predicted, compared.has_prediction,
                                                    "on the line the model is right; grey: within a factor of 2")),
    "nearness": Chart("How near to the fastest", GRID, nearness_panels),
    "training_loss": Chart("Loss of training", training.NEEDS, training_panels(training.loss_panels)),
    "training_step": Chart("Where a training step goes", training.NEEDS, training_panels(training.step_panels)),
    "training_scaling": Chart("Training on more workers", training.NEEDS + " with 1 worker and more",
                              training_panels(training.scaling_panels)),
    "training_bandwidth": Chart("Compression, by bandwidth", compression.NEEDS, training_panels(compression.bandwidth_panels)),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="charts.py", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="result files (JSON Lines)")
    parser.add_argument("-o", "--output", default=".", metavar="FOLDER",
                        help="where to write (default: here)")
    parser.add_argument("--only", choices=[*CHARTS, links.NAME], action="append", metavar="CHART",
                        help="this chart; may be given again (default: all)")
    parser.add_argument("--baseline", metavar="LABEL",
                        help="of speedup_map: a library's own algorithm, else the most often fastest one")
    options = parser.parse_args(arguments)
    try:
        records = [record for path in options.files for record in read(path)]
        known = sorted({label_of(record) for record in records})
        if options.baseline is not None and options.baseline not in known:
            raise BadRecord(f"--baseline {options.baseline!r} is no label of these records: {', '.join(known)}")
        folder = Path(options.output)
        folder.mkdir(parents=True, exist_ok=True)
        wanted = options.only or [*CHARTS, links.NAME]
        written = [path for name in wanted if name in CHARTS for path in write(name, records, folder, options.baseline)]
        if links.NAME in wanted:
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


def write(name: str, records: Sequence[Record], folder: Path, baseline: Optional[str]) -> list[Path]:
    """Draws one chart and returns its files; none, with a note, when the records do not hold what it needs."""
    style.apply()
    marker = style.markers([label_of(record) for record in records])
    panels = CHARTS[name].panels(records, marker, baseline)
    if not panels:
        print(f"note: no {name}: no kind of record has {CHARTS[name].needs}", file=sys.stderr)
        return []
    return style.save(draw(panels, CHARTS[name].title), folder / name)


def draw(panels: Sequence[Panel], title: str) -> Figure:
    """The figure: the title, a grid of panels, the footer; margins in inches, so nothing ever overlaps."""
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    width = columns * style.PANEL_WIDTH
    notes = sources([record for panel in panels for record in panel.records], int(width * 15.5))
    head, foot = 0.4, 0.3 + 0.145 * len(notes)
    height = rows * style.PANEL_HEIGHT + head + foot
    figure = Figure(figsize=(width, height))
    figure.text(0.14 / width, 1 - 0.14 / height, title, fontsize=style.TITLE, weight="bold", va="top")
    for i, panel in enumerate(panels):
        row, column = divmod(i, columns)
        left, bottom = column * style.PANEL_WIDTH + 0.85, foot + (rows - 1 - row) * style.PANEL_HEIGHT + 0.5
        axes = figure.add_axes((left / width, bottom / height, (style.PANEL_WIDTH - 2.35) / width,
                                (style.PANEL_HEIGHT - 1.1) / height))
        panel.draw(axes)
        style.panel_title(axes, *panel.titles)
    style.footer(figure, notes)
    return figure


def _where(setting: Setting) -> str:
    host = f" on {setting.host}" if setting.host else ""
    words = [word for word in setting.words if "=" not in word]  # parameters are too long for a title
    return f"{'Measured' if setting.kind == MEASURED else 'Simulated'}{host}: {', '.join(words)}"


def titles(one: Slice) -> tuple[str, str]:
    """What is drawn, and why this slice: the rank count or size chosen, and those left out."""
    of_size = one.over == "bytes"
    held = f"{style.count_text(one.fixed)} ranks" if of_size else style.bytes_text(one.fixed)
    machine = [word for word in one.setting.words if "=" in word]
    kind, words = _where(one.setting).split(": ", 1)
    first = f"{kind}: {held}, {words}"
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


def sources(records: Iterable[Record], columns: int) -> list[str]:
    """Footer lines: every data file drawn, with the commands that wrote it."""
    pairs = dict.fromkeys((record.path, str(record.context.get("command") or "command unknown"))
                          for record in records)
    return [line for path, command in pairs
            for line in textwrap.wrap(f"{path}: {command}", columns, subsequent_indent="    ")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
