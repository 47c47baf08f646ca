"""What NCCL takes at each size by its own model, what that costs, and what a model of the network finds faster.

Two models, side by side: NCCL's counts its kernels and protocols, ours only links and switches. So a gap at small sizes is
the cost of kernels more than of the algorithm, and the ratio that is named is that of the largest size.
"""

from dataclasses import dataclass
from typing import Iterable, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from . import style
from .records import Record
from .settings import label_of, time_of
from .text import bytes_text, count_text, plain
from .training import Drawing

NEEDS = "NCCL's estimates of `arlab simulate native --network nccl` and simulated times, of the same GPUs"
NCCL, OURS, BOUND = "#1c1f23", "#0072b2", "#9aa3ad"
MOST_NAMES = 5  # of parts of a line
WHOLE = ("ranks", "nodes", "ranks_per_node", "bytes", "modelled_us", "algorithm", "protocol")  # keys of a choice


@dataclass(frozen=True)
class Best:
    """The fastest at one size."""

    bytes: int
    us: float
    name: str


def panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel per number of GPUs that NCCL's model knows, if any of them are simulated."""
    chosen = [r for r in records if r.get("kind") == "nccl" and r.get("chosen") and all(map(r.get, WHOLE))]
    simulated = [r for r in records if r.get("kind") == "simulate" and r.get("ranks") and r.get("bytes") and time_of(r)]
    made = []
    for ranks in sorted({r.get("ranks") for r in chosen}) if simulated else ():
        mine = [r for r in chosen if r.get("ranks") == ranks]
        ours = [r for r in simulated if r.get("ranks") == ranks]
        taken = [Best(r.get("bytes"), r.get("modelled_us"), plain(f"{r.get('algorithm')} {r.get('protocol')}")) for r in mine]
        fastest = fastest_of(ours)
        nodes = mine[0].get("nodes")
        title = f"{count_text(ranks)} GPUs: {count_text(nodes)} node{'' if nodes == 1 else 's'} of {mine[0].get('ranks_per_node')}"
        made.append(Drawing((title, note_of(taken, fastest)), [*mine, *ours],
                            lambda axes, t=taken, f=fastest, o=ours: draw(axes, t, f, bounds_of(o))))  # type: ignore[misc]
    return made


def fastest_of(records: Iterable[Record]) -> list[Best]:
    """Returns the fastest at each size; of equal ones the first."""
    best: dict[int, Best] = {}
    for record in records:
        size, us = record.get("bytes"), time_of(record)
        if us is not None and (size not in best or us * style.TIE < best[size].us):
            best[size] = Best(size, us, plain(str(record.get("algorithm") or label_of(record))))
    return [best[size] for size in sorted(best)]


def bounds_of(records: Iterable[Record]) -> dict[int, float]:
    return {r.get("bytes"): r.get("bound_us") for r in records if r.get("bound_us")}


def note_of(taken: Sequence[Best], fastest: Sequence[Best]) -> str:
    """Returns what the largest common size costs with each."""
    last = {one.bytes: one for one in taken}
    for best in reversed(fastest):
        if best.bytes in last:
            mine = last[best.bytes]
            return f"{bytes_text(best.bytes)}: {mine.name} {style.time_text(mine.us)}, {best.name} {style.time_text(best.us)}: {mine.us / best.us:.2f} times"
    return "not simulated"


def draw(axes: Axes, taken: Sequence[Best], fastest: Sequence[Best], bounds: dict[int, float]) -> None:
    ends: list[tuple[str, Optional[str], float, float]] = []
    taken = sorted(taken, key=lambda one: one.bytes)
    for points, color, name in ((taken, NCCL, "NCCL's choice"), (fastest, OURS, "fastest simulated")):
        if not points:
            continue
        axes.plot([p.bytes for p in points], [p.us for p in points], color=color, linewidth=style.LINE, gid=plain(f"line {name}"))
        ends.append((name, color, points[-1].bytes, points[-1].us))
    if bounds:
        line = sorted(bounds.items())
        axes.plot(*zip(*line), color=BOUND, linewidth=1.0, linestyle=(0, (4, 3)), gid="line bound")
        ends.append(("bound", BOUND, *line[-1]))
    sizes = sorted({p.bytes for p in (*taken, *fastest)})
    axes.set_yscale("log")
    low = min([p.us for p in (*taken, *fastest)] + list(bounds.values()))
    axes.set_ylim(low / 4, 6 * max(p.us for p in taken))
    style.binary_x_axis(axes, sizes, FuncFormatter(lambda x, _: bytes_text(x)), 6)
    axes.set_xlim(sizes[0] / 2, 16 * sizes[-1])  # names stand to the right of the lower line
    name_parts(axes, taken, NCCL, up=True)
    name_parts(axes, fastest, OURS, up=False)
    style.time_y_axis(axes)
    axes.set_ylabel("time")
    axes.set_xlabel("bytes of a vector")
    style.label_ends(axes, ends)


def parts(points: Sequence[Best]) -> list[list[Best]]:
    """Returns runs of sizes with the same algorithm; of many, those with the most sizes."""
    runs: list[list[Best]] = []
    for point in points:
        if runs and runs[-1][0].name == point.name:
            runs[-1].append(point)
        else:
            runs.append([point])
    kept = sorted(runs, key=len, reverse=True)[:MOST_NAMES]
    return [run for run in runs if run in kept]


def name_parts(axes: Axes, points: Sequence[Best], color: str, up: bool) -> None:
    """Names the parts of a line above or below them, with a dot where each begins."""
    for run in parts(points):
        middle = run[len(run) // 2]
        axes.plot([run[0].bytes], [run[0].us], "o", color=color, markersize=4)
        axes.annotate(plain(run[0].name), (middle.bytes, middle.us), (-4 if up else 5, 5 if up else -5), textcoords="offset points",
                      fontsize=style.TINY, color=style.text_color(color), ha="right" if up else "left", va="bottom" if up else "top",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.85})
