"""Who is spoken to about something of their own says a sentence of their own about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.campaign.campaign import (
    Campaign,
    Manifest,
    Personality,
    Place,
    Profile,
    ProfileMetadata,
    SpeechPatterns,
)
from narratoria.engine.conditions import StorySituation
from narratoria.engine.own_matter import find_own_matter
from narratoria.engine.snapshot import Progress
from narratoria.planner.intent import Intent, Mention

DOREEN = Profile(
    name="Doreen Pask",
    role="receptionist",
    personality=Personality(),
    appearance="She is small.",
    background="She came in 1986. Her husband bought the cardigan on his last day.",
    motivations=("to see the sea again",),
    speech_patterns=SpeechPatterns(examples=("Wet floor.",)),
    secrets="# Secrets\n\nShe took the trophy home.",
    metadata=ProfileMetadata(first_appearance="foyer"),
)
CAMPAIGN = Campaign(
    Path(),
    Manifest(title="t", version="1.0.0"),
    start="foyer",
    places={"foyer": Place("foyer", "The foyer", "It is warm."), "pool": Place("pool", "The pool", "Wet.")},
    people={"doreen": DOREEN},
)


def own(words: str, act: str = "praise", place: str = "foyer", **progress: object) -> str:
    story = StorySituation(CAMPAIGN, Progress(place=place, **progress), frozenset())  # type: ignore[arg-type]
    intent = Intent(act=act, text=words, person=Mention("Doreen", "doreen", "Doreen Pask"))
    evidence = find_own_matter(intent, story)
    return evidence.spoken if evidence else ""


def test_who_is_praised_for_something_says_where_they_have_it_from() -> None:
    assert own("that cardigan suits you") == "My husband bought the cardigan on his last day."


def test_what_somebody_wants_is_said_to_an_offer_of_it() -> None:
    assert "sea" in own("I could take you to the sea", act="bargain")


@pytest.mark.parametrize(
    ("words", "act", "place"),
    [
        ("you are kind", "praise", "foyer"),  # touches nothing of hers
        ("that cardigan suits you", "ask", "foyer"),  # a question finds its own evidence
        ("give back the trophy", "accuse", "foyer"),  # a secret is not said in passing
        ("that cardigan suits you", "praise", "pool"),  # she is elsewhere
    ],
)
def test_otherwise_nothing_is_added(words: str, act: str, place: str) -> None:
    assert own(words, act, place) == ""


def test_nobody_says_it_twice() -> None:
    assert own("that cardigan suits you", evidence={"doreen/background/0": 1}) == ""
