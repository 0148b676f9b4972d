"""A declared input is filled from the player's words and the scene, or says what is missing."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.planner.typed_input import InputSources, fill_typed_input

FACTS: dict[str, Any] = {
    "action": {
        "text": "I hold the lantern up for Maud",
        "number": 4,
        "intents": [
            {"act": "show", "person": "Maud", "personId": "maud", "thing": "lantern", "topic": "the lantern"}
        ],
    },
    "place": {"id": "inn", "name": "the inn", "visits": 2},
    "people": [{"id": "fenn", "name": "Fenn"}, {"id": "maud", "name": "Maud"}],
    "persona": {"name": "Ada", "items": ["a lantern"]},
    "gameTime": 90.0,
}


def fill(properties: dict[str, Any], text: str = "I hold the lantern up for Maud", **schema: Any):
    document = {"type": "object", "properties": properties, **schema}
    return fill_typed_input(document, InputSources(text, FACTS, earlier={"roll": {"$from": "roll"}}))


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        ("place", {"type": "string"}, "the inn"),
        ("place", {"type": "object"}, FACTS["place"]),
        ("placeId", {"type": "string"}, "inn"),
        ("who", {"type": "string"}, "Maud"),
        ("npc_id", {"type": "string"}, "maud"),
        ("thing", {"type": "string"}, "lantern"),
        ("topic", {"type": "string"}, "the lantern"),
        ("action", {"type": "string"}, "I hold the lantern up for Maud"),
        ("people", {"type": "array", "items": {"type": "string"}}, ["Fenn", "Maud"]),
        ("items", {"type": "array"}, ["a lantern"]),
        ("turn", {"type": "integer"}, 4),
        ("hour", {"type": "integer"}, 1),
        ("seen", {"type": "integer", "x-from": "/place/visits"}, 2),
        ("first", {"type": "string", "x-from": "/people/0/name"}, "Fenn"),
        ("mood", {"enum": ["hopeful", "grim"], "default": "grim"}, "grim"),
        ("roll", {"type": "object"}, {"$from": "roll"}),
    ],
)
def test_a_property_is_filled_by_its_pointer_or_its_name_and_type(name, part, value):
    filled = fill({name: part})
    assert filled.values == {name: value}
    assert filled.problems == ()


@pytest.mark.parametrize(
    ("text", "part", "value"),
    [
        ("I draw a grim omen", {"enum": ["hopeful", "grim"]}, "grim"),
        ("I draw three cards", {"type": "integer"}, 3),
        ("I draw 12 cards", {"type": "integer", "maximum": 20}, 12),
        ("I wait 1.5 hours", {"type": "number"}, 1.5),
    ],
)
def test_an_option_or_a_number_is_taken_from_the_words(text, part, value):
    assert fill({"chosen": part}, text).values == {"chosen": value}


def test_what_is_required_and_cannot_be_filled_is_a_problem():
    filled = fill({"spell": {"type": "string"}}, required=["spell"])
    assert filled.values == {}
    assert filled.problems == ("input: 'spell' is missing; add it",)


def test_a_value_that_does_not_fit_is_not_filled_in():
    assert fill({"place": {"type": "string", "maxLength": 3}}).values == {}


def test_what_comes_from_an_earlier_step_may_be_required():
    assert fill({"roll": {"type": "object"}}, required=["roll"]).problems == ()
