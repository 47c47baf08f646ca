"""Whole records: lines in which a test states what it is about, with the other keys that their kind requires.

A key gets its default, null, or else the least value of its type.
"""

import json
from typing import Any, Mapping

from charts import schema

LEAST = {"boolean": False, "string": "", "integer": 0, "number": 0, "object": {}}


def whole(line: dict[str, Any]) -> dict[str, Any]:
    return _filled(line, schema._of_kind(line["kind"])) if line.get("kind") in schema._schema()["$defs"] else line


def whole_text(text: str) -> str:
    """The lines of a file; those that are no records of schema 2 stay as they are."""
    return "\n".join(map(_whole_line, text.split("\n")))


def _whole_line(text: str) -> str:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return text
    good = isinstance(line, dict) and line.get("schema") == 2 and line["schema"] is not True
    return json.dumps(whole(line)) if good else text


def _filled(value: Any, schema_of: Mapping[str, Any]) -> Any:
    of = schema._merged(schema_of)
    if isinstance(value, list):
        return [_filled(one, of.get("items", {})) for one in value]
    if not isinstance(value, dict):
        return value
    known = of.get("properties", {})
    absent = {key: _least(known.get(key, {})) for key in of.get("required", []) if key not in value}
    return {**{key: _filled(one, known.get(key, {})) for key, one in value.items()}, **absent}


def _least(schema_of: Mapping[str, Any]) -> Any:
    of = schema._merged(schema_of)
    types = [of["type"]] if isinstance(of.get("type"), str) else of.get("type", [])
    if "default" in of or "const" in of:
        return of.get("default", of.get("const"))
    if "enum" in of:
        return None if None in of["enum"] else of["enum"][0]
    if not types or "null" in types:
        return None
    if types[0] == "array":
        return [_least(of.get("items", {}))] * of.get("minItems", 0)
    return max(of.get("minimum", 0), 0) if types[0] in ("integer", "number") else _filled(LEAST[types[0]], of)
