"""Expressions of authors: read as far as they can be decided, and refused where they never can."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from narratoria.campaign.expressions import (
    And,
    Compare,
    Contains,
    Not,
    Or,
    Unknown,
    compile_expression,
    conjuncts,
    expression_problem,
    names_in,
    parse_expression,
    possible_truth,
)


class Known:
    """Flags that are set, flags that may be, and nothing about anything else."""

    def __init__(self, always: set[str], perhaps: set[str]) -> None:
        self.always, self.perhaps = always, perhaps

    def has(self, name: str, value: str) -> tuple[bool, bool]:
        return value in self.always | self.perhaps, value not in self.always

    def compare(self, path: tuple[str, ...], op: str, value: Any) -> tuple[bool, bool]:
        return self.anything()

    def anything(self) -> tuple[bool, bool]:
        return True, True


@pytest.mark.parametrize(
    ("expression", "node"),
    [
        ('"lit" in flags', Contains("flags", "lit")),
        ("scene >= 3", Compare(("scene",), ">=", 3)),
        ("3 <= scene", Compare(("scene",), ">=", 3)),
        ('told["fire"] == "success"', Compare(("told", "fire"), "==", "success")),
        ("told.fire == 'success'", Compare(("told", "fire"), "==", "success")),
        ('!("lit" in flags)', Not(Contains("flags", "lit"))),
        ('"a" in flags && "b" in flags', And((Contains("flags", "a"), Contains("flags", "b")))),
        ('"a" in flags || "b" in flags', Or((Contains("flags", "a"), Contains("flags", "b")))),
        ("items.exists(i, i == 'key')", Unknown()),
        ("scene + 1 > 3", Unknown()),
    ],
)
def test_an_expression_is_read_as_far_as_it_can_be_decided(expression: str, node: object) -> None:
    assert parse_expression(expression) == node


@pytest.mark.parametrize(
    ("expression", "truth"),
    [
        ('"on" in flags', (True, False)),
        ('"off" in flags', (False, True)),
        ('"maybe" in flags', (True, True)),
        ('!("off" in flags)', (True, False)),
        ('"on" in flags && "off" in flags', (False, True)),
        ('"on" in flags || "maybe" in flags', (True, False)),
        ('"maybe" in flags && scene > 3', (True, True)),
        ("true", (True, False)),
        ("false", (False, True)),
    ],
)
def test_what_an_expression_can_be_follows_from_its_parts(expression: str, truth: tuple[bool, bool]) -> None:
    assert possible_truth(parse_expression(expression), Known({"on"}, {"maybe"})) == truth


def test_the_parts_that_must_all_be_true_are_found() -> None:
    parts = list(conjuncts(parse_expression('"a" in flags && ("b" in flags || scene > 1) && "c" in flags')))
    assert Contains("flags", "a") in parts
    assert Contains("flags", "c") in parts
    assert Contains("flags", "b") not in parts


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "ends too early"),
        ("scene >", "ends too early"),
        ("scene = 3", "cannot be read"),
        ("weather == 'rain'", "speaks of 'weather'; there are flags"),
        ("flags.lit == true", '`flags` is a list; write `"lit" in flags`'),
        ("scene > " + "1" * 2000, "longer than 2000 characters"),
        ("items.all(a, items.all(b, items.all(c, a == b && b == c)))", "more than 2 times"),
    ],
)
def test_an_expression_that_can_never_be_evaluated_says_why(expression: str, words: str) -> None:
    assert words in expression_problem(expression)


@pytest.mark.parametrize("expression", ['"lit" in flags', "items.exists(i, i == 'key')", "stats.wits > 2"])
def test_an_expression_that_can_be_evaluated_has_no_problem(expression: str) -> None:
    assert expression_problem(expression) == ""


def test_loops_that_would_never_end_are_not_compiled() -> None:
    with pytest.raises(ValueError, match="more than 2 times"):
        compile_expression("items.map(a, items.map (b, items.filter(c, true)))")


def test_an_expression_without_a_bound_is_not_compiled() -> None:
    """The evaluator calls itself for each level: 200,000 sums ended the process."""
    for endless in ("1" + "+1" * 200_000, "(" * 100_000, "!" * 100_000 + "true", "[" * 3000):
        with pytest.raises(ValueError, match="longer than"):
            compile_expression(endless)


def test_whatever_is_nested_too_deep_cannot_be_decided() -> None:
    assert parse_expression("(" * 500 + "true" + ")" * 500) == Unknown()


def test_the_evaluator_comes_without_the_terminal_of_its_package() -> None:
    source = (
        "import sys; from narratoria.campaign.expressions import compile_expression\n"
        "assert compile_expression('1 in [1]').execute({})\n"
        "assert 'prompt_toolkit' not in sys.modules\n"
        "import cel; assert cel.compile('2 in [2]').execute({})"
    )
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_names_of_an_expression_are_those_it_speaks_of() -> None:
    assert names_in('"a" in flags && told["fire"] == "success"') == {"flags", "told"}
    assert names_in("1 < 2") == set()
