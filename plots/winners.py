#!/usr/bin/python3
"""Who wins where, and why: a table of simulated records, one row for each network and size.

The winner is the algorithm of the least time; why is the link that each was held up by most, as a share of the
time for which that link was full.
"""

import argparse
import sys
from typing import Iterable, Sequence

try:
    import style
except ImportError:
    print("error: this needs matplotlib: apt install python3-matplotlib (and run /usr/bin/python3)", file=sys.stderr)
    sys.exit(3)

from records import BadRecord, Record, read
from slices import label_of

EXAMPLES = """example:
  arlab simulate all -p 256 -s 1K..1G*32 --model fluid --topology torus,rail_pod --json results/study.jsonl
  /usr/bin/python3 plots/winners.py results/study.jsonl

prints Markdown. Exit status: 0 written, 2 unusable files, 3 no matplotlib.
"""
HEADER = ("network", "size", "fastest", "time", "its hottest link", "then", "times", "slowest", "times",
          "its hottest link")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="winners.py", description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="result files (JSON Lines)")
    options = parser.parse_args(arguments)
    try:
        records = [record for path in options.files for record in read(path)]
    except BadRecord as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows = list(table(records))
    if not rows:
        print("error: no simulated records: write some with `arlab simulate --json FILE`", file=sys.stderr)
        return 2
    for row in (HEADER, ["---"] * len(HEADER), *rows):
        print(f"| {' | '.join(row)} |")
    return 0


def table(records: Iterable[Record]) -> Iterable[list[str]]:
    """A row for every network, number of ranks and size, in file order of networks, then by size."""
    cells: dict[tuple[str, int, int], list[Record]] = {}
    networks: list[str] = []
    for record in records:
        if record.get("kind") != "simulate" or not record.get("modelled_us"):
            continue
        network = f"`{record.get('topology') or record.get('model')}`"
        if network not in networks:
            networks.append(network)
        cells.setdefault((network, record.get("ranks"), record.get("bytes")), []).append(record)
    for key in sorted(cells, key=lambda key: (networks.index(key[0]), *key[1:])):
        ranked = sorted(cells[key], key=lambda record: record.get("modelled_us"))
        best, last = ranked[0], ranked[-1]
        row = [key[0], style.bytes_text(key[2]), label_of(best), style.time_text(best.get("modelled_us")), why(best)]
        row += [label_of(ranked[1]), slower(ranked[1], best)] if len(ranked) > 1 else ["", ""]
        yield row + ([label_of(last), slower(last, best), why(last)] if len(ranked) > 2 else ["", "", ""])


def slower(record: Record, best: Record) -> str:
    return f"{record.get('modelled_us') / best.get('modelled_us'):.3g}"


def why(record: Record) -> str:
    hottest = (record.get("hottest_links") or [None])[0]
    return f"{hottest['tier']} {100 * hottest['share']:.0f}%" if hottest else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
