#!/usr/bin/env python3
"""What Python costs: the package beside the command `arlab` of the same build. Both take turns, so that a busy machine is busy for both.

  PYTHONPATH=build/release/python /usr/bin/python3 bench/plugins/compare_python.py build/release/bench/arlab [--rounds 21]

- simulate: a ring of 1,024 ranks in the fluid model, of one size and of many. The call, and a whole process with Python's start and the
  import, each beside the command's process.
- run: a ring of 64 ranks in Python beside the catalog's, on threads. One call measures both in turns, many times.
- plan: the rounds of all 256 ranks of a ring in Python, and their count.

Each row has the medians, and the median of the rounds' ratios with its 95% interval. The exit status is 1 if a ratio is beyond its limit:
1.1 for the simulated call, an interval that holds 1 or is below it for the real runs, and 1 s for the plan.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import time

import arlab
from turns import interval

PROGRAM = "import arlab; arlab.simulate('ring', ranks={ranks}, size='{size}', network='fluid')"


@arlab.algorithm(name="python_ring")
def ring(p, me):
    """The ring of the catalog, in Python."""
    right, left = p.wrap(me + 1), p.wrap(me - 1)
    for step in range(1, p.ranks):
        yield arlab.send(right, me - step), arlab.reduce(left, me - step - 1)
    for step in range(p.ranks - 1):
        yield arlab.send(right, me - step), arlab.replace(left, me - step - 1)


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def report(what, ours, theirs, limit):
    """Prints a row. Returns whether the ratio is within its limit; `limit` takes the ratio and the lower end of its interval, or is None."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    ratio, (low, high) = statistics.median(ratios), interval(ratios)
    good = limit is None or limit(ratio, low)
    print(f"| {what} | {1e3 * statistics.median(ours):.3f} ms | {1e3 * statistics.median(theirs):.3f} ms | "
          f"{ratio:.3f} [{low:.3f}, {high:.3f}] | {'' if limit is None else 'yes' if good else 'NO'} |", flush=True)
    return good


def simulated(program, size, options):
    words = [program, "simulate", "ring", "-p", str(options.ranks), "-s", size, "--network", "fluid"]
    code = PROGRAM.format(ranks=options.ranks, size=size)

    def command():
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    def call():
        arlab.simulate("ring", ranks=options.ranks, size=size, network="fluid")

    def process():
        subprocess.run([sys.executable, "-c", code], check=True)

    call(), command()  # files are read, and the module is loaded
    rounds = [(seconds(call), seconds(command), seconds(process)) for _ in range(options.rounds)]
    calls, commands, processes = zip(*rounds)
    what = f"simulate {options.ranks} ranks, {size}"
    good = report(f"{what}: the call", calls, commands, lambda ratio, low: ratio <= 1.1)
    report(f"{what}: a process", processes, commands, None)
    return good


def ran(options):
    ours, theirs = [], []
    for at in range(options.rounds):
        names = ["python_ring", "ring"] if at % 2 else ["ring", "python_ring"]
        rows = {row.algorithm: row for row in arlab.run(names, ranks=64, size=options.run_size, time=options.time)}
        assert not any(row.wrong for row in rows.values())
        ours.append(1e-6 * rows["python_ring"].time_us)
        theirs.append(1e-6 * rows["ring"].time_us)
    return report(f"run on 64 threads, {options.run_size}", ours, theirs, lambda ratio, low: low <= 1)


def planned(options):
    times = [seconds(lambda: arlab.Algorithm(ring.program, "planned").count(256, elements=1000)) for _ in range(options.rounds)]
    good = statistics.median(times) <= 1
    print(f"| plan 256 ranks | {1e3 * statistics.median(times):.1f} ms | limit 1 s | | {'yes' if good else 'NO'} |")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arlab", type=lambda path: str(pathlib.Path(path).resolve()), help="the program of the same build")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--ranks", type=int, default=1024, help="simulated")
    parser.add_argument("--sizes", nargs="+", default=["1M", "1K..256M"], help="simulated, a row for each")
    parser.add_argument("--run-size", default="64K", help="of the real runs")
    parser.add_argument("--time", default="500ms", help="of each real run in a round")
    options = parser.parse_args()
    print("| what | Python | C++ | ratio | within its limit |\n|---|---:|---:|---:|---|", flush=True)
    good = [simulated(options.arlab, size, options) for size in options.sizes]
    good += [ran(options), planned(options)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
