"""Selection: the records that the options --algorithms, --ranks and --sizes leave."""

import argparse
import re
from typing import Callable, Optional, Sequence

from .bad_record import BadRecord
from .records import Record
from .settings import drawable, label_of

_INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
WIDTHS, FONTS = (2.0, 40.0), (4.0, 40.0)
_SUFFIX = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--algorithms", metavar="NAMES", help="names or labels, separated by commas (default: all)")
    parser.add_argument("--sizes", metavar="BYTES", help="1K,64K: sizes per rank (default: all)")
    parser.add_argument("--ranks", metavar="COUNTS", help="numbers of ranks (default: all)")


def selected(records: Sequence[Record], options: argparse.Namespace) -> list[Record]:
    """Returns the chosen records. Those of training have no size to choose. Raises BadRecord if an option leaves nothing."""
    rows = list(records)
    names = _list("--algorithms", options.algorithms, lambda word: word)
    rows = _those(rows, "--algorithms", options.algorithms, names, lambda record: {label_of(record), record.get("algorithm")})
    rows = _those(rows, "--ranks", options.ranks, _list("--ranks", options.ranks, number), lambda record: {record.get("ranks")} - {None})
    sizes = _list("--sizes", options.sizes, number)
    return _those(rows, "--sizes", options.sizes, sizes, lambda record: {record.get("bytes")} if drawable(record) else set())


def number(word: str) -> int:
    """Returns 4096 of 4096 or 4K. Raises ValueError."""
    return int(word[:-1]) * _SUFFIX[word[-1]] if word[-1:] in _SUFFIX else int(word)


def _list(option: str, text: Optional[str], value: Callable[[str], object]) -> list[object]:
    found = []
    for word in text.split(",") if text is not None else ():
        try:
            found.append(value(word.strip()))
        except ValueError:
            raise BadRecord(f"{option} has {word!r}, which is not a whole number: write numbers separated by commas, such as 4,64K") from None
    return found


def _those(records: list[Record], option: str, text: Optional[str], wanted: list[object], of: Callable[[Record], set[object]]) -> list[Record]:
    if text is None:
        return records
    rows = [record for record in records if not of(record) or of(record) & set(wanted)]
    if not any(of(record) & set(wanted) for record in rows):
        known = sorted({value for record in records for value in of(record) if value is not None}, key=lambda value: (str(type(value)), value))
        raise BadRecord(f"{option} {text} leaves no record: choose from {', '.join(map(str, known))}")
    return rows


def inches(text: str) -> float:
    """Returns the inches of 3.4in, 8.6cm, 86mm or 246pt. Raises BadRecord."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(in|cm|mm|pt)", text)
    if not found:
        raise BadRecord(f"the width is {text!r}: give a length with its unit, such as 3.4in or 86mm")
    return _within("the width", text, float(found[1]) * _INCHES[found[2]], WIDTHS, "in")


def points(text: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise BadRecord(f"the font is {text!r}: give a size in points, such as 8")
    return _within("the font", text, float(text), FONTS, "")


def _within(option: str, text: str, value: float, limits: tuple[float, float], unit: str) -> float:
    if not limits[0] <= value <= limits[1]:
        raise BadRecord(f"{option} is {text}: give one from {limits[0]:g}{unit} to {limits[1]:g}{unit}")
    return value
