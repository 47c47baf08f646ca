#!/usr/bin/python3
"""CPU time of the fluid model beside SMPI: the same schedules on the same network, one after the other.

    speed.py ARLAB [--ranks 1024] [--size 1M] [--algorithms ring,butterfly,tree,round_robin]

Prints a table: CPU seconds of the whole program each, user and system. Ours makes the schedule as it goes; SMPI reads
it from a trace that was written before.
"""

import argparse
import pathlib
import sys
import tempfile

import smpi


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("arlab", type=pathlib.Path, help="the program, a release build")
    parser.add_argument("--algorithms", default="ring,butterfly,tree,round_robin", help="(default %(default)s)")
    parser.add_argument("--ranks", type=int, default=1024, help="(default %(default)s)")
    parser.add_argument("--size", default="1M", help="bytes of the vector (default %(default)s)")
    arguments = parser.parse_args()
    if why := smpi.missing():
        print(f"skipped: {why}")
        return 77

    arlab = arguments.arlab.resolve()
    what = ["-p", str(arguments.ranks), "-s", arguments.size]
    fabrics = [smpi.crossbar(arguments.ranks), smpi.fat_tree(arguments.ranks, 4)]
    print("| algorithm | network | arlab | SMPI | ratio |\n|---|---|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory(prefix="arlab-simgrid-") as folder:
        trace = pathlib.Path(folder) / "trace.txt"
        hosts = [f"h{rank}" for rank in range(arguments.ranks)]
        for algorithm in arguments.algorithms.split(","):
            smpi.run_for_cpu([arlab, "export", algorithm, *what, "--format", "ti", "-o", trace], folder, 600)
            for fabric in fabrics:
                _, ours = smpi.run_for_cpu([arlab, "simulate", algorithm, *what, "--network",
                                            f"fluid:envelope={smpi.ENVELOPE},topology={fabric.topology}"], folder, 600)
                theirs = smpi.replay(trace, hosts, fabric, folder).cpu
                print(f"| `{algorithm}` | {fabric.name} | {ours:.3f} s | {theirs:.1f} s | {theirs / ours:.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
