"""Checks the input of a script against the JSON Schema that its manifest declares."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jsonschema_rs

from narratoria.contracts import Contract
from narratoria.contracts.foreign_schema import UnusableSchema, check_size, without_ids
from narratoria.errors import Problem

FROM = "x-from"  # in a property: a JSON pointer to the part of the scene that fills it


def find_schema_problem(schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return where a declared schema is wrong and why; two empty texts where nothing is."""
    if schema.get("type", "object") != "object":
        return "/type", 'an input is an object; write "object"'
    try:
        check_size(schema)
        _compile(json.dumps(schema))
    except (UnusableSchema, jsonschema_rs.ReferencingError) as error:
        return "", str(error)[:200]
    except jsonschema_rs.ValidationError as error:
        path = "".join(f"/{part}" for part in error.instance_path)
        return path, f"this is no JSON Schema: {str(error.message)[:200]}"
    properties = schema.get("properties", {})
    for name, part in properties.items():
        pointer = part.get(FROM) if isinstance(part, Mapping) else None
        if pointer is not None and not (isinstance(pointer, str) and pointer.startswith("/")):
            return f"/properties/{name}/{FROM}", 'is a pointer into the scene, such as "/place/name"'
    missing = [name for name in schema.get("required", ()) if name not in properties]
    if missing and properties:
        return "/required", f"'{missing[0]}' is required and not among the properties; describe it there"
    return "", ""


def check_input(schema: Mapping[str, Any], value: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return why an input does not fit its schema, with pointers; nothing where it fits."""
    return _compile(json.dumps(schema)).check_value(dict(value))


@lru_cache(maxsize=256)
def _compile(schema: str) -> Contract:
    return Contract(without_ids(json.loads(schema)))
