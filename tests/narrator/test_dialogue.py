"""People speak in composed scenes of their own matters, in their own manner, and no two of them alike."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.contracts.scene_facts import PersonFacts, SceneFacts
from narratoria.narrator.composer import compose_drafts
from narratoria.narrator.composer_lines import SAYINGS
from narratoria.narrator.dialogue import find_own_matters
from narratoria.narrator.phrase_memory import remember_phrases


def person_facts(notes: dict[str, Any]) -> PersonFacts:
    return msgspec.convert(notes, PersonFacts)


WARDEN = {
    "name": "Greta Moll",
    "id": "greta",
    "appearance": "Greta Moll stands in her doorway.",
    "habits": ["Greta Moll counts her keys."],
    "virtues": ["has never lost a key", "keeps what she promised and says nothing"],
    "motivations": ["See her sister home"],
    "relationships": {"Tam Birch": "Owes him a lamp, and will not say so to his face"},
    "voice": "Short, as if it were raining",
    "sayings": ["Mind the step. It's wet."],
    "met": True,
    "heard": 1,
}
CLERK = {
    "name": "Mr. Lyle Orde",
    "id": "orde",
    "appearance": "Mr. Orde straightens his cuffs.",
    "habits": ["Mr. Orde straightens his cuffs."],
    "virtues": ["answers every letter"],
    "motivations": ["Not one blot more"],
    "voice": "Formal and measured",
    "sayings": ["I am at your service. I do not ask what it is about."],
    "met": True,
    "heard": 1,
}


@pytest.mark.parametrize(
    ("motive", "asked"),
    [
        ("his daughter back", "My daughter back. That's all I want."),
        ("Who killed his brother?", "Who killed my brother. That's all I want."),
        ("Gold", "Gold. That's all I want."),
    ],
)
def test_what_is_no_deed_is_asked_for_in_their_own_person(motive: str, asked: str) -> None:
    person = person_facts({"name": "Tam", "habits": ["Tam counts his keys."], "motivations": [motive]})
    assert find_own_matters(person, [person]).wishes == ((asked,),)


def test_a_name_with_an_article_is_small_inside_a_sentence() -> None:
    tam = person_facts({"name": "Tam", "relationships": {"The Quiet": "owes it a song"}})
    (ways,) = find_own_matters(tam, []).others
    assert ways == ("The Quiet? I owe it a song.", "You want to know about the Quiet. I owe it a song.")


def test_who_wants_nothing_asks_for_nothing() -> None:
    person = person_facts({"name": "Tam", "motivations": ["", " ", "..."]})
    assert find_own_matters(person, [person]).wishes == ()


def test_what_somebody_wants_in_their_own_words_is_told_by_nobody_else() -> None:
    scenes = " ".join(
        told({**WARDEN, "motivations": ["Find my son", "Gold"], "virtues": [], "relationships": {}})
    )
    assert "find my son" in scenes
    assert "your son" not in scenes
    assert "to gold" not in scenes


@settings(max_examples=80, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.text(max_size=40), max_size=4),
    st.lists(st.text(max_size=40), max_size=3),
)
def test_whatever_an_author_notes_somebody_can_speak_of_it(
    voice: str, sayings: list[str], notes: list[str]
) -> None:
    person = person_facts(
        {"name": "A", "voice": voice, "sayings": sayings, "motivations": notes, "virtues": notes}
    )
    for ways in find_own_matters(person, [person]).all:
        assert ways
        assert all(isinstance(way, str) for way in ways)


def told(person: dict[str, Any], text: str = "Talk", turns: int = 12) -> list[str]:
    """Return the prose of talk with somebody who has said their lines, scene after scene."""
    used: dict[str, int] = {}
    scenes = []
    for number in range(2, turns + 2):
        facts = {
            "action": {"kind": "talk", "text": text, "person": person["name"], "number": number},
            "people": [person],
        }
        scene_facts = msgspec.convert(facts, SceneFacts)
        (draft,) = compose_drafts(scene_facts, [""], seed=number, used=used).values()
        used = remember_phrases(used, draft, number)
        scenes.append(" ".join(draft))
    return scenes


def test_people_speak_of_what_is_theirs_and_each_in_their_manner() -> None:
    warden, clerk = " ".join(told(WARDEN)), " ".join(told(CLERK))
    warden_facts = person_facts(WARDEN)
    assert any(
        "I've never lost a key." in way
        for ways in find_own_matters(warden_facts, [warden_facts]).all
        for way in ways
    )
    assert "see my sister home" in warden
    assert "Not one blot more" in clerk
    assert "sister" not in clerk
    assert "will not say so" not in warden


def test_who_cannot_bear_the_player_does_not_open_up() -> None:
    assert "sister" not in " ".join(told({**WARDEN, "tone": "cold"}))


def test_nobody_says_the_same_of_themselves_twice_in_a_row() -> None:
    scenes = told(WARDEN)
    assert sum("sister home" in scene for scene in scenes) <= 1, "whether she says it or it is told of her"
    assert sum("lost a key" in scene for scene in scenes) <= 1
    assert len(set(scenes)) == len(scenes)


def test_news_is_answered_with_what_it_means_to_whoever_hears_it() -> None:
    (first, *_) = told(CLERK, "Tell Mr. Orde that the ink is dry", turns=1)
    lead = [line.rstrip(".") for line in SAYINGS.replying_to_news["formal"]]
    assert any(line in first for line in lead)
    assert "Not one blot more" in first or "I answer every letter" in first
