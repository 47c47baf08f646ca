"""Links over time: a heat map for each record of `arlab simulate --record links=N`.

A row is a link, the most utilized one at the top; dark cells are times of high utilization.
"""

import math
import sys
from functools import partial
from typing import Sequence

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from . import style
from .layout import Panel
from .naming import names
from .records import BadRecord, Record
from .settings import label_of
from .text import bytes_text, shortened, time_text

NAME = "links_over_time"
MOST_PANELS = 12
BUSY = LinearSegmentedColormap.from_list("busy", ["#f4f6f8", "#9cc3de", "#0072B2", "#06283d"])


def panels(records: Sequence[Record]) -> list[Panel]:
    """Returns a panel per record that holds links over time."""
    watched = [record for record in records if record.get("utilization_step_us") and record.get("most_utilized_links")]
    for record in watched:
        check(record)
    if len(watched) > MOST_PANELS:
        print(f"note: {NAME}: the first {MOST_PANELS} of {len(watched)} records; give fewer", file=sys.stderr)
    shown = watched[:MOST_PANELS]
    more = names(shown, ("collective", "dtype", "op", "segments", "disturbance", "machine"))
    return [Panel(titles_of(record, words), [record], partial(draw, record=record), left=1.75, right=0.85) for record, words in zip(shown, more)]


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
                        "write it with `arlab simulate --record links=N --json FILE`")


def draw(axes: Axes, record: Record) -> None:
    links, step = record.get("most_utilized_links"), record.get("utilization_step_us")
    steps = len(links[0]["utilization_by_step"])
    end = record.get("modelled_us") or steps * step
    axes.grid(False)
    norm = Normalize(0, 1)
    axes.imshow([link["utilization_by_step"] for link in links], cmap=BUSY, norm=norm, aspect="auto", interpolation="none",
                extent=(0, steps * step, len(links), 0))
    axes.set_xlim(0, max(end, step))
    axes.set_ylim(len(links), 0)
    axes.xaxis.set_major_locator(MaxNLocator(style.fitting(axes, 7)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us) if us > 0 else "0"))
    every = math.ceil(len(links) * style.line_height(axes, style.TINY))
    named = range(0, len(links), every)
    axes.set_yticks([i + 0.5 for i in named])
    axes.set_yticklabels([f"{shortened(links[i]['name'], 22)} {100 * links[i]['utilization']:.0f}%" for i in named],
                         fontsize=style.TINY)
    axes.tick_params(axis="y", length=0)
    bar = axes.figure.colorbar(ScalarMappable(norm, BUSY), ax=None, cax=axes.inset_axes((1.03, 0, 0.025, 1)))
    bar.outline.set_visible(False)
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1, 0))


def titles_of(record: Record, more: str) -> tuple[str, str]:
    words = [f"{record.get('ranks')} ranks", bytes_text(record.get("bytes") or 0), *filter(None, [more])]
    links = len(record.get("most_utilized_links"))
    return f"{label_of(record)}: {', '.join(words)}", shortened(f"{record.get('model')}, {record.get('topology')}; the {links} most utilized links", 90)
