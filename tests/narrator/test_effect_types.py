"""Effects are parsed from what units write, and bound to what their slots stand for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from narratoria import contracts
from narratoria.narrator.effect_types import EFFECT_KINDS, Effect, bind_effects, parse_effect


def test_an_effect_is_one_kind_with_its_details() -> None:
    assert parse_effect({"gives": "thing", "to": "person"}) == Effect("gives", "thing", to="person")
    assert parse_effect({"likes": "person", "by": 5}) == Effect("likes", "person", by=5)


def test_a_span_of_time_is_counted_in_minutes() -> None:
    assert parse_effect({"time": "half an hour"}).by == 30


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "names nothing"),
        ({"gives": "thing", "takes": "thing"}, "names gives, takes"),
        ({"gives": "thing", "at": "noon"}, "'at' is not a detail"),
        ({"gives": 3}, "takes a text"),
        ({"likes": "person", "by": "much"}, "whole number"),
        ({"time": "an age"}, "'an age' is not a span of time"),
    ],
)
def test_a_wrong_effect_is_refused_with_the_reason(document: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_effect(document)


def test_slots_are_replaced_by_what_they_stand_for() -> None:
    effects = (Effect("gives", "thing", to="person", why="for {thing}"),)
    slots = {"thing": "bread", "person": "pike"}
    assert bind_effects(effects, slots) == (Effect("gives", "bread", to="pike", why="for bread"),)


def test_an_effect_on_nothing_is_left_out() -> None:
    effects = (Effect("takes", "thing"), Effect("gives", "bread", to="person"), Effect("learns", "a name"))
    assert bind_effects(effects, {"place": "the mill"}) == (Effect("learns", "a name"),)


def test_the_contract_of_units_lists_the_same_effects() -> None:
    schema = json.loads((Path(contracts.__file__).parent / "unit.schema.json").read_text(encoding="utf-8"))
    names = schema["properties"]["effects"]["items"]["propertyNames"]["enum"]

    assert set(names) - {"to", "by", "why", "how", "what"} == set(EFFECT_KINDS)


def test_nobody_is_taken_like_a_thing() -> None:
    """“I catch the boy” leaves no boy among what the player carries."""
    taking = (Effect("takes", "thing"),)
    assert bind_effects(taking, {"thing": "brass lamp"})[0].target == "brass lamp"
    assert bind_effects(taking, {"thing": "small boy"}) == ()
    assert bind_effects(taking, {"thing": "boy's cap"})[0].target == "boy's cap"
