#!/usr/bin/python3
"""Who wins where, and why: two tables of simulated records of one number of ranks.

The first names the fastest algorithm for each network and size. The second has a row for each of them: the
fastest, the next and the slowest, how many times slower those are, and the kind of link that was fullest, with
the share of what it could have carried.
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
  /usr/bin/python3 plots/charts/winners.py results/study.jsonl

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
    print_table(overview(records))
    print()
    print_table([HEADER, *rows])
    return 0


def print_table(rows: Sequence[Sequence[str]]) -> None:
    for row in (rows[0], ["---"] * len(rows[0]), *rows[1:]):
        print(f"| {' | '.join(row)} |")


def overview(records: Iterable[Record]) -> list[list[str]]:
    """The fastest of each network and size, a column for each size."""
    fastest: dict[str, dict[int, Record]] = {}
    for record in filter(simulated, records):
        row = fastest.setdefault(network_of(record), {})
        before = row.get(record.get("bytes"))
        if before is None or record.get("modelled_us") < before.get("modelled_us"):
            row[record.get("bytes")] = record
    sizes = sorted({size for row in fastest.values() for size in row})
    return [["network", *map(style.bytes_text, sizes)],
            *([network, *(label_of(row[size]) if size in row else "" for size in sizes)]
              for network, row in fastest.items())]


def simulated(record: Record) -> bool:
    return record.get("kind") == "simulate" and bool(record.get("modelled_us"))


def network_of(record: Record) -> str:
    return f"`{record.get('topology') or record.get('model')}`"


def table(records: Iterable[Record]) -> Iterable[list[str]]:
    """A row for every network, number of ranks and size, in file order of networks, then by size."""
    cells: dict[tuple[str, int, int], list[Record]] = {}
    networks: list[str] = []
    for record in filter(simulated, records):
        network = network_of(record)
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
