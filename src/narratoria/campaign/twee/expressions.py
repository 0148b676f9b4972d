"""Parses the conditions and values of Twine's story formats into expressions of ink."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from narratoria.campaign.ink.syntax import (
    Binary,
    CallExpression,
    Expression,
    Literal,
    NameExpression,
    StringLiteral,
    TargetLiteral,
    Text,
    Unary,
)

MOST_NESTED = 40
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<number>\d+(?:\.\d+)?)"""
    r"""|(?P<harlowe>\((?P<macro>[a-z][a-z-]*):)|(?P<name>[$_]?[A-Za-z][\w.]*)"""
    r"""|(?P<mark>&&|\|\||===|!==|==|!=|<=|>=|[<>!()+\-*/%,]))"""
)
_COMPARISONS = {
    "is": "==",
    "eq": "==",
    "==": "==",
    "===": "==",
    "isnot": "!=",
    "neq": "!=",
    "ne": "!=",
    "!=": "!=",
    "!==": "!=",
    "gt": ">",
    ">": ">",
    "gte": ">=",
    ">=": ">=",
    "lt": "<",
    "<": "<",
    "lte": "<=",
    "<=": "<=",
}
_FUNCTIONS = {
    "random": "RANDOM",
    "Math.floor": "FLOOR",
    "Math.ceil": "CEILING",
    "Math.min": "MIN",
    "Math.max": "MAX",
    "min": "MIN",
    "max": "MAX",
    "floor": "FLOOR",
    "ceil": "CEILING",
    "turns": "TURNS",
}
_VISITS = ("visited", "hasVisited", "passage.visits", "visits", "visit")


class UnsupportedExpression(ValueError):
    """A condition or a value that is not understood."""


@dataclass(frozen=True, slots=True)
class PassageContext:
    """Holds what an expression may name besides variables."""

    find_passage: Callable[[str], str]  # its flow by its name; "" for none
    here: str  # the flow of this passage
    line: int
    variables: set[str]  # every name that is used; added to


class TwineExpressionParser:
    """Parses one expression."""

    def __init__(self, text: str, around: PassageContext, it: Expression | None = None) -> None:
        self._text, self._around, self._it = text, around, it
        self._tokens = list(self._scan(text))
        self._depth = 0

    def parse(self) -> Expression:
        """Return the expression; raise UnsupportedExpression for anything that is not wholly understood."""
        expression = self._either()
        if self._tokens:
            raise UnsupportedExpression(self._text)
        return expression

    def parse_list(self) -> list[Expression]:
        """Return values that stand between commas or blanks."""
        values: list[Expression] = []
        while self._tokens:
            values.append(self._either())
            self._takes(",")
        return values

    def _scan(self, text: str) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                raise UnsupportedExpression(text)
            kind = "harlowe" if match["harlowe"] else match.lastgroup or ""
            tokens.append((kind, match["macro"] if match["harlowe"] else match[kind]))
            at = match.end()
        return tokens

    def _either(self) -> Expression:
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise UnsupportedExpression(self._text)
        left = self._both()
        while self._takes("||", "or"):
            left = Binary("||", left, self._both(), self._around.line)
        self._depth -= 1
        return left

    def _both(self) -> Expression:
        left = self._comparison()
        while self._takes("&&", "and"):
            left = Binary("&&", left, self._comparison(), self._around.line)
        return left

    def _comparison(self) -> Expression:
        left = self._sum()
        while (operator := _COMPARISONS.get(self._peek())) is not None:
            self._tokens.pop(0)
            if operator == "==" and self._takes("not"):
                operator = "!="
            left = Binary(operator, left, self._sum(), self._around.line)
        return left

    def _sum(self) -> Expression:
        left = self._product()
        while self._peek() in ("+", "-"):
            left = Binary(self._tokens.pop(0)[1], left, self._product(), self._around.line)
        return left

    def _product(self) -> Expression:
        left = self._unary()
        while self._peek() in ("*", "/", "%"):
            operator = self._tokens.pop(0)[1]
            right = self._unary()
            if operator == "/":  # numbers of Twine are never whole ones alone
                left = CallExpression("FLOAT", (left,), self._around.line)
            left = Binary(operator, left, right, self._around.line)
        return left

    def _unary(self) -> Expression:
        if self._takes("!", "not"):
            return Unary("!", self._comparison())
        if self._takes("-"):
            return Unary("-", self._unary())
        if self._takes("def"):
            return self._unary()
        if self._takes("ndef"):
            return Unary("!", self._unary())
        return self._operand()

    def _operand(self) -> Expression:
        if not self._tokens:
            raise UnsupportedExpression(self._text)
        kind, word = self._tokens.pop(0)
        match kind:
            case "text":
                text = re.sub(r"\\(.)", r"\1", word[1:-1])
                return StringLiteral((Text(text),), self._around.line)
            case "number":
                return Literal(float(word) if "." in word else int(word))
            case "harlowe":
                return self._call(word, self._arguments())
            case "name":
                return self._named(word)
            case "mark" if word == "(":
                inner = self._either()
                if not self._takes(")"):
                    raise UnsupportedExpression(self._text)
                return inner
        raise UnsupportedExpression(self._text)

    def _named(self, word: str) -> Expression:
        if word in ("true", "false"):
            return Literal(word == "true")
        if word == "it" and self._it is not None:
            return self._it
        if self._peek() == "(":
            self._tokens.pop(0)
            return self._call(word, self._arguments())
        if word in _VISITS:
            return self._visits(())
        if word == "turns":
            return Binary("+", CallExpression("TURNS", (), self._around.line), Literal(1), self._around.line)
        if "." in word:
            raise UnsupportedExpression(self._text)
        self._around.variables.add(variable_name(word))
        return NameExpression((variable_name(word),), self._around.line)

    def _arguments(self) -> list[Expression]:
        arguments: list[Expression] = []
        while not self._takes(")"):
            if not self._tokens:
                raise UnsupportedExpression(self._text)
            arguments.append(self._either())
            self._takes(",")
        return arguments

    def _call(self, name: str, arguments: Sequence[Expression]) -> Expression:
        line = self._around.line
        if name in _VISITS:
            return self._visits(arguments)
        if name == "either" and arguments:
            return CallExpression("EITHER", tuple(arguments), line)
        if name in ("round", "Math.round") and len(arguments) == 1:
            half = Binary("+", arguments[0], Literal(0.5), line)
            return CallExpression("FLOOR", (half,), line)
        if name == "random" and len(arguments) == 1:
            arguments = (Literal(0), *arguments)
        if name in _FUNCTIONS:
            return CallExpression(_FUNCTIONS[name], tuple(arguments), line)
        raise UnsupportedExpression(self._text)

    def _visits(self, arguments: Sequence[Expression]) -> Expression:
        """Return how often a passage was visited: this one, or the one that is named."""
        flow = self._around.here
        for one in arguments:
            parts = one.content if isinstance(one, StringLiteral) else ()
            name = "".join(part.text for part in parts if isinstance(part, Text))
            flow = self._around.find_passage(name)
            if not flow or len(arguments) > 1:
                raise UnsupportedExpression(self._text)
        return CallExpression(
            "READ_COUNT", (TargetLiteral((flow, "here"), self._around.line),), self._around.line
        )

    def _peek(self) -> str:
        return self._tokens[0][1] if self._tokens and self._tokens[0][0] in ("mark", "name") else ""

    def _takes(self, *words: str) -> bool:
        if self._peek() in words and self._peek():
            self._tokens.pop(0)
            return True
        return False


def variable_name(word: str) -> str:
    """Return the name of a variable; that of a temporary one cannot be that of another."""
    return f"own_{word[1:]}" if word.startswith("_") else word.lstrip("$")
