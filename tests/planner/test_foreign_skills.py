"""A skill of which only the manifest is known is scored by likeness and by reading it with the action."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference.installed_models import find_embedder
from narratoria.planner.foreign_skills import (
    BACKGROUND_READ,
    FEATURES,
    LIKENESSES,
    ForeignSkillScorer,
    describe_views,
)
from narratoria.planner.skill_scorer import SkillScorer
from narratoria.skills.skill import Skill

RADIO = Skill(
    name="ghost-radio",
    version="1.0.0",
    description="Tunes an old radio set; says which voice comes through. Knows all stations.",
    folder=Path("/nowhere"),
    capabilities=("radio", "stations"),
    examples=("I turn on the radio",),
)


@pytest.fixture(scope="module")
def scorer() -> ForeignSkillScorer:
    folder = find_embedder()
    assert folder is not None
    return SkillScorer.open(folder).foreign


def needs(scorer: ForeignSkillScorer, action: str, *skills: Skill) -> dict[str, float]:
    return {name: score.need for name, score in scorer.score(action, skills).items()}


def test_a_skill_whose_example_is_said_is_needed_surely(scorer) -> None:
    assert needs(scorer, "I turn on the radio", RADIO) == {"ghost-radio": 1.0}


def test_what_has_nothing_to_do_with_a_skill_does_not_need_it(scorer) -> None:
    assert needs(scorer, "I sit down by the stove", RADIO)["ghost-radio"] < 0.3


def test_a_description_that_goes_with_anything_is_measured_by_ordinary_actions(scorer) -> None:
    vague = Skill(
        "helper", "1.0.0", "Helps with whatever anybody asks.", Path("/nowhere"), display_name="helper"
    )
    assert needs(scorer, "ask the ferryman about his brother", vague)["helper"] < 0.5


def test_without_the_model_that_reads_likeness_decides(scorer) -> None:
    def unavailable():
        raise ModelUnavailable("it is not there")

    alone = ForeignSkillScorer(scorer.embed, scorer.encode, unavailable)
    assert needs(alone, "I turn the radio on", RADIO)["ghost-radio"] > 0.5
    assert needs(alone, "I sit down by the stove", RADIO)["ghost-radio"] < 0.5


def test_a_skill_is_compared_by_each_thing_that_it_says_of_itself(scorer) -> None:
    assert describe_views(RADIO)[1:] == [
        "Tunes an old radio set",
        "says which voice comes through",
        "Knows all stations",
        "radio, stations",
    ]
    likeness = dict(zip(LIKENESSES, scorer.compare(scorer.encode("Knows all stations"), RADIO), strict=True))
    assert likeness["about"] == pytest.approx(1, abs=0.01)
    assert likeness["description"] < likeness["about"]
    assert FEATURES[: len(LIKENESSES)] == LIKENESSES


def test_what_was_read_ahead_is_not_read_again(scorer) -> None:
    model, read = scorer.open_model(), []

    class Counting:
        read_pair = staticmethod(model.read_pair)

        @staticmethod
        def encode_pair(first, second):
            read.append(first)
            return model.encode_pair(first, second)

    ahead = ForeignSkillScorer(scorer.embed, scorer.encode, Counting)
    ahead.prepare([RADIO])
    assert tuple(read) == BACKGROUND_READ
    before = needs(ahead, "I fiddle with the dial", RADIO)
    assert tuple(read) == BACKGROUND_READ, "the action alone was read"
    assert before == needs(scorer, "I fiddle with the dial", RADIO)
