"""Expressions are parsed by the precedence of their operators."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.expressions import ExpressionParser
from narratoria.campaign.ink.scanner import InkSyntaxError, Scanner
from narratoria.campaign.ink.syntax import (
    Binary,
    CallExpression,
    Expression,
    ListLiteral,
    Literal,
    NameExpression,
    TargetLiteral,
    Unary,
)


def show(expression: Expression) -> str:
    """Return an expression with brackets around everything that belongs together."""
    match expression:
        case Binary(operator=operator, left=left, right=right):
            return f"({show(left)} {operator} {show(right)})"
        case Unary(operator=operator, operand=operand):
            return f"{operator}{show(operand)}"
        case Literal(value=value):
            return str(value)
        case NameExpression(path=path):
            return ".".join(path)
        case TargetLiteral(path=path):
            return f"->{'.'.join(path)}"
        case CallExpression(name=name, arguments=arguments):
            return f"{name}({', '.join(map(show, arguments))})"
        case ListLiteral(items=items):
            return f"[{', '.join('.'.join(item) for item in items)}]"
    raise AssertionError(expression)


def parse(text: str) -> str:
    return show(ExpressionParser(Scanner(text), lambda: ()).parse())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("10 - 4 - 3", "((10 - 4) - 3)"),
        ("a && b == c", "(a && (b == c))"),
        ("a and not b or c", "((a && !b) || c)"),
        ("not knot.label && x", "(!knot.label && x)"),
        ("notable", "notable"),
        ("-x + 2", "(-x + 2)"),
        ("!(a > 1)", "!(a > 1)"),
        ("f(1, g(x)) mod 2", "(f(1, g(x)) % 2)"),
        ("-> knot.stitch", "->knot.stitch"),
        ("(a, b.c)", "[a, b.c]"),
        ("()", "[]"),
        ("things has (a)", "(things ? [a])"),
        ("2.5 > 1", "(2.5 > 1)"),
        ("true", "True"),
    ],
)
def test_an_expression_is_parsed(text: str, shown: str):
    assert parse(text) == shown


@pytest.mark.parametrize("text", ["", "1 +", "(1", "f(1", "->", '"open'])
def test_what_is_no_expression_is_refused(text: str):
    with pytest.raises(InkSyntaxError):
        parse(text)
