"""Defines the session state: an immutable value that patches turn into the next one.

The merge: a null deletes its key, an object merges into an object, anything else replaces what was there.
An object where there was none merges into an empty one, so a null never becomes a value, and a patch applied
twice is a patch applied once. Arrays are taken whole, with whatever nulls they hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 100
INDEX = re.compile("[0-9]{1,9}")
_SCALARS = {str, int, float, bool}  # asked first: whether a value is some Mapping is a slow question


class SessionState:
    """Holds the state of a story; `apply_patch` returns the next state and leaves this one as it is."""

    __slots__ = ("_root",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._root: dict[str, Any] = _merge({}, values or {}, 0)

    def apply_patch(self, patch: Mapping[str, Any]) -> SessionState:
        """Return the state after the patch, holding copies; ValueError if it is more than 100 levels deep."""
        return _state(_merge(self._root, patch, 0))

    def get(self, path: str, default: Any = None) -> Any:
        """Return a copy of the value at a dotted path such as "inventory.torch.lit" or "party.0.name"."""
        value: Any = self._root
        for part in path.split(".") if path else ():
            if isinstance(value, dict) and part in value:
                value = value[part]
            elif isinstance(value, list) and INDEX.fullmatch(part) and int(part) < len(value):
                value = value[int(part)]
            else:
                return default
        return _copy(value)

    def snapshot(self) -> SessionState:
        """Return this state: it never changes, so a snapshot costs nothing."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of everything."""
        copy: dict[str, Any] = _copy(self._root)
        return copy

    def __eq__(self, other: object) -> bool:
        return self._root == other._root if isinstance(other, SessionState) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal by value, and the values hold lists and dicts

    def __repr__(self) -> str:
        return f"SessionState({self._root!r})"


def deep_merge(target: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the merge of two objects, which holds no part of either."""
    merged: dict[str, Any] = _copy(target)
    return _merge(merged, patch, 0, in_place=True)


def merge_into(target: dict[str, Any], patch: Mapping[str, Any]) -> None:
    """Merge a patch into a target in place, by copies."""
    _merge(target, patch, 0, in_place=True)


def _state(root: dict[str, Any]) -> SessionState:
    state = SessionState.__new__(SessionState)
    state._root = root
    return state


def _merge(
    target: dict[str, Any], patch: Mapping[str, Any], depth: int, in_place: bool = False
) -> dict[str, Any]:
    """Return the merge, with a new object for each one that the patch touches unless in place."""
    if depth >= MAX_DEPTH:
        raise _too_deep()
    merged = target if in_place else target.copy()
    for key, value in patch.items():
        kind = type(value)
        if kind in _SCALARS:
            merged[key] = value
        elif value is None:
            merged.pop(key, None)
        elif kind is dict or isinstance(value, Mapping):
            present = merged.get(key)
            merged[key] = _merge(present if type(present) is dict else {}, value, depth + 1, in_place)
        else:
            merged[key] = _copy(value, depth + 1)
    return merged


def _copy(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is dict or isinstance(value, Mapping):
        if depth >= MAX_DEPTH:
            raise _too_deep()
        return {key: _copy(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if depth >= MAX_DEPTH:
            raise _too_deep()
        return [_copy(item, depth + 1) for item in value]
    return value


def _too_deep() -> ValueError:
    return ValueError(f"state is at most {MAX_DEPTH} levels deep")
