"""Ink's operators make of its values what the language says."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.campaign.ink.values import (
    InkList,
    InkRuntimeError,
    ListItem,
    Target,
    apply_binary,
    apply_unary,
    as_text,
    is_true,
    power,
)

LAMP, ROPE, KEY = (ListItem("things", name, at) for at, name in enumerate(("lamp", "rope", "key"), 1))
LISTS = {"things": (LAMP, ROPE, KEY)}


def things(*items: ListItem) -> InkList:
    return InkList(frozenset(items), ("things",))


@pytest.mark.parametrize(
    ("left", "operator", "right", "result"),
    [
        (7, "/", 2, 3),
        (-7, "/", 2, -3),
        (-7, "%", 3, -1),
        (7, "/", 2.0, 3.5),
        (True, "+", 1, 2),
        ("a", "+", 1, "a1"),
        ("1", "==", 1, True),
        (1, "==", 1.0, True),
        ("abc", "?", "b", True),
        ("abc", "!?", "b", False),
        (Target("a"), "==", Target("a"), True),
        (Target("a"), "!=", Target("a"), False),
        (things(LAMP), "+", things(ROPE), things(LAMP, ROPE)),
        (things(LAMP, ROPE), "-", things(ROPE), things(LAMP)),
        (things(LAMP, ROPE), "^", things(ROPE, KEY), things(ROPE)),
        (things(LAMP, ROPE), "?", things(ROPE), True),
        (things(LAMP), "?", things(), False),
        (things(LAMP), "+", 1, things(ROPE)),
        (things(KEY), "+", 1, things()),
        (things(ROPE), ">", things(LAMP), True),
        (things(LAMP, KEY), ">=", things(LAMP, ROPE), True),
        (things(LAMP, KEY), "<=", things(LAMP, ROPE), False),
        (things(), "<", things(LAMP), True),
        (things(ROPE), "==", 2, True),
    ],
)
def test_an_operator_makes_of_two_values(left: Any, operator: str, right: Any, result: Any):
    outcome = apply_binary(operator, left, right, LISTS)

    assert outcome == result
    assert type(outcome) is type(result)


@pytest.mark.parametrize(
    ("left", "operator", "right"),
    [(1, "/", 0), ("a", "-", 1), (Target("a"), "+", 1), (things(LAMP), "?", 1), (1.0e308, "*", "x")],
)
def test_what_makes_no_sense_is_an_error_of_the_story(left: Any, operator: str, right: Any):
    with pytest.raises(InkRuntimeError):
        apply_binary(operator, left, right, LISTS)


def test_values_are_told_as_ink_tells_them():
    values = (True, 3, 2.0, 0.1 + 0.2, "x", things(KEY, LAMP), None)

    assert [as_text(one) for one in values] == ["true", "3", "2", "0.3", "x", "lamp, key", ""]


def test_a_place_is_no_condition_and_an_empty_list_is_not_so():
    assert not is_true(things())
    assert apply_unary("!", things()) is True
    assert apply_unary("-", 3) == -3
    with pytest.raises(InkRuntimeError, match="is a place"):
        is_true(Target("a"))


def test_a_power_that_is_too_large_is_not_worked_out():
    assert power(2, 3) == 8
    with pytest.raises(OverflowError):
        power(10, 100_000)
    with pytest.raises(InkRuntimeError):
        power(-8, 0.5)
