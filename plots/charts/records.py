"""Result files: JSON Lines, as `arlab --json` writes them (docs/reference/records.md).

A file holds `kind: context` lines (where and how it was made; several if runs were appended), each followed by its
records. Files of schema 1 are converted to schema 2. A half-written last line, which a killed run leaves, is dropped
with a warning; any other malformed line is an error that names file and line.
"""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping

from . import logs
from .bad_record import BadRecord
from .schema import violation, with_defaults

SCHEMA = 2

# New names of the keys of schema 1, and factors for those whose unit changed.
_RENAMED = {
    "algbw_gbps": "algbw_gb_per_s", "busbw_gbps": "busbw_gb_per_s", "copy_limit_gbps": "copy_limit_gb_per_s",
    "hottest_links": "most_utilized_links", "links_as_hot": "equally_utilized_links", "busy_step_us": "utilization_step_us",
    "of_copy_limit": "copy_limit_fraction", "chosen": "native_choice", "batch": "batch_size",
    "speed": "multiply_adds_per_s", "codec_ns": "codec_ns_per_element", "bytes_per_step": "bytes_per_rank_step",
    "images_per_second": "images_per_s",
}
_RENAMED_IN = {
    "most_utilized_links": {"share": "utilization", "busy": "utilization_by_step"},
    "epochs": {"seconds": "elapsed_us", "compute_seconds": "compute_us", "input_seconds": "input_us",
               "communication_seconds": "communication_us", "exposed_seconds": "exposed_us", "codec_seconds": "codec_us",
               "images_per_second": "images_per_s"},
}


@dataclass(frozen=True)
class Record:
    """The keys of one configuration, in schema 2, with its file and its context line."""

    keys: Mapping[str, Any]
    context: Mapping[str, Any]
    path: str

    def get(self, key: str) -> Any:
        """Returns the value of a key, `outer.inner` for a nested one; None if absent."""
        value: Any = self.keys
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value


def read(path: str) -> list[Record]:
    """Returns the records of one file that were not skipped, in file order. Raises BadRecord.

    Logs of other benchmarks, and folders, are read by `arlab import`.
    """
    data = None if Path(path).is_dir() else _bytes(path)
    text = logs.records_of(path, data) if data is None or logs.is_log(data) else data.decode("utf-8-sig", errors="replace")
    return [record for record in _parse(path, text) if record.get("skipped") is None]


def upgraded(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a line of schema 1 or 2 in schema 2."""
    if keys["schema"] == SCHEMA:
        return dict(keys)
    line = {_RENAMED.get(key, key): value for key, value in keys.items()}
    for name, renamed in _RENAMED_IN.items():
        if isinstance(line.get(name), list):
            line[name] = [_renamed(one, renamed) for one in line[name]]
    return {**line, "schema": SCHEMA}


def _renamed(one: Any, renamed: Mapping[str, str]) -> Any:
    if not isinstance(one, dict):
        return one
    line = {}
    for key, value in one.items():
        seconds = key.endswith("seconds") and isinstance(value, (int, float))
        line[renamed.get(key, key)] = 1e6 * value if seconds else value
    return line


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()  # once: it may be a pipe
    except OSError as error:
        raise BadRecord(f"{path}: {error.strerror}; write it with `arlab ... --json {path}`") from None


def _parse(path: str, text: str) -> Iterator[Record]:
    context: dict[str, Any] = {}
    *whole, last = text.split("\n")
    for number, line in enumerate([*whole, last], start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            keys = json.loads(line, parse_constant=_finite, parse_float=_finite, parse_int=_count)
        except RecursionError:
            raise BadRecord(f"{where}: nested too deep for a record; correct or remove this line") from None
        except ValueError as error:
            if number > len(whole):
                print(f"warning: {where}: half-written last line left out", file=sys.stderr)
                return
            raise BadRecord(f"{where}: not JSON ({error}); correct or remove this line") from None
        _check(keys, where)
        keys, earlier = with_defaults(upgraded(keys)), keys["schema"] != SCHEMA
        if why := violation(keys, may_lack=earlier):
            raise BadRecord(f"{where}: {why}; correct or remove this line")
        if keys["kind"] == "context":
            context = keys
        else:
            yield Record(keys, context, path)


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text[:20]} is not a finite number")
    return value


def _count(text: str) -> int:
    if len(text) > 19:
        raise ValueError(f"{text[:20]}... is too large")
    return int(text)


def _check(keys: Any, where: str) -> None:
    if not isinstance(keys, dict):
        raise BadRecord(f"{where}: expected a JSON object; correct or remove this line")
    schema = keys.get("schema")
    if isinstance(schema, bool) or schema not in (1, SCHEMA):
        raise BadRecord(f"{where}: schema {schema!r}, but this program reads schemas 1 and {SCHEMA}; write the file again")
    if not isinstance(keys.get("kind"), str):
        raise BadRecord(f"{where}: no `kind`; is this a file that `arlab --json` wrote?")
    for key in ("ranks", "bytes"):
        value = keys.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise BadRecord(f"{where}: `{key}` is {value!r}, not a count")
    for key in ("modelled_us", "time_us.median", "time_us.ci95"):
        _check_time(keys, key, where)


def _check_time(keys: Mapping[str, Any], key: str, where: str) -> None:
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
