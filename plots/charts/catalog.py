"""The catalog of charts: what each needs, and its panels."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import chosen, compared, compression, history, lines, links, maps, marks, networks, planned, style, tables, training
from .focus import Focus, focus
from .layout import Look, Panel, draw, sources
from .records import Record
from .settings import MEASURED, SIMULATED, Setting, label_of
from .slices import FEWEST, Point, Slice, best_slices
from .text import bytes_text, count_text, shortened

WIDE = 40  # characters after the kind of a title; more would not fit


@dataclass(frozen=True)
class Chart:
    title: str
    needs: str  # part of the note if nothing can be drawn; empty: no note
    panels: Callable[[Sequence[Record], dict[str, str], Optional[str]], list[Panel]]


def line_panels(over: str, draw: Callable[[Axes, Slice, dict[str, str], Focus], style.Ends],
                wanted: Callable[[Slice], bool] = lambda _: True, note: str = "") -> Callable[..., list[Panel]]:
    def panels(records: Sequence[Record], marker: dict[str, str], baseline: Optional[str]) -> list[Panel]:
        shown = [one for one in best_slices(records, over) if one.series and wanted(one)]
        first = heads([one.setting for one in shown], [_fixed(one) for one in shown])
        made = []
        for head, one in zip(first, shown):
            lines = focus(one, baseline)
            made.append(Panel((head, rest_of(one.setting, head) + (note or note_of(one))), one.records,
                              partial(draw, one=one, marker=marker, focus=lines), notes=lines.ties(),
                              compared=(one.setting.kind, one.fixed)))
        return made
    return panels


def grid_panels(draw: Callable[..., None], note: Callable[[maps.Grid], str],
                ties: Callable[[maps.Grid], list[str]] = lambda _: []) -> Callable[..., list[Panel]]:
    def panels(records: Sequence[Record], marker: dict[str, str], _: Optional[str]) -> list[Panel]:
        grids = maps.grids(records)
        return [Panel((head, rest_of(grid.setting, head) + note(grid)), grid.records, partial(draw, grid=grid, marker=marker), notes=ties(grid))
                for head, grid in zip(heads([grid.setting for grid in grids]), grids)]
    return panels


def speedup_panels(records: Sequence[Record], _marker: dict[str, str], wanted: Optional[str]) -> list[Panel]:
    panels, grids = [], maps.grids(records)
    for grid, where in zip(grids, heads([grid.setting for grid in grids])):
        baseline = maps.baseline_of(grid, wanted)
        if baseline is None:
            continue
        ties = [" = ".join(line.labels) for line in maps.ties_of(grid, baseline) if len(line.labels) > 1]
        for label in maps.labels_against(grid, baseline):
            first = f"{shortened(label, 24)} against {shortened(baseline, 24)}"
            panels.append(Panel((first, f"above 1, blue: faster; full color from a factor of 8; {where}"), grid.records,
                                partial(maps.speedup_map, grid=grid, label=label, baseline=baseline), notes=ties))
    return panels


def training_panels(draw: Callable[[Sequence[Record]], list[training.Drawing]]) -> Callable[..., list[Panel]]:
    return lambda records, _marker, _wanted: [Panel(*drawing) for drawing in draw(records)]


SIZES, RANKS, GRID = "two sizes", "two rank counts", "two sizes and two rank counts"
CHARTS = {
    "time_against_size": Chart("Time against size", SIZES, line_panels("bytes", lines.time_lines)),
    "time_against_ranks": Chart("Time against ranks", RANKS, line_panels("ranks", lines.time_lines)),
    "bandwidth_against_size": Chart("Bus bandwidth against size", SIZES, line_panels("bytes", lines.bandwidth_lines, lines.has_bandwidth)),
    "efficiency_against_ranks": Chart("Bus bandwidth that is left on more ranks", RANKS + " of 2 or more",
                                      line_panels("ranks", lines.efficiency_lines, lines.has_bandwidth)),
    "time_by_network": Chart("Time by network", networks.NEEDS, networks.panels),
    "best_map": Chart("The fastest, and its margin", GRID, grid_panels(
        lambda axes, grid, marker: maps.best_map(axes, grid), lambda grid: "number: time of the next slower one / time of the fastest; +2: two others are as fast")),
    "speedup_map": Chart("Speed-up against a baseline", GRID, speedup_panels),
    "predicted_against_measured": Chart("Predicted against measured", "two sizes and a model's time beside the measured one",
                                        line_panels("bytes", compared.predicted, compared.has_prediction,
                                                    "on the line the model is exact; gray: within a factor of 2")),
    "nearness": Chart("How near to the fastest: performance profile", GRID, grid_panels(
        compared.nearness, lambda grid: f"{len(grid.sizes)} sizes, {len(grid.ranks)} rank counts; higher is better",
        lambda grid: compared.profile_focus(grid).ties())),
    "nccl_choice": Chart("What NCCL takes, by its own model, and what links and switches alone would allow", chosen.NEEDS,
                         training_panels(chosen.panels)),
    "history": Chart("Times over several dates", history.NEEDS, training_panels(history.panels)),
    "training_loss": Chart("Loss of training", training.NEEDS, training_panels(training.loss_panels)),
    "training_step": Chart("Parts of a training step", training.NEEDS, training_panels(training.step_panels)),
    "training_scaling": Chart("Training on more workers", training.NEEDS + " with 1 worker and more",
                              training_panels(training.scaling_panels)),
    "plan_efficiency": Chart("Training on more GPUs, simulated", planned.NEEDS + ", on two numbers of GPUs",
                             training_panels(planned.efficiency_panels)),
    "plan_step": Chart("What limits a step, simulated", planned.NEEDS, training_panels(planned.step_panels)),
    "training_bandwidth": Chart("Compression, by bandwidth", compression.NEEDS, training_panels(compression.bandwidth_panels)),
    "plan_bandwidth": Chart("Compression, by bandwidth, simulated", compression.PLANNED, training_panels(compression.planned_panels)),
    links.NAME: Chart("Utilization of links over time", "", lambda records, _marker, _wanted: links.panels(records)),
}


NAMES = (*CHARTS, tables.NAME)


def panels_of(name: str, records: Sequence[Record], baseline: Optional[str]) -> list[Panel]:
    marker = marks.markers({label_of(record): record.get("color") for record in records})
    return CHARTS[name].panels(records, marker, baseline)


def figure_of(name: str, records: Sequence[Record], baseline: Optional[str], look: Look = Look()) -> Optional[Figure]:
    """Returns a chart, or None if the records do not hold what it needs."""
    style.apply(look.font)
    panels = panels_of(name, records, baseline)
    return draw(panels, CHARTS[name].title, look) if panels else None


def write(name: str, records: Sequence[Record], folder: Path, baseline: Optional[str], look: Look) -> list[Path]:
    """Draws one chart and returns its files; none, with a note, if the records do not hold what it needs."""
    if name == tables.NAME:
        written = tables.write(records, folder, baseline)
    else:
        figure = figure_of(name, records, baseline, look)
        written = style.save(figure, folder / name, "; ".join(sources(records))) if figure else []
    needs = tables.NEEDS if name == tables.NAME else CHARTS[name].needs
    if not written and needs:
        print(f"note: no {name}: no records have {needs}", file=sys.stderr)
    return written


def heads(settings: Sequence[Setting], fixed: Sequence[str] = ()) -> list[str]:
    """Returns the titles of panels. Parameters, which are long, are part of one only if they differ between the panels; what
    does not differ is left out of a long title."""
    made = []
    for setting, at in zip(settings, fixed or [""] * len(settings)):
        alike = set.intersection(*(set(other.words) for other in settings if other.kind == setting.kind))
        words = [at, *(word for word in setting.words if "=" not in word or word not in alike)]
        if len(", ".join(words)) > WIDE and sum(other.kind == setting.kind for other in settings) > 1:
            words = [at, *(word for word in setting.words if word not in alike)]
        where = ", ".join(filter(None, [f"on {setting.host}" if setting.host else "", *setting.origin]))
        kind = "Measured" if setting.kind == MEASURED else "Simulated"
        made.append(f"{kind}{' ' if setting.host else ', ' if where else ''}{where}: {', '.join(filter(None, words))}")
    return made


def rest_of(setting: Setting, head: str) -> str:
    """Returns the words that the title leaves out, for the line below it."""
    return "".join(f"{word.replace(',', ' ')}; " for word in setting.words if word not in head)


def _fixed(one: Slice) -> str:
    return _ranks_text(one.fixed) if one.over == "bytes" else bytes_text(one.fixed)


def _ranks_text(ranks: int) -> str:
    return f"{count_text(ranks)} rank{'' if ranks == 1 else 's'}"


def note_of(one: Slice) -> str:
    """Returns why this slice: the rank count or size chosen, and those left out; and what lines and bands are."""
    of_size = one.over == "bytes"
    second = f"{len(one.xs())} {'sizes' if of_size else 'rank counts'}"
    if one.others:
        second += f"; {_fixed(one)} chosen from {len(one.others) + 1} {'rank counts' if of_size else 'sizes'}"
    second += _statistic([point for series in one.series for point in series.points], one.setting.kind == SIMULATED)
    if any(point.modelled for series in one.series for point in series.points):
        second += "; dashed: model"
    return second


def _statistic(points: Sequence[Point], predicted: bool) -> str:
    """Returns what lines and bands are."""
    counts = sorted({point.launches for point in points})
    if counts[-1] == 1:
        if predicted:
            return "; band: 80% of measurements are expected in it" if any(point.ci95 for point in points) else ""
        return "; median with 95% band" if any(point.ci95 for point in points) else ""
    launches = " to ".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    return f"; median of {launches} launches with {'their range' if counts[0] < FEWEST else '95% band'}"
