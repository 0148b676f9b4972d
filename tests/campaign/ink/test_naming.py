"""A name is looked up from where it stands outwards."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.naming import InkNames
from narratoria.campaign.ink.parser import Parser

INK = """- (top) x
LIST mood = calm, cross
LIST sea = calm, wild
=== inn
~ temp t = 1
- (bar) x
= room
- (bed) x
= bar_room
x
=== mill(n)
- (bar) x
= room
x
"""


@pytest.fixture
def names() -> InkNames:
    return InkNames(Parser(lambda _: None).parse("a.ink", INK))


@pytest.mark.parametrize(
    ("path", "home", "place"),
    [
        ("bar", "inn", "inn.bar"),
        ("bar", "mill.room", "mill.bar"),
        ("room", "inn", "inn.room"),
        ("room", "mill", "mill.room"),
        ("inn.room", "mill", "inn.room"),
        ("inn.room.bed", "mill", "inn.room.bed"),
        ("inn.bed", "mill", "inn.room.bed"),
        ("bed", "inn", "inn.room.bed"),
        ("bed", "mill", ""),
        ("top", "mill.room", "top"),
        ("mill", "", "mill"),
        ("nowhere", "inn", ""),
    ],
)
def test_a_place_is_found(names: InkNames, path: str, home: str, place: str):
    assert names.find_place(tuple(path.split(".")), home) == place


def test_temporary_variables_and_items_of_lists_are_known(names: InkNames):
    assert names.is_temporary("t", "inn.room")
    assert names.is_temporary("n", "mill")
    assert not names.is_temporary("t", "mill")
    assert names.find_item(("calm",)) == ("mood", "calm")
    assert names.find_item(("sea", "calm")) == ("sea", "calm")
    assert names.find_item(("sea", "cross")) is None
