"""Writes web/src/lib/schema.ts: the TypeScript types of everything that the API and its event stream send.

`python web/dev/generate_types.py` writes the file; tests/meta/test_web_types.py checks that it is up to date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from narratoria.web.openapi import describe
from narratoria.web.server import GROUPS

OUTPUT = Path(__file__).parents[1] / "src" / "lib" / "schema.ts"
HEADER = (
    "// Generated from the API's description by web/dev/generate_types.py. Do not edit; run `make web`.\n"
)
MAX_WIDTH = 110
PRIMITIVES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def generate() -> str:
    """Return the whole file."""
    schemas = describe(GROUPS)["components"]["schemas"]
    events = to_type(schemas["StoryEvent"])
    declarations = [
        _declare(name, schemas[name], events if name != "StoryEvent" else "") for name in sorted(schemas)
    ]
    return "\n".join([HEADER, *declarations])


def _declare(name: str, schema: Mapping[str, Any], events: str) -> str:
    if "properties" not in schema:
        return f"export type {name} ={_fit(to_type(schema), len(name) + 15, indent=2)};\n"
    lines = "".join(f"  {line}\n" for line in _properties(schema, events))
    return f"export interface {name} {{\n{lines}}}\n"


def _properties(schema: Mapping[str, Any], events: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, about in schema["properties"].items():
        key = f"{name}{'' if name in required else '?'}:"
        yield f"{key}{_fit(to_type(about).replace(f'({events})', 'StoryEvent'), len(key), indent=4)};"


def _fit(type_: str, used: int, *, indent: int) -> str:
    """Return a type for the rest of a line; a long union has a line for each of its types."""
    if used + len(type_) + indent <= MAX_WIDTH:
        return f" {type_}"
    return "".join(f"\n{' ' * indent}| {one}" for one in type_.split(" | "))


def to_type(schema: Mapping[str, Any]) -> str:
    """Return the TypeScript type of a JSON Schema."""
    match schema:
        case {"$ref": str(reference)}:
            type_ = reference.rpartition("/")[2]
        case {"enum": [*values]}:
            type_ = " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
        case {"anyOf": [*options]}:
            type_ = " | ".join(dict.fromkeys(to_type(option) for option in options))
        case {"type": "array"}:
            item = to_type(schema.get("items") or {})
            type_ = f"({item})[]" if " " in item else f"{item}[]"
        case {"type": "object"}:
            type_ = f"Record<string, {to_type(schema.get('additionalProperties') or {})}>"
        case {"type": str(kind)}:
            type_ = PRIMITIVES[kind]
        case _:
            type_ = "unknown"
    return type_


if __name__ == "__main__":
    OUTPUT.write_text(generate(), encoding="utf-8")
