"""What a model says besides its prose: a fact, and choices that lead where the engine knows they lead."""

from __future__ import annotations

import pytest

from narratoria import app
from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.action import choose
from narratoria.engine.facts import build_facts
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.stand_in_choices import list_stand_ins
from narratoria.engine.told_by_model import add_told_choices, read_fact, told_choices


@pytest.fixture(scope="module")
def facts() -> SceneFacts:
    campaign = app.open_campaign("harrowmere")
    story = StorySnapshot(id="s", campaign="harrowmere", seed=1, progress=Progress(place="landing", scene=3))
    return build_facts(choose(Choice(text="Wait", kind="wait"), story, campaign), story, campaign)


def test_an_option_in_other_words_leads_where_it_did(facts: SceneFacts) -> None:
    options = list_stand_ins(facts, "")
    number, option = next((at, one) for at, one in enumerate(options, 1) if one.topic)
    reworded = f"{option.text}, quietly"
    (choice,) = told_choices({"choices": [{"option": number, "text": reworded}]}, facts, "")
    assert choice.text == reworded
    assert (choice.kind, choice.topic, choice.because) == (option.kind, option.topic, option.because)


def test_an_option_that_is_numbered_wrongly_is_taken_by_its_words(facts: SceneFacts) -> None:
    options = list_stand_ins(facts, "")
    number, option = next((at, one) for at, one in enumerate(options, 1) if one.kind == "go")
    other = next(at for at, one in enumerate(options, 1) if at != number and one.kind != "go")
    (wrong,) = told_choices({"choices": [{"option": other, "text": option.text}]}, facts, "")
    assert (wrong.kind, wrong.beat, wrong.target) == ("free", "", "")
    assert wrong.because
    (meant,) = told_choices({"choices": [{"option": other, "text": "Whistle a hymn"}]}, facts, "")
    assert meant.kind == options[other - 1].kind


@pytest.mark.parametrize(
    "narration",
    [
        {},
        {"choices": "no list"},
        {"choices": [None, 3, {"text": 7}, {"text": ""}, {"text": "x" * 500}]},
        {"choices": [{"option": 99}]},
    ],
)
def test_what_is_no_choice_is_none(facts: SceneFacts, narration: dict[str, object]) -> None:
    assert told_choices(narration, facts, "") == ()


@pytest.mark.parametrize(
    ("given", "kept"), [(" It  is so. ", "It is so."), (7, ""), (None, ""), ("x" * 999, "")]
)
def test_a_fact_is_one_sentence_or_none(facts: SceneFacts, given: object, kept: str) -> None:
    assert read_fact({"fact": given}, facts) == kept


def test_a_fact_may_speak_of_who_is_elsewhere_and_names_nobody_new(facts: SceneFacts) -> None:
    elsewhere = "Senna Rook does not know yet that you have the letter."
    assert read_fact({"fact": elsewhere}, facts) == elsewhere
    assert read_fact({"fact": "You have met Captain Ahab on the landing."}, facts) == ""


def test_what_the_author_offers_stays_beside_a_models_choices() -> None:
    beat = Choice(text="Open the letter", kind="beat", beat="letter")
    others = [Choice(text="Look", kind="look"), beat, Choice(text="Go home", kind="go", target="home")]
    told = [
        Choice(text="Hum"),
        Choice(text="Head home at last", kind="go", target="home"),
        Choice(text="Sit"),
    ]
    texts = [choice.text for choice in add_told_choices(told, others)]
    assert texts == ["Hum", "Head home at last", "Sit", "Open the letter"]
    assert add_told_choices([], others) == others
