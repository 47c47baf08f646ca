"""Result files: JSON Lines as `arlab --json` writes them.

A file is `kind: context` lines (where and how it was made; several when runs were appended) and one
record per configuration after its context. A run that was killed leaves a half-written last line:
that one is dropped with a warning, anything else malformed is an error that names file and line.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping

SCHEMA = 1


class BadRecord(Exception):
    """A result file that cannot be used; the message names the file, the line and what to do."""


@dataclass(frozen=True)
class Record:
    """One configuration's keys, with the file and the context line it came under."""

    keys: Mapping[str, Any]
    context: Mapping[str, Any]
    path: str

    def get(self, key: str) -> Any:
        """The value of a key, `outer.inner` for a nested one; None when absent."""
        value: Any = self.keys
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value


def read(path: str) -> list[Record]:
    """Every record of one file that was not skipped, in file order. Raises BadRecord."""
    return [record for record in _parse(path) if record.get("skipped") is None]


def _parse(path: str) -> Iterator[Record]:
    context: dict[str, Any] = {}
    try:
        text = Path(path).read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise BadRecord(f"{path}: {error.strerror}; write it with `arlab ... --json {path}`") from None
    *whole, last = text.split("\n")
    for number, line in enumerate([*whole, last], start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            keys = json.loads(line)
        except ValueError as error:
            if number > len(whole):
                print(f"warning: {where}: half-written last line left out", file=sys.stderr)
                return
            raise BadRecord(f"{where}: not JSON ({error}); mend or delete this line") from None
        _check(keys, where)
        if keys["kind"] == "context":
            context = keys
        else:
            yield Record(keys, context, path)


def _check(keys: Any, where: str) -> None:
    if not isinstance(keys, dict):
        raise BadRecord(f"{where}: expected a JSON object; mend or delete this line")
    if keys.get("schema") != SCHEMA:
        raise BadRecord(f"{where}: schema {keys.get('schema')!r}, but this program reads schema {SCHEMA}")
    if not isinstance(keys.get("kind"), str):
        raise BadRecord(f"{where}: no `kind`; is this a file that `arlab --json` wrote?")
    for key in ("ranks", "bytes"):
        value = keys.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise BadRecord(f"{where}: `{key}` is {value!r}, not a count")
    for key in ("modelled_us", "time_us.median", "time_us.ci95"):
        _check_time(keys, key, where)


def _check_time(keys: dict[str, Any], key: str, where: str) -> None:
    value: Any = keys
    for part in key.split("."):
        if value is not None and not isinstance(value, dict):
            raise BadRecord(f"{where}: `{key}` cannot be read: {value!r} is not an object")
        value = (value or {}).get(part)
    numbers = value if key.endswith("ci95") else [value]
    if value is None:
        return
    if not isinstance(numbers, list) or (key.endswith("ci95") and len(numbers) != 2):
        raise BadRecord(f"{where}: `{key}` is {value!r}, not [low, high]")
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise BadRecord(f"{where}: `{key}` is {value!r}, not a time in microseconds")
