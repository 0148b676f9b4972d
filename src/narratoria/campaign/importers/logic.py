"""Turns the conditions and settings of Twine and ink stories into those of beats, as far as they map.

Variables are set to constants, counted up and down, and compared with constants; everything else is refused.
A number is kept as its distance from what it is at first, so that a sum needs no first value in the state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

Constant: TypeAlias = "bool | int | float | str"

PREFIX = "story_"  # of a variable's name in the state
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"\\]*"|'[^'\\]*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<visited>visited)\s*\(\s*"""
    r"""(?P<passage>"[^"]*"|'[^']*')\s*\)|(?P<name>\$?[A-Za-z_][\w.]*)|(?P<mark>&&|\|\||===|==|!=|<=|>=|[<>!()]))"""
)
_COMPARISONS = {
    "is": "==",
    "eq": "==",
    "==": "==",
    "===": "==",
    "neq": "!=",
    "!=": "!=",
    "isnot": "!=",
    "gt": ">",
    ">": ">",
    "gte": ">=",
    ">=": ">=",
    "lt": "<",
    "<": "<",
    "lte": "<=",
    "<=": "<=",
}
_WORDS = {"and": "&&", "or": "||", "not": "!"}
MOST_TOKENS = 60


class UnsupportedLogic(ValueError):
    """A condition or a setting that has no counterpart."""


@dataclass(frozen=True, slots=True)
class Change:
    """Sets a variable to a constant, or adds a number to it."""

    name: str
    value: Constant
    is_added: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class StoryVariables:
    """Holds what each variable is at first, and finds the beat that tells a passage."""

    initial: Mapping[str, Constant]
    find_visit: Callable[
        [str], str
    ]  # an expression that is true once a passage was told; "" for an unknown one
    names: frozenset[str] = frozenset()  # of all variables, those without a first value among them

    def translate(self, condition: str) -> str:
        """Return the condition as a CEL expression; raise UnsupportedLogic for one that has none."""
        parser = _ConditionParser(_tokens(condition), self)
        expression = parser.either()
        if parser.rest:
            raise UnsupportedLogic(condition)
        return expression

    def fold(self, changes: Iterable[Change]) -> tuple[dict[str, Constant], dict[str, int | float]]:
        """Return what changes one after the other come to: the values that are set, and what is added."""
        sets: dict[str, Constant] = {}
        adds: dict[str, int | float] = {}
        for change in changes:
            key, first = f"{PREFIX}{change.name}", self.initial.get(change.name)
            value = change.value
            if is_number(first) != is_number(value) and first is not None:
                raise UnsupportedLogic(change.name)
            if change.is_added:
                if not is_number(first):
                    raise UnsupportedLogic(change.name)
                into: dict[str, Any] = sets if key in sets else adds
                into[key] = into.get(key, 0) + value
            else:
                sets[key] = _subtract(value, first)
                adds.pop(key, None)
        return sets, adds

    def compare(self, name: str, operator: str, value: Constant) -> str:
        """Return a comparison that also holds before the variable was ever set."""
        key, first = f"{PREFIX}{name}", self.initial.get(name, False)
        if is_number(first) and is_number(value):
            value, first = _subtract(value, first), 0
        if type(first) is not type(value) and not (is_number(first) and is_number(value)):
            if first is not False or isinstance(value, bool):
                raise UnsupportedLogic(name)
            at_first = operator == "!="
        else:
            at_first = _compare(first, operator, value)
        test = f"state.{key} {operator} {json.dumps(value)}"
        return f'("{key}" in state ? {test} : {json.dumps(at_first)})'

    def compare_visits(self, visit: str, operator: str, value: Constant) -> str:
        """Return whether a passage was told at all; how often is not known."""
        if (operator, value) in ((">", 0), (">=", 1), ("!=", 0)):
            return visit
        if (operator, value) in (("==", 0), ("<", 1), ("<=", 0)):
            return f"!{visit}"
        raise UnsupportedLogic(operator)

    def is_set(self, name: str) -> str:
        """Return whether a variable is anything but false, nothing or empty."""
        first = self.initial.get(name, False)
        if isinstance(first, bool):
            return self.compare(name, "==", value=True)
        return self.compare(name, "!=", 0 if is_number(first) else "")


def read_change(text: str, line: int = 0) -> Change:
    """Return what `x = 3`, `x to 3`, `x += 2`, `x++` or `x = x - 1` do; raise UnsupportedLogic for others."""
    match = _CHANGE.fullmatch(text.strip())
    if match is None:
        raise UnsupportedLogic(text)
    name, value = match["name"], match["value"] or ""
    if match["step"]:
        return Change(name, 1 if match["step"] == "++" else -1, is_added=True, line=line)
    sign = "-" if match["sign"] == "-" else "+"
    if not match["sign"]:
        own = re.fullmatch(rf"\$?{re.escape(name)}\s*(?P<sign>[-+])\s*(?P<rest>\d.*)", value)
        if own is None:
            return Change(name, read_constant(value), line=line)
        sign, value = own["sign"], own["rest"]
    number = read_constant(value)
    if not is_number(number):
        raise UnsupportedLogic(text)
    return Change(name, _subtract(0, number) if sign == "-" else number, is_added=True, line=line)


_CHANGE = re.compile(
    r"\$?(?P<name>[A-Za-z_]\w*)\s*(?:(?P<step>\+\+|--)|(?:(?P<sign>[-+])?=(?!=)|\bto\b)\s*(?P<value>.+))",
    re.DOTALL,
)


def read_constant(text: str) -> Constant:
    """Return the constant that stands there; raise UnsupportedLogic where something is worked out."""
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return float(text)
    if re.fullmatch(r"\"[^\"\\]*\"|'[^'\\]*'", text):
        return text[1:-1]
    raise UnsupportedLogic(text)


def state_key(name: str) -> str:
    """Return where a variable stands in the state."""
    return f"{PREFIX}{name}"


def is_number(value: Constant | None) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _subtract(value: Constant, first: Constant | None) -> Constant:
    """Return a number's distance from its first value, and anything else as it is."""
    if not is_number(value) or not is_number(first):
        return value
    distance = value - first
    return int(distance) if distance == int(distance) else round(distance, 9)


def _compare(first: Constant, operator: str, value: Constant) -> bool:
    if operator in ("==", "!="):
        return (first == value) is (operator == "==")
    if not isinstance(first, int | float) or not isinstance(value, int | float):
        raise UnsupportedLogic(operator)
    return {">": first > value, ">=": first >= value, "<": first < value, "<=": first <= value}[operator]


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or len(tokens) == MOST_TOKENS:
            raise UnsupportedLogic(text)
        kind = match.lastgroup or ""
        word = match["passage"][1:-1] if match["visited"] else match[kind]
        tokens.append(("visited" if match["visited"] else kind, word))
        at = match.end()
    return tokens


class _ConditionParser:
    def __init__(self, tokens: list[tuple[str, str]], variables: StoryVariables) -> None:
        self.rest, self._variables = tokens, variables

    def either(self) -> str:
        return self._joined("||", lambda: self._joined("&&", self._unary))

    def _joined(self, mark: str, read: Callable[[], str]) -> str:
        parts = [read()]
        while self._takes(mark):
            parts.append(read())
        return f" {mark} ".join(parts) if len(parts) == 1 else f"({f' {mark} '.join(parts)})"

    def _unary(self) -> str:
        if self._takes("!"):
            return f"!{self._unary()}"
        if self._takes("("):
            inner = self.either()
            if not self._takes(")"):
                raise UnsupportedLogic("(")
            return f"({inner})"
        return self._comparison()

    def _comparison(self) -> str:
        kind, word = self._next()
        if kind == "visited":
            if not (visit := self._variables.find_visit(word)):
                raise UnsupportedLogic(word)
            return visit
        if kind != "name" or word in ("true", "false"):
            raise UnsupportedLogic(word)
        name = word.lstrip("$")
        operator = self._operator()
        variables = self._variables
        if name not in variables.names:
            if not (visit := variables.find_visit(name)):
                raise UnsupportedLogic(word)
            return variables.compare_visits(visit, operator, self._value()) if operator else visit
        return variables.compare(name, operator, self._value()) if operator else variables.is_set(name)

    def _operator(self) -> str:
        if self.rest and (operator := _COMPARISONS.get(self.rest[0][1])):
            self.rest.pop(0)
            if operator == "==" and self._takes("!"):  # “is not”
                return "!="
            return operator
        return ""

    def _value(self) -> Constant:
        kind, word = self._next()
        if kind in ("text", "number") or word in ("true", "false"):
            return read_constant(word)
        raise UnsupportedLogic(word)

    def _next(self) -> tuple[str, str]:
        if not self.rest:
            raise UnsupportedLogic("")
        return self.rest.pop(0)

    def _takes(self, mark: str) -> bool:
        if self.rest and self.rest[0][0] != "text" and _WORDS.get(self.rest[0][1], self.rest[0][1]) == mark:
            self.rest.pop(0)
            return True
        return False
