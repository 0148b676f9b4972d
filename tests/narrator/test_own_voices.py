"""What people say in composed scenes: of their own matters, in their own manner, and no two of them alike."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narratoria.narrator import prose_sayings
from narratoria.narrator.first_person import as_own_deed, as_own_wish, meant_by, pronoun_of
from narratoria.narrator.manner import Manner
from narratoria.narrator.prose import compose_drafts
from narratoria.narrator.prose_memory import after_telling
from narratoria.narrator.prose_talk import own_matters

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
    ("note", "said"),
    [
        ("has never left her post for weather", "I have never left my post for weather."),
        ("pays what she owes on the day", "I pay what I owe on the day."),
        ("would go back out for anybody", "I would go back out for anybody."),
        ("never lets anyone pay for soup", "I never let anyone pay for soup."),
        ("goes first into every dark room", "I go first into every dark room."),
        ("carries it home and washes it", "I carry it home and wash it."),
        ("tells the truth about pots and pans", "I tell the truth about pots and pans."),
        ("is not ashamed", "I am not ashamed."),
    ],
)
def test_what_is_noted_of_somebody_is_said_in_their_own_person(note: str, said: str) -> None:
    assert as_own_deed(note, "she") == said


@pytest.mark.parametrize(
    "note",
    [
        "Her younger brother",
        "feeds him and pretends that it is the cat",
        "has a bed made up, and has never said so",
        "has made room for, without being asked",
    ],
)
def test_what_nobody_would_say_of_themselves_is_not_said(note: str) -> None:
    assert as_own_deed(note, "she") == ""


@pytest.mark.parametrize(
    ("motive", "who", "wish"),
    [
        ("Hear her husband say her name", "she", "hear my husband say my name"),
        ("Keep the bridge open, as he did", "she", "keep the bridge open, as he did"),
        ("Find the house that he draws", "he", "find the house that I draw"),
        ("Cast one bell before she dies", "she", "cast one bell before I die"),
        ("Find out whose handwriting his is", "he", "find out whose handwriting mine is"),
        ("Bring them to her", "she", "bring them to me"),
        ("Be home by morning", "they", "be home by morning"),
        ("Not one more knot", "she", ""),
    ],
)
def test_what_somebody_wants_is_wanted_in_their_own_person(motive: str, who: Any, wish: str) -> None:
    assert as_own_wish(motive, who) == wish


def test_of_two_who_are_called_the_same_the_other_is_meant() -> None:
    assert pronoun_of(WARDEN) == "she"
    assert meant_by("she", "plays draughts with her", "she") == "it"
    assert meant_by("he", "knows her step, and that it makes him cry", None) == "he"
    assert meant_by("he", "knows his step", None) == "it"


@pytest.mark.parametrize(
    ("voice", "sayings", "said"),
    [
        ("", ["I'm here. It isn't far."], "I've never lied. It's true."),
        ("", ["I am here. It is not far."], "I have never lied. It is true."),
        ("", ["I been there. I done it."], "I never lied. It's true."),
        ("", ["You have a ——. It is ——.", "—— are you?"], "—— have never lied. It is true."),
        ("", ["It's you! Come in!", "Nine bells!"], "I've never lied! It's true."),
    ],
    ids=["runs-together", "whole", "dialect", "gaps", "loud"],
)
def test_the_same_words_sound_as_the_author_lets_somebody_sound(
    voice: str, sayings: list[str], said: str
) -> None:
    assert Manner.of({"voice": voice, "sayings": sayings}).says("I have never lied. It is true.") == said


def test_who_breaks_off_breaks_off() -> None:
    manner = Manner.of({"sayings": ["You're the one who. Yes. You have the. For the metal."]})
    assert (
        manner.says("All I want is to get to the end of the tune.")
        == "All I want is to get to the end of the."
    )


def test_nothing_is_run_together_at_the_end_of_a_sentence() -> None:
    assert Manner.of({"sayings": ["It's so."]}).says("I'll tell you how it is.") == "I'll tell you how it is."


@settings(max_examples=80, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.text(max_size=40), max_size=4),
    st.lists(st.text(max_size=40), max_size=3),
)
def test_whatever_an_author_notes_somebody_can_speak_of_it(
    voice: str, sayings: list[str], notes: list[str]
) -> None:
    person = {"name": "A", "voice": voice, "sayings": sayings, "motivations": notes, "virtues": notes}
    for ways in own_matters(person, [person]).all:
        assert ways
        assert all(isinstance(way, str) for way in ways)


def told(person: dict[str, Any], text: str = "Talk", turns: int = 12) -> list[str]:
    """What is told of talk with somebody who has said their lines, scene after scene."""
    used: dict[str, int] = {}
    scenes = []
    for number in range(2, turns + 2):
        facts = {
            "action": {"kind": "talk", "text": text, "person": person["name"], "number": number},
            "people": [person],
        }
        (draft,) = compose_drafts(facts, [""], seed=number, used=used).values()
        used = after_telling(used, draft, number)
        scenes.append(" ".join(draft))
    return scenes


def test_people_speak_of_what_is_theirs_and_each_in_their_manner() -> None:
    warden, clerk = " ".join(told(WARDEN)), " ".join(told(CLERK))
    assert any("I've never lost a key." in way for ways in own_matters(WARDEN, [WARDEN]).all for way in ways)
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
    lead = [line.rstrip(".") for line in prose_sayings.TOLD["formal"]]
    assert any(line in first for line in lead)
    assert "Not one blot more" in first or "I answer every letter" in first
