"""The catalog of charts: what each needs, its panels, and how they become a figure."""

import sys
import textwrap
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Iterable, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import compared, compression, lines, links, maps, planned, style, training
from .records import Record
from .slices import FEWEST, MEASURED, Point, Setting, Slice, best_slices, label_of
from .text import bytes_text, count_text, shortened

COLUMNS = 2


@dataclass(frozen=True)
class Panel:
    """One panel: two lines above it, the records it shows, and how to draw it."""

    titles: tuple[str, str]
    records: Sequence[Record]
    draw: Callable[[Axes], None]


@dataclass(frozen=True)
class Chart:
    title: str
    needs: str  # part of the note if nothing can be drawn
    panels: Callable[[Sequence[Record], dict[str, str], Optional[str]], list[Panel]]


def line_panels(over: str, draw: Callable[[Axes, Slice, dict[str, str]], None],
                wanted: Callable[[Slice], bool] = lambda _: True, note: str = "") -> Callable[..., list[Panel]]:
    def panels(records: Sequence[Record], marker: dict[str, str], _: Optional[str]) -> list[Panel]:
        return [Panel((titles(one)[0], note or titles(one)[1]), one.records, partial(draw, one=one, marker=marker))
                for one in best_slices(records, over) if wanted(one)]
    return panels


def best_panels(records: Sequence[Record], _marker: dict[str, str], _: Optional[str]) -> list[Panel]:
    note = "number: time of the second / time of the fastest; pale: a small margin"
    return [Panel((_where(grid.setting), note), grid.records, partial(maps.best_map, grid=grid))
            for grid in maps.grids(records)]


def speedup_panels(records: Sequence[Record], _marker: dict[str, str], wanted: Optional[str]) -> list[Panel]:
    panels = []
    for grid in maps.grids(records):
        baseline = maps.baseline_of(grid, wanted)
        if baseline is None:
            continue
        for label in maps.labels_against(grid, baseline):
            first = f"{shortened(label, 24)} against {shortened(baseline, 24)}"
            panels.append(Panel((first, f"above 1, blue: faster; full color from a factor of 8; {_where(grid.setting)}"),
                                grid.records, partial(maps.speedup_map, grid=grid, label=label, baseline=baseline)))
    return panels


def nearness_panels(records: Sequence[Record], marker: dict[str, str], _: Optional[str]) -> list[Panel]:
    return [Panel((_where(grid.setting), f"{len(grid.sizes)} sizes, {len(grid.ranks)} rank counts; higher is better"),
                  grid.records, partial(compared.nearness, grid=grid, marker=marker))
            for grid in maps.grids(records)]


def training_panels(draw: Callable[[Sequence[Record]], list[training.Drawing]]) -> Callable[..., list[Panel]]:
    return lambda records, _marker, _wanted: [Panel(*drawing) for drawing in draw(records)]


SIZES, RANKS, GRID = "two sizes", "two rank counts", "two sizes and two rank counts"
CHARTS = {
    "time_against_size": Chart("Time against size", SIZES, line_panels("bytes", lines.time_lines)),
    "time_against_ranks": Chart("Time against ranks", RANKS, line_panels("ranks", lines.time_lines)),
    "bandwidth_against_size": Chart("Bus bandwidth against size", SIZES, line_panels("bytes", lines.bandwidth_lines)),
    "efficiency_against_ranks": Chart("Bandwidth on more ranks", RANKS,
                                      line_panels("ranks", lines.efficiency_lines)),
    "best_map": Chart("The fastest, and its margin", GRID, best_panels),
    "speedup_map": Chart("Speed-up against a baseline", GRID, speedup_panels),
    "predicted_against_measured": Chart("Predicted against measured", "two sizes and a model's time beside the measured one",
                                        line_panels("bytes", compared.predicted, compared.has_prediction,
                                                    "on the line the model is exact; gray: within a factor of 2")),
    "nearness": Chart("How near to the fastest", GRID, nearness_panels),
    "training_loss": Chart("Loss of training", training.NEEDS, training_panels(training.loss_panels)),
    "training_step": Chart("Parts of a training step", training.NEEDS, training_panels(training.step_panels)),
    "training_scaling": Chart("Training on more workers", training.NEEDS + " with 1 worker and more",
                              training_panels(training.scaling_panels)),
    "plan_efficiency": Chart("Training on more GPUs, simulated", planned.NEEDS + ", on two numbers of GPUs",
                             training_panels(planned.efficiency_panels)),
    "plan_step": Chart("What limits a step, simulated", planned.NEEDS, training_panels(planned.step_panels)),
    "training_bandwidth": Chart("Compression, by bandwidth", compression.NEEDS, training_panels(compression.bandwidth_panels)),
}


NAMES = (*CHARTS, links.NAME)


def write(name: str, records: Sequence[Record], folder: Path, baseline: Optional[str]) -> list[Path]:
    """Draws one chart and returns its files; none, with a note, if the records do not hold what it needs."""
    if name == links.NAME:
        return links.write(records, folder)
    style.apply()
    marker = style.markers([label_of(record) for record in records])
    panels = CHARTS[name].panels(records, marker, baseline)
    if not panels:
        print(f"note: no {name}: no records have {CHARTS[name].needs}", file=sys.stderr)
        return []
    return style.save(draw(panels, CHARTS[name].title), folder / name)


def draw(panels: Sequence[Panel], title: str) -> Figure:
    """Returns the figure: title, grid of panels, footer. Margins are in inches, so that nothing overlaps."""
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
    """Returns what is drawn, and why this slice: the rank count or size chosen, and those left out."""
    of_size = one.over == "bytes"
    held = f"{count_text(one.fixed)} ranks" if of_size else bytes_text(one.fixed)
    machine = [word for word in one.setting.words if "=" in word]
    kind, words = _where(one.setting).split(": ", 1)
    first = f"{kind}: {held}, {words}"
    xs = one.xs()
    second = "".join(f"{word.replace(',', ' ')}; " for word in machine)
    second += f"{len(xs)} {'sizes' if of_size else 'rank counts'}"
    if one.others:
        second += f"; {held} chosen from {len(one.others) + 1} {'rank counts' if of_size else 'sizes'}"
    second += _statistic([point for series in one.series for point in series.points])
    if any(point.modelled for series in one.series for point in series.points):
        second += "; dashed: model"
    return first, second


def _statistic(points: Sequence[Point]) -> str:
    """Returns what lines and bands are."""
    counts = sorted({point.launches for point in points})
    if counts[-1] == 1:
        return "; median with 95% band" if any(point.ci95 for point in points) else ""
    launches = " to ".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    return f"; median of {launches} launches with {'their range' if counts[0] < FEWEST else '95% band'}"


def sources(records: Iterable[Record], columns: int) -> list[str]:
    """Returns the footer: every data file drawn, with the commands that wrote it."""
    pairs = dict.fromkeys((record.path, str(record.context.get("command") or "command unknown"))
                          for record in records)
    return [line for path, command in pairs
            for line in textwrap.wrap(f"{path}: {command}", columns, subsequent_indent="    ")]

