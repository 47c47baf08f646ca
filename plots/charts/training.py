"""Charts of training runs (`arlab train --json FILE`): loss against time and bytes, parts of a step, scaling."""

from typing import Any, Callable, Hashable, NamedTuple, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from . import style
from .marks import in_turn
from .naming import NONE, TEAM, names, numbered, separate
from .records import BadRecord, Record
from .text import bytes_text, count_text, plain, rate_text, time_text

NEEDS = "runs of `arlab train --json FILE`"
# What names a run, and what more may tell two apart.
FIRST = (TEAM, "backend", "topology", "algorithm", "compressor", "scheduler", "host", "date")
THEN = ("aggregation", "servers", "batch_size", "batch_per_worker", "optimizer", "learning_rate", "overlap", "latency_us", "multiply_adds_per_s",
        "slowdown", "jitter", "codec_ns_per_element", "network", "device", "dtype", "segments", "data", "seed", "gradients")
ALONE = "one_device"  # the strategy of one worker that was given none
# Colors that no algorithm has: computing, waiting for input, exposed communication.
COMPUTING, INPUT, EXPOSED = "#4a5568", "#b8c0cc", "#b5179e"


class Drawing(NamedTuple):
    titles: tuple[str, str]
    records: Sequence[Record]
    draw: Callable[[Axes], Optional[style.Ends]]
    rows: int = 0  # of bars, which need room for their names
    notes: Sequence[str] = ()
    compared: Hashable = None  # with other panels, on one y axis


class Step(NamedTuple):
    """The parts of a step in microseconds; the rest of it is computing."""

    whole: float
    input: float
    exposed: float


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def runs_by_model(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Returns the training runs of each model and bandwidth, by workers, without the diverged ones, whose loss is null.

    Raises BadRecord if the epochs of a run cannot be read.
    """
    models: dict[tuple[str, float], list[Record]] = {}
    for record in records:
        if record.get("kind") == "train" and record.get("epochs"):
            _check(record)
            if all(epoch.get("loss") is not None for epoch in record.get("epochs")):
                models.setdefault((str(record.get("model") or "unnamed model"), record.get("bandwidth_gbit_per_s") or 0), []).append(record)
    for runs in models.values():
        runs.sort(key=lambda run: (run.get("workers"), *(str(run.get(key) or "") for key in ("strategy", "compressor", "scheduler"))))
    return {f"{model} at {rate_text(rate)}" if rate else model: runs for (model, rate), runs in sorted(models.items())}


def _check(record: Record) -> None:
    keys = ("steps", "elapsed_us", "bytes_sent", "input_us", "exposed_us")
    epochs, rate = record.get("epochs"), record.get("bandwidth_gbit_per_s")
    good = isinstance(record.get("workers"), int) and isinstance(epochs, list) and all(
        isinstance(epoch, dict) and all(is_number(epoch.get(key)) for key in keys) and epoch["steps"] > 0
        and (is_number(epoch.get("loss")) or epoch.get("loss") is None) for epoch in epochs)
    good = good and (is_number(rate) or rate is None)
    if not good:
        raise BadRecord(f"{record.path}: `epochs` of a training run cannot be read; write it with `arlab train --json FILE`")


def names_of(runs: Sequence[Record]) -> list[str]:
    return names(runs, FIRST, THEN, TEAM)


def _colors(runs: Sequence[Record]) -> list[Any]:
    """Returns a color per compressor if there are several, else shades of the algorithm's color, the palest first."""
    palette = compressor_colors([compressor_of(run) for run in runs])
    if len(palette) > 1 and len(set(map(compressor_of, runs))) > 1:
        return [palette[compressor_of(run)] for run in runs]
    return [style.mixed(run.get("color"), 0.4 + 0.6 * (i + 1) / len(runs)) for i, run in enumerate(runs)]


def compressor_of(run: Record) -> str:
    return run.get("compressor") or NONE


def compressor_colors(compressors: Sequence[str]) -> dict[str, str]:
    """Returns colors that do not depend on the order of the runs; dense comes last and is dark."""
    lossy = sorted(set(compressors) - {NONE})
    return {**{name: style.PALETTE[i % len(style.PALETTE)] for i, name in enumerate(lossy)}, NONE: style.INK}


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
                                      shown, lambda axes, k=key, o=over, r=shown: _loss(axes, k, o, r), compared=runs[0].get("model")))  # type: ignore[misc]
    return panels


def _loss(axes: Axes, key: str, over: str, runs: Sequence[Record]) -> style.Ends:
    ends, high = [], 0.0
    for run, name, color in zip(runs, numbered(names_of(runs)), _colors(runs)):
        xs, ys, x = [], [], 0.0
        for epoch in run.get("epochs"):
            x += epoch[key] / 1e6 if key == "elapsed_us" else epoch[key]
            xs.append(x)
            ys.append(epoch.get("validation_loss") or epoch["loss"])
        axes.plot(xs, ys, color=color, marker="o", markersize=4, linewidth=style.LINE, gid=plain(f"line {name}"))
        ends.append((name, color if isinstance(color, str) else run.get("color"), xs[-1], ys[-1]))
        high = max([high, *ys])
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.08 * high or 1)
    axes.xaxis.set_major_locator(style.BinaryLocator(5) if key == "bytes_sent" else MaxNLocator(5))
    if key == "bytes_sent":
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: bytes_text(x, 3)))
    axes.set_xlabel(over)
    axes.set_ylabel("loss")
    return ends


def step_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns panels with one bar per run: the parts of a step of the slowest worker."""
    models = {**runs_by_model(records), **_replays(records)}
    return [Drawing((f"{model}: a step", "the measured step, and how much of it is communication that nothing hides"), runs,
                    lambda axes, r=runs: draw_steps(axes, [step_of(run) for run in r], names_of(r)), len(runs))  # type: ignore[misc]
            for model, runs in models.items()]


def _replays(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Returns runs of a profile's steps, by model."""
    models: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "replay" and (is_number(record.get("step_us")) and record.get("step_us") > 0 and is_number(record.get("exposed_us"))):
            models.setdefault(f"{record.get('model') or 'unnamed model'}, replayed", []).append(record)
    return dict(sorted(models.items()))


def step_of(run: Record) -> Step:
    """Returns the mean step, as the tables of the program have it. Records of earlier versions have its parts only by epoch."""
    if run.get("kind") != "train" or is_number(run.get("input_us")):
        return Step(run.get("step_us"), run.get("input_us") or 0.0, run.get("exposed_us"))
    steps = _total(run, "steps")
    return Step(_total(run, "elapsed_us") / steps, _total(run, "input_us") / steps, _total(run, "exposed_us") / steps)


def draw_steps(axes: Axes, steps: Sequence[Step], labels: Sequence[str], more: Sequence[str] = ()) -> None:
    """Draws a bar as long as the step under its name, its time, and `more` or how much of it is exposed."""
    for row, (step, name) in enumerate(zip(steps, numbered(labels))):
        exposed = min(step.exposed, step.whole)
        waiting = min(step.input, step.whole - exposed)
        left = 0.0
        for width, color in ((step.whole - exposed - waiting, COMPUTING), (waiting, INPUT), (exposed, EXPOSED)):
            axes.barh(row, width, left=left, color=color, height=0.4, linewidth=0)
            left += width
        said = more[row] if more else f", {100 * step.exposed / step.whole:.0f}% exposed" if step.whole > 0 else ""
        axes.text(0, row - 0.25, plain(f"{name}: {time_text(step.whole)}{said}"), va="bottom", fontsize=style.SMALL)
    axes.set_yticks([])
    axes.set_ylim(len(steps) - 0.5, -0.8)
    axes.set_xlim(0, 1.05 * max(step.whole for step in steps) or 1)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us) if us > 0 else "0"))
    axes.set_xlabel("time of a step")
    shown = [(COMPUTING, "computing"), *([(INPUT, "waiting for input")] if any(step.input for step in steps) else []), (EXPOSED, "exposed\ncommunication")]
    style.legend(axes, shown)


def scaling_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel of images per second relative to one worker, with the same global batch or, weak scaling, batch per worker."""
    series: dict[str, list[tuple[int, float]]] = {}
    shown: list[Record] = []
    for model, runs in runs_by_model(records).items():
        whole = [run for run in runs if run.get("compressor") is None and is_number(run.get("images_per_s")) and run.get("images_per_s") > 0]
        alike = [key for key in (*FIRST[1:], "commit", *THEN) if key not in ("slowdown", "batch_size")]
        for words, part in separate(whole, alike) if whole else ():
            for more, runs_of_line in _scaling_lines(part):
                rates = {run.get("workers"): run.get("images_per_s") for run in runs_of_line}
                series[", ".join([model, *more, *words])] = [(workers, rate / rates[1]) for workers, rate in sorted(rates.items())]
                shown += [run for run in runs_of_line if run not in shown]
    if not series:
        return []
    return [Drawing(("Images per second, relative to one worker", "the same global batch, or batch per worker; gray: linear scaling"),
                    shown, lambda axes: _scaling(axes, series))]


def _scaling_lines(runs: Sequence[Record]) -> list[tuple[list[str], list[Record]]]:
    """Returns runs of 1 and more workers, with words that tell them apart. One worker alone is the baseline of every strategy."""
    def batch(run: Record, weak: bool) -> object:
        size = run.get("batch_size")
        return size / run.get("workers") if weak and is_number(size) else size
    lines = []
    for strategy in sorted({str(run.get("strategy")) for run in runs} - {ALONE}):
        alike = [run for run in runs if run.get("strategy") == ALONE] + [run for run in runs if run.get("strategy") == strategy]
        for weak in (False, True):
            sizes = list(dict.fromkeys(batch(run, weak) for run in alike))
            for size in sizes:
                line = [run for run in alike if batch(run, weak) == size]
                if {1} < {run.get("workers") for run in line} and (not weak or is_number(size)):
                    lines.append(([strategy, "weak scaling" if weak else "", f"batch {size:g}" if is_number(size) else ""], line))
    differ = [len({words[i] for words, _ in lines}) > 1 for i in range(3)]
    return [([word for word, tells in zip(words, differ) if tells and word], line) for words, line in lines]


def _scaling(axes: Axes, series: dict[str, list[tuple[int, float]]]) -> style.Ends:
    counts = sorted({workers for points in series.values() for workers, _ in points})
    axes.plot(counts, counts, color=style.QUIET, linewidth=0.9)
    markers, ends = in_turn(list(series)), []
    for model, points in series.items():
        axes.plot(*zip(*points), color=style.INK, marker=markers[model], linewidth=style.LINE, gid=plain(f"line {model}"))
        ends.append((model, style.INK, *points[-1]))
    axes.set_xscale("log", base=2)
    axes.set_xticks(counts)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: count_text(x)))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("workers")
    axes.set_ylabel("relative to one worker")
    return ends
