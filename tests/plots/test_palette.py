"""The colors and markers of the whole catalog tell algorithms apart, also to color-blind readers, and stand out on the page.

Color blindness is simulated by Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB; differences are CIEDE2000
(Sharma, Wu and Dalal 2005), contrast that of WCAG 2.

    tests/plots/test_palette.py --free    prints colors for a new algorithm that pass
"""

import itertools
import math
import random
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plots"))
from charts import marks  # noqa: E402

EIGHT = ("all_to_all", "butterfly", "master_worker", "ring", "round_robin", "tree", "rabenseifner", "hierarchical")
VISIONS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)


def catalog() -> dict[str, str]:
    """The color of each entry, as its file states it."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "algorithms" / "catalog").glob("*.cpp")}
    return {name: re.search(r'\.color = "(#[0-9A-F]{6})"', text)[1] for name, text in texts.items()}  # type: ignore[index]


def linear(color: str) -> tuple[float, ...]:
    channels = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def times(matrix, vector):
    return tuple(sum(a * b for a, b in zip(row, vector)) for row in matrix)


def lab(rgb) -> tuple[float, float, float]:
    ratios = [value / white for value, white in zip(times(XYZ, [min(1, max(0, c)) for c in rgb]), WHITE)]
    x, y, z = (r ** (1 / 3) if r > 216 / 24389 else (24389 / 27 * r + 16) / 116 for r in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other) -> float:
    """CIEDE2000 of two colors in CIELAB."""
    mean = (math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2
    g = 0.5 * (1 - math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)))
    (a1, b1), (a2, b2) = ((c[1] * (1 + g), c[2]) for c in (one, other))
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = h2 - h1
    turn += 360 if turn < -180 else -360 if turn > 180 else 0
    turn = turn if c1 * c2 else 0.0
    lightness, chroma, hue = other[0] - one[0], c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l, c = (one[0] + other[0]) / 2, (c1 + c2) / 2
    h = h1 + h2
    h = h if not c1 * c2 else h / 2 if abs(h1 - h2) <= 180 else (h + 360) / 2 if h < 360 else (h - 360) / 2
    t = (1 - 0.17 * math.cos(math.radians(h - 30)) + 0.24 * math.cos(math.radians(2 * h)) + 0.32 * math.cos(math.radians(3 * h + 6))
         - 0.20 * math.cos(math.radians(4 * h - 63)))
    sl, sc, sh = 1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2), 1 + 0.045 * c, 1 + 0.015 * c * t
    rt = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    return math.sqrt((lightness / sl) ** 2 + (chroma / sc) ** 2 + (hue / sh) ** 2 + rt * (chroma / sc) * (hue / sh))


def nearest(one: str, other: str) -> float:
    """The least difference of two colors over all visions."""
    return min(difference(lab(times(matrix, linear(one))), lab(times(matrix, linear(other)))) for matrix in VISIONS.values())


def contrast(color: str, page: str) -> float:
    light, dark = sorted((0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(linear, (color, page))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def too_close(name: str, color: str, colors: dict[str, str]) -> list[str]:
    """The entries with the marker of this one whose colors are hard to tell from its color."""
    marker = marks.marker_of(name, color)
    return [other for other, known in colors.items()
            if other != name and marks.marker_of(other, known) == marker and nearest(color, known) < 10]


def free_colors(count: int) -> list[str]:
    """Colors that no entry has, and that pass beside all of them."""
    colors, drawn = catalog(), random.Random(1)
    found: list[str] = []
    while len(found) < count:
        color = f"#{drawn.randrange(1 << 24):06X}"
        if contrast(color, marks.BACKGROUND) >= 3 and color not in colors.values() and not too_close("", color, colors):
            found.append(color)
    return found


class Palette(unittest.TestCase):
    def test_the_difference_is_that_of_the_publication(self) -> None:
        for one, other, wanted in (((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 2.5, 0), (73, 25, -18), 27.1492),
                                   ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373), ((50, -1, 2), (50, 0, 0), 2.3669)):
            self.assertAlmostEqual(difference(one, other), wanted, 4)

    def test_the_most_used_differ_by_color_and_by_marker(self) -> None:
        colors = catalog()
        for one, other in itertools.combinations(EIGHT, 2):
            self.assertGreaterEqual(nearest(colors[one], colors[other]), 10, f"{one} {other}")
        self.assertEqual(len({marks.marker_of(name, colors[name]) for name in EIGHT}), 8)
        for name in EIGHT:  # the library's own line is black
            self.assertGreaterEqual(nearest(colors[name], "#000000"), 10, name)

    def test_all_differ_by_marker_or_by_color(self) -> None:
        colors = catalog()
        self.assertGreater(len(colors), 25)
        for name, color in colors.items():
            self.assertEqual(too_close(name, color, colors), [], f"{name}: take another color, such as one that test_palette.py --free prints")

    def test_lines_stand_out_on_the_page(self) -> None:
        source = (ROOT / "bench" / "run" / "run_record.cpp").read_text(encoding="utf-8")
        grays = re.findall(r'"(#[0-9a-f]{6})"', source)
        self.assertGreater(len(grays), 8)  # of libraries' algorithms
        for color in [*catalog().values(), *grays, marks.NAMELESS]:
            self.assertGreaterEqual(contrast(color, marks.BACKGROUND), 3, f"{color} is too light: test_palette.py --free prints others")

    def test_a_marker_does_not_depend_on_what_else_is_drawn(self) -> None:
        colors = catalog()
        alone = {name: marks.markers({name: color})[name] for name, color in colors.items()}
        self.assertEqual(marks.markers(colors), alone)
        several = marks.markers({"k=2": "#898B8C", "k=4": "#898B8C", "Ring": colors["ring"]})
        self.assertEqual((several["k=2"], several["Ring"]), (alone["recursive_multiplying"], alone["ring"]))
        self.assertNotEqual(several["k=2"], several["k=4"])
        self.assertIn(marks.marker_of("no color", None), marks.MARKERS)

    def test_free_colors_pass_beside_all_others(self) -> None:
        colors = catalog()
        for color in free_colors(3):
            self.assertNotIn(color, colors.values())
            self.assertEqual(too_close("new", color, colors), [])
            self.assertGreaterEqual(contrast(color, marks.BACKGROUND), 3)
        self.assertEqual(too_close("new", colors["ring"], colors), ["ring"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--free"]:
        print(*free_colors(8), sep="\n")
    else:
        unittest.main()
