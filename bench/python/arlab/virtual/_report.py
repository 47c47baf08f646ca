"""What a run says at its end: a sentence, a table, and files."""
import dataclasses
import functools
import json
import os
import sys
from typing import Callable, Dict

from .._errors import Error
from .._results import Results, show_size, show_time
from . import _records
from ._session import Session, Summary
from ._study import RESULT


@dataclasses.dataclass(frozen=True)
class _Row:
    summary: Summary

    def cells(self) -> Dict[str, str]:
        s = self.summary
        rate = f"{s.ranks * s.samples / s.step:.0f}" if s.samples and s.step else ""
        return {"ranks": str(s.ranks), "network": s.network, "step": show_time(1e6 * s.step), "computation": show_time(1e6 * s.computation),
                "communication": show_time(1e6 * s.communication), "exposed": show_time(1e6 * s.exposed), "samples/s": rate,
                "speed-up": _times(s.speedup), "efficiency": f"{100 * s.speedup / s.ranks:.1f}%"}


def _times(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 1000 else f"{factor:.3g}"


def sentence(summary: Summary) -> str:
    """The answer in one line."""
    share = 100 * summary.exposed / summary.step if summary.step else 0.0
    return (f"With {summary.ranks} ranks on {summary.network}, a step takes {show_time(1e6 * summary.step)}, of which "
            f"{share:.1f}% waits for communication: {_times(summary.speedup)} times as many samples per second as one rank.")


def text_of(session: Session) -> str:
    summary = session.summary()
    calls = ", ".join(f"{count} {collective} by {algorithm} ({show_size(size)})"
                      for (collective, algorithm), (count, size) in session.used.items() if algorithm != "none")
    if summary is None:
        return f"No optimizer took a step. Collectives: {calls or 'none'}. Virtual time: {show_time(1e6 * session.clock.now())}."
    steps = f"{summary.steps} step{'' if summary.steps == 1 else 's'}"
    computation = f"that of FLOPs on {session.device}" if session.settings.gpu else "this machine's"
    if session.settings.processor_time:
        computation += ", by the processor's clock"
    sure = "" if summary.half is None else f", with a 95% interval of {show_time(1e6 * summary.half)} to both sides of the step"
    note = (f"Means over the middle half of the second half of {steps}{sure}. Computation is {computation}"
            f"{'' if session.settings.slowdown == 1 else f', times {session.settings.slowdown:g}'}. Collectives: {calls or 'none'}.")
    return f"\n{sentence(summary)}\n\n{Results([_Row(summary)])!r}\n\n{note}"


def finish(session: Session, process: int) -> None:
    """At the end of the process: prints the report to stderr, and writes the files."""
    if os.getpid() != process:  # a child, such as a worker that loads data
        return
    for close in session.at_end:
        close()
    with session.clock:
        if session.settings.real and os.environ.get("RANK", "0") != "0":  # rank 0 says it
            return
        print(text_of(session), file=sys.stderr, flush=True)
        summary = session.summary()
        if os.environ.get(RESULT) and summary is not None:
            with open(os.environ[RESULT], "w", encoding="utf-8") as file:
                json.dump({"summary": dataclasses.asdict(summary), "record": _records.record_of(session, summary)}, file)
        if session.settings.json and summary is not None:
            _write("record", functools.partial(_records.save, session, summary, session.settings.json))
        if session.trace:
            _write("trace", functools.partial(session.trace.save, session.settings.trace, session.clock.now()))
        if session.settings.profile:
            _write("profile", functools.partial(_save_profile, session))


def _save_profile(session: Session) -> str:
    from ._profile import Profile
    from ._session import counted_steps
    if session.recorder is None:
        raise Error("no model of DistributedDataParallel was recorded")
    chosen = counted_steps([step.time for step in session.steps])
    batches = {session.steps[i].samples for i in chosen}
    profile = Profile(session.recorder.profile(chosen, max(batches, default=0) or 1))
    return profile.save(session.settings.profile)


def _write(what: str, write: Callable[[], object]) -> None:
    try:
        write()
    except (Error, OSError) as error:
        print(f"arlab: the {what} was not written: {error}", file=sys.stderr, flush=True)
