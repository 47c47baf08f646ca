"""Records of runs in virtual time, in the form of those of `arlab plan`, so that charts and reports take both."""
import json
from typing import Any, Dict

from ._session import Session, Summary

_HIDDEN = 0.05  # of the step, as in a plan


def limit_of(summary: Summary, startup: float) -> str:
    """What a plan calls it."""
    if summary.step - summary.computation < _HIDDEN * summary.step:
        return "computation"
    return "latency" if startup > 0.5 * summary.communication else "bandwidth"


def record_of(session: Session, summary: Summary) -> Dict[str, Any]:
    """The step, with what a plan has; `low_us` and `high_us` are those of calibrated machines, of which a run knows nothing."""
    startup = summary.collectives * session.times.of("allreduce", 1, "float32", 4)[0]
    algorithms = sorted({algorithm for collective, algorithm in session.used if collective == "allreduce" and algorithm != "none"})
    samples = summary.samples or 1
    return {"schema": 2, "kind": "plan", "model": session.model, "device": f"{session.device or 'this machine'}, in virtual time",
            "network": summary.network, "ranks": summary.ranks, "servers": 0, "batch_per_worker": round(samples),
            "strategy": "multi_worker", "algorithm": ", ".join(algorithms) or None, "scheduler": "DDP", "compressor": None,
            "step_us": 1e6 * summary.step, "low_us": None, "high_us": None, "beyond_calibration": None,
            "computation_us": 1e6 * summary.computation, "exposed_us": 1e6 * summary.exposed, "communication_us": 1e6 * summary.communication,
            "startup_us": 1e6 * min(startup, summary.communication), "codec_us": 0.0, "collectives": summary.collectives,
            "bytes_per_rank_step": summary.sent, "samples_per_s": summary.ranks * samples / summary.step if summary.step else 0.0,
            "dollars_per_million_samples": None, "kwh_per_million_samples": None,
            "efficiency": summary.speedup / summary.ranks, "each_rank": session.settings.real, "limit": limit_of(summary, startup),
            "alternatives": []}


def save(session: Session, summary: Summary, path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(record_of(session, summary)) + "\n")
