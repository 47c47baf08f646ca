"""Charts of `arlab plan --json FILE`: efficiency on more GPUs, and what limits a step on the most of them."""

from typing import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from . import style
from .focus import Line, merged
from .marks import in_turn
from .naming import names
from .records import Record
from .text import count_text, plain
from .training import Drawing, Step, draw_steps, is_number

NEEDS = "simulated training of `arlab plan --json FILE`"
EFFICIENCY_NOTE = "speed per GPU, relative to a lone one"
STEP_NOTE = "in words: what limits the step, and the change that saves the most"
WORTH_NAMING = 0.005
NUMBERS = ("ranks", "step_us", "exposed_us", "efficiency")


def by_model(records: Sequence[Record]) -> dict[str, list[Record]]:
    models: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "plan" and all(is_number(record.get(key)) and record.get(key) >= 0 for key in NUMBERS) and record.get("ranks"):
            models.setdefault(str(record.get("model") or "unnamed model"), []).append(record)
    return dict(sorted(models.items()))


def names_of(rows: Sequence[Record]) -> list[str]:
    """Returns the network of each row, and the settings that differ; the algorithm, which a plan chooses for each number
    of GPUs, only where rows are alike but for it.
    """
    return names(rows, ("device", "network", "strategy", "scheduler", "compressor", "batch_per_worker", "servers"), ("algorithm",), "network", "ranks")


def efficiency_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel per model with two numbers of GPUs or more: one line per network and setting."""
    panels = []
    for model, rows in by_model(records).items():
        if len({row.get("ranks") for row in rows}) > 1:
            ties = [" = ".join(line.labels) for line in _alike(_series(rows)) if len(line.labels) > 1]
            panels.append(Drawing((f"{model}: efficiency", EFFICIENCY_NOTE), rows, lambda axes, r=rows: _lines(axes, r), notes=ties))  # type: ignore[misc]
    return panels


def _series(rows: Sequence[Record]) -> dict[str, list[tuple[float, float]]]:
    """Returns (GPUs, efficiency in percent) by name."""
    series: dict[str, dict[int, float]] = {}
    for name, row in zip(names_of(rows), rows):
        series.setdefault(name, {})[row.get("ranks")] = 100 * row.get("efficiency")
    return {name: sorted(points.items()) for name, points in series.items()}


def _alike(series: dict[str, list[tuple[float, float]]]) -> list[Line]:
    return merged(series, {}, list(series))


def _lines(axes: Axes, rows: Sequence[Record]) -> style.Ends:
    series = _series(rows)
    markers, ends = in_turn(list(series)), []
    for i, line in enumerate(_alike(series)):
        color = style.PALETTE[i % len(style.PALETTE)]
        for name in line.labels:
            axes.plot(*zip(*series[name]), color=color, marker=markers[line.first], linewidth=style.LINE, gid=plain(f"line {name}"))
        ends.append((line.name, color, *series[line.first][-1]))
    counts = sorted({row.get("ranks") for row in rows})
    style.binary_x_axis(axes, counts, FuncFormatter(lambda x, _: count_text(x)), style.fitting(axes, 5))
    axes.set_ylim(0, max(105, *(percent for points in series.values() for _, percent in points)))
    axes.set_xlabel("GPUs")
    axes.set_ylabel("efficiency, %")
    return ends


def step_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel per model: one bar per network and setting on the most GPUs."""
    panels = []
    for model, rows in by_model(records).items():
        most = max(row.get("ranks") for row in rows)
        shown = [row for row in rows if row.get("ranks") == most]
        panels.append(Drawing((f"{model}: a step on {count_text(most)} GPUs", STEP_NOTE), shown,
                              lambda axes, r=shown: _bars(axes, r), len(shown)))  # type: ignore[misc]
    return panels


def saving_of(row: Record) -> str:
    """Returns the change that saves the most, in words; empty if none does."""
    ways = [one for one in row.get("alternatives") or [] if isinstance(one, dict) and is_number(one.get("saves_fraction"))]
    best = max(ways, key=lambda one: one["saves_fraction"], default=None)
    if best is None or best["saves_fraction"] < WORTH_NAMING:
        return ""
    return f"; {best.get('what')} saves {100 * best['saves_fraction']:.0f}%"


def _bars(axes: Axes, rows: Sequence[Record]) -> None:
    steps = [Step(row.get("step_us"), 0.0, row.get("exposed_us")) for row in rows]
    limits = [(f", limited by {row.get('limit')}" if row.get("limit") else "") + saving_of(row) for row in rows]
    draw_steps(axes, steps, names_of(rows), limits)
