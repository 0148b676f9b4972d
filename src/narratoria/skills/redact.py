"""Keeps secrets out of everything that is shown, logged or written down.

This guards against carelessness: a tool that logs its settings, or a traceback that quotes them. A tool that
means to give a secret away can always spell it differently.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

MASK = "••••"

SHORTEST = 4  # characters; to hide less would tear ordinary words apart and keep nothing secret
# what is put where a service on one's own machine wants no key: in a story these are ordinary words
NO_SECRETS = frozenset(
    ("none", "null", "nothing", "nokey", "no-key", "empty", "dummy", "test", "local", "ollama")
)
_LONG = 20  # characters of a secret that is known by its beginning, wherever a text was cut off
_BEGINNING = 12
_REST = r"[^\s\"'\\]*"

# words of a closed list, and places of files: no secret stands there, and a chance likeness would break them
_PLAIN_FIELDS = frozenset(["version", "level", "category", "state", "path", "media_type", "request_id"])

T = TypeVar("T")


class Concealed(dict[str, Any]):
    """Settings whose values do not show when they are printed."""

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: …" for key in self) + "}"

    __str__ = __repr__


class Redactor:
    """Puts a mask in place of known secrets, wherever they stand in a value."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(
            secret for secret in secrets if len(secret) >= SHORTEST and secret.casefold() not in NO_SECRETS
        )
        spellings = {spelling for secret in self._secrets for spelling in _spellings(secret)}
        ordered = sorted(spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_expression, ordered))) if ordered else None

    def __call__(self, value: T) -> T:
        return value if self._pattern is None else self._redacted(value)

    def __or__(self, other: Redactor) -> Redactor:
        return Redactor(self._secrets | other._secrets)

    def __bool__(self) -> bool:
        return self._pattern is not None

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} secrets)"

    def tail(self, text: str) -> str:
        """Return the end of a longer text, which may begin in the middle of a secret."""
        for secret in self._secrets:
            for length in range(len(secret) - 1, SHORTEST - 1, -1):
                if text.startswith(secret[-length:]):
                    text = MASK + text[length:]
                    break
        return self(text)

    def _redacted(self, value: Any) -> Any:
        assert self._pattern is not None
        match value:
            case str():
                return self._pattern.sub(MASK, value)
            case int() | float() if str(value) in self._secrets:
                return MASK
            case Mapping():
                return {self._redacted(key): self._redacted(item) for key, item in value.items()}
            case list():
                return [self._redacted(item) for item in value]
            case tuple():
                return tuple(self._redacted(item) for item in value)
            case _:
                return self._in_struct(value)

    def _in_struct(self, value: Any) -> Any:
        if isinstance(value, msgspec.Struct):
            return msgspec.structs.replace(value, **self._fields(value, value.__struct_fields__))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = (field.name for field in dataclasses.fields(value))
            return dataclasses.replace(value, **self._fields(value, names))
        return value

    def _fields(self, value: Any, names: Iterable[str]) -> dict[str, Any]:
        fields = {name: getattr(value, name) for name in names if name not in _PLAIN_FIELDS}
        # a number here counts or measures something: only what was said can hold a secret
        redactable = {name: item for name, item in fields.items() if not isinstance(item, int | float)}
        return {name: self._redacted(item) for name, item in redactable.items()}


def _spellings(secret: str) -> Iterator[str]:
    """As it is, and as it looks inside JSON, a URL, or quoted by a traceback."""
    lines = [line.strip() for line in secret.splitlines()]
    for text in (secret, *(line for line in lines if len(line) >= _BEGINNING)):
        escaped = json.dumps(text, ensure_ascii=False)[1:-1]
        yield from (text, escaped, json.dumps(text)[1:-1], json.dumps(escaped)[1:-1])
        yield from (repr(text)[1:-1], quote(text), quote(text, safe=""))


def _expression(spelling: str) -> str:
    if len(spelling) < _LONG:
        return re.escape(spelling)
    return f"{re.escape(spelling)}|{re.escape(spelling[:_BEGINNING])}{_REST}"
