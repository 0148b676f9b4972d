"""Defines ink's values, and what its operators make of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias


class InkRuntimeError(Exception):
    """Says what a story does that cannot be done."""


class ListItem(NamedTuple):
    origin: str
    name: str
    value: int


@dataclass(frozen=True, slots=True)
class InkList:
    items: frozenset[ListItem] = frozenset()
    origins: tuple[str, ...] = ()  # of the lists that it may hold items of, also where it holds none

    def sorted_items(self) -> list[ListItem]:
        return sorted(self.items, key=lambda item: (item.value, item.origin))

    @property
    def all_origins(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.origin for item in self.sorted_items())) or self.origins

    def with_items(self, items: Iterable[ListItem]) -> InkList:
        return InkList(frozenset(items), self.all_origins)


@dataclass(frozen=True, slots=True)
class Target:
    """A place of the story as a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A variable as a value; `frame` is where a temporary one lives, and -1 stands for the story."""

    name: str
    frame: int


Value: TypeAlias = "bool | int | float | str | InkList | Target | Reference | None"
ListItems: TypeAlias = "dict[str, tuple[ListItem, ...]]"


def as_text(value: Value) -> str:  # noqa: PLR0911 - one for each kind
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.7g}"
        case InkList():
            return ", ".join(item.name for item in value.sorted_items())
        case Target():
            return value.name
        case Reference():
            return value.name
    return str(value)


def is_true(value: Value) -> bool:
    match value:
        case InkList():
            return bool(value.items)
        case Target():
            raise InkRuntimeError(f"“-> {value.name}” is a place, and no condition; ask for “{value.name}”")
        case str():
            return bool(value)
    return bool(value)


def as_number(value: Value) -> int | float:
    match value:
        case bool():
            return int(value)
        case int() | float():
            return value
        case str():
            try:
                return float(value) if "." in value else int(value)
            except ValueError:
                pass
        case InkList():
            return max((item.value for item in value.items), default=0)
        case None:
            return 0
    raise InkRuntimeError(f"“{as_text(value)}” is no number")


def apply_unary(operator: str, value: Value) -> Value:
    if operator == "!":
        return not is_true(value)
    return -as_number(value)


def apply_binary(operator: str, left: Value, right: Value, lists: ListItems) -> Value:
    if isinstance(left, InkList) or isinstance(right, InkList):
        return _apply_to_lists(operator, left, right, lists)
    if operator == "&&":
        return is_true(left) and is_true(right)
    if operator == "||":
        return is_true(left) or is_true(right)
    if isinstance(left, Target) or isinstance(right, Target):
        if operator in ("==", "!="):
            return (left == right) is (operator == "==")
        raise InkRuntimeError(f"“{operator}” makes nothing of a place")
    if isinstance(left, str) or isinstance(right, str):
        return _apply_to_texts(operator, as_text(left), as_text(right))
    numbers = as_number(left), as_number(right)
    if (function := _ARITHMETIC.get(operator)) is None:
        raise InkRuntimeError(f"“{operator}” makes nothing of numbers")
    try:
        result: Value = function(*numbers)
        return result
    except ZeroDivisionError:
        raise InkRuntimeError("a number is divided by zero") from None
    except OverflowError:
        raise InkRuntimeError("a number is too large") from None


def _apply_to_texts(operator: str, left: str, right: str) -> Value:
    match operator:
        case "+":
            return left + right
        case "==":
            return left == right
        case "!=":
            return left != right
        case "?":
            return right in left
        case "!?":
            return right not in left
    raise InkRuntimeError(f"“{operator}” makes nothing of texts")


def _divide(left: int | float, right: int | float) -> int | float:
    if isinstance(left, int) and isinstance(right, int):
        quotient = abs(left) // abs(right)
        return quotient if (left < 0) == (right < 0) else -quotient
    return left / right


def _remainder(left: int | float, right: int | float) -> int | float:
    if isinstance(left, int) and isinstance(right, int):
        return left - right * int(_divide(left, right))
    return math.fmod(left, right)


def power(left: int | float, right: int | float) -> int | float:
    if abs(right) > 1000 or abs(left) > 1e9:
        raise OverflowError
    result = left**right
    if isinstance(result, complex):
        raise InkRuntimeError("a negative number has no such power")
    return int(result) if isinstance(left, int) and isinstance(right, int) else float(result)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divide,
    "%": _remainder,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def _apply_to_lists(operator: str, left: Value, right: Value, lists: ListItems) -> Value:
    if operator in ("&&", "||"):
        return is_true(left) and is_true(right) if operator == "&&" else is_true(left) or is_true(right)
    if isinstance(left, InkList) and isinstance(right, InkList):
        return _apply_to_two_lists(operator, left, right)
    if isinstance(left, InkList) and operator in ("+", "-") and isinstance(right, int):
        return shift_list(left, right if operator == "+" else -right, lists)
    if isinstance(left, str) or isinstance(right, str):
        return _apply_to_texts(operator, as_text(left), as_text(right))
    if operator in ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"):
        return apply_binary(operator, as_number(left), as_number(right), lists)
    raise InkRuntimeError(f"“{operator}” makes nothing of a list and a number")


def _apply_to_two_lists(operator: str, left: InkList, right: InkList) -> Value:  # noqa: PLR0911
    origins = tuple(dict.fromkeys((*left.all_origins, *right.all_origins)))
    match operator:
        case "+":
            return InkList(left.items | right.items, origins)
        case "-":
            return InkList(left.items - right.items, left.all_origins)
        case "^":
            return InkList(left.items & right.items, origins)
        case "?":
            return bool(right.items) and right.items <= left.items
        case "!?":
            return not (bool(right.items) and right.items <= left.items)
        case "==":
            return left.items == right.items
        case "!=":
            return left.items != right.items
        case ">":
            return bool(left.items) and (not right.items or _least(left) > _most(right))
        case "<":
            return bool(right.items) and (not left.items or _most(left) < _least(right))
        case ">=":
            return bool(left.items) and (
                not right.items or (_least(left) >= _least(right) and _most(left) >= _most(right))
            )
        case "<=":
            return bool(right.items) and (
                not left.items or (_most(left) <= _most(right) and _least(left) <= _least(right))
            )
    raise InkRuntimeError(f"“{operator}” makes nothing of two lists")


def _least(one: InkList) -> int:
    return min(item.value for item in one.items)


def _most(one: InkList) -> int:
    return max(item.value for item in one.items)


def shift_list(one: InkList, by: int, lists: ListItems) -> InkList:
    """Return the items that stand so many places further in their lists; what has none is dropped."""
    shifted = {
        other for item in one.items for other in lists.get(item.origin, ()) if other.value == item.value + by
    }
    return InkList(frozenset(shifted), one.all_origins)
