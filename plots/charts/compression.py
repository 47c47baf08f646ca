"""Charts of a sweep of bandwidths with several compressors, of `arlab train -b virtual` or `arlab plan`, `--network 10G,100G
--compressor none topk`.

A line is a compressor with its fastest algorithm and schedule at each bandwidth; the dark line, none, is dense. A circle
marks the break-even bandwidth, where a line crosses the dense one: compression pays to the left of it. The line of a
compressor that ends more than one point below the dense accuracy is dashed.
"""

import math
import re
from typing import NamedTuple, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from . import style
from .marks import in_turn
from .naming import NONE, TEAM, separate, short_specs
from .records import BadRecord, Record
from .training import THEN, Drawing, compressor_colors, compressor_of, is_number
from .text import count_text, plain, rate_text, shortened, time_text

NEEDS = "runs of `arlab train --json FILE` at two bandwidths"
PLANNED = "simulated training of `arlab plan --json FILE` at two rates of a port (`--network 10G,100G`)"
POINT = 0.01  # of accuracy
USUAL_SPEED = 1e12  # multiply-adds per second of a worker


class Run(NamedTuple):
    """One run: times in microseconds; reached is absent if the accuracy was not reached."""

    bandwidth: float
    compressor: str
    step: float
    accuracy: Optional[float]
    reached: Optional[float]


class Line(NamedTuple):
    label: str
    color: str
    marker: str
    worse: float  # accuracy lost against dense, at most
    points: list[tuple[float, float]]


class Study(NamedTuple):
    """Runs that differ in compressor, schedule and bandwidth only."""

    title: str
    records: list[Record]
    runs: list[Run]


def studies(records: Sequence[Record]) -> list[Study]:
    """Returns the studies with two bandwidths, by name. Raises BadRecord for a run that cannot be read."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "train" and record.get("bandwidth_gbit_per_s") is not None:
            _check(record)
            groups.setdefault(_title(record), []).append(record)
    found = [Study(", ".join([title, *words]), part, _runs(part)) for title, group in sorted(groups.items())
             for words, part in separate(group, _apart(group))]
    return [study for study in found if len({run.bandwidth for run in study.runs}) > 1]


# Keys of the title, and those that a compressor or a schedule decides.
_TITLED = {TEAM, "latency_us", "topology", "multiply_adds_per_s", "slowdown", "jitter"}
_DECIDED = {"aggregation", "codec_ns_per_element", "gradients", "learning_rate", "overlap"}


def _apart(records: Sequence[Record]) -> list[str]:
    """Returns the keys that part runs of one title: settings that are not swept, and the file where two hold one run."""
    runs: dict[tuple[object, ...], set[str]] = {}
    for record in records:
        same = tuple(record.get(key) for key in ("bandwidth_gbit_per_s", "compressor", "scheduler", "algorithm"))
        runs.setdefault(same, set()).add(record.path)
    keys = [key for key in THEN if key not in _TITLED | _DECIDED]
    return [*keys, "host", "date", "commit", "path"] if any(len(paths) > 1 for paths in runs.values()) else keys


def _title(record: Record) -> str:
    """Returns the model and every setting that is not swept."""
    title = f"{record.get('model')}, {record.get('workers')} workers, {record.get('strategy')}"
    if record.get("latency_us"):
        title += f", latency {time_text(record.get('latency_us'))}"
    for key in ("topology", "multiply_adds_per_s", "slowdown", "jitter"):
        value = record.get(key)
        name = "speed" if key == "multiply_adds_per_s" else key
        if value and (key, value) != ("multiply_adds_per_s", USUAL_SPEED):
            title += f", {name} {value:g}" if isinstance(value, float) else f", {name} {value}"
    return title


_BITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def rate_of(network: object) -> Optional[float]:
    """Returns the Gbit/s of a network that is given by the rate of its ports, such as 25G."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", network) if isinstance(network, str) else None
    return float(found[1]) * _BITS[found[2]] / 1e9 if found and float(found[1]) > 0 else None


def planned_studies(records: Sequence[Record]) -> list[Study]:
    """Returns the studies of `arlab plan` with two rates and a compressor, each on its most GPUs."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.get("kind") == "plan" and rate_of(record.get("network")) and _step(record) > 0:
            groups.setdefault(str(record.get("model") or "unnamed model"), []).append(record)
    found = []
    for model, group in sorted(groups.items()):
        most = max(record.get("ranks") or 0 for record in group)
        for words, part in separate([record for record in group if record.get("ranks") == most], ("device", "strategy", "batch_per_worker", "servers", "commit")):
            fastest: dict[tuple[float, str], float] = {}
            for record in part:
                key = (rate_of(record.get("network")) or 0.0, compressor_of(record))
                fastest[key] = min(_step(record), fastest.get(key, math.inf))
            runs = [Run(rate, compressor, step, None, None) for (rate, compressor), step in sorted(fastest.items())]
            if len({run.bandwidth for run in runs}) > 1 and len({run.compressor for run in runs}) > 1:
                found.append(Study(", ".join([f"{model} on {count_text(most)} GPUs", *words]), part, runs))
    return found


def decided_studies(records: Sequence[Record]) -> list[Study]:
    """Returns the studies of what `arlab plan` decides at two rates, which tries several compressors by itself."""
    groups: dict[tuple[str, object], list[Record]] = {}
    for record in records:
        if record.get("kind") == "plan_decision" and rate_of(record.get("network")) and _step(record) > 0 and record.get("payoffs"):
            groups.setdefault((str(record.get("model") or "unnamed model"), record.get("ranks")), []).append(record)
    found = []
    for (model, ranks), group in sorted(groups.items(), key=str):
        for words, part in separate(group, ("device", "commit", "path")):
            runs = []
            for record in sorted(part, key=lambda one: rate_of(one.get("network")) or 0.0):
                rate = rate_of(record.get("network")) or 0.0
                runs.append(Run(rate, NONE, _step(record), None, None))
                runs += [Run(rate, payoff["compressor"], payoff["step_us"], None, None) for payoff in record.get("payoffs")]
            if len({run.bandwidth for run in runs}) > 1:
                found.append(Study(", ".join([f"{model} on {count_text(ranks)} GPUs", *words]), part, runs))
    return found


def planned_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns the time of a step over the rate of a port: one panel per study."""
    return [Drawing((f"Step: {study.title}", "circles: break-even; left of them compression pays"), study.records,
                    lambda axes, s=study: _draw(axes, lines_of(s, "step"), "time of a step"), compared=study.records[0].get("model"))  # type: ignore[misc]
            for study in [*planned_studies(records), *decided_studies(records)]]


def _check(record: Record) -> None:
    epochs = record.get("epochs")
    good = (is_number(record.get("bandwidth_gbit_per_s")) and record.get("bandwidth_gbit_per_s") > 0 and _step(record) > 0
            and (record.get("latency_us") is None or is_number(record.get("latency_us")))
            and isinstance(record.get("compressor"), (str, type(None))) and isinstance(epochs, list)
            and all(isinstance(epoch, dict) and is_number(epoch.get("elapsed_us")) for epoch in epochs)
            and all(is_number(epoch.get(key)) or epoch.get(key) is None for epoch in epochs for key in ("loss", "validation_accuracy")))
    if not good:
        raise BadRecord(f"{record.path}: a training run with a bandwidth cannot be read; write it with `arlab train --json FILE`")


def _step(record: Record) -> float:
    step = record.get("step_us") if record.get("step_us") is not None else record.get("time_us.median")
    return step if is_number(step) else 0.0


def _runs(records: Sequence[Record]) -> list[Run]:
    """Returns the fastest run of each compressor at each bandwidth, without those that diverged."""
    whole = [record for record in records if not _diverged(record)]
    fastest: dict[tuple[float, str], Record] = {}
    for record in whole:
        key = (record.get("bandwidth_gbit_per_s"), compressor_of(record))
        if key not in fastest or _step(record) < _step(fastest[key]):
            fastest[key] = record
    runs = []
    for (bandwidth, compressor), record in sorted(fastest.items()):
        dense = fastest.get((bandwidth, NONE))
        end = _accuracy(dense) if dense else None
        runs.append(Run(bandwidth, compressor, _step(record), _accuracy(record),
                        _reached(record, end - POINT) if end is not None else None))
    return runs


def _diverged(record: Record) -> bool:
    return any(epoch.get("loss") is None or not math.isfinite(epoch["loss"]) for epoch in record.get("epochs"))


def _accuracy(record: Record) -> Optional[float]:
    epochs = record.get("epochs")
    return epochs[-1].get("validation_accuracy") if epochs else None


def _reached(record: Record, target: float) -> Optional[float]:
    elapsed = 0.0
    for epoch in record.get("epochs"):
        elapsed += epoch["elapsed_us"]
        accuracy = epoch.get("validation_accuracy")
        if accuracy is not None and accuracy >= target - 1e-9:
            return elapsed
    return None


def lines_of(study: Study, over: str) -> list[Line]:
    """Returns one line per compressor, dense last; `over`: the field of Run to draw."""
    colors = compressor_colors([run.compressor for run in study.runs])
    markers, short = in_turn(list(colors)), short_specs(list(colors))
    end = {run.bandwidth: run.accuracy for run in study.runs if run.compressor == NONE}
    lines = []
    for name in colors:
        mine = [run for run in study.runs if run.compressor == name]
        points = [(run.bandwidth, getattr(run, over)) for run in mine if getattr(run, over)]
        lost = [end[run.bandwidth] - run.accuracy for run in mine
                if run.accuracy is not None and end.get(run.bandwidth) is not None]
        if points:
            lines.append(Line(short[name], colors[name], markers[name], max(lost, default=0.0), points))
    return lines


def bandwidth_panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns, for each study, the time of a step and the time to the dense accuracy over the bandwidth."""
    panels = []
    for study in studies(records):
        step = "circles: break-even; dashed: more than one point less accurate than dense"
        panels.append(Drawing((f"Step: {study.title}", step), study.records,
                              lambda axes, s=study: _draw(axes, lines_of(s, "step"), "time of a step"), compared="step"))  # type: ignore[misc]
        reached = lines_of(study, "reached")
        if reached:
            panels.append(Drawing(("Time to the dense accuracy less one point", "the first epoch that reaches it; no mark: not reached"),
                                  study.records, lambda axes, r=reached: _draw(axes, r, "training time")))  # type: ignore[misc]
    return panels


def _draw(axes: Axes, lines: Sequence[Line], what: str) -> style.Ends:
    axes.set_xscale("log")
    axes.set_yscale("log")
    dense = [line for line in lines if line.label == NONE]
    for line in lines:
        first = line.label == NONE
        axes.plot(*zip(*line.points), color=line.color, marker=line.marker, markersize=5 if first else 4.5,
                  linewidth=style.LINE * (1.7 if first else 0.9), linestyle=(0, (3, 2)) if line.worse > POINT + 1e-9 else "-",
                  markeredgecolor="white", markeredgewidth=0.5, zorder=2.8 if first else 3, gid=plain(f"line {line.label}"))
        if dense and not first:
            for x, y in crossings(dense[0].points, line.points):
                axes.plot([x], [y], marker="o", markersize=9, markerfacecolor="none", markeredgecolor=line.color,
                          markeredgewidth=1.1, linestyle="none", zorder=4, gid=plain(f"break-even {line.label}"))
    xs = sorted({x for line in lines for x, _ in line.points})
    axes.xaxis.set_major_locator(FixedLocator(xs[::max(1, -(-len(xs) // style.fitting(axes, 8)))]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: rate_text(x)))
    axes.set_xlabel("bandwidth of a link")
    style.time_y_axis(axes)
    axes.set_ylabel(what)
    return [(_label(line), line.color, *line.points[-1]) for line in lines]


def _label(line: Line) -> str:
    return line.label if line.worse <= POINT + 1e-9 else f"{shortened(line.label, 11)} −{100 * line.worse:.0f} pts"


def crossings(one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Returns where two lines cross that are straight between their points on logarithmic axes."""
    left, right = dict(one), dict(other)
    xs = sorted(set(left) & set(right))
    found = []
    for a, b in zip(xs, xs[1:]):
        before, after = math.log(left[a] / right[a]), math.log(left[b] / right[b])
        if (before > 0) != (after > 0):
            way = before / (before - after)
            found.append((a * (b / a) ** way, left[a] * (left[b] / left[a]) ** way))
    return found
