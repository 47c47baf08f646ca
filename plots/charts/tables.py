"""Tables of times as Markdown, as CSV, and as LaTeX with booktabs: rows of ranks and sizes, a column per algorithm.

The Markdown and the LaTeX have the algorithms that charts name, with the fastest in bold; a row has one unit. The CSV has
every time, a row for each, in microseconds.
"""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Optional, Sequence

from . import style
from .focus import baselines_of, choose
from .records import Record
from .settings import SIMULATED, Setting, settings
from .slices import order_of, times_of
from .text import bytes_text, cell, count_text, plain
from .whole_files import write_text

NAME = "time_table"
NEEDS = "times of two sizes or two rank counts"
UNITS = (("s", 1e6), ("ms", 1e3), ("µs", 1.0), ("ns", 1e-3))
Cell = tuple[int, int]  # bytes, ranks


@dataclass(frozen=True)
class Table:
    """The times of one setting in microseconds, by label."""

    setting: Setting
    records: tuple[Record, ...]
    times: dict[str, dict[Cell, float]]

    def cells(self) -> list[Cell]:
        """Returns the cells that have a time, by ranks, then by size."""
        return sorted({cell for of in self.times.values() for cell in of}, key=lambda cell: cell[::-1])

    def title(self) -> str:
        where = [self.setting.host, *self.setting.origin, *self.setting.words]
        return f"{'Simulated' if self.setting.kind == SIMULATED else 'Measured'}: {', '.join(filter(None, where))}"


def tables(records: Iterable[Record]) -> list[Table]:
    made = []
    for setting, rows in settings(records).items():
        table = Table(setting, tuple(rows), times_of(rows))
        if len(table.cells()) > 1:
            made.append(table)
    return sorted(made, key=lambda table: order_of(table.setting))


def columns_of(table: Table, wanted: Optional[str]) -> tuple[list[str], list[str]]:
    """Returns the labels that a chart would name, and "Circulant = PAT" for those that are as fast everywhere."""
    cells = table.cells()
    points = {label: [(float(i), of[at]) for i, at in enumerate(cells) if at in of] for label, of in table.times.items()}
    baselines = baselines_of(table.records, wanted) & points.keys()
    focus = choose(points, dict.fromkeys(points), baselines)
    return sorted((line.first for line in focus.named), key=lambda label: (label not in baselines, label)), focus.ties()


@dataclass(frozen=True)
class Row:
    ranks: int
    size: int
    unit: str
    times: tuple[str, ...]
    best: tuple[bool, ...]


def rows_of(table: Table, columns: Sequence[str]) -> list[Row]:
    rows = []
    for size, ranks in table.cells():
        times = [table.times[label].get((size, ranks)) for label in columns]
        known = [time for time in times if time]
        if known:
            unit, scale = next(((unit, scale) for unit, scale in UNITS if min(known) >= scale), UNITS[-1])
            rows.append(Row(ranks, size, unit, tuple(_number(time / scale) if time else "" for time in times),
                            tuple(bool(time) and time <= min(known) * style.TIE for time in times)))
    return rows


def _number(value: float) -> str:
    """Returns four significant digits, without an exponent."""
    return f"{value:.{max(0, 3 - int(math.floor(math.log10(value))))}f}"


def markdown(found: Sequence[Table], wanted: Optional[str]) -> str:
    parts = []
    for table in found:
        columns, ties = columns_of(table, wanted)
        lines = [["ranks", "size", "unit", *map(cell, columns)], ["---:", "---:", "---", *["---:"] * len(columns)]]
        for row in rows_of(table, columns):
            lines.append([count_text(row.ranks), bytes_text(row.size), row.unit,
                          *(f"**{time}**" if best else time for time, best in zip(row.times, row.best))])
        parts.append("\n".join(f"{cell(text)}\n" for text in [table.title(), *ties]) + "\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
    return "\n".join(parts)


def latex(found: Sequence[Table], wanted: Optional[str]) -> str:
    parts = ["% \\usepackage{booktabs}\n"]
    for table in found:
        columns, ties = columns_of(table, wanted)
        head = " & ".join(["Ranks", "Size", "Unit", *map(tex, columns)])
        body = [f"{count_text(row.ranks)} & {bytes_text(row.size)} & {tex(row.unit)} & "
                + " & ".join(f"\\textbf{{{time}}}" if best else time for time, best in zip(row.times, row.best)) + r" \\"
                for row in rows_of(table, columns)]
        parts.append("\n".join([*(f"% {tex(text)}" for text in [table.title(), *ties]), f"\\begin{{tabular}}{{rrl{'r' * len(columns)}}}", r"\toprule", head + r" \\",
                                r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""]))
    return "\n".join(parts)


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "µ": r"$\mu$", "×": r"$\times$", "<": r"$<$", ">": r"$>$",
        "|": r"$|$", '"': "''", **{c: f"\\{c}" for c in "&%$#_{}"}}


def tex(text: str) -> str:
    """Returns the text as LaTeX takes it, with ? for what its usual fonts lack."""
    return "".join(_TEX.get(c, c if c.isascii() else "?") for c in plain(text))


def comma_separated(found: Sequence[Table]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["setting", "ranks", "bytes", "algorithm", "time_us"])
    for table in found:
        for label, of in sorted(table.times.items()):
            for (size, ranks), time in sorted(of.items(), key=lambda one: one[0][::-1]):
                writer.writerow([_inert(table.title()), ranks, size, _inert(label), f"{time:.6g}"])
    return out.getvalue()


def _inert(text: str) -> str:
    """Returns the text such that a spreadsheet does not compute it."""
    return plain(f"'{text}" if text.startswith(("=", "+", "-", "@")) else text)


def write(records: Sequence[Record], folder: Path, wanted: Optional[str]) -> list[Path]:
    """Writes the three files; none, if there is no table."""
    found = tables(records)
    if not found:
        return []
    texts = {"md": markdown(found, wanted), "csv": comma_separated(found), "tex": latex(found, wanted)}
    paths = {folder / f"{NAME}.{end}": text for end, text in texts.items()}
    for path, text in paths.items():
        write_text(path, text)
    return list(paths)
