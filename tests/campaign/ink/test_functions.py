"""The functions that ink has of its own give what the language says."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.campaign.ink.functions import NATIVE_ARGUMENTS, NUMBERS, call_native
from narratoria.campaign.ink.values import InkList, InkRuntimeError, ListItem

ITEMS = tuple(ListItem("mood", name, at) for at, name in enumerate(("calm", "cross", "furious"), 1))
LISTS = {"mood": ITEMS}
CALM, CROSS, FURIOUS = (InkList(frozenset((item,)), ("mood",)) for item in ITEMS)
ALL = InkList(frozenset(ITEMS), ("mood",))
NONE = InkList(frozenset(), ("mood",))


@pytest.mark.parametrize(
    ("name", "values", "result"),
    [
        ("MIN", (3, 4), 3),
        ("MAX", (3, 4.5), 4.5),
        ("POW", (2, 3), 8),
        ("FLOOR", (2.7,), 2),
        ("CEILING", (2.1,), 3),
        ("INT", (3.9,), 3),
        ("FLOAT", (3,), 3.0),
        ("LIST_COUNT", (ALL,), 3),
        ("LIST_MIN", (ALL,), CALM),
        ("LIST_MAX", (ALL,), FURIOUS),
        ("LIST_MAX", (NONE,), NONE),
        ("LIST_VALUE", (CROSS,), 2),
        ("LIST_VALUE", (NONE,), 0),
        ("LIST_ALL", (CROSS,), ALL),
        ("LIST_ALL", (NONE,), ALL),
        ("LIST_INVERT", (ALL,), NONE),
        ("LIST_RANGE", (ALL, 1, 1), CALM),
        ("LIST_RANGE", (ALL, CROSS, CROSS), CROSS),
        ("LIST_ITEM", ("mood", 2), CROSS),
        ("LIST_ITEM", ("mood", 9), NONE),
    ],
)
def test_a_function_gives(name: str, values: tuple[Any, ...], result: Any):
    assert call_native(name, values, LISTS) == result


def test_every_function_of_numbers_is_known_with_its_arguments():
    assert set(NUMBERS) < set(NATIVE_ARGUMENTS)


@pytest.mark.parametrize(("name", "values"), [("LIST_MIN", (3,)), ("FLOOR", ("x",)), ("MIN", ("a", "b"))])
def test_other_values_are_an_error_of_the_story(name: str, values: tuple[Any, ...]):
    with pytest.raises(InkRuntimeError):
        call_native(name, values, LISTS)
