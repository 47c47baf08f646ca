"""Who wins where, and why: two Markdown tables of simulated records. Needs no matplotlib.

The first table names the fastest algorithm for each network, number of ranks and size. The second has one row for each
of them: the fastest, the next and the slowest algorithm, how many times slower they are, and the most utilized link.
"""

import sys
from typing import Iterable, Iterator, Sequence

from .records import Record
from .settings import SIMULATED, label_of, settings, time_of
from .text import bytes_text, cell, code, time_text

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


def networks(records: Iterable[Record]) -> Iterator[tuple[str, list[Record]]]:
    """Yields the records of each network with its name, to which what tells two of the same name apart is added."""
    rows = [record for record in records if record.get("kind") == SIMULATED and time_of(record)]
    found = [(str(part[0].get("topology") or part[0].get("model")), setting, part) for setting, part in settings(rows).items()]
    for name, setting, part in found:
        alike = [set(other.words) for its_name, other, _ in found if its_name == name]
        more = [word for word in setting.words if not all(word in words for words in alike)]
        yield ", ".join([name, *more]), part


def overview(records: Iterable[Record]) -> list[list[str]]:
    """Returns the fastest algorithm of each network, number of ranks and size, with one column per size."""
    fastest: dict[tuple[str, int], dict[int, str]] = {}
    for network, rows in networks(records):
        for (ranks, size), ranked in _ranked(rows):
            fastest.setdefault((code(network), ranks), {})[size] = _first(ranked)
    sizes = sorted({size for row in fastest.values() for size in row})
    return [["network", "ranks", *map(bytes_text, sizes)],
            *([network, str(ranks), *(row.get(size, "") for size in sizes)] for (network, ranks), row in fastest.items())]


def table(records: Iterable[Record]) -> Iterator[list[str]]:
    """Yields one row per network, number of ranks and size: networks in file order, then by size."""
    for network, rows in networks(records):
        for (ranks, size), ranked in _ranked(rows):
            best, last = ranked[0], ranked[-1]
            row = [code(network), str(ranks), bytes_text(size), _first(ranked), time_text(time_of(best)), why(best)]
            row += [cell(label_of(ranked[1])), slower(ranked[1], best)] if len(ranked) > 1 else ["", ""]
            yield row + ([cell(label_of(last)), slower(last, best), why(last)] if len(ranked) > 2 else ["", "", ""])


def _ranked(records: Sequence[Record]) -> list[tuple[tuple[int, int], list[Record]]]:
    """Returns, for each number of ranks and size, the latest record of each algorithm, the fastest first."""
    cells: dict[tuple[int, int], dict[str, Record]] = {}
    for record in records:
        cells.setdefault((record.get("ranks"), record.get("bytes")), {})[label_of(record)] = record
    return [(key, sorted(cells[key].values(), key=lambda record: time_of(record))) for key in sorted(cells)]


def _first(ranked: Sequence[Record]) -> str:
    """Returns the name of the fastest; +n: n others take exactly as long."""
    ties = sum(time_of(record) == time_of(ranked[0]) for record in ranked) - 1
    return cell(label_of(ranked[0])) + (f" +{ties}" if ties else "")


def slower(record: Record, best: Record) -> str:
    return f"{time_of(record) / time_of(best):.3g}"


def why(record: Record) -> str:
    link = (record.get("most_utilized_links") or [None])[0]
    return cell(f"{link['tier']} {100 * link['utilization']:.0f}%") if link and "tier" in link and "utilization" in link else ""
