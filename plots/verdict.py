#!/usr/bin/python3
"""In how many settings does gradient compression pay? A table from simulated training runs.

    verdict.py RUNS.jsonl... [--gain 0.05]

The files are what `arlab plan --json` writes for several compressors, `none` among them. A setting is
a model, a network, a number of workers, a compressor, and a cost of coding (--compute codec, from the command in the
file's first line). Compression pays if its fastest run takes at least the given part less time than the fastest
dense run of the same model, network, and workers in the same file.
"""

import argparse
import collections
import json
import re
import shlex
import sys

from charts.text import cell

NUMBERS = ("ranks", "step_us", "computation_us", "bytes_per_rank_step", "codec_us")


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.strip()]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as why:
        sys.exit(f"verdict.py: {path}: {why}")
    if not lines:
        sys.exit(f"verdict.py: {path} is empty: give files of arlab plan --json")
    return lines


def coding_cost(command):
    """The codec of --compute in a command line, --codec-cost before; None: the default."""
    try:
        words = shlex.split(command)
    except ValueError:  # a quote that nothing closes
        words = command.split()
    for at, word in enumerate(words):
        option, has_value, value = word.partition("=")
        value = value if has_value else "".join(words[at + 1:at + 2])
        if option == "--codec-cost" and value:
            return value
        if option == "--compute" and (codec := re.search(r"(?:^|,)codec=([^,]+(?:,[^,=]+)?)(?:,|$)", value)):
            return codec[1]
    return None


def settings_of(path):
    """Yields (cost, model, network, ranks, compressor, time saved as a part of the dense step, reason)."""
    first, *records = lines_of(path)
    if not all(isinstance(line, dict) for line in [first, *records]) or first.get("kind") != "context" or any(r.get("kind") not in ("plan", "plan_decision") for r in records):
        sys.exit(f"verdict.py: {path} is not a file of arlab plan --json: give such files")
    cost = coding_cost(str(first.get("command") or ""))
    best = {}
    for number, r in enumerate(records, 2):
        if r["kind"] == "plan_decision":
            continue
        for key in NUMBERS:
            value = r.get(key)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf") or (key == "step_us" and value == 0):
                sys.exit(f"verdict.py: {path}:{number}: {key} is {value!r}: remove this line, or write the file again")
        # Another batch is another problem: runs of several are compared each with its own dense one.
        key = (r.get("model"), r.get("network"), r["ranks"], r.get("compressor"), r.get("batch_per_worker"), r.get("device"))
        if key not in best or r["step_us"] < best[key]["step_us"]:
            best[key] = r
    for (model, network, ranks, compressor, batch, device), r in best.items():
        if compressor is None:
            continue
        dense = best.get((model, network, ranks, None, batch, device))
        if dense is None:
            sys.exit(f"verdict.py: {path} has no dense run of {model} on {network} with {ranks} workers: "
                     "add none to --compressor")
        yield cost, model, network, ranks, compressor, 1 - r["step_us"] / dense["step_us"], reason(r, dense)


def reason(run, dense):
    """Why compression cannot pay, or does not."""
    if dense["step_us"] - dense["computation_us"] < 0.05 * dense["step_us"]:
        return "hidden"  # nothing to gain
    if run["bytes_per_rank_step"] >= dense["bytes_per_rank_step"]:
        return "gathered"  # codes of all workers are collected
    if run["codec_us"] > 0.5 * (dense["step_us"] - dense["computation_us"]):
        return "coding"
    return "small"


def table(rows):
    lines = ["| " + " | ".join(cell(str(one)) for one in row) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("---" for _ in rows[0]) + "|")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUNS.jsonl")
    parser.add_argument("--gain", type=float, default=0.05, help="part of the dense step that must be saved")
    options = parser.parse_args()
    settings = [s for path in options.runs for s in settings_of(path)]
    by_cost = collections.defaultdict(list)
    for s in settings:
        by_cost[s[0]].append(s)
    why = ("hidden", "gathered", "coding", "small")
    rows = [("ns per element to encode, decode", "settings", "pay", *(f"not: {w}" for w in why))]
    for cost, some in by_cost.items():
        pay = [s for s in some if s[5] >= options.gain]
        rest = collections.Counter(s[6] for s in some if s[5] < options.gain)
        rows.append((cost or "default", len(some), len(pay), *(rest[w] for w in why)))
    print(table(rows))
    networks = list(dict.fromkeys(s[2] for s in settings))
    sizes = sorted({s[3] for s in settings})
    print()
    rows = [("ns per element to encode, decode", "workers", *networks)]
    for cost, some in by_cost.items():
        for ranks in sizes:
            cells = []
            for network in networks:
                here = [s for s in some if s[2] == network and s[3] == ranks]
                cells.append(f"{sum(s[5] >= options.gain for s in here)} of {len(here)}")
            rows.append((cost or "default", ranks, *cells))
    print(table(rows))
    print()
    rows = [("compressor", *(f"pays, {cost or 'default'}" for cost in by_cost))]
    for compressor in dict.fromkeys(s[4] for s in settings):
        cells = []
        for some in by_cost.values():
            here = [s for s in some if s[4] == compressor]
            cells.append(f"{sum(s[5] >= options.gain for s in here)} of {len(here)}")
        rows.append((compressor, *cells))
    print(table(rows))


if __name__ == "__main__":
    main()
