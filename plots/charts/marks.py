"""Marks: the color and the marker by which a line is known in every chart.

A color comes with the records, and gives the marker: its number modulo the number of markers. The colors of the catalog are
chosen such that this tells algorithms apart, also to color-blind readers. This module knows no algorithm.
"""

import re
from typing import Mapping, Optional, Sequence
from zlib import crc32

NAMELESS = "#6b7280"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")
BACKGROUND = "#ffffff"


def line_color(color: Optional[str]) -> str:
    return color if isinstance(color, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", color) else NAMELESS


def marker_of(label: str, color: Optional[str]) -> str:
    """Returns the marker of a color; of the label, where there is no color."""
    known = line_color(color) == color
    return MARKERS[(int(color[1:], 16) if known and color else crc32(label.encode())) % len(MARKERS)]


def markers(colors: Mapping[str, Optional[str]]) -> dict[str, str]:
    """Returns a marker per label. Labels of one color, such as settings of one algorithm, take the next ones in their order."""
    given: dict[str, str] = {}
    for label in sorted(colors):
        at = MARKERS.index(marker_of(label, colors[label]))
        alike = {given[other] for other in given if line_color(colors[other]) == line_color(colors[label])}
        turns = [MARKERS[(at + i) % len(MARKERS)] for i in range(len(MARKERS))]
        given[label] = next((marker for marker in turns if marker not in alike), turns[0])
    return given


def in_turn(names: Sequence[str]) -> dict[str, str]:
    """Returns a marker per name, for names that have no color of their own, such as networks."""
    return {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(sorted(set(names)))}
