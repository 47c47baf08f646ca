"""Charts of training runs (`arlab train --json FILE`): loss against time and bytes, parts of a step, scaling."""

from typing import Any, Callable, NamedTuple, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from . import style
from .records import BadRecord, Record
from .text import bytes_text, plain, rate_text, time_text

NEEDS = "runs of `arlab train --json FILE`"
DENSE = "dense"
# Colors that no algorithm has: computing, waiting for input, exposed communication.
PARTS = (("compute_us", "#4a5568"), ("input_us", "#b8c0cc"), ("exposed_us", "#b5179e"))


class Drawing(NamedTuple):
    titles: tuple[str, str]
    records: Sequence[Record]
    draw: Callable[[Axes], None]


def runs_by_model(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Returns the training runs of each model and bandwidth, by workers, without the diverged ones, whose loss is null.

    Raises BadRecord if the epochs of a run cannot be read.
    """
    models: dict[tuple[str, float], list[Record]] = {}
    for record in records:
        if record.get("kind") == "train" and record.get("epochs"):
            _check(record)
            if all(epoch["loss"] is not None for epoch in record.get("epochs")):
                models.setdefault((str(record.get("model")), record.get("bandwidth_gbit_per_s") or 0), []).append(record)
    for runs in models.values():
        runs.sort(key=lambda run: (run.get("workers"), str(run.get("strategy")), run.get("compressor") or "", run.get("scheduler") or ""))
    return {f"{model} at {rate_text(rate)}" if rate else model: runs for (model, rate), runs in sorted(models.items())}


def _check(record: Record) -> None:
    keys = ("steps", "elapsed_us", "bytes_sent", *(key for key, _ in PARTS))
    epochs, rate = record.get("epochs"), record.get("bandwidth_gbit_per_s")
    good = isinstance(record.get("workers"), int) and isinstance(epochs, list) and all(
        isinstance(epoch, dict) and all(isinstance(epoch.get(key), (int, float)) for key in keys) and epoch["steps"] > 0
        and isinstance(epoch.get("loss", ""), (int, float, type(None))) for epoch in epochs)
    good = good and isinstance(rate, (int, float, type(None)))
    if not good:
        raise BadRecord(f"{record.path}: `epochs` of a training run cannot be read; write it with `arlab train --json FILE`")


def _names(runs: Sequence[Record]) -> list[str]:
    """Returns what distinguishes runs: in a sweep of bandwidths the compressor, and the schedule if there are several."""
    if not any(run.get("bandwidth_gbit_per_s") for run in runs):
        return [f"{run.get('workers')} × {run.get('strategy')}" for run in runs]
    short = short_names([compressor_of(run) for run in runs])
    names = [short[compressor_of(run)] for run in runs]
    return [f"{name}, {run.get('scheduler')}" if names.count(name) > 1 else name for name, run in zip(names, runs)]


def _colors(runs: Sequence[Record]) -> list[Any]:
    """Returns shades of the algorithm's color, the palest first; in a sweep one color per compressor."""
    palette = compressor_colors([compressor_of(run) for run in runs])
    if any(run.get("bandwidth_gbit_per_s") for run in runs):
        return [palette[compressor_of(run)] for run in runs]
    return [style.mixed(run.get("color"), 0.4 + 0.6 * (i + 1) / len(runs)) for i, run in enumerate(runs)]


def compressor_of(run: Record) -> str:
    return run.get("compressor") or DENSE


def short_names(compressors: Sequence[str]) -> dict[str, str]:
    """Drops settings that all compressors of a kind share: of topk:k=0,ratio=0.1 and topk:k=0,ratio=0.01 the ratio remains."""
    settings = {name: set(filter(None, name.partition(":")[2].split(","))) for name in compressors}
    short = {}
    for name in settings:
        kind, _, words = name.partition(":")
        alike = [own for other, own in settings.items() if other.partition(":")[0] == kind]
        left = [word for word in words.split(",") if word and not all(word in own for own in alike)]
        short[name] = f"{kind}:{','.join(left)}" if left else kind
    return short


def compressor_colors(compressors: Sequence[str]) -> dict[str, str]:
    """Returns colors that do not depend on the order of the runs; dense comes last and is dark."""
    names = sorted(set(compressors) - {DENSE})
    return {**{name: style.PALETTE[i % len(style.PALETTE)] for i, name in enumerate(names)}, DENSE: style.INK}


def _total(run: Record, key: str) -> float:
    return sum(epoch[key] for epoch in run.get("epochs"))


def loss_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel over seconds and one over the bytes that all workers sent, with a mark at the end of each epoch."""
    panels, swept = [], set()
    for model, runs in runs_by_model(records).items():
        for key, over in (("elapsed_us", "seconds"), ("bytes_sent", "bytes sent by all")):
            shown = [run for run in runs if _total(run, key) > 0]
            if key == "bytes_sent" and runs[0].get("bandwidth_gbit_per_s"):  # the same bytes at every bandwidth
                shown = [] if runs[0].get("model") in swept else shown
                swept.add(runs[0].get("model"))
            if shown:
                panels.append(Drawing((f"{model}: loss against {over}", "of the validation samples, if there are any"),
                                      shown, lambda axes, k=key, o=over, r=shown: _loss(axes, k, o, r)))  # type: ignore[misc]
    return panels


def _loss(axes: Axes, key: str, over: str, runs: Sequence[Record]) -> None:
    ends = []
    for run, name, color in zip(runs, _names(runs), _colors(runs)):
        xs, ys, x = [], [], 0.0
        for epoch in run.get("epochs"):
            x += epoch[key] / 1e6 if key == "elapsed_us" else epoch[key]
            xs.append(x)
            ys.append(epoch.get("validation_loss") or epoch["loss"])
        axes.plot(xs, ys, color=color, marker="o", markersize=4, linewidth=style.LINE, gid=plain(f"line {name}"))
        ends.append((name, color if isinstance(color, str) else run.get("color"), xs[-1], ys[-1]))
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    if key == "bytes_sent":
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: bytes_text(x, 3)))
    axes.set_xlabel(over)
    axes.set_ylabel("loss")
    style.label_ends(axes, ends)


def step_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns panels with one bar per run: the parts of a step of the slowest worker."""
    note = "dark: computing; gray: waiting for input; purple: exposed communication"
    return [Drawing((f"{model}: parts of a step", note), runs, lambda axes, r=runs: _bars(axes, r))  # type: ignore[misc]
            for model, runs in runs_by_model(records).items()]


def _bars(axes: Axes, runs: Sequence[Record]) -> None:
    most = 0.0
    for row, (run, name) in enumerate(zip(runs, _names(runs))):
        left, steps = 0.0, _total(run, "steps")
        for key, color in PARTS:
            width = _total(run, key) / steps
            axes.barh(row, width, left=left, color=color, height=0.7, linewidth=0)
            left += width
        exposed = _total(run, "exposed_us") / max(_total(run, "elapsed_us"), 1e-6)
        axes.text(left, row, f"  {plain(name)}: {time_text(left)}, {100 * exposed:.0f}% exposed", va="center", fontsize=8)
        most = max(most, left)
    axes.set_yticks([])
    axes.invert_yaxis()
    axes.set_xlim(0, most * 1.3)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us) if us > 0 else "0"))
    axes.set_xlabel("time of a step")


def scaling_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel of images per second relative to one worker with the same global batch (strong scaling)."""
    series: dict[str, list[tuple[int, float]]] = {}
    shown: list[Record] = []
    for model, runs in runs_by_model(records).items():
        runs = [run for run in runs if run.get("compressor") is None]
        alone = [run.get("images_per_s") for run in runs if run.get("workers") == 1]
        if not alone or len(runs) < 2:
            continue
        series[model] = [(run.get("workers"), run.get("images_per_s") / alone[0]) for run in runs]
        shown += runs
    if not series:
        return []
    return [Drawing(("Images per second, relative to one worker", "the same global batch; gray: linear scaling"),
                    shown, lambda axes: _scaling(axes, series))]


def _scaling(axes: Axes, series: dict[str, list[tuple[int, float]]]) -> None:
    counts = sorted({workers for points in series.values() for workers, _ in points})
    axes.plot(counts, counts, color=style.QUIET, linewidth=0.9)
    markers, ends = style.markers(list(series)), []
    for model, points in series.items():
        axes.plot(*zip(*points), color=style.INK, marker=markers[model], linewidth=style.LINE, gid=plain(f"line {model}"))
        ends.append((model, style.INK, *points[-1]))
    axes.set_xscale("log", base=2)
    axes.set_xticks(counts)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("workers")
    axes.set_ylabel("relative to one worker")
    style.label_ends(axes, ends)
