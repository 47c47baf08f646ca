"""Names of records by what differs between them: the one place that labels panels, lines and rows. Needs no matplotlib.

A key is one of a record, or of ORIGIN: where, when and with what a file was made. Records of one host are of one session
unless more than SESSION_GAP lies between two starts; its name is the day of the first one.
"""

import json
from collections import Counter
from datetime import datetime, timedelta
from typing import Any, Callable, Iterable, Sequence

from .records import Record
from .text import plain, rate_text, time_text

TEAM = "workers, strategy"  # of a training run, as "4 × mirrored"
NONE = "none"  # the compressor of a dense run, as on the command line
SESSION_GAP = timedelta(hours=12)
# Of the context; "path" is the file's. A launch, a command, and the second of a start distinguish nothing.
ORIGIN = ("host", "date", "commit", "version", "mpi", "nccl", "cuda", "gpu", "cpu", "compiler", "build", "governor", "environment", "path")
_TEXT: dict[str, Callable[[Any], str]] = {
    "bandwidth_gbit_per_s": lambda rate: rate_text(rate), "latency_us": lambda us: f"latency {time_text(us)}",
    "multiply_adds_per_s": lambda rate: f"speed {rate:g}", "learning_rate": lambda rate: f"learning rate {rate:g}",
    "overlap": lambda on: "overlap" if on else "no overlap", "place": lambda how: "in place" if how == "in" else f"{how} of place",
}
_COUNTED = {"segments": "segment", "lanes": "lane", "groups": "group", "workers": "worker", "servers": "server"}
_WORDS = {"dims": "torus {}", "trees": "trees of {}", "cache": "{} caches", "root": "root {}", "start": "started by {}", "repeats": "{} in a row",
          "summary_over_ranks": "{} over ranks", "batch_size": "batch {}", "batch_per_worker": "batch {} per worker", "seed": "seed {}",
          "jitter": "jitter {}", "slowdown": "slowdown {}", "codec_ns_per_element": "codec {} ns", "commit": "commit {}", "version": "version {}",
          "staleness": "staleness {}"}


def value_of(record: Record, key: str) -> Any:
    if key == "path":
        return record.path
    if key == "repeats" and record.get("source"):
        return None  # of a benchmark that repeats a run by its time
    if key == TEAM:
        return f"{record.get('workers') or '?'} × {record.get('strategy') or '?'}"
    value = record.context.get(key) if key in ORIGIN else record.get(key)
    return value if value not in ("", [], {}) else None


def text_of(key: str, value: Any) -> str:
    """Returns a value in words; empty for an absent one, but for the compressor of a dense run."""
    if value is None:
        return NONE if key == "compressor" else ""
    try:
        if key in _TEXT:
            return _TEXT[key](value)
    except (TypeError, ValueError):
        pass  # of another type: as it is
    if key in _COUNTED:
        return f"{value} {_COUNTED[key]}{'' if value == 1 else 's'}"
    if isinstance(value, dict):
        value = " ".join(f"{name}={one}" for name, one in value.items())
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return _WORDS.get(key, "{}").format(value)


def _id(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def sessions(records: Iterable[Record]) -> dict[tuple[str, str], str]:
    """Returns the name of the session of each host and date: its day, with the time if the host has two of that day."""
    days: dict[str, set[str]] = {}
    for record in records:
        if isinstance(date := record.context.get("date"), str):
            days.setdefault(str(record.context.get("host")), set()).add(date)
    names = {}
    for host, dates in days.items():
        starts: list[str] = []
        session: dict[str, str] = {}
        before = None
        for date in sorted(dates):
            now = _time(date)
            if not starts or now is None or before is None or now - before > SESSION_GAP:
                starts.append(date)
            session[date] = starts[-1]
            before = now
        often = Counter(start[:10] for start in starts)
        for date, start in session.items():
            names[host, date] = start[:10] if often[start[:10]] == 1 else start[:16].replace("T", " ")
    return names


def _time(date: str) -> datetime | None:
    try:
        return datetime.fromisoformat(date.replace("Z", "+00:00")).replace(tzinfo=None)
    except ValueError:
        return None


class Values:
    """The values of records, with dates as sessions."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._sessions = sessions(records)

    def of(self, record: Record, key: str) -> Any:
        value = value_of(record, key)
        return self._sessions.get((str(record.context.get("host")), value)) if key == "date" and isinstance(value, str) else value

    def id(self, record: Record, key: str) -> str:
        return _id(self.of(record, key))

    def differ(self, records: Sequence[Record], key: str) -> bool:
        return len({self.id(record, key) for record in records}) > 1

    def text(self, record: Record, key: str) -> str:
        return text_of(key, self.of(record, key))


def separate(records: Sequence[Record], keys: Sequence[str]) -> list[tuple[tuple[str, ...], list[Record]]]:
    """Returns records that agree in all keys, each part with words for its values of the keys that tell parts apart.

    A key that earlier ones determine adds no word.
    """
    values = Values(records)
    said: list[str] = []
    for key in keys:
        apart = len({tuple(values.id(record, one) for one in said) for record in records})
        if len({tuple(values.id(record, one) for one in (*said, key)) for record in records}) > apart:
            said.append(key)
    parts: dict[tuple[str, ...], tuple[tuple[str, ...], list[Record]]] = {}
    for record in records:
        words = tuple(filter(None, (plain(values.text(record, key)) for key in said)))
        parts.setdefault(tuple(values.id(record, key) for key in said), (words, []))[1].append(record)
    return list(parts.values())


def short_specs(specs: Sequence[str]) -> dict[str, str]:
    """Drops settings that all specs of a kind share: of topk:k=0,ratio=0.1 and topk:k=0,ratio=0.01 the ratio remains."""
    settings = {name: set(filter(None, name.partition(":")[2].split(","))) for name in specs}
    short = {}
    for name in settings:
        kind, _, words = name.partition(":")
        alike = [own for other, own in settings.items() if other.partition(":")[0] == kind]
        left = [word for word in words.split(",") if word and not all(word in own for own in alike)]
        short[name] = f"{kind}:{','.join(left)}" if left else kind
    return short


def names(rows: Sequence[Record], first: Sequence[str], then: Sequence[str] = (), fallback: str = "", at: str = "") -> list[str]:
    """Returns a name per row: its values of the keys in `first` that differ; where names repeat, also those of `then` and of
    ORIGIN that tell rows apart; the value of `fallback` where nothing differs. Rows may share a name if they differ in the
    key `at`, which is on the x axis.
    """
    values = Values(rows)
    short = short_specs([values.text(row, "compressor") for row in rows])

    def word(row: Record, key: str) -> str:
        text = values.text(row, key)
        return short[text] if key == "compressor" else text
    differ = [key for key in first if values.differ(rows, key)]
    words = [[word(row, key) for key in differ] for row in rows]
    for key in (*then, *ORIGIN):
        alike: dict[tuple[tuple[str, ...], str], set[str]] = {}
        for row, said in zip(rows, words):
            alike.setdefault((tuple(said), values.id(row, at) if at else ""), set()).add(values.id(row, key))
        repeated = {said for (said, _), found in alike.items() if len(found) > 1}
        words = [[*said, word(row, key) or f"no {key}"] if tuple(said) in repeated else said for row, said in zip(rows, words)]
    return [plain(", ".join(filter(None, said)) or (word(row, fallback) if fallback else "")) for row, said in zip(rows, words)]


def numbered(labels: Sequence[str]) -> list[str]:
    """Adds (1), (2) to labels that repeat."""
    seen: Counter[str] = Counter()
    often = Counter(labels)
    seen_names = []
    for label in labels:
        seen[label] += 1
        seen_names.append(f"{label} ({seen[label]})" if often[label] > 1 else label)
    return seen_names
