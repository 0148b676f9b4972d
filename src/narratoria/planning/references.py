"""Resolves references in a tool's input.

`{"$from": "toolId", "path": "/json/pointer"}` stands for a part of another tool's output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from narratoria.contracts.json_pointer import join_pointer, split_pointer

KEYS = ({"$from"}, {"$from", "path"})
POINTER = re.compile("(/([^~/]|~[01])*)*")
INDEX = re.compile("0|[1-9][0-9]{0,8}")


def references(value: Any, pointer: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield every reference inside an input: its pointer, the tool it names and the path it asks for."""
    if is_reference(value):
        yield pointer, value["$from"], value.get("path", "")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from references(item, pointer + join_pointer([key]))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from references(item, f"{pointer}/{index}")


def resolve_input(input: dict[str, Any], outputs: Mapping[str, dict[str, Any] | None]) -> dict[str, Any]:
    """Return the input with its references replaced; empty if it is itself one and leads to no object."""
    resolved = resolve(input, outputs)
    return resolved if isinstance(resolved, dict) else {}


def resolve(value: Any, outputs: Mapping[str, dict[str, Any] | None]) -> Any:
    """Return the value with every reference replaced, by None where the part does not exist."""
    if is_reference(value):
        return _part(outputs.get(value["$from"]), value.get("path", ""))
    if isinstance(value, dict):
        return {key: resolve(item, outputs) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, outputs) for item in value]
    return value


def is_reference(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() in KEYS


def is_pointer(path: Any) -> bool:
    return isinstance(path, str) and POINTER.fullmatch(path) is not None


def _part(value: Any, pointer: str) -> Any:
    for key in split_pointer(pointer):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and INDEX.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
