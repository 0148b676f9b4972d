"""The ending of a story that none of its campaign's endings can end any more."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from tests.engine.small_story import beat, situation, story

from narratoria.campaign.campaign import Conditions, Ending
from narratoria.engine import beats
from narratoria.engine.conditions import StorySituation
from narratoria.engine.memory.compress import History, Summary
from narratoria.engine.otherwise import CLOSING_BEAT, closing_beat, default_ending, load_lines, note_closing
from narratoria.engine.snapshot import Progress

END = beat("end", Conditions(player_choice="Drink with Ada"), ending="cups", npcs=("ada",))
LOST: dict[str, Any] = {"world": {"things": {"lamp": {"holder": "", "place": ""}}}}


def after(state: dict[str, Any] | None = None, **fields: Any) -> StorySituation:
    history = History(recent=(Summary(scene=3, text="You killed Ada with a spade.", weight=0.4),))
    progress = Progress(place="inn", scene=4, history=history, met_people=("ada", "bo"), **fields)
    return situation(story(END), progress, state=state or {})


def test_a_killing_that_closes_the_last_ending_is_noted_with_its_scene() -> None:
    assert note_closing(after()).closed_since == 0
    assert note_closing(after(dead=("ada",))).closed_since == 4
    assert note_closing(after(dead=("bo",))).closed_since == 0
    assert note_closing(after(dead=("ada",), ending="cups")).closed_since == 0


def test_the_beat_that_ends_it_is_offered_everywhere_until_the_story_is_over() -> None:
    closed = after(dead=("ada",), closed_since=4)
    over = after(dead=("ada",), closed_since=4, ending="otherwise")

    assert [one.id for one in beats.openings(closed)] == [CLOSING_BEAT]
    assert closing_beat(closed).location == ""  # type: ignore[union-attr]
    assert closing_beat(after()) is closing_beat(over) is None


def test_a_default_ending_tells_what_happened_with_every_slot_filled() -> None:
    closed = after({"perception": {"bo": -60}}, dead=("ada",), closed_since=4, company=("bo",))
    closing, ending = closing_beat(closed), default_ending(closed)
    text = " ".join((closing.description, *ending.paragraphs))  # type: ignore[union-attr]

    assert "Ada" in text
    assert "You killed Ada with a spade." in text
    assert "Bo" in text
    assert "the inn" in text
    assert "{" not in text
    assert default_ending(closed) == ending, "the same story ends in the same words"


@pytest.mark.parametrize(("state", "word"), [(LOST, "the lamp"), ({}, "")])
def test_what_is_lost_or_missed_ends_a_story_in_words_of_its_own(state: dict[str, Any], word: str) -> None:
    closing = closing_beat(after(state, closed_since=4))

    assert closing is not None
    assert word in closing.description
    assert "{" not in closing.description


def test_the_authors_own_ending_has_the_word() -> None:
    closed = after(dead=("ada",), closed_since=4)
    page = Ending("otherwise", "Nobody drinks", ("The cups stay on their hooks.",))
    campaign = story(END, endings={"otherwise": page})
    closing = closing_beat(StorySituation(campaign, closed.progress, frozenset()))

    assert closing is not None
    assert (closing.title, closing.description) == ("Nobody drinks", "")


def test_the_lines_name_no_slot_that_nothing_fills() -> None:
    known = {"dead", "was", "lost", "taken", "cold", "warm", "company", "place", "past"}

    assert set(re.findall(r"\{(\w+)\}", msgspec.json.encode(load_lines()).decode())) <= known
