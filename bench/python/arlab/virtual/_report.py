"""What a run says at its end: a sentence, a table, and files."""
import dataclasses
import json
import os
import sys
from typing import Dict, Optional

from .._errors import UsageError
from .._results import Results, show_factor, show_rate, show_size, show_time
from . import _files, _records
from ._session import Session, Summary
from ._study import RESULT, times

OWN_PROCESSES = "the script starts its own processes, which have no virtual time: use torch.multiprocessing.spawn"


@dataclasses.dataclass(frozen=True)
class _Row:
    summary: Summary

    def cells(self) -> Dict[str, str]:
        s = self.summary
        rate = show_rate(s.ranks * s.samples / s.step) if s.samples and s.step else ""
        return {"ranks": str(s.ranks), "network": s.network, "step": show_time(1e6 * s.step), "computation": show_time(1e6 * s.computation),
                "communication": show_time(1e6 * s.communication), "exposed": show_time(1e6 * s.exposed), "samples/s": rate,
                "speed-up": show_factor(s.speedup), "efficiency": f"{100 * s.speedup / s.ranks:.1f}%"}


def sentence(summary: Summary) -> str:
    """The answer in one line."""
    share = 100 * summary.exposed / summary.step if summary.step else 0.0
    step = f"on {summary.network}, a step takes {show_time(1e6 * summary.step)}, of which {share:.1f}% waits for communication"
    if summary.ranks == 1:
        return f"With 1 rank {step}."
    return f"With {summary.ranks} ranks {step}: {times(summary.speedup)}as many samples per second as one rank."


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


def reports(session: Session) -> bool:
    """Whether this process reports: of several, rank 0 does."""
    return not session.settings.real or os.environ.get("RANK", "0") == "0"


def finish(session: Session, process: int) -> None:
    """At the end of the process: prints the report to stderr, and writes the files."""
    if os.getpid() != process:  # a child, such as a worker that loads data
        return
    for close in session.at_end:
        close()
    with session.clock:
        if not reports(session):
            return
        if session.children and not session.grouped and not session.steps:
            _files.fail(OWN_PROCESSES, 2)
            return
        print(text_of(session), file=sys.stderr, flush=True)
        summary = session.summary()
        settings, trace, result = session.settings, session.trace, os.environ.get(RESULT)
        if result and summary is not None:
            _files.write("result", result, _save_result, session, summary, result)
        if settings.json:
            _files.write("record", settings.json, _save_record, session, summary)
        if trace:
            _files.write("trace", settings.trace, trace.save, settings.trace, session.clock.now())
        if settings.profile:
            _files.write("profile", settings.profile, _save_profile, session)


def _save_result(session: Session, summary: Summary, path: str) -> None:
    """For the study whose run this is."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"summary": dataclasses.asdict(summary), "record": _records.record_of(session, summary)}, file)


def _save_record(session: Session, summary: Optional[Summary]) -> None:
    if summary is None:
        raise UsageError("no optimizer took a step: train for some steps")
    _records.save(session, summary, session.settings.json)


def _save_profile(session: Session) -> str:
    from ._profile import Profile
    from ._session import counted_steps
    if session.recorder is None:
        raise UsageError("no model of DistributedDataParallel was recorded: wrap the model in it")
    chosen = counted_steps([step.time for step in session.steps])
    batches = {session.steps[i].samples for i in chosen}
    profile = Profile(session.recorder.profile(chosen, max(batches, default=0) or 1))
    return profile.save(session.settings.profile)
