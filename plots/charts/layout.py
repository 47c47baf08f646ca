"""Layout: panels become a figure, for a screen, or with the width and the font that a paper wants.

Sizes are in inches and grow with the font, so that nothing overlaps. In a figure of a given width, the axes take what the
names beside them leave.
"""

import textwrap
from dataclasses import dataclass
from typing import Callable, Hashable, Iterable, Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import style
from .records import Record
from .text import plain

COLUMNS = 2
WIDE = 8.0  # inches of a figure with two columns
LEFT, RIGHT, ABOVE, BELOW = 0.85, 1.5, 0.6, 0.5  # around the axes, for ticks, names and titles
EDGE = 0.06  # of a figure of a given width


@dataclass(frozen=True)
class Look:
    """What a figure should look like. Without a width it is for a screen; `titles` are also the footer and the notes."""

    width: Optional[float] = None  # of the figure
    font: float = style.USUAL  # points
    titles: bool = True
    share_y: bool = False  # in all panels, not only in those that differ in nothing but where or when

    @property
    def scale(self) -> float:
        return self.font / style.USUAL


@dataclass(frozen=True)
class Panel:
    """One panel: two texts above it, the records it shows, and how to draw it: that returns the names of its lines."""

    titles: tuple[str, str]
    records: Sequence[Record]
    draw: Callable[[Axes], Optional[style.Ends]]
    rows: int = 0  # of bars
    notes: Sequence[str] = ()  # for the end of the figure
    compared: Hashable = None  # panels that share it have one y axis
    left: float = LEFT
    right: float = RIGHT


class Sheet:
    """The measures of one figure."""

    def __init__(self, panels: Sequence[Panel], look: Look) -> None:
        self.panels, self.look = panels, look
        self.columns = min(COLUMNS if look.width is None or look.width >= WIDE else 1, len(panels))
        self.width = look.width or self.columns * style.PANEL_WIDTH
        self.across = self.width / self.columns
        self.head = 0.4 * look.scale if look.titles else 0.0
        self.notes = self._notes() if look.titles else []
        self.foot = (0.3 + 0.145 * len(self.notes)) * look.scale if look.titles else EDGE
        heights = [self.above(panel) + self.axes_height(panel) + BELOW * look.scale for panel in panels]
        self.heights = [max(heights[i:i + self.columns]) for i in range(0, len(panels), self.columns)]
        self.height = sum(self.heights) + self.head + self.foot

    def _characters(self, inches: float, points: float) -> int:
        return int(inches * 72 / (0.62 * points))

    def _notes(self) -> list[str]:
        ties = dict.fromkeys(note for panel in self.panels for note in panel.notes)
        columns = self._characters(self.width, style.TINY)
        return [*wrapped([f"as fast: {'; '.join(ties)}"] if ties else [], columns, "    "),
                *wrapped(sources([record for panel in self.panels for record in panel.records]), columns, "    ")]

    def titles(self, panel: Panel) -> tuple[list[str], list[str]]:
        """Returns the lines above a panel; a figure without titles has some only if it has several panels."""
        title, note = panel.titles
        if not self.look.titles:
            title, note = (title if len(self.panels) > 1 else ""), ""
        room = self.across - (LEFT if self.look.width is None else 0.3 + 2 * EDGE)
        return wrapped([title], self._characters(room, style.TEXT * 1.1)), wrapped([note], self._characters(room, 0.95 * style.TINY))

    def above(self, panel: Panel) -> float:
        titles, notes = self.titles(panel)
        if not titles:
            return 2 * EDGE
        more = (len(titles) - 1) * style.TEXT + max(0, len(notes) - 1) * style.TINY
        return ABOVE * self.look.scale + 1.35 * more / 72

    def axes_height(self, panel: Panel) -> float:
        usual = style.PANEL_HEIGHT - ABOVE - BELOW
        if self.look.width is not None:
            usual = max(1.6, min(usual, 0.55 * self.across))
        return max(usual, (0.1 + 0.32 * panel.rows) * self.look.scale)

    def place(self, number: int) -> tuple[float, float, float, float]:
        """Returns left, bottom, width and height of the axes of a panel, in inches."""
        row, column = divmod(number, self.columns)
        panel, scale = self.panels[number], self.look.scale
        left = column * self.across + panel.left * scale
        top = self.foot + sum(self.heights[row:]) - self.above(panel)
        high = self.heights[row] - self.above(panel) - BELOW * scale
        return left, top - high, max(0.5, self.across - (panel.left + panel.right) * scale), high


def draw(panels: Sequence[Panel], title: str, look: Look) -> Figure:
    """Returns the figure: title, grid of panels, footer."""
    sheet = Sheet(panels, look)
    figure = Figure(figsize=(sheet.width, sheet.height))
    if look.titles:
        figure.text(0.14 / sheet.width, 1 - 0.14 / sheet.height, title, fontsize=style.TITLE, weight="bold", va="top")
        style.footer(figure, sheet.notes)
    drawn = [figure.add_axes(_parts(sheet.place(i), sheet)) for i in range(len(panels))]
    ends = [panel.draw(axes) for panel, axes in zip(panels, drawn)]
    _share_y(panels, drawn, look.share_y)
    for panel, axes, names in zip(panels, drawn, ends):
        style.label_ends(axes, names or [])
        style.panel_title(axes, *sheet.titles(panel))
    if look.width is not None:
        _fit(figure, drawn, sheet)
    return figure


def _parts(place: tuple[float, float, float, float], sheet: Sheet) -> tuple[float, float, float, float]:
    left, bottom, width, height = place
    return left / sheet.width, bottom / sheet.height, width / sheet.width, height / sheet.height


def _share_y(panels: Sequence[Panel], drawn: Sequence[Axes], all_of_them: bool) -> None:
    """Gives panels that are compared one range of y."""
    groups: dict[Hashable, list[Axes]] = {}
    for panel, axes in zip(panels, drawn):
        if panel.compared is not None:
            groups.setdefault("all" if all_of_them else panel.compared, []).append(axes)
    for group in groups.values():
        low, high = zip(*(axes.get_ylim() for axes in group))
        for axes in group if len(group) > 1 else ():
            axes.set_ylim(min(low), max(high))
            if axes.get_yscale() == "log":
                style.log_y_ticks(axes)


def _fit(figure: Figure, drawn: Sequence[Axes], sheet: Sheet) -> None:
    """Widens or narrows the axes to what the texts beside them leave; those of one column alike."""
    renderer = style.renderer_of(figure)
    for column in range(sheet.columns):
        below = [axes for i, axes in enumerate(drawn) if i % sheet.columns == column]
        left = max(0.2 * sheet.look.scale, *(style.width_left_of(axes, renderer) + EDGE for axes in below))
        right = max(style.width_right_of(axes, renderer) for axes in below) + EDGE
        for axes in below:
            place = axes.get_position()
            axes.set_position(((column * sheet.across + left) / sheet.width, place.y0, max(0.5, sheet.across - left - right) / sheet.width, place.height))


def sources(records: Iterable[Record]) -> list[str]:
    """Returns every data file, with the commands that wrote it."""
    return list(dict.fromkeys(f"{record.path}: {record.context.get('command') or 'command unknown'}" for record in records))


def wrapped(lines: Iterable[str], columns: int, indent: str = "") -> list[str]:
    return [part for line in lines for part in textwrap.wrap(plain(line), columns, subsequent_indent=indent)]
