#!/usr/bin/env python3
"""What each mechanism of the model `connections` is worth: predictions without it, beside the measured times.

    bench/cluster/predictions.py ARLAB MACHINE.toml MEASURED.jsonl [--again AGAIN.jsonl]

MEASURED is what `arlab run --machine MACHINE.toml --json` wrote. Each model predicts the same times again; nothing of them goes
into a prediction. Prints a table: median and worst error, share within 10%, Kendall's tau, and what it costs to choose algorithms by it.
AGAIN is a second measurement of the same. It is compared as if it were a prediction: no model can be expected to do better.
Of times with at least 100 runs, a second table compares their p50, p90, and p99 with those of 400 simulated runs.
"""
import argparse
import collections
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

HANDSHAKE = ["S=1T"]
# Of the ranks of one machine.
WITHOUT_SHARED = {
    "all mechanisms": [],
    "links and ports instead of copies": ["shared=no"],
    "copies at the same time take no longer": ["together=no"],
    "additions to sent elements take no longer": ["resent=no"],
    "sends do not wait for their receiver": HANDSHAKE,
    "copies take no time": ["curve=no"],
}
WITHOUT = {
    "all mechanisms": [],
    "no requests and grants": HANDSHAKE,
    "grants pass data of their own connection": ["ordered=no"],
    "requests and grants pass all data": ["backlog=0"],
    "receives are posted first": ["posting=0"],
    "sends end when they are delivered": ["socket=0"],
    "no drift of the ranks": ["drift=0", "drift_long=0"],
    "one draw of the drift": ["drift_runs=1"],
    "no times by size": ["curve=no"],
    "no bursts": ["burst=0"],
    "bursts are used up at the start": ["burst_left=0"],
    "no headers": ["wrap=0"],
    "no acknowledgments": ["acks=0"],
    "none of them": [*HANDSHAKE, "backlog=0", "socket=0", "drift=0", "drift_long=0", "curve=no", "burst=0", "wrap=0", "acks=0", "g=0"],
}


def measured_times(path, least_runs=1, value=lambda record: record["time_us"]["median"]):
    """(ranks, bytes) -> algorithm -> microseconds; not those of the library."""
    times = collections.defaultdict(dict)
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if (record.get("kind") == "run" and record.get("time_us") and record.get("family") != "native"
                and record["time_us"]["n"] >= least_runs):
            times[record["ranks"], record["bytes"]][record["algorithm"]] = value(record)
    return times


def simulated(arlab, times, options, value=lambda record: record["modelled_us"]):
    """The same times by a model."""
    result = collections.defaultdict(dict)
    for ranks in sorted({ranks for ranks, _ in times}):
        sizes = sorted(size for p, size in times if p == ranks)
        names = sorted({name for (p, _), row in times.items() if p == ranks for name in row})
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "simulated.jsonl"
            subprocess.run([arlab, "simulate", ",".join(names), "-p", str(ranks), "-s", ",".join(f"{s}" for s in sizes), *options,
                            "--json", str(out)], check=True, stdout=subprocess.DEVNULL)
            for line in out.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                if record.get("kind") == "simulate" and record.get("family") != "native":
                    result[ranks, record["bytes"]][record["algorithm"]] = value(record)
    return result


def tau(a, b):
    """Kendall's tau-b."""
    def sign(x):
        return (x > 0) - (x < 0)
    pairs = [(sign(a[i] - a[k]), sign(b[i] - b[k])) for i in range(len(a)) for k in range(i)]
    ties = sum(x * x for x, _ in pairs) * sum(y * y for _, y in pairs)
    return sum(x * y for x, y in pairs) / math.sqrt(ties) if ties else 0.0


def row_of(name, measured, modelled):
    errors, taus, costs = [], [], []
    for problem, times in measured.items():
        names = [n for n in times if n in modelled[problem]]
        errors += [modelled[problem][n] / times[n] - 1 for n in names]
        if len(names) > 1:
            taus.append(tau([times[n] for n in names], [modelled[problem][n] for n in names]))
            costs.append(times[min(names, key=modelled[problem].get)] / min(times[n] for n in names))
    sizes = sorted(map(abs, errors))
    worst = max(errors, key=abs)
    within = sum(e <= 0.1 for e in sizes) / len(sizes)
    return (f"| {name} | {len(errors)} | {statistics.median(sizes):.1%} | {worst:+.1%} | {statistics.median(errors):+.1%} | {within:.0%} | "
            f"{statistics.mean(taus):.2f} | {statistics.mean(costs):.3f} | {max(costs):.2f} |")


def plain_models(machine):
    """Options of the older models with the same latency and rate."""
    with open(machine, "rb") as file:
        content = tomllib.load(file)
    number, network = content["machine"], content["network"]
    alpha, beta = f"{number['latency_us'] + number['drift_us']}us", f"{number['port_ns_per_byte']}ns"
    stated = network["topology"] or "crossbar"
    kind, _, settings = stated.partition(":")
    own = [s for s in settings.split(",") if s and not s.startswith(("bandwidth=", "latency="))]
    own += [f"bandwidth={1e9 / number['port_ns_per_byte']}B/s", f"latency={(number['latency_us'] + number['drift_us']) / 2}us"]
    return {"fluid": ["--network", f"{kind}:{','.join([*own, 'placement=' + (network['placement'] or 'block')])}"],
            "alpha_beta": ["--network", f"alpha_beta:alpha={alpha},beta={beta}"]}


def table(arlab, machine, measured, again):
    lines = ["| model | rows | median error | worst | bias | within 10% | tau | cost of choice | worst cost |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    if again:
        lines.append(row_of("measured again", measured, again))
    with open(machine, "rb") as file:
        shared = tomllib.load(file)["machine"].get("shared", False)
    for name, settings in (WITHOUT_SHARED if shared else WITHOUT).items():
        lines.append(row_of(name, measured, simulated(arlab, measured, ["--network", ":".join(filter(None, (str(machine), ",".join(settings))))])))
    for name, options in plain_models(machine).items():
        lines.append(row_of(f"model {name}", measured, simulated(arlab, measured, options)))
    return "\n".join(lines) + "\n"


def spread_table(arlab, machine, path):
    """Percentiles of the runs; nothing if there are too few."""
    def statistics_of(record):
        return record["time_statistics_us"]
    measured = measured_times(path, 100, statistics_of)
    if not measured:
        return ""
    runs = simulated(arlab, measured, ["--network", str(machine), "--disturb", "runs=400"], statistics_of)
    lines = ["", "| of the runs | cells | median error | worst | bias | within 25% | measured, by p50 | simulated, by p50 |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    pairs = [(times[name], runs[problem][name]) for problem, times in measured.items() for name in times if name in runs[problem]]
    for key in ("p50", "p90", "p99"):
        errors = [model[key] / real[key] - 1 for real, model in pairs]
        sizes = [abs(error) for error in errors]
        by_p50 = [statistics.median(each[key] / each["p50"] for each in column) for column in zip(*pairs, strict=True)]
        lines.append(f"| {key} | {len(pairs)} | {statistics.median(sizes):.1%} | {max(errors, key=abs):+.1%} | {statistics.median(errors):+.1%} | "
                     f"{sum(size <= 0.25 for size in sizes)} | {by_p50[0]:.3f} | {by_p50[1]:.3f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arlab")
    parser.add_argument("machine")
    parser.add_argument("measured")
    parser.add_argument("--again")
    options = parser.parse_args()
    again = measured_times(options.again) if options.again else None
    print(table(options.arlab, options.machine, measured_times(options.measured), again), end="")
    print(spread_table(options.arlab, options.machine, options.measured), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
