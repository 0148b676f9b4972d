"""Conditions and values of Twine's formats are understood, or refused as a whole."""

from __future__ import annotations

import pytest

from narratoria.campaign.twee.expressions import UnsupportedExpression, variable_name
from narratoria.campaign.twee.story import parse_twee


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3.5"),
        ("7 % 2", "1"),
        ("-2 + 1", "-1"),
        ("1 is 1 and not (2 lt 1)", "true"),
        ("1 isnot 1 or 2 neq 3", "true"),
        ("not 1 is 2", "true"),
        ("3 is not 4", "true"),
        ("'a' + \"b\"", "ab"),
        ("'it\\'s'", "it's"),
        ("Math.floor(2.7)", "2"),
        ("Math.round(2.7)", "3"),
        ("Math.max(2, 3)", "3"),
        ("random(4, 4)", "4"),
        ("(random: 4, 4)", "4"),
        ("either('x', 'x')", "x"),
        ("visited()", "1"),
        ("visited('Other')", "0"),
        ("turns()", "0"),
    ],
)
def test_a_value_is_worked_out(expression: str, value: str):
    parsed = parse_twee("a.twee", f":: Start\n<<= {expression}>>.\n[[Other]]\n:: Other\nx\n")

    assert parsed.problems == ()
    assert parsed.story.begin(1).paragraphs == (f"{value}.",)


@pytest.mark.parametrize(
    "expression", ["", "1 +", "(1", "f(1)", "$a.b", "$a contains 1", "visited($x)", "1 2", "[1]", "a ? b : c"]
)
def test_what_is_not_wholly_understood_is_refused(expression: str):
    problems = parse_twee("a.twee", f":: Start\n<<= {expression}>>.\n").problems

    assert [one.line for one in problems] == [2]
    assert issubclass(UnsupportedExpression, ValueError)


def test_a_temporary_variable_has_a_name_of_its_own():
    assert variable_name("$a") == variable_name("a") != variable_name("_a")
