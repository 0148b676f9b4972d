"""A look at a thing shows what its author wrote for it, and a sense what it meets at a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec
import pytest

from narratoria import app
from narratoria.campaign.campaign import Campaign, CloserLook
from narratoria.engine.action import situation_of
from narratoria.engine.closer_looks import find_closer_look
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.planner.intent import Intent, Mention
from narratoria.state import SessionState


@pytest.fixture(scope="module")
def harrowmere() -> Campaign:
    campaign = app.open_campaign("harrowmere")
    foundry = replace(
        campaign.places["foundry"],
        things=(
            CloserLook(("furnace", "oven"), "Brick to the height of your chest."),
            CloserLook(("furnace door",), "Cast last week."),
            CloserLook(("bench",), "A vice, and shavings."),
        ),
        senses={"smell": "Loam and singed hair.", "search": "Nothing that is not iron."},
    )
    ottoline = msgspec.structs.replace(
        campaign.people["ottoline-carrow"], things=(CloserLook(("hands", "fingers"), "Burnt and quick."),)
    )
    return replace(
        campaign,
        places={**campaign.places, "foundry": foundry},
        people={**campaign.people, "ottoline-carrow": ottoline},
    )


def look(
    act: str,
    text: str,
    campaign: Campaign,
    *,
    person: str = "",
    thing: str = "",
    seen: int = 0,
    state: Mapping[str, object] | None = None,
) -> str:
    progress = Progress(place="foundry", scene=3, detail_counts={"foundry": seen})
    story = StorySnapshot(
        id="s", campaign=campaign.name, seed=1, progress=progress, state=SessionState(dict(state or {}))
    )
    intent = Intent(
        act=act,
        text=text,
        person=Mention(person, person, person) if person else None,
        thing=Mention(thing, thing, thing) if thing else None,
    )
    evidence = find_closer_look(intent, situation_of(story, campaign))
    return evidence.text if evidence else ""


@pytest.mark.parametrize("words", ["look at the furnace", "examine the oven", "check the furnaces over"])
def test_a_thing_is_seen_by_any_of_its_names(words: str, harrowmere: Campaign) -> None:
    assert look("examine", words, harrowmere) == "Brick to the height of your chest."


def test_the_longest_name_is_meant(harrowmere: Campaign) -> None:
    assert look("examine", "look at the door of the furnace", harrowmere) == "Cast last week."


def test_of_two_things_the_first_is_looked_at(harrowmere: Campaign) -> None:
    assert look("examine", "look at the bench by the furnace", harrowmere) == "A vice, and shavings."


def test_what_belongs_to_somebody_is_seen_where_they_are(harrowmere: Campaign) -> None:
    assert look("examine", "look at her hands", harrowmere, person="ottoline-carrow") == "Burnt and quick."


def test_what_nobody_wrote_is_left_to_others(harrowmere: Campaign) -> None:
    assert look("examine", "look at the chandelier", harrowmere) == ""
    assert look("take", "take the furnace", harrowmere) == ""


def test_a_sense_meets_what_is_written_for_it(harrowmere: Campaign) -> None:
    assert look("smell", "sniff the air", harrowmere, thing="air") == "Loam and singed hair."
    assert look("taste", "taste the air", harrowmere) == ""


def test_a_search_shows_the_layers_of_a_place_first(harrowmere: Campaign) -> None:
    layers = len(harrowmere.places["foundry"].details)
    assert look("search", "search the place", harrowmere) == ""
    assert look("search", "search the place", harrowmere, seen=layers) == "Nothing that is not iron."


def test_what_was_taken_away_is_not_seen_any_more(harrowmere: Campaign) -> None:
    state = {"world": {"things": {"bench": {"holder": "player"}}}}
    assert look("examine", "look at the bench", harrowmere, state=state) == ""


def test_where_nobody_wrote_of_a_sense_the_place_says_what_is_heard(harrowmere: Campaign) -> None:
    landing = replace(harrowmere.places["landing"], senses={}, arrival="It is grey. A bell is heard far off.")
    campaign = replace(harrowmere, places={**harrowmere.places, "landing": landing})
    story = StorySnapshot(id="s", campaign=campaign.name, seed=1, progress=Progress(place="landing", scene=3))
    evidence = find_closer_look(Intent(act="listen", text="listen"), situation_of(story, campaign))
    assert evidence is not None
    assert evidence.text == "A bell is heard far off."
