#!/usr/bin/python3
"""The fluid model beside SimGrid: the same schedules on the same networks, in simulated time.

    agreement.py ARLAB [--algorithms ring,tree] [--ranks 16,64] [--sizes 1K,64M] [--within 0.001]

Prints a table of the largest differences; exits with 1 if one is larger than --within, with 77 if SimGrid is missing.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import smpi

PLACEMENTS = {"in order": "block", "shuffled": "random"}
SEED = "1"


def run(arlab, *arguments):
    return subprocess.run([arlab, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout


def placed(fabric, placement):
    """The topology with ranks on it; a placement without random numbers needs no seed."""
    separator = "," if ":" in fabric.topology else ":"
    return f"{fabric.topology}{separator}placement={placement}" + (f",seed={SEED}" if placement == "random" else "")


def ours(arlab, algorithms, ranks, sizes, fabric, placement):
    """Seconds by algorithm and size in bytes."""
    text = run(arlab, "simulate", ",".join(algorithms), "-p", str(ranks), "-s", ",".join(sizes), "--network",
               f"fluid:envelope={smpi.ENVELOPE},topology={placed(fabric, placement)}", "--json", "-")
    records = [json.loads(line) for line in text.splitlines()]
    return {(r["algorithm"], r["bytes"]): r["modelled_us"] / 1e6 for r in records if r["kind"] == "simulate"}


def compare(arlab, algorithms, ranks, sizes, folder):
    """Rows of (algorithm, network, placement, ranks, bytes, our seconds, SimGrid's)."""
    for algorithm in algorithms:
        for size in sizes:
            run(arlab, "export", algorithm, "-p", str(ranks), "-s", size, "--format", "ti", "-o",
                str(folder / f"{algorithm}-{size}.txt"))
    for fabric in (smpi.crossbar(ranks), *(() if smpi.crashes_on_fat_trees() else (smpi.fat_tree(ranks, 1), smpi.fat_tree(ranks, 4)))):
        for words, placement in PLACEMENTS.items():
            if words == "shuffled" and not fabric.cluster:
                continue  # all hosts of a crossbar are alike
            hosts = run(arlab, "show", "topology", placed(fabric, placement), "-p", str(ranks), "--hosts").split()
            times = ours(arlab, algorithms, ranks, sizes, fabric, placement)
            for algorithm in algorithms:
                lengths = sorted(length for name, length in times if name == algorithm)
                for size, length in zip(sizes, lengths, strict=True):
                    theirs = smpi.replay(folder / f"{algorithm}-{size}.txt", hosts, fabric, folder)
                    yield algorithm, fabric.name, words, ranks, size, times[algorithm, length], theirs.seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("arlab", type=pathlib.Path, help="the program")
    parser.add_argument("--algorithms", default="ring,butterfly,tree,all_to_all", help="(default %(default)s)")
    parser.add_argument("--ranks", default="16,64", help="powers of two, at least 16 (default %(default)s)")
    parser.add_argument("--sizes", default="1K,64M", help="in ascending order (default %(default)s)")
    parser.add_argument("--within", type=float, default=0.001, help="largest difference (default %(default)s)")
    parser.add_argument("--each", action="store_true", help="print every comparison, not only the largest difference")
    arguments = parser.parse_args()
    if why := smpi.missing():
        print(f"skipped: {why}")
        return 77

    if smpi.crashes_on_fat_trees():
        print("fat trees: skipped, since SimGrid 4.0 crashes on them: use another version")
    worst = {}
    compared = 0
    algorithms, sizes = arguments.algorithms.split(","), arguments.sizes.split(",")
    with tempfile.TemporaryDirectory(prefix="arlab-simgrid-") as folder:
        for ranks in map(int, arguments.ranks.split(",")):
            for *where, our, their in compare(arguments.arlab, algorithms, ranks, sizes, pathlib.Path(folder)):
                compared += 1
                difference = our / their - 1
                if arguments.each:
                    print(*where, our, their, f"{difference:+.2e}", flush=True)
                key = tuple(where[:3])
                if abs(difference) >= abs(worst.get(key, (0,))[0]):
                    worst[key] = (difference, where[3], where[4])
    print("| algorithm | network | placement | largest difference | at |\n|---|---|---|--:|---|")
    for (algorithm, network, placement), (difference, ranks, size) in worst.items():
        print(f"| `{algorithm}` | {network} | {placement} | {difference:+.1e} | {ranks} ranks, {size} |")
    bad = [key for key, (difference, *_) in worst.items() if abs(difference) > arguments.within]
    print(f"{compared} comparisons, {len(bad)} of {len(worst)} rows differ by more than {arguments.within:.1%}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
