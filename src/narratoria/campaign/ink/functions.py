"""Defines the functions that ink has of its own, those of numbers, lists and chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from narratoria.campaign.ink.values import (
    InkList,
    InkRuntimeError,
    ListItem,
    ListItems,
    Value,
    as_number,
    as_text,
    power,
)

# how many values each takes; those that need the run itself are answered by the machine
ANY_NUMBER = -1
NATIVE_ARGUMENTS: Mapping[str, int] = {
    "TURNS_SINCE": 1,
    "READ_COUNT": 1,
    "TURNS": 0,
    "CHOICE_COUNT": 0,
    "RANDOM": 2,
    "SEED_RANDOM": 1,
    "LIST_RANDOM": 1,
    "EITHER": ANY_NUMBER,
    "MIN": 2,
    "MAX": 2,
    "POW": 2,
    "FLOOR": 1,
    "CEILING": 1,
    "INT": 1,
    "FLOAT": 1,
    "LIST_COUNT": 1,
    "LIST_MIN": 1,
    "LIST_MAX": 1,
    "LIST_VALUE": 1,
    "LIST_ALL": 1,
    "LIST_INVERT": 1,
    "LIST_RANGE": 3,
}
NUMBERS: Mapping[str, Callable[..., int | float]] = {
    "MIN": min,
    "MAX": max,
    "POW": power,
    "FLOOR": math.floor,
    "CEILING": math.ceil,
    "INT": int,
    "FLOAT": float,
}


def call_native(name: str, values: Sequence[Value], lists: ListItems) -> Value:  # noqa: PLR0911
    """Return what a function of numbers or lists makes of these values."""
    if name in NUMBERS:
        return _call_number(name, values)
    if name == "LIST_ITEM":
        return _find_item(as_text(values[0]), as_number(values[1]), lists)
    first = values[0]
    if name == "LIST_VALUE" and not isinstance(first, InkList):
        return as_number(first)
    if not isinstance(first, InkList):
        raise InkRuntimeError(f"{name} needs a list, and is given “{as_text(first)}”")
    items = first.sorted_items()
    match name:
        case "LIST_COUNT":
            return len(items)
        case "LIST_VALUE":
            return items[-1].value if items else 0
        case "LIST_MIN":
            return first.with_items(items[:1])
        case "LIST_MAX":
            return first.with_items(items[-1:])
        case "LIST_ALL":
            return first.with_items(_all_items(first, lists))
        case "LIST_INVERT":
            return first.with_items(one for one in _all_items(first, lists) if one not in first.items)
        case "LIST_RANGE":
            low = _bound(values[1], -math.inf, is_low=True)
            high = _bound(values[2], math.inf, is_low=False)
            return first.with_items(one for one in items if low <= one.value <= high)
    raise InkRuntimeError(f"there is no function {name}")


def _call_number(name: str, values: Sequence[Value]) -> int | float:
    if name in ("MIN", "MAX") and all(isinstance(one, str) for one in values):
        raise InkRuntimeError(f"{name} makes nothing of texts")
    try:
        return NUMBERS[name](*(as_number(one) for one in values))
    except (OverflowError, ValueError):
        raise InkRuntimeError(f"{name} makes nothing of these numbers") from None


def _find_item(origin: str, value: int | float, lists: ListItems) -> InkList:
    items = (one for one in lists.get(origin, ()) if one.value == value)
    return InkList(frozenset(items), (origin,))


def _all_items(one: InkList, lists: ListItems) -> list[ListItem]:
    return [item for origin in one.all_origins for item in lists.get(origin, ())]


def _bound(value: Value, otherwise: float, *, is_low: bool) -> int | float:
    if not isinstance(value, InkList):
        return as_number(value)
    values = [item.value for item in value.items]
    return otherwise if not values else min(values) if is_low else max(values)
