#!/usr/bin/python3
"""Relations that hold for every configuration, such as equal times in other units, on configurations drawn at random.

    ARLAB=build/release/bench/arlab tests/bench/metamorphic/run.py [--cases N] [--seed S] [--only RELATION] [--jobs J] [--open]

Prints each case that breaks a relation, with the commands to paste. The same seed draws the same cases.
"""

import argparse
import concurrent.futures
import os
import sys
import time

import harness
import on_outputs
import on_times

RELATIONS = {relation.__name__: relation for relation in (*on_times.RELATIONS, *on_outputs.RELATIONS)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=int(os.environ.get("ARLAB_RELATION_CASES", "3")), help="of each relation")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", choices=RELATIONS, action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--open", action="store_true", help="with segments in every model, and LogGOPS's g = o")
    options = parser.parse_args()
    names = [(name, f"{name}/{options.seed}/{i}") for name in options.only or RELATIONS for i in range(options.cases)]
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda case: harness.run_case(RELATIONS[case[0]], case[1], options.open), names))
    broken = [text for text in results if text]
    print(*broken, sep="\n", end="")
    print(f"{len(names)} cases of {len(options.only or RELATIONS)} relations in {time.monotonic() - begin:.0f} s, {len(broken)} broken; "
          f"seed {options.seed}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
