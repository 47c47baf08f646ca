"""Charts of `arlab plan --json FILE`: efficiency on more GPUs, and what limits a step on the most of them."""

from typing import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from . import style
from .records import Record
from .text import count_text, plain, time_text
from .training import Drawing

NEEDS = "simulated training of `arlab plan --json FILE` or `arlab train -b simulated --json FILE`"
EFFICIENCY_NOTE = "speed per GPU, relative to a lone one; each network's last point has the most GPUs"
STEP_NOTE = "dark: computing; purple: exposed communication; in words: the limit, and the best change"
COMPUTING, EXPOSED = "#4a5568", "#b5179e"
WORTH_NAMING = 0.005


def by_model(records: Sequence[Record]) -> dict[str, list[Record]]:
    models: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "plan":
            models.setdefault(str(record.get("model")), []).append(record)
    return dict(sorted(models.items()))


def names_of(rows: Sequence[Record]) -> list[str]:
    """Returns the network of each row, and the settings that differ between rows."""
    keys = ("strategy", "algorithm", "scheduler", "compressor")
    differ = [key for key in keys if key != "algorithm" and len({row.get(key) for row in rows}) > 1]
    networks = {row.get("network") for row in rows}
    if len({row.get("algorithm") for row in rows}) > 1 and _repeat(rows, differ):
        differ.append("algorithm")
    return [", ".join([str(row.get("network"))] * (len(networks) > 1 or not differ)
                      + [str(row.get(key) or "dense") for key in differ]) for row in rows]


def _repeat(rows: Sequence[Record], keys: Sequence[str]) -> bool:
    """Returns whether rows are alike but for the algorithm, which a plan chooses for each number of GPUs."""
    alike = [(row.get("network"), row.get("ranks"), *(row.get(key) for key in keys)) for row in rows]
    return len(set(alike)) < len(alike)


def efficiency_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel per model with two numbers of GPUs or more: one line per network and setting."""
    return [Drawing((f"{model}: efficiency", EFFICIENCY_NOTE), rows, lambda axes, r=rows: _lines(axes, r))  # type: ignore[misc]
            for model, rows in by_model(records).items() if len({row.get("ranks") for row in rows}) > 1]


def _lines(axes: Axes, rows: Sequence[Record]) -> None:
    series: dict[str, list[tuple[int, float]]] = {}
    for name, row in zip(names_of(rows), rows):
        series.setdefault(name, []).append((row.get("ranks"), 100 * row.get("efficiency")))
    markers, ends = style.markers(list(series)), []
    for i, (name, points) in enumerate(series.items()):
        color = style.PALETTE[i % len(style.PALETTE)]
        axes.plot(*zip(*sorted(points)), color=color, marker=markers[name], linewidth=style.LINE, gid=plain(f"line {name}"))
        ends.append((name, color, *max(points)))
    counts = sorted({row.get("ranks") for row in rows})
    style.binary_x_axis(axes, counts, FuncFormatter(lambda x, _: count_text(x)), 8)
    axes.set_ylim(0, 105)
    axes.set_xlabel("GPUs")
    axes.set_ylabel("efficiency, %")
    style.label_ends(axes, ends)


def step_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel per model: one bar per network and setting on the most GPUs."""
    panels = []
    for model, rows in by_model(records).items():
        most = max(row.get("ranks") for row in rows)
        shown = [row for row in rows if row.get("ranks") == most]
        panels.append(Drawing((f"{model}: a step on {count_text(most)} GPUs", STEP_NOTE), shown,
                              lambda axes, r=shown: _bars(axes, r)))  # type: ignore[misc]
    return panels


def saving_of(row: Record) -> str:
    """Returns the change that saves the most, in words; empty if none does."""
    best = max(row.get("alternatives") or [], key=lambda one: one["saves_fraction"], default=None)
    if best is None or best["saves_fraction"] < WORTH_NAMING:
        return ""
    return f"; {best['what']} saves {100 * best['saves_fraction']:.0f}%"


def _bars(axes: Axes, rows: Sequence[Record]) -> None:
    longest = max(row.get("step_us") for row in rows)
    for at, (row, name) in enumerate(zip(rows, names_of(rows))):
        step = row.get("step_us")
        computing = min(row.get("computation_us"), step)
        axes.barh(at, computing, color=COMPUTING, height=0.4, linewidth=0)
        axes.barh(at, step - computing, left=computing, color=EXPOSED, height=0.4, linewidth=0)
        axes.text(0, at - 0.27, plain(f"{name}: {time_text(step)}, limited by {row.get('limit')}{saving_of(row)}"),
                  va="bottom", fontsize=8)
    axes.set_yticks([])
    axes.set_ylim(len(rows) - 0.5, -0.8)
    axes.set_xlim(0, longest * 1.3)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us) if us > 0 else "0"))
    axes.set_xlabel("time of a step")
