"""`{"$from": "toolId", "path": "/json/pointer"}`: a tool's input that is a part of another tool's output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

KEYS = ({"$from"}, {"$from", "path"})


def references(value: Any, pointer: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every reference inside an input: where it stands, the tool it names and the path it asks for."""
    if is_reference(value):
        yield pointer, value["$from"], value.get("path", "")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from references(item, f"{pointer}/{_escape(key)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from references(item, f"{pointer}/{index}")


def resolve(value: Any, outputs: Mapping[str, dict[str, Any] | None]) -> Any:
    """The input with every reference replaced; null for a part that is not there."""
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
    return isinstance(path, str) and (not path or path.startswith("/"))


def _part(value: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and key.isascii() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
