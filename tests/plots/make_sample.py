"""Writes sample.jsonl: records of schema 2 with made-up but plausible times.

    /usr/bin/python3 tests/plots/make_sample.py > tests/plots/sample.jsonl

Six algorithms and a native baseline, four kinds of records, one skipped record, and one label that would run a script
in a careless page. Times follow alpha-beta forms with seeded noise.
"""

import json
import math
import random
from collections.abc import Iterator
from typing import Any

ALPHA, BETA = 5.0, 8e-5  # microseconds, microseconds per byte
# Keys that only one kind has.
OWN_KEYS = {
    "verify": {"fault": None, "bracketing": None, "same_on_all_ranks": None},
    "simulate": {"bound_us": None, "optimum_fraction": None, "most_utilized_links": None, "equally_utilized_links": None, "utilization_step_us": None},
    "run": {"copy_limit_fraction": None, "native_choice": None},
}
HOSTILE = "<img src=x onerror=alert(1)>"


def log2(ranks: int) -> int:
    return math.ceil(math.log2(ranks))


# name: label, color, family, messages(m), vectors sent in all(m), rounds(m), time(m, bytes)
ALGORITHMS = {
    "all_to_all": ("All to all", "#CC79A7", "whole", lambda m: m * (m - 1), lambda m: m * (m - 1), lambda m: 1,
                   lambda m, n: (m - 1) * (ALPHA + n * BETA)),
    "butterfly": ("Butterfly", "#D55E00", "whole", lambda m: m * log2(m), lambda m: m * log2(m), log2,
                  lambda m, n: log2(m) * (ALPHA + n * BETA)),
    "master_worker": ("Master-worker", "#E69F00", "whole", lambda m: 2 * (m - 1), lambda m: 2 * (m - 1),
                      lambda m: 2, lambda m, n: 2 * (m - 1) * (ALPHA + n * BETA)),
    "ring": ("Ring", "#0072B2", "split", lambda m: 2 * m * (m - 1), lambda m: 2 * (m - 1),
             lambda m: 2 * (m - 1), lambda m, n: 2 * (m - 1) * (ALPHA + n * BETA / m)),
    "round_robin": ("Round robin", "#56B4E9", "split", lambda m: 2 * m * (m - 1), lambda m: 2 * (m - 1),
                    lambda m: 2 * (m - 1), lambda m, n: 2 * (m - 1) * (ALPHA + n * BETA / m)),
    "tree": ("Tree", "#009E73", "whole", lambda m: 2 * (m - 1), lambda m: 2 * (m - 1), lambda m: 2 * log2(m),
             lambda m, n: 2 * log2(m) * (ALPHA + n * BETA)),
}


def context(command: str) -> dict[str, Any]:
    return {"schema": 2, "kind": "context", "version": "0.1.0", "commit": "3c1b58f", "date": "2026-11-21T04:00:00Z",
            "host": "node1", "cpu": "Example CPU, 8 cores", "gpu": None, "compiler": "g++ 12.2.0", "build": "Release",
            "mpi": "Open MPI 4.1.4", "nccl": None, "cuda": None, "command": command}


def record(kind: str, name: str, ranks: int, size: int, **more: Any) -> dict[str, Any]:
    label, color, family, messages, vectors, rounds, _ = ALGORITHMS[name]
    elements = size // 4
    cost = {"messages": messages(ranks), "elements_sent": vectors(ranks) * elements, "rounds": rounds(ranks)}
    keys = {"schema": 2, "kind": kind, "backend": None, "algorithm": name, "collective": "allreduce",
            "ranks": ranks, "elements": elements, "dtype": "float32", "op": "sum", "root": 0, "groups": None, "bytes": size, "lanes": 1,
            "segments": 1, "topology": None, "model": None, "machine": None, "compressor": None,
            "messages": cost["messages"], "elements_sent": cost["elements_sent"],
            "bytes_sent": 4 * cost["elements_sent"], "rounds": cost["rounds"], "claimed": cost, "time_us": None,
            "modelled_us": None, "algbw_gb_per_s": None, "busbw_gb_per_s": None, "wrong": None, "skipped": None,
            "label": label, "color": color, "family": family}
    return {**keys, **OWN_KEYS.get(kind, {}), **more}


def timed(ranks: int, size: int, us: float) -> dict[str, float]:
    bandwidth = size / us / 1e3
    return {"algbw_gb_per_s": round(bandwidth, 4), "busbw_gb_per_s": round(bandwidth * 2 * (ranks - 1) / ranks, 4)}


def measured(name: str, ranks: int, size: int, rng: random.Random, **more: Any) -> dict[str, Any]:
    model = ALGORITHMS[name][-1](ranks, size)
    us = round(model * (0.9 + 0.25 * rng.random()) + 2, 3)
    half = us * (0.02 + 0.06 * rng.random())
    times = {"n": 31, "median": us, "ci95": [round(us - half, 3), round(us + half, 3)],
             "min": round(us * 0.9, 3), "p99": round(us * 1.4, 3)}
    return record("run", name, ranks, size, **{"backend": "mpi", "time_us": times, "modelled_us": round(model, 3),
                                               "wrong": 0, **timed(ranks, size, us), **more})


def native(row: dict[str, Any], label: str, color: str) -> dict[str, Any]:
    return {**row, "algorithm": label, "label": label, "color": color, "family": "native", "modelled_us": None,
            "messages": None, "elements_sent": None, "bytes_sent": None, "rounds": None, "claimed": None}


def lines() -> Iterator[dict[str, Any]]:
    rng = random.Random(7)
    for kind, done in (("count", {}), ("verify", {"wrong": 0})):
        yield context(f"arlab {kind} all -p 4,7 -s 4K --json results/{kind}.jsonl")
        for name in ALGORITHMS:
            for ranks in (4, 7):
                yield record(kind, name, ranks, 4096, **done)
    yield context("mpirun -n 4 arlab run all -s 1K..4M --json results/run.jsonl")
    for size in (1 << e for e in range(10, 23, 2)):
        for name in ALGORITHMS:
            yield measured(name, 4, size, rng)
        yield native(measured("butterfly" if size < 1 << 16 else "ring", 4, size, rng), "MPI_Allreduce", "#000000")
    yield native(measured("tree", 4, 1 << 16, rng), HOSTILE, "red;}body{display:none")
    yield context("arlab simulate all -p 2..1024 -s 1M --model alpha_beta --json results/simulate.jsonl")
    for ranks in (1 << e for e in range(1, 11)):
        for name in ALGORITHMS:
            us = round(ALGORITHMS[name][-1](ranks, 1 << 20), 6)
            row = record("simulate", name, ranks, 1 << 20, backend="simulator", model="alpha_beta",
                         topology="crossbar", modelled_us=us, **timed(ranks, 1 << 20, us))
            if name == "all_to_all" and ranks == 1024:
                row |= {"modelled_us": None, "skipped": "1047552 messages are more than --max-messages",
                        "algbw_gb_per_s": None, "busbw_gb_per_s": None}
            yield row


if __name__ == "__main__":
    for line in lines():
        print(json.dumps(line, separators=(",", ":")))
