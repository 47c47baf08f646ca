"""Studies of scaling: a script on several numbers of virtual ranks, one after another, as a table and a sentence."""
import csv
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._errors import UsageError
from .._results import Results, show_factor, show_rate, show_time
from . import _files
from ._settings import counts_in, from_environment, keys_of

_EFFICIENT = 0.9
RESULT = "ARLAB_VIRTUAL_RESULT"  # names the file in which a run says what it found, for a study


@dataclasses.dataclass(frozen=True)
class Point:
    """One number of ranks: seconds, and the samples of a rank and step."""
    ranks: int
    samples: Optional[float]
    step: float
    half: Optional[float]
    computation: float
    exposed: float
    lone: float  # samples (or steps) per second of a rank without communication

    @property
    def rate(self) -> float:
        """Samples (or steps, where the samples are not known) per second, of all ranks."""
        return self.ranks * (self.samples or 1) / self.step

    @property
    def speedup(self) -> float:
        return self.rate / self.lone

    @property
    def efficiency(self) -> float:
        return self.speedup / self.ranks

    def cells(self) -> Dict[str, str]:
        known = self.samples is not None
        return {"ranks": str(self.ranks), "batch": f"{self.ranks * (self.samples or 0):.0f}" if known else "",
                "local batch": f"{self.samples:.4g}" if known else "", "step": show_time(1e6 * self.step),
                "95% interval": "" if self.half is None else f"+-{100 * self.half / self.step:.1f}%", "computation": show_time(1e6 * self.computation),
                "exposed": show_time(1e6 * self.exposed), "samples/s" if known else "steps/s": show_rate(self.rate),
                "speed-up": show_factor(self.speedup), "efficiency": f"{100 * self.efficiency:.1f}%"}

    def row(self) -> Dict[str, Any]:
        return {"ranks": self.ranks, "samples_per_rank": self.samples, "step_us": 1e6 * self.step,
                "step_half_ci95_us": None if self.half is None else 1e6 * self.half, "computation_us": 1e6 * self.computation,
                "exposed_us": 1e6 * self.exposed, "samples_per_s": self.rate if self.samples is not None else None, "speedup": self.speedup,
                "efficiency": self.efficiency}


def kind_of(found: Sequence[Mapping[str, Any]]) -> str:
    """Weak: the samples of a rank stay. Strong: those of all ranks do. Else mixed."""
    samples = [one["samples"] for one in found]
    if None in samples or max(samples) - min(samples) <= 0.01 * max(samples):
        return "weak"
    whole = [one["samples"] * one["ranks"] for one in found]
    return "strong" if max(whole) - min(whole) <= 0.1 * max(whole) else "mixed"  # a rest is with some ranks only


def points_of(found: Sequence[Mapping[str, Any]]) -> List[Point]:
    """In weak studies each number of ranks is compared with its own computation, in others with that of the fewest ranks."""
    weak = kind_of(found) == "weak"
    first = min(found, key=lambda one: int(one["ranks"]))
    points = []
    for one in found:
        base = one if weak else first
        points.append(Point(one["ranks"], one["samples"], one["step"], one["half"], one["computation"], one["exposed"],
                            (base["samples"] or 1) / base["computation"]))
    return points


def _ranks(count: int) -> str:
    return "rank" if count == 1 else "ranks"


def times(factor: float) -> str:
    """What comes before "as many as"."""
    text = show_factor(factor)
    return "" if text == "1" else f"{text} times "


def sentence(points: Sequence[Point], kind: str, network: str) -> str:
    ordered = sorted(points, key=lambda point: point.ranks)
    last, kept = ordered[-1], [point.ranks for point in ordered if point.efficiency >= _EFFICIENT]
    sure = ""
    if last.half is not None:
        low, high = (last.efficiency * last.step / (last.step + sign * last.half) for sign in (1, -1))
        sure = f", 95% interval {100 * low:.1f} to {100 * high:.1f}%"
    most = ("" if kept and kept[-1] == last.ranks else f"; below 90% from {ordered[0].ranks} {_ranks(ordered[0].ranks)} on" if not kept else
            f"; 90% or more up to {kept[-1]} {_ranks(kept[-1])}")
    return (f"{kind.capitalize()} scaling on {network}: {last.ranks} {'rank is' if last.ranks == 1 else 'ranks are'} {times(last.speedup)}as fast as "
            f"one ({100 * last.efficiency:.1f}%{sure}){most}.")


def is_asked(environment: Mapping[str, str] = os.environ) -> bool:
    return len(counts_in(environment.get("ARLAB_VIRTUAL", ""))) > 1


def run(words: Sequence[str]) -> int:
    """Runs the script once for each number of ranks, prints the study, and returns the exit status."""
    counts, _, rest = os.environ["ARLAB_VIRTUAL"].partition(":")
    kept = keys_of(rest)
    files = {key: kept.pop(key) for key in ("csv", "json") if key in kept}
    for key in ("trace", "profile", "processes"):
        if key in kept:
            raise UsageError(f"ARLAB_VIRTUAL: {key} is of one number of ranks, and {counts} are several: give one, or leave it out")
    settings = ",".join(f"{key}={value}" for key, value in kept.items())
    each = [f"{count}:{settings}" if settings else count for count in dict.fromkeys(counts.split(","))]
    for text in each:  # or throws, before the first run
        from_environment({**os.environ, "ARLAB_VIRTUAL": text})
    for name in files.values():
        _files.check_can_write(name)
    with tempfile.TemporaryDirectory(prefix="arlab-") as folder:
        found: List[Any] = []
        for text in each:
            path = pathlib.Path(folder) / "run.json"
            count = int(text.partition(":")[0])
            print(f"arlab: {count} virtual {_ranks(count)}", file=sys.stderr, flush=True)
            done = subprocess.run([sys.executable, "-m", "arlab.virtual", *words], check=False,
                                  env={**os.environ, "ARLAB_VIRTUAL": text, RESULT: str(path)})
            if done.returncode:
                return done.returncode
            if not path.exists():
                raise UsageError("the script took no step of an optimizer, so there is nothing to compare: train for some steps")
            found.append(json.loads(path.read_text(encoding="utf-8")))
            path.unlink()
    _say(found, files)
    return 0


def _say(found: List[Any], files: Mapping[str, str]) -> None:
    summaries = [one["summary"] for one in found]
    points = points_of(summaries)
    print(f"\n{sentence(points, kind_of(summaries), summaries[0]['network'])}\n\n{Results(points)!r}", file=sys.stderr, flush=True)
    if "json" in files:
        _files.write("record", files["json"], _save_records, found, points, files["json"])
    if "csv" in files:
        _files.write("table", files["csv"], _save_table, points, files["csv"])


def _save_records(found: Sequence[Any], points: Sequence[Point], path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for one, point in zip(found, points):
            file.write(json.dumps({**one["record"], "efficiency": point.efficiency}) + "\n")


def _save_table(points: Sequence[Point], path: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, points[0].row(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(point.row() for point in points)
