"""The character's page: a sheet with its things, from the state that the story has."""

from __future__ import annotations

from typing import Any

from narratoria.web.character import _conditions, _left_things, _thing_state


def test_a_sheet_says_who_the_player_is_and_what_they_carry(server: Any) -> None:
    persona = {
        "name": "Nell Harrow",
        "race": "Valley-born",
        "class": "Founder",
        "description": "Tall.",
        "stats": {"craft": 4},
        "traits": ["patient"],
        "attributes": {"home_town": "Callow"},
        "items": ["a tuning fork", "a letter"],
    }
    story = server.begin(campaign="harrowmere", persona=persona)
    page = server.get(f"/api/stories/{story}/character")
    assert (page["name"], page["description"]) == ("Nell Harrow", "Tall.")
    assert [(line["name"], line["value"]) for line in page["lines"]] == [
        ("Origin", "Valley-born"),
        ("Trade", "Founder"),
        ("Home town", "Callow"),
    ]
    assert [(stat["name"], stat["value"]) for stat in page["stats"]] == [("Craft", 4)]
    assert page["stats"][0]["most"] >= 4
    assert page["traits"] == ["patient"]
    assert [thing["name"] for thing in page["things"]] == ["a tuning fork", "a letter"]
    assert page["condition"] == page["left"] == []


def test_somebody_without_a_sheet_has_a_page_all_the_same(server: Any) -> None:
    story = server.begin()
    page = server.get(f"/api/stories/{story}/character")
    assert page["name"] == "You"
    assert page["lines"] == page["stats"] == []


def test_what_is_broken_lies_elsewhere_or_hurts_is_said() -> None:
    world = {
        "hurt": {"player": "a cut hand"},
        "held": {"place": "cellar", "by": "", "scene": 2},
        "things": {
            "the lamp": {"broken": True, "holder": "player"},
            "a ring": {"holder": "nobody-known"},
            "the rope": {"place": "pier", "holder": ""},
            "ash": {"burnt": True},
        },
    }
    assert _conditions(world, None) == ["You are hurt: a cut hand", "You are being held"]
    assert _thing_state("lamp", world) == {"broken": True, "holder": "player"}
    left = _left_things(world, ["lamp"], None)
    assert [(thing.name, thing.whereabouts) for thing in left] == [
        ("a ring", "Nobody known has it"),
        ("the rope", ""),
    ]
