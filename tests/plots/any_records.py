"""Random records of every kind that has charts: few or odd sizes and ranks, equal, absent, huge and zero values, failures,
names with markup, several hosts and days. For the tests of the charts and of the report page.
"""

import json
import random
import re
from typing import Any

LABELS = ("Ring", "Tree", "MPI_Allreduce", "<b onclick=x>|`", "=cmd()", "\x1b[31mred\u202e", "$\\frac{", "")
TIMES = (0.0, 1e-9, 1.0, 1.0, 12.5, 3e4, 1e300)


class Few(random.Random):
    """Of most lists of choices, one file has a single value: otherwise no two of its records would be alike."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._of: dict[str, tuple[Any, ...]] = {}

    def few(self, *values: Any) -> Any:
        return self.choice(self._of.setdefault(repr(values), values if self.random() < 0.05 else (self.choice(values),)))


def any_context(rng: Few) -> dict[str, Any]:
    return {"schema": 2, "kind": "context", "host": rng.few("vm", "clusterB", "", "<i>"), "commit": rng.few("a1", "b2"),
            "date": rng.few("2026-11-17T08:00:00Z", "2026-11-17T08:10:00Z", "2026-11-24T08:00:00Z", "yesterday", ""),
            "launch": rng.few("mpi 1", "mpi 2", None), "command": "arlab <script> \x1b[0m --json x"}


def any_row(rng: Few, kind: str, labels: list[str], sizes: list[int], ranks: list[int]) -> dict[str, Any]:
    row: dict[str, Any] = {"schema": 2, "kind": kind, "label": rng.choice(labels), "algorithm": rng.few("ring", "tree"), "color": rng.few("#0072B2", "red", ""),
                           "ranks": rng.choice(ranks), "bytes": rng.choice(sizes), "family": rng.few("split", "native"),
                           "collective": rng.few("allreduce", "allreduce", "reduce", "all_gather"), "segments": rng.few(1, 1, 4),
                           "skipped": None, "dtype": "float32", "op": "sum"}
    time = rng.choice(TIMES) * rng.choice((1, 1, 2))
    if kind == "run":
        row |= {"backend": rng.few("mpi", "threads"), "wrong": rng.choice((0, 0, 0, 3, None)), "modelled_us": rng.few(None, 0.0, 2.0, 2.0, 1e-9),
                "time_us": rng.few({"median": time, "ci95": [time * 0.9, time * 1.1], "n": 9, "min": time, "p99": time}, {"median": time}, None)}
    elif kind == "simulate":
        row |= {"model": rng.few("fluid", "loggops"), "topology": rng.few("torus:dims=4x4", "crossbar", None), "modelled_us": time,
                "machine": rng.few(None, "alpha=5us,beta=80ps", "beta=0ps"), "bound_us": rng.few(None, 0.0, time / 2), "disturbance": rng.few(None, "late=3:1us"),
                "utilization_step_us": rng.few(None, 1.0), "rank_times_us": None,
                "most_utilized_links": [{"name": "<h0>", "tier": "host", "bytes": 1, "utilization": 0.5, "utilization_by_step": [0.0, 1.0]}]}
    elif kind == "nccl":
        row |= {"machine": "nccl:gpu=h100", "nodes": rng.few(1, 2), "ranks_per_node": rng.few(1, 8), "protocol": rng.few("ll", "<simple>"), "channels": 8,
                "latency_us": 1.0, "bandwidth_gb_per_s": 1.0, "modelled_us": time, "chosen": rng.few(True, True, False)}
    elif kind == "change":
        times = [rng.choice(TIMES) for _ in range(rng.few(0, 1, 2, 8))]
        files = [f"<w>/{i}.jsonl" for i in range(len(times))]
        row |= {"configurations": rng.few(1, 1, 7), "host": rng.choice(("n1", "<n2>", "")), "files": files, "times_us": times,
                "dates": [rng.few(None, f"2026-01-{i + 1:02}T04:00:00Z", "2026-01-01") for i in range(len(times))],
                "since": rng.choice((None, *files)), "since_date": None, "before_us": rng.few(time, 1.0), "after_us": time, "ratio": rng.few(0.0, 1.15),
                "p": None, "verdict": rng.few("slower", "same", "unsure")}
    elif kind == "train":
        epoch = {"epoch": 1, "steps": 10, "samples": 1, "loss": rng.few(0.0, 1.0, 5e9, None), "elapsed_us": time, "compute_us": 0.0, "input_us": rng.few(0.0, 5.0),
                 "communication_us": 1.0, "codec_us": 0.0, "exposed_us": rng.few(0.0, 1e9, 1.0), "bytes_sent": rng.few(0, 1000), "accuracy": 0.5,
                 "validation_loss": None, "validation_accuracy": rng.few(None, 0.0, 0.9), "images_per_s": 1.0}
        row |= {"model": rng.few("mlp", "<u>cnn"), "workers": rng.choice((1, row["ranks"])), "strategy": rng.few("mirrored", "zero1"), "scheduler": rng.few("fifo", "dear"),
                "compressor": rng.choice((None, None, "int8", "topk:ratio=0.1", "topk:ratio=0.01")), "bandwidth_gbit_per_s": rng.choice((1.0, 10.0)) if rng.few(False, True) else None,
                "step_us": rng.few(1.0, 5.0), "latency_us": rng.few(None, 50.0), "images_per_s": rng.few(0.0, 10.0, 10.0), "epochs": [epoch] * rng.few(0, 1, 3, 3)}
    else:
        row |= {"model": rng.few("resnet50", "<u>bert"), "network": rng.few("10G", "100G", "<fat>"), "strategy": "multi_worker", "scheduler": rng.few("fifo", "dear"),
                "compressor": rng.few(None, "int8"), "step_us": time, "exposed_us": rng.few(0.0, time, 1e9), "computation_us": 1.0, "efficiency": rng.few(0.0, 0.5, 1.0, 7.0),
                "batch_per_worker": 64, "limit": rng.few("bandwidth", "computation"), "codec_us": 0.0, "bytes_per_rank_step": 1e6, "workers": row["ranks"], "samples_per_s": 1.0,
                "alternatives": rng.few([], [{"what": "<fp16>", "saves_fraction": 0.25}])}
    for key in rng.sample(sorted(row), rng.choice((0, 0, 0, 0, 0, 1, 3))):  # absent, or null where the schema allows it
        if key not in ("schema", "kind"):
            del row[key]
    if rng.random() < 0.1:
        row["skipped"] = "it failed: <b>"
    return row


def any_lines(seed: int) -> list[dict[str, Any]]:
    rng = Few(seed)
    sizes, ranks = (rng.sample(values, rng.choice((1, 2, 4, 5))) for values in ((0, 1, 3, 1024, 65536, 1 << 20, 1 << 50), (1, 2, 3, 4, 64, 1 << 20)))
    kinds = rng.sample(("run", "simulate", "train", "plan", "replay", "nccl", "change"), rng.choice((1, 2, 7)))
    labels = rng.sample(LABELS, rng.choice((1, 2, 3)))
    lines = [any_context(rng)] if rng.random() < 0.9 else []
    for _ in range(rng.choice((1, 12, 40, 80))):
        lines.append(any_context(rng) if rng.random() < 0.05 else any_row(rng, rng.choice(kinds), labels, sizes, ranks))
    return lines


def text_of(lines: list[dict[str, Any]]) -> str:
    """The file, in which 1e300 stands for an absent number."""
    return re.sub(r"[\d.]+e\+(299|300)", "null", "".join(json.dumps(line) + "\n" for line in lines))
