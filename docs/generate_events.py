"""What is streamed while a story is told, for docs/reference/events.md, from engine/events.py."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec

from narratoria.engine.events import Envelope, StoryEvent

WORDS = Path(__file__).parent / "reference" / "events.toml"
ENVELOPE = ("type", *(field.encode_name for field in msgspec.structs.fields(Envelope)))


def schemas() -> dict[str, Mapping[str, Any]]:
    """Every story event by its type, as a JSON schema with the fields of its own."""
    (_, components) = msgspec.json.schema_components(get_args(StoryEvent), ref_template="{name}")
    found = {}
    for schema in components.values():
        kind = schema.get("properties", {}).get("type", {}).get("enum", [None])[0]
        if kind in kinds():
            found[kind] = schema
    return {kind: found[kind] for kind in kinds()}


def kinds() -> list[str]:
    return [event.__struct_config__.tag for event in get_args(StoryEvent)]


def own_fields(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {name: field for name, field in schema["properties"].items() if name not in ENVELOPE}


def words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


def story_events() -> str:
    told = words()
    return "\n\n".join(_described(kind, schema, told[kind]) for kind, schema in schemas().items())


def _described(kind: str, schema: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    parts = [f"### {kind}", told["means"]]
    if fields := own_fields(schema):
        optional = {name: "" if name in schema["required"] else "?" for name in fields}
        rows = [
            f"| `{name}`{optional[name]} | {_kind(field)} | {told['fields'][name]} |"
            for name, field in fields.items()
        ]
        parts.append("\n".join(["| field | value | meaning |", "| --- | --- | --- |", *rows]))
    example = json.dumps(json.loads(told["example"]), indent=2, ensure_ascii=False)
    parts.append(f"```json story\n{example}\n```")
    return "\n\n".join(parts)


def _kind(schema: Mapping[str, Any]) -> str:
    """A value in a few words; what has a name of its own is described with the HTTP API's values."""
    match schema:
        case {"$ref": str(name)}:
            return f"[{name}](http-api.md#values)"
        case {"anyOf": [*options]}:
            return " or ".join(_kind(option) for option in options)
        case {"enum": [*options]}:
            return ", ".join(f"`{option}`" for option in options)
        case {"type": "array"}:
            return f"list of {_kind(schema.get('items') or {})}"
        case {"type": "object", "additionalProperties": {**of}}:
            return f"object of {_kind(of)}"
    return str(schema.get("type", "any value")) + _default(schema)


def _default(schema: Mapping[str, Any]) -> str:
    return f", {json.dumps(schema['default'])} without" if schema.get("default") else ""
