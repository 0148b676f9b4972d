"""Whoever something is done to says to it what they themselves would say, or what everybody knows."""

from __future__ import annotations

import json
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
from narratoria.engine.replies import find_reply
from narratoria.engine.snapshot import Progress
from narratoria.inference.text_matcher import TextMatcher
from narratoria.narrator.answer import answer_request
from narratoria.narrator.answer_request import AnswerContext, AnswerRequest, Listener
from narratoria.narrator.evidence import Evidence
from narratoria.narrator.repertoire import load_repertoire, read_units
from narratoria.planner.intent import Intent, Mention

HOLGER = Profile(
    name="Holger Brandt",
    role="ferryman",
    personality=Personality(),
    appearance="He is broad.",
    background="Holger Brandt has rowed this crossing for thirty years. His brother drowned here.",
    motivations=("to buy a boat with an engine",),
    speech_patterns=SpeechPatterns(
        examples=("I never took a bribe in my life.", "Bells go right into the teeth. Please do not ring.")
    ),
    secrets="# Secrets\n\nHe let the smugglers across on Monday, for forty crowns.",
    metadata=ProfileMetadata(first_appearance="landing"),
)
CAMPAIGN = Campaign(
    Path(),
    Manifest(title="t", version="1.0.0"),
    start="landing",
    places={
        "landing": Place("landing", "The landing", "Planks over water."),
        "inn": Place("inn", "The inn", "Warm."),
    },
    people={"holger": HOLGER},
)


def reply(
    matcher: TextMatcher, words: str, act: str, place: str = "landing", told: tuple[str, ...] = ()
) -> str:
    progress = Progress(place=place, evidence=dict.fromkeys(told, 1))
    intent = Intent(act=act, text=words, person=Mention("Holger", "holger", "Holger Brandt"))
    evidence = find_reply(intent, StorySituation(CAMPAIGN, progress, frozenset()), matcher)
    return evidence.spoken if evidence else ""


def test_a_threat_is_met_by_the_saying_that_it_touches(matcher: TextMatcher) -> None:
    assert "do not ring" in reply(matcher, "i'll ring every bell in the valley if you touch her", "threaten")


def test_an_offer_of_money_is_met_by_what_somebody_says_of_bribes(matcher: TextMatcher) -> None:
    assert "bribe" in reply(matcher, "slip him ten crowns to look the other way", "bargain")


@pytest.mark.parametrize(
    ("words", "act", "place"),
    [
        ("hello there", "greet", "inn"),  # he is elsewhere
        ("have you rowed long?", "ask", "landing"),  # a question finds its own evidence
        ("tell him the price of apples in the city has gone up", "tell", "landing"),  # touches nothing of his
    ],
)
def test_otherwise_nothing_is_brought_up(matcher: TextMatcher, words: str, act: str, place: str) -> None:
    assert reply(matcher, words, act, place) == ""


def test_who_stands_by_says_what_a_deed_reminds_them_of(matcher: TextMatcher) -> None:
    situation = StorySituation(CAMPAIGN, Progress(place="landing"), frozenset())
    intent = Intent(act="use", text="ring the bell by the landing as loud as i can")
    evidence = find_reply(intent, situation, matcher)
    assert evidence is not None
    assert (evidence.owner, "do not ring" in evidence.spoken) == ("holger", True)
    look = Intent(act="examine", text="look at the bell by the landing")
    assert find_reply(look, situation, matcher) is None


def test_a_secret_is_not_brought_up_unasked(matcher: TextMatcher) -> None:
    assert "smugglers" not in reply(matcher, "you let the smugglers across for money", "accuse")


def test_nobody_brings_up_the_same_thing_twice(matcher: TextMatcher) -> None:
    words = "i'll ring every bell in the valley if you touch her"
    assert "do not ring" not in reply(matcher, words, "threaten", told=("holger/says/1",))


@pytest.mark.parametrize(
    ("act", "outcome"),
    [("insult", "none"), ("threaten", "success"), ("order", "failure")],
)
def test_a_reply_is_told_inside_how_somebody_takes_it(act: str, outcome: str) -> None:
    saying = Evidence(
        id="holger/says/0", text="", source="saying", owner="holger", spoken="I never slept.", relevance=0.8
    )
    listener = Listener("holger", "Holger Brandt", "Holger", "he")
    context = AnswerContext(place="the landing", units=load_repertoire(), people={"holger": listener})
    request = AnswerRequest(act=act, outcome=outcome, person="holger", words="so there", own=saying)
    answer = answer_request(request, context)
    assert answer is not None
    assert "“I never slept,” says Holger." in answer.text
    assert answer.source == "evidence:holger/says/0"
    assert answer.is_attempt == (outcome == "failure")
    assert "I never slept." in answer.fact


def test_what_an_author_wrote_for_somebody_goes_before_a_likely_reply() -> None:
    unit = {
        "act": "insult",
        "who": {"person": "holger"},
        "text": "{short} laughs at you.",
        "fact": "A laugh.",
    }
    units = (*read_units(json.dumps({**unit, "outcome": "none"}), "test"), *load_repertoire())
    saying = Evidence(
        id="holger/says/0", text="", source="saying", owner="holger", spoken="I never slept.", relevance=0.7
    )
    context = AnswerContext(
        place="the landing",
        units=units,
        people={"holger": Listener("holger", "Holger Brandt", "Holger", "he")},
    )
    request = AnswerRequest(act="insult", person="holger", words="you oaf", own=saying)
    answer = answer_request(request, context)
    assert answer is not None
    assert answer.text == "Holger laughs at you."
