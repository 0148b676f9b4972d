"""Locates the parts of a JSON text by pointer: line and column, for error messages only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from msgspec import json

# Possessive throughout: a string of many megabytes must not cost the expression a stack of the same size.
TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)

Kind = Literal["key", "value", "end"]


@dataclass(frozen=True, slots=True)
class SourceOffsets:
    """Holds the offsets of a value and, for the member of an object, of its key."""

    value: int
    key: int | None = None


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def walk_tokens(text: str) -> Iterator[tuple[Kind, int, str]]:
    """Yield the keys, the beginnings of values and the ends of containers, each with its offset."""
    in_object: list[bool] = []
    key_next = False
    for match in TOKEN.finditer(text):
        token = match[0]
        match token[0]:
            case ":":
                key_next = False
            case ",":
                key_next = bool(in_object) and in_object[-1]
            case "}" | "]":
                if in_object:
                    in_object.pop()
                key_next = False
                yield "end", match.start(), token
            case _ if key_next:
                yield "key", match.start(), token
            case opening:
                yield "value", match.start(), token
                if opening in "{[":
                    in_object.append(opening == "{")
                    key_next = opening == "{"


@dataclass(slots=True)
class PointerTree:
    """Arranges the pointers to locate as a tree."""

    pointer: str | None = None
    children: dict[str, PointerTree] = field(default_factory=dict)

    @classmethod
    def tree(cls, pointers: Iterable[str]) -> PointerTree:
        root = cls()
        for pointer in pointers:
            node = root
            for part in split_pointer(pointer):
                node = node.children.setdefault(part, cls())
            node.pointer = pointer
        return root


def locate_pointers(text: str, pointers: Iterable[str]) -> dict[str, SourceOffsets]:
    """Return the offsets of those pointers that exist in a well-formed JSON text."""
    missing = set(pointers)
    offsets: dict[str, SourceOffsets] = {}
    node: PointerTree | None = PointerTree.tree(missing)
    open_containers: list[
        tuple[PointerTree | None, list[int] | None]
    ] = []  # with the index to come, in arrays
    key_at: int | None = None
    for kind, at, token in walk_tokens(text):
        if kind == "end":
            open_containers.pop()
            continue
        parent, index = open_containers[-1] if open_containers else (None, None)
        if kind == "key":
            key_at = at
            node = parent.children.get(json.decode(token)) if parent and parent.children else None
            continue
        if index is not None:
            node = parent.children.get(str(index[0])) if parent else None
            index[0] += 1
            key_at = None
        if node is not None and node.pointer is not None:
            offsets[node.pointer] = SourceOffsets(at, key_at)
            missing.discard(node.pointer)
            if not missing:
                break
        if token in "{[":
            open_containers.append((node, [0] if token == "[" else None))
    return offsets


def split_pointer(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def join_pointer(parts: Iterable[str | int]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
