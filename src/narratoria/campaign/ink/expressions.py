"""Parses ink's expressions, by the precedence of their operators."""

from __future__ import annotations

import re
from collections.abc import Callable

from narratoria.campaign.ink.scanner import Scanner
from narratoria.campaign.ink.syntax import (
    Binary,
    CallExpression,
    Expression,
    ListLiteral,
    Literal,
    NameExpression,
    Node,
    Path,
    StringLiteral,
    TargetLiteral,
    Unary,
)

# in the order in which they are tried, with how tightly they bind
_OPERATORS = (
    ("&&", "&&", 1),
    ("||", "||", 1),
    ("and", "&&", 1),
    ("or", "||", 1),
    ("==", "==", 2),
    (">=", ">=", 2),
    ("<=", "<=", 2),
    ("<", "<", 2),
    (">", ">", 2),
    ("!=", "!=", 2),
    ("?", "?", 3),
    ("has", "?", 3),
    ("!?", "!?", 3),
    ("hasnt", "!?", 3),
    ("^", "^", 3),
    ("+", "+", 4),
    ("-", "-", 5),
    ("*", "*", 6),
    ("/", "/", 7),
    ("%", "%", 8),
    ("mod", "%", 8),
)
_NO_OPERATORS = ("->", "++", "--")
_FLOAT = re.compile(r"\d+\.\d+")
_INTEGER = re.compile(r"\d+")
_BLANK = re.compile(r"[ \t]")
MOST_NESTED = 60  # brackets and operators within each other


class ExpressionParser:
    """Parses expressions from a scanner; text between quotation marks is parsed as content."""

    def __init__(self, scanner: Scanner, parse_string: Callable[[], tuple[Node, ...]]) -> None:
        self._scanner, self._parse_string = scanner, parse_string
        self._depth = 0

    def parse(self, binding: int = 0) -> Expression:
        """Return the expression that stands here; raise InkSyntaxError where there is none."""
        scanner = self._scanner
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise scanner.error("this expression is nested too deeply; put parts of it in variables")
        try:
            scanner.skip_blanks()
            left = self._parse_unary()
            while True:
                scanner.skip_blanks()
                before = scanner.at
                operator = self._take_operator(binding)
                if operator is None:
                    scanner.at = before
                    return left
                left = Binary(operator[0], left, self.parse(operator[1]), scanner.line)
        finally:
            self._depth -= 1

    def parse_arguments(self) -> tuple[Expression, ...] | None:
        """Return the expressions between brackets; None where no bracket opens."""
        scanner = self._scanner
        if not scanner.take("("):
            return None
        arguments: list[Expression] = []
        scanner.skip_blanks()
        while not scanner.take(")"):
            if arguments:
                scanner.expect(",", "between two values")
            arguments.append(self.parse())
            scanner.skip_blanks()
        return tuple(arguments)

    def parse_path(self) -> Path:
        """Return a name of one to three parts, such as `knot.stitch.label`; () if there is none."""
        scanner = self._scanner
        parts: list[str] = []
        while name := scanner.take_identifier():
            parts.append(name)
            before = scanner.at
            scanner.skip_blanks()
            if not scanner.take("."):
                scanner.at = before
                break
            scanner.skip_blanks()
        return tuple(parts)

    def _take_operator(self, binding: int) -> tuple[str, int] | None:
        scanner = self._scanner
        for sign, operator, own in _OPERATORS:
            if not scanner.peek(sign) or any(scanner.peek(other) for other in _NO_OPERATORS):
                continue
            before = scanner.at
            scanner.take(sign)
            if sign.isalpha() and not scanner.match(_BLANK):
                scanner.at = before
                continue
            return (operator, own) if own > binding else None
        return None

    def _parse_unary(self) -> Expression:
        scanner = self._scanner
        line = scanner.line
        if scanner.take("->"):
            scanner.skip_blanks()
            path = self.parse_path()
            if not path:
                raise scanner.error("expected the name of a knot, a stitch or a label after “->”")
            return TargetLiteral(path, line)
        prefix = ""
        if scanner.peek_identifier() == "not":
            scanner.take("not")
            prefix = "!"
        elif scanner.take("-"):
            prefix = "-"
        elif scanner.take("!"):
            prefix = "!"
        scanner.skip_blanks()
        if prefix:
            return Unary(prefix, self._parse_unary() if self._is_prefix() else self._parse_operand())
        return self._parse_operand()

    def _is_prefix(self) -> bool:
        scanner = self._scanner
        return scanner.peek("-") or scanner.peek("!") or scanner.peek_identifier() == "not"

    def _parse_operand(self) -> Expression:  # noqa: PLR0911 - one for each kind
        scanner = self._scanner
        line = scanner.line
        if scanner.peek("("):
            return self._parse_brackets(line)
        if path := self._parse_name_path():
            if path in (("true",), ("false",)):
                return Literal(path == ("true",))
            before = scanner.at
            scanner.skip_blanks()
            if len(path) == 1 and scanner.peek("("):
                arguments = self.parse_arguments()
                assert arguments is not None
                return CallExpression(path[0], arguments, line)
            scanner.at = before
            return NameExpression(path, line)
        if (number := scanner.match(_FLOAT)) is not None:
            return Literal(float(number))
        if (number := scanner.match(_INTEGER)) is not None:
            return Literal(int(number))
        if scanner.take('"'):
            content = self._parse_string()
            scanner.expect('"', "at the end of the text")
            return StringLiteral(content, line)
        raise scanner.error(f"expected a value, and there is {scanner.describe_next()}")

    def _parse_name_path(self) -> Path:
        if _FLOAT.match(self._scanner.text, self._scanner.at):
            return ()
        return self.parse_path()

    def _parse_brackets(self, line: int) -> Expression:
        """Return the list or the expression between brackets."""
        scanner = self._scanner
        before = scanner.at
        scanner.take("(")
        scanner.skip_blanks()
        items: list[Path] = []
        while path := self.parse_path():
            items.append(path)
            scanner.skip_blanks()
            if not scanner.take(","):
                break
            scanner.skip_blanks()
        if scanner.take(")"):
            return ListLiteral(tuple(items), line)
        scanner.at = before
        scanner.take("(")
        inner = self.parse()
        scanner.skip_blanks()
        scanner.expect(")", "after what stands between brackets")
        return inner
