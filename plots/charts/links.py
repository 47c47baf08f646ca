"""Links over time: a heat map for each record of `arlab simulate --links N`.

A row is a link, the most utilized one at the top; dark cells are times of high utilization.
"""

import sys
from typing import Optional, Sequence

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from . import style
from .naming import names
from .records import BadRecord, Record
from .settings import label_of
from .text import bytes_text, shortened, time_text

NAME = "links_over_time"
MOST_PANELS = 12
MOST_NAMES = 24  # of links beside a panel
COLUMNS = 2
BUSY = LinearSegmentedColormap.from_list("busy", ["#f4f6f8", "#9cc3de", "#0072B2", "#06283d"])


def figure_of(records: Sequence[Record]) -> Optional[Figure]:
    """Returns the chart; None if no record holds links over time."""
    watched = [record for record in records if record.get("utilization_step_us") and record.get("most_utilized_links")]
    for record in watched:
        check(record)
    if not watched:
        return None
    if len(watched) > MOST_PANELS:
        print(f"note: {NAME}: the first {MOST_PANELS} of {len(watched)} records; give fewer", file=sys.stderr)
    style.apply()
    return draw(watched[:MOST_PANELS])


def check(record: Record) -> None:
    """Raises BadRecord unless each link has a name and the same number of time steps."""
    links, step = record.get("most_utilized_links"), record.get("utilization_step_us")
    numbers = (int, float)
    good = isinstance(links, list) and isinstance(step, numbers) and all(
        isinstance(link, dict) and isinstance(link.get("name"), str) and isinstance(link.get("utilization"), numbers)
        and isinstance(link.get("utilization_by_step"), list) and link["utilization_by_step"] and len(link["utilization_by_step"]) == len(links[0]["utilization_by_step"])
        and all(isinstance(share, numbers) for share in link["utilization_by_step"]) for link in links)
    if not good:
        raise BadRecord(f"{record.path}: `most_utilized_links` of {label_of(record)} cannot be read; "
                        "write it with `arlab simulate --links N --json FILE`")


def draw(records: Sequence[Record]) -> Figure:
    columns = min(COLUMNS, len(records))
    rows = -(-len(records) // columns)
    sources = list(dict.fromkeys(f"{r.path}: {r.context.get('command') or 'command unknown'}" for r in records))
    more = names(records, ("collective", "dtype", "op", "segments", "disturbance", "machine"))
    head, foot = 0.4, 0.3 + 0.145 * len(sources)
    width, height = columns * style.PANEL_WIDTH, rows * style.PANEL_HEIGHT + head + foot
    figure = Figure(figsize=(width, height))
    figure.text(0.14 / width, 1 - 0.14 / height, "Utilization of links over time", fontsize=style.TITLE,
                weight="bold", va="top")
    for i, record in enumerate(records):
        row, column = divmod(i, columns)
        left, bottom = column * style.PANEL_WIDTH + 1.75, foot + (rows - 1 - row) * style.PANEL_HEIGHT + 0.5
        axes = figure.add_axes((left / width, bottom / height, (style.PANEL_WIDTH - 2.6) / width,
                                (style.PANEL_HEIGHT - 1.1) / height))
        panel(axes, record, more[i])
    style.footer(figure, sources)
    return figure


def panel(axes: Axes, record: Record, more: str = "") -> None:
    links, step = record.get("most_utilized_links"), record.get("utilization_step_us")
    steps = len(links[0]["utilization_by_step"])
    end = record.get("modelled_us") or steps * step
    axes.grid(False)
    norm = Normalize(0, 1)
    axes.imshow([link["utilization_by_step"] for link in links], cmap=BUSY, norm=norm, aspect="auto", interpolation="none",
                extent=(0, steps * step, len(links), 0))
    axes.set_xlim(0, max(end, step))
    axes.set_ylim(len(links), 0)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us) if us > 0 else "0"))
    every = -(-len(links) // MOST_NAMES)
    named = range(0, len(links), every)
    axes.set_yticks([i + 0.5 for i in named])
    axes.set_yticklabels([f"{shortened(links[i]['name'], 22)} {100 * links[i]['utilization']:.0f}%" for i in named],
                         fontsize=style.TINY if len(links) <= 12 else 6)
    axes.tick_params(axis="y", length=0)
    bar = axes.figure.colorbar(ScalarMappable(norm, BUSY), ax=None, cax=axes.inset_axes((1.03, 0, 0.025, 1)))
    bar.outline.set_visible(False)
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1, 0))
    words = [f"{record.get('ranks')} ranks", bytes_text(record.get("bytes") or 0), *filter(None, [more])]
    style.panel_title(axes, f"{label_of(record)}: {', '.join(words)}",
                      shortened(f"{record.get('model')}, {record.get('topology')}; the {len(links)} most utilized links",
                                      90))
