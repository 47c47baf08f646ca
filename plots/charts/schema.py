"""Checks a line of a result file against docs/records.schema.json, as bench/results/json_schema.cpp does."""

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping

_TYPES = {"null": type(None), "boolean": bool, "string": str, "array": list, "object": dict}


@lru_cache
def _schema() -> Mapping[str, Any]:
    path = Path(os.path.abspath(__file__)).parents[2] / "docs" / "records.schema.json"
    try:
        return json.loads(__loader__.get_data(str(path)))  # of the archive in arlab, too
    except OSError:
        return {"$defs": {}}


def violation(line: Mapping[str, Any], may_lack: bool) -> str:
    """Returns what is wrong with a line of schema 2, with its key; empty if nothing is. `may_lack`: keys, as lines of schema 1."""
    kinds = _schema()["$defs"]
    kind = line.get("kind")
    if not kinds:
        return ""  # installed without the schema
    if kind not in kinds or kind == "schedule":
        return f"`kind` is {kind!r}, which is not a kind of record"
    return _wrong(line, _of_kind(kind), "", may_lack)


def with_defaults(line: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the line with the keys that files from before them lack."""
    kind = line.get("kind")
    keys = _of_kind(kind).get("properties", {}) if kind in _schema()["$defs"] else {}
    return {**{key: of["default"] for key, of in keys.items() if "default" in of}, **line}


@lru_cache
def _of_kind(kind: str) -> Mapping[str, Any]:
    return _merged({"$ref": f"#/$defs/{kind}"})


def _merged(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    base = _merged(_schema()["$defs"][schema["$ref"].rsplit("/", 1)[1]])
    own = {key: value for key, value in schema.items() if key != "$ref"}
    return {**base, **own, "properties": {**base.get("properties", {}), **own.get("properties", {})},
            "required": [*base.get("required", []), *own.get("required", [])]}


def _has_type(value: Any, name: str) -> bool:
    if name in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if name == "integer" else (int, float))
    return isinstance(value, _TYPES[name])


def _wrong(value: Any, schema: Mapping[str, Any], key: str, may_lack: bool) -> str:
    schema = _merged(schema)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_has_type(value, name) for name in types):
        return f"`{key}` is {_short(value)}, not of type {' or '.join(types)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"`{key}` is {_short(value)}, which is unknown"
    if "minimum" in schema and isinstance(value, (int, float)) and value < schema["minimum"]:
        return f"`{key}` is {_short(value)}, below {schema['minimum']}"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"`{key}` has {len(value)} entries, not {schema['minItems']}"
        whys = (_wrong(one, schema.get("items", {}), f"{key}[{i}]", may_lack) for i, one in enumerate(value))
    elif isinstance(value, dict):
        lacks = [name for name in schema.get("required", []) if name not in value and not may_lack]
        if lacks:
            return f"`{f'{key}.' if key else ''}{lacks[0]}` is missing"
        other = schema.get("additionalProperties", {})
        known = schema.get("properties", {})
        whys = (_wrong(part, known.get(name, other), f"{key}.{name}" if key else name, may_lack) for name, part in value.items())
    else:
        return ""
    return next((why for why in whys if why), "")


def _short(value: Any) -> str:
    return {dict: "an object", list: "a list"}.get(type(value)) or repr(value)[:200]
