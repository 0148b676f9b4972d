"""Whoever types a question in its author's words is given that author's answer."""

from __future__ import annotations

import pytest

from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import situation_of
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.topic_wordings import find_topic_by_wording


@pytest.fixture(scope="module")
def inn() -> Campaign:
    return app.open_campaign("tomorrows-post")


def topic_for(text: str, campaign: Campaign, *, place: str = "last-fire", last: str = "") -> str:
    story = StorySnapshot(id="s", campaign=campaign.name, seed=1, progress=Progress(place=place, scene=3))
    exact = find_topic_by_wording(text, situation_of(story, campaign), last)
    return exact[1].id if exact else ""


def test_the_very_words_are_enough_whatever_act_they_may_be(inn: Campaign) -> None:
    assert topic_for("Give me a beer!", inn) == "anselm-voke/topic/a-drink"
    assert (
        topic_for("What was your husband's name?", inn, place="bridge") == "ismay-corrie/topic/husband-name"
    )


def test_who_is_named_or_was_spoken_to_last_is_meant(inn: Campaign) -> None:
    assert topic_for("Hob, tell me a joke", inn) == "hob-tarrant/topic/a-joke"
    assert topic_for("tell me a joke, Hob Tarrant", inn) == "hob-tarrant/topic/a-joke"
    assert topic_for("tell me a joke", inn, last="hob-tarrant") == "hob-tarrant/topic/a-joke"


def test_other_words_and_closed_topics_are_left_to_the_reader(inn: Campaign) -> None:
    assert topic_for("what was your husband's hat called?", inn, place="bridge") == ""
    assert topic_for("did counting help", inn, place="bridge") == ""  # nobody has counted yet
    assert topic_for("what was your husband's name?", inn, place="last-fire") == ""


@pytest.mark.parametrize(
    "words",
    [
        "Mrs Corrie, is the bridge safe?",
        "hey ismay, is the bridge safe",
        "So, is the bridge safe then, Mrs. Corrie?",
        "Excuse me, is the bridge safe?",
    ],
)
def test_how_somebody_is_addressed_does_not_change_what_is_asked(words: str, inn: Campaign) -> None:
    plain = topic_for("is the bridge safe", inn, place="bridge")
    assert plain
    assert topic_for(words, inn, place="bridge") == plain


def test_a_doctor_may_be_called_one(inn: Campaign) -> None:
    assert topic_for("give me a beer, doctor", inn) == "anselm-voke/topic/a-drink"
