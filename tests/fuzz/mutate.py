"""Damage, by bytes and by structure: what a careless editor, a bad disk or somebody with a plan would do."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

PIECES = (
    *(b"", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"\t"),
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b"'", b",", b":", b"#", b"`", b"|", b">", b"%", b"&a ", b"*a"),
    *(b"null", b"true", b"-1", b"1e400", b"-0", b"NaN", b"Infinity", b"9" * 400, b"0.1", b"\\u0000"),
    *(b"../../x", b"/etc/passwd", b"C:\\x", b"\n---\n", b"```", b"~~~", b"- [x](y.md)", b"<script>"),
    *(b"[[", b"]]", b"->", b"===", b"::", b"* ", b"&lt;", b"<!--", b"!!python/name:os", b"<<", b">>"),
    *(b"\\ud800", b"\x1b[2J", b"{{user}}", b"(if: ", b"!!", b"a" * 5000, b"\xf0\x9f\x91\xbb" * 50),
    *(b"[" * 200, b"{" * 200, b'{"a":' * 200, b"(" * 200, b"!" * 200, b"[" * 20_000),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**63, -(2**70), 0.5, 1e308),
    *("", " ", "x", "\0", "\ud800", "👻" * 40, "a" * 5000, "\x1b]0;x\x07", "<svg onload=x>", "{{char}}"),
    *("../../x", "/etc/passwd", "\\\\host\\share", "con", "a/b", ".", ".."),
    *([], {}, [[]], [None], {"": None}, {"a": {"b": []}}, ["x"] * 300, {"$from": "x"}, {"$ref": "#"}),
)


def damage(content: bytes, chance: random.Random, others: tuple[bytes, ...] = ()) -> bytes:
    """By structure where it is JSON, mostly; else, and sometimes then too, by bytes."""
    if chance.random() < 0.6:
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            pass
        else:
            for _ in range(chance.randrange(1, 4)):
                document = damage_value(document, chance)
            content = json.dumps(document, ensure_ascii=chance.random() < 0.9).encode(errors="surrogatepass")
            if chance.random() < 0.7:
                return content
    return damage_bytes(content, chance, others)


def damage_bytes(content: bytes, chance: random.Random, others: tuple[bytes, ...] = ()) -> bytes:
    data = bytearray(content)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(7):
            case 0 | 1:
                data[at:at] = chance.choice(PIECES)
            case 2:
                del data[at : at + chance.choice((1, 3, 20, 400))]
            case 3:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 4:
                data[at:at] = data[chance.randrange(len(data) + 1) :][: chance.choice((8, 40, 400))]
            case 5 if others:
                other = chance.choice(others)
                data[at:] = other[chance.randrange(len(other) + 1) :]
            case _:
                del data[at:]
    return bytes(data)


def damage_value(document: Any, chance: random.Random) -> Any:
    """The document with one thing in it replaced, removed, doubled, renamed or moved."""
    document = copy.deepcopy(document)
    places = list(_places(document))
    if not places:
        return chance.choice(VALUES)
    holder, key = chance.choice(places)
    match chance.randrange(6):
        case 0:
            del holder[key]
        case 1:
            other, there = chance.choice(places)
            holder[key] = copy.deepcopy(other[there]) if _has(other, there) else None
        case 2 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case 3 if isinstance(holder, dict):
            holder[chance.choice(("", "x", "id", "type", key + "x", key.upper(), "a" * 300))] = holder.pop(
                key
            )
        case 4 if isinstance(holder[key], str):
            text = holder[key].encode(errors="surrogatepass")
            holder[key] = damage_bytes(text, chance).decode(errors="replace")
        case _:
            holder[key] = copy.deepcopy(chance.choice(VALUES))
    return document


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else 0 <= key < len(holder)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield value, key
            yield from _places(inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield value, index
            yield from _places(inner)
