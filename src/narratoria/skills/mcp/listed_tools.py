"""Reads what tools a server lists into what a manifest holds: a name, a line, a schema without references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from narratoria.skills.input_schema import find_schema_problem

LONGEST_DESCRIPTION = 1024  # characters; the planner reads it
LARGEST_SCHEMA = 400  # parts of one; more of it is taken for anything
DEEPEST = 12
_NO_PART_OF_INPUT = frozenset(("$schema", "$id", "$defs", "definitions", "title"))


def read_listed_tools(document: Any) -> list[dict[str, Any]]:
    """Return the tools of a list as entries of a manifest's `mcp.tools`; others are left out."""
    tools: dict[str, dict[str, Any]] = {}
    for one in document if isinstance(document, list) else ():
        match one:
            case {"name": str(name)} if name and len(name) <= 128 and name not in tools:
                tools[name] = {
                    "name": name,
                    "description": " ".join(str(one.get("description") or "").split())[:LONGEST_DESCRIPTION],
                    "input": _usable_schema(one.get("input")),
                }
    return list(tools.values())


def _usable_schema(schema: Any) -> dict[str, Any]:
    """Return a schema that the planner can fill; any object for one that is none."""
    if not isinstance(schema, Mapping):
        return {"type": "object"}
    plain = inline_references(schema)
    plain = {"type": "object", **plain} if isinstance(plain, dict) else {"type": "object"}
    return {"type": "object"} if find_schema_problem(plain)[1] else plain


def inline_references(schema: Mapping[str, Any]) -> Any:
    """Return a schema with each `$ref` to its own definitions replaced by what it refers to."""
    budget = [LARGEST_SCHEMA]

    def inline(part: Any, depth: int) -> Any:
        budget[0] -= 1
        if depth > DEEPEST or budget[0] < 0:
            return {}  # it leads back to itself, or is no schema that anybody could fill
        if isinstance(part, Mapping):
            if isinstance(reference := part.get("$ref"), str):
                rest = {key: value for key, value in part.items() if key != "$ref"}
                return inline({**_definition(schema, reference), **rest}, depth + 1)
            return {
                key: inline_below(key, value, depth) for key, value in part.items() if _counts(key, value)
            }
        return [inline(one, depth + 1) for one in part] if isinstance(part, list) else part

    def inline_below(key: str, value: Any, depth: int) -> Any:
        if key == "properties" and isinstance(value, Mapping):
            return {name: inline(part, depth + 1) for name, part in value.items()}
        return inline(value, depth + 1) if isinstance(value, (Mapping, list)) else value

    return inline(schema, 0)


def _counts(key: str, value: Any) -> bool:
    return key not in _NO_PART_OF_INPUT or (key == "title" and isinstance(value, Mapping))


def _definition(schema: Mapping[str, Any], reference: str) -> Mapping[str, Any]:
    value: Any = schema
    for step in reference.removeprefix("#").strip("/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
