"""Who wins where, and why: two Markdown tables of simulated records. Needs no matplotlib.

The first table names the fastest algorithm for each network, number of ranks and size. The second has one row for each
of them: the fastest, the next and the slowest algorithm, how many times slower they are, and the most utilized link.
"""

import sys
from typing import Iterable, Sequence

from .records import Record
from .slices import label_of
from .text import bytes_text, time_text

HEADER = ("network", "ranks", "size", "fastest", "time", "most utilized link", "then", "times", "slowest", "times",
          "most utilized link")


def report(records: Sequence[Record]) -> int:
    """Prints both tables. Returns the exit status."""
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
    """Returns the fastest algorithm of each network, number of ranks and size, with one column per size."""
    fastest: dict[tuple[str, int], dict[int, Record]] = {}
    for record in filter(simulated, records):
        row = fastest.setdefault((network_of(record), record.get("ranks")), {})
        before = row.get(record.get("bytes"))
        if before is None or record.get("modelled_us") < before.get("modelled_us"):
            row[record.get("bytes")] = record
    sizes = sorted({size for row in fastest.values() for size in row})
    return [["network", "ranks", *map(bytes_text, sizes)],
            *([network, str(ranks), *(label_of(row[size]) if size in row else "" for size in sizes)]
              for (network, ranks), row in fastest.items())]


def simulated(record: Record) -> bool:
    return record.get("kind") == "simulate" and bool(record.get("modelled_us"))


def network_of(record: Record) -> str:
    return f"`{record.get('topology') or record.get('model')}`"


def table(records: Iterable[Record]) -> Iterable[list[str]]:
    """Yields one row per network, number of ranks and size: networks in file order, then by size."""
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
        row = [key[0], str(key[1]), bytes_text(key[2]), label_of(best), time_text(best.get("modelled_us")), why(best)]
        row += [label_of(ranked[1]), slower(ranked[1], best)] if len(ranked) > 1 else ["", ""]
        yield row + ([label_of(last), slower(last, best), why(last)] if len(ranked) > 2 else ["", "", ""])


def slower(record: Record, best: Record) -> str:
    return f"{record.get('modelled_us') / best.get('modelled_us'):.3g}"


def why(record: Record) -> str:
    link = (record.get("most_utilized_links") or [None])[0]
    return f"{link['tier']} {100 * link['utilization']:.0f}%" if link else ""
