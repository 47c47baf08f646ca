#!/usr/bin/env python3
"""Compares loggops with LogGOPSim: the same schedules, parameters and finish, to the nanosecond.

    loggopsim.py ARLAB FOLDER    FOLDER has the programs LogGOPSim and txt2bin

Prints the runs that differ, and how many are equal. https://github.com/spcl/LogGOPSim
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

RANKS = (2, 3, 4, 6, 8, 13, 16, 32)
MACHINES = ({"L": 2500, "o": 1500, "g": 1000, "G": 6, "O": 0}, {"L": 3000, "o": 1000, "g": 500, "G": 1, "O": 0},
            {"L": 2000, "o": 500, "g": 2500, "G": 3, "O": 1})  # nanoseconds
EAGER = 65535  # bytes


def catalog(arlab: pathlib.Path) -> list[str]:
    return re.findall(r"^\| (?!algorithm )(\w+) ", output(arlab, "list", "algorithms"), re.MULTILINE)


def output(*words: object) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arlab", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--names", type=lambda text: text.split(","), help="default: the catalog")
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=RANKS)
    parser.add_argument("--segments", type=int, default=1)
    arguments = parser.parse_args()
    equal = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or catalog(arguments.arlab):
            for ranks in arguments.ranks:
                schedule = (name, "-p", ranks, "-s", "16K", "--segments", arguments.segments)
                exported = [arguments.arlab, "export", *schedule, "--format", "goal", "-o", f"{folder}/x.goal"]
                if subprocess.run([str(word) for word in exported], capture_output=True, check=False).returncode:
                    continue  # not on so many ranks, or not without a topology
                output(arguments.folder / "txt2bin", "-i", f"{folder}/x.goal", "-o", f"{folder}/x.bin")
                for machine in MACHINES:
                    theirs = int(re.findall(r"at host \d+: (\d+)", output(
                        arguments.folder / "LogGOPSim", "-f", f"{folder}/x.bin", "-b", f"-S{EAGER}",
                        *(f"-{key}{value}" for key, value in machine.items())))[0])
                    network = ",".join((*(f"{key}={value}ns" for key, value in machine.items()), f"S={EAGER}"))
                    record = output(arguments.arlab, "simulate", *schedule, "--network", f"loggops:{network}", "--json", "-")
                    ours = json.loads(record.splitlines()[-1])["modelled_us"] * 1e3
                    runs += 1
                    equal += abs(ours - theirs) < 0.6
                    if abs(ours - theirs) >= 0.6:
                        print(f"{name} on {ranks}, {machine}: {ours:.0f} ns, LogGOPSim {theirs} ns")
    print(f"{equal} of {runs} runs are equal")


if __name__ == "__main__":
    main()
