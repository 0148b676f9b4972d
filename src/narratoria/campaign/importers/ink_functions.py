"""Puts what ink's functions do in the place of their calls: changes of variables, and values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from narratoria.campaign.importers.logic import UnsupportedLogic

DEEPEST = 8  # functions that call each other
LONGEST = 2000  # characters of what a call becomes
_FUNCTION = re.compile(r"^\s*={2,}\s*function\s+(?P<name>\w+)\s*\((?P<given>[^()]*)\)\s*=*\s*$")
_NEXT = re.compile(r"^\s*={1,}\s*\w")
_CALL = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*\((?P<given>[^()]*)\)")


@dataclass(slots=True)
class _Function:
    parameters: tuple[str, ...]
    statements: list[str] = field(default_factory=list)
    value: str = ""  # that it returns
    is_plain: bool = True  # changes and a value, one after the other, and nothing else


class InkFunctions:
    """Holds the functions of a story."""

    def __init__(self) -> None:
        self._functions: dict[str, _Function] = {}
        self._lines: set[int] = set()

    def read(self, lines: Sequence[str]) -> None:
        """Take in every function; its lines are no part of the story."""
        current: _Function | None = None
        for number, line in enumerate(lines, 1):
            if match := _FUNCTION.match(line):
                names = (one.strip().removeprefix("ref ").strip() for one in match["given"].split(","))
                current = self._functions[match["name"]] = _Function(tuple(filter(None, names)))
            elif _NEXT.match(line):
                current = None
            if current is None:
                continue
            self._lines.add(number)
            if not match:
                _add_line(current, line.strip())

    def holds(self, line: int) -> bool:
        """Return whether a line belongs to a function."""
        return line in self._lines

    def expand_statement(self, statement: str, depth: int = 0) -> list[str]:
        """Return the changes a statement comes to; raise UnsupportedLogic where a call does anything else."""
        match = _CALL.fullmatch(statement)
        if match is None:
            return [statement]
        function = self._functions.get(match["name"])
        if function is None or not function.is_plain or depth == DEEPEST:
            raise UnsupportedLogic(statement)
        values = _bind(function, match["given"])
        return [
            one
            for line in function.statements
            for one in self.expand_statement(_replace_names(line, values), depth + 1)
        ]

    def expand_condition(self, condition: str) -> str:
        """Return a condition with the values of functions in the place of their calls."""
        for _ in range(DEEPEST):
            expanded = _CALL.sub(self._expand_call, condition)
            if expanded == condition or len(expanded) > LONGEST:
                return condition
            condition = expanded
        return condition

    def _expand_call(self, match: re.Match[str]) -> str:
        function = self._functions.get(match["name"])
        if function is None or not function.is_plain or not function.value or function.statements:
            return match[0]
        try:
            return f"({_replace_names(function.value, _bind(function, match['given']))})"
        except UnsupportedLogic:
            return match[0]


def _add_line(function: _Function, line: str) -> None:
    """Take in a line of a function."""
    if not line:
        return
    statement = line.removeprefix("~").strip()
    if not line.startswith("~") or function.value:
        function.is_plain = False
    elif statement.startswith("return"):
        function.value = statement.removeprefix("return").strip()
    else:
        function.statements.append(statement)


def _bind(function: _Function, given: str) -> dict[str, str]:
    values = [one.strip().removeprefix("ref ").strip() for one in given.split(",") if one.strip()]
    if len(values) != len(function.parameters):
        raise UnsupportedLogic(given)
    return dict(zip(function.parameters, values, strict=True))


def _replace_names(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda match: values.get(match[0], match[0]), text)
