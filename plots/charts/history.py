"""Times over several dates, from `arlab compare FILES -o NAME.jsonl`: a panel per configuration, a line per host."""

import math
from typing import Any, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from . import style
from .marks import in_turn
from .naming import separate
from .records import Record
from .settings import SETTINGS
from .text import bytes_text, count_text, plain, shortened
from .training import Drawing, is_number

NEEDS = "several dates, of `arlab compare FILES -o NAME.jsonl`"
NOTE = "each line relative to its level before the most likely change; dotted: a new level, with the file where it begins"
MOST = 6  # panels: all configurations together, and those that changed most
STYLES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
KEYS = (*SETTINGS, "algorithm", "ranks", "elements", "bytes", "configurations")


def panels(records: Sequence[Record]) -> list[Drawing]:
    """Returns a panel for all configurations together, then those of the clearest changes."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        if record.get("kind") == "change" and len(_points(record)) > 1:
            groups.setdefault(tuple(record.get(key) for key in KEYS), []).append(record)
    shown = sorted(groups.values(), key=_order)[:MOST]
    parts = separate([rows[0] for rows in shown if _single(rows[0])], SETTINGS)
    differ = {id(row): words for words, part in parts for row in part}
    return [Drawing((_title(rows[0], differ.get(id(rows[0]), ())), NOTE), rows,
                    lambda axes, r=rows: _lines(axes, r)) for rows in shown]  # type: ignore[misc]


def _single(row: Record) -> bool:
    return (row.get("configurations") or 1) == 1


def _points(record: Record) -> list[tuple[str, float]]:
    """Returns (file, time / level before) in order of date."""
    before, files, times = record.get("before_us"), record.get("files") or [], record.get("times_us") or []
    if not is_number(before) or not before > 0:
        return []
    return [(str(file), time / before) for file, time in zip(files, times) if is_number(time) and time > 0]


def _order(rows: Sequence[Record]) -> tuple[bool, bool, float]:
    changed = any(row.get("verdict") in ("slower", "faster", "wrong") for row in rows)
    ratios = [row.get("ratio") for row in rows]
    return _single(rows[0]), not changed, -max(abs(math.log(r)) if is_number(r) and r > 0 else 0 for r in ratios)


def _title(row: Record, settings: Sequence[str]) -> str:
    if not _single(row):
        return f"All {count_text(row.get('configurations'))} configurations together"
    parts = [str(row.get("algorithm") or "unnamed"), f"{row.get('ranks')} ranks" if row.get("ranks") else "",
             bytes_text(row.get("bytes")) if row.get("bytes") else "", *settings]
    return ", ".join(filter(None, parts))


def _times(rows: Sequence[Record]) -> dict[str, str]:
    """Returns the date of each file, or its name if it has none: those of one date lie at one place."""
    times: dict[str, str] = {}
    for row in rows:
        for file, date in zip(row.get("files") or [], row.get("dates") or []):
            times.setdefault(str(file), str(date or file))
    return times


def _ticks(times: dict[str, str]) -> dict[str, str]:
    """Returns what names each time, in order: its day, if days tell times apart, else a file."""
    order = sorted(set(times.values()))
    days = [time[5:10] for time in order]
    if not set(order) & set(times) and len({time[:10] for time in order}) == len(order):
        return dict(zip(order, days))
    return {time: _stem(min(file for file in times if times[file] == time)) for time in order}


def _stem(file: str) -> str:
    return shortened(plain(file.rsplit("/", 1)[-1].removesuffix(".jsonl")), 12)


def _lines(axes: Axes, rows: Sequence[Record]) -> style.Ends:
    times = _times(rows)
    ticks = _ticks(times)
    places = {time: number for number, time in enumerate(ticks)}
    at = {file: places[time] for file, time in times.items()}
    hosts = [shortened(plain(str(row.get("host") or "unnamed")), 20) for row in rows]
    markers, ends = in_turn(hosts), []
    for number, (host, row) in enumerate(zip(hosts, rows)):
        points = sorted((at[file], ratio) for file, ratio in _points(row) if file in at)
        color = style.PALETTE[number % len(style.PALETTE)]
        axes.plot(*zip(*points), color=color, marker=markers[host], linewidth=style.LINE, linestyle=STYLES[number % len(STYLES)],
                  gid=plain(f"line {host}"))
        ends.append((host, color, *points[-1]))
        _new_level(axes, row, at, color)
    axes.set_xlim(-0.3, len(ticks) - 0.7)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.85), max(high, 1.15))
    named = list(ticks.values())
    step = max(1, math.ceil(len(named) / style.fitting(axes, 1 + max(map(len, named)))))
    axes.xaxis.set_major_locator(FixedLocator(list(range(0, len(named), step))))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: named[round(x)] if 0 <= round(x) < len(named) else ""))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.0f}%"))
    axes.set_ylabel("time, % of the level before")
    return ends


def _new_level(axes: Axes, row: Record, at: dict[str, int], color: str) -> None:
    since, ratio = str(row.get("since")), row.get("ratio")
    if since not in at or not is_number(ratio):
        return
    axes.axvline(at[since] - 0.5, color=color, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1.5)
    axes.annotate(f"{_stem(since)}: {100 * (ratio - 1):+.0f}%", (at[since] - 0.5, 0.02), (3, 0), xycoords=("data", "axes fraction"),
                  textcoords="offset points", fontsize=style.TINY, color=style.INK)
