"""Refuses schemas of strangers that would keep a validator busy for days, or end the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_PARTS = 10_000  # of a schema, each counted as often as it is referred to
_OTHER_REFERENCES = ("$dynamicRef", "$recursiveRef")


class UnusableSchema(ValueError):
    """Is raised with the reason why a schema is not used."""


def without_ids(schema: Any) -> Any:
    """Return a schema without ids, so that every pointer in it counts from its root."""
    if isinstance(schema, Mapping):
        return {key: without_ids(one) for key, one in schema.items() if key != "$id" or not _is_text(one)}
    return [without_ids(one) for one in schema] if isinstance(schema, list) else schema


def check_size(schema: Mapping[str, Any]) -> None:
    """Raise UnusableSchema for a schema that leads back to itself, leads elsewhere, or grows without a bound.

    Forty definitions that each refer twice to the next are a page of text, and a million million parts.
    """
    try:
        count = _Counter(schema).count(schema)
    except RecursionError:
        raise UnusableSchema("its parts refer to each other too deeply") from None
    if count > MOST_PARTS:
        raise UnusableSchema(f"with all that it refers to, it has more than {MOST_PARTS} parts")


class _Counter:
    """Counts the parts of a schema with what they refer to, each definition once."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._counts: dict[str, int] = {}
        self._under_way: set[str] = set()

    def count(self, part: Any) -> int:
        if isinstance(part, list):
            return 1 + sum(map(self.count, part))
        if not isinstance(part, Mapping):
            return 1
        for name in _OTHER_REFERENCES:
            if _is_text(part.get(name)):
                raise UnusableSchema(f"{name} is not supported; write out what it refers to")
        reference = part.get("$ref")
        referred = self._count_referred(reference) if isinstance(reference, str) else 0
        return 1 + referred + sum(map(self.count, part.values()))

    def _count_referred(self, reference: str) -> int:
        if reference in self._under_way:
            raise UnusableSchema(f"the $ref {reference[:80]} leads back to itself; write out one level")
        if reference not in self._counts:
            self._under_way.add(reference)
            self._counts[reference] = self.count(self._find(reference))
            self._under_way.discard(reference)
        return self._counts[reference]

    def _find(self, reference: str) -> Any:
        if reference != "#" and not reference.startswith("#/"):
            raise UnusableSchema(f"the $ref {reference[:80]} leads elsewhere; write the schema itself")
        found: Any = self._root
        for step in reference[2:].split("/") if reference != "#" else ():
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal() and len(key) < 6 and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, Mapping) and key in found:
                found = found[key]
            else:
                raise UnusableSchema(f"the $ref {reference[:80]} leads nowhere; write the schema itself")
        return found


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
