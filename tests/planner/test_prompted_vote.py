"""A model without training votes with one word, and its vote tips only what is in doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from evals.planning.offered import open_catalogue

from narratoria.errors import ModelUnavailable
from narratoria.planner.plan_scripts import RECALL, ROLL, Score, find_offers
from narratoria.planner.prompted_vote import NONE, apply_vote, ask_model, build_question, label_words
from narratoria.planning.plan import PlanRequest

OFFERS = find_offers(PlanRequest("", open_catalogue().skills))


class WordModel:
    """Gives every word the same score."""

    def __init__(self, score: float) -> None:
        self._score = score

    async def score(self, prompt: str, labels: Sequence[str], *, within: float = 1.0) -> dict[str, float]:
        return dict.fromkeys(labels, self._score)


def test_there_is_a_word_for_every_label_and_for_none() -> None:
    labels = label_words(OFFERS).values()
    assert {ROLL, RECALL, NONE} <= set(labels)


def test_only_the_end_of_the_question_differs_between_actions() -> None:
    one, other = build_question("I  climb", OFFERS), build_question("I sing", OFFERS)
    assert one.endswith("\nAction: I climb\nWord:")
    assert one.removesuffix("I climb\nWord:") == other.removesuffix("I sing\nWord:")


async def test_a_model_scores_each_label() -> None:
    vote = await ask_model(WordModel(-1.0), "I climb", OFFERS, 1.0)
    assert set(vote) == set(label_words(OFFERS).values())


async def test_weights_that_are_no_numbers_are_no_answer() -> None:
    with pytest.raises(ModelUnavailable):
        await ask_model(WordModel(math.nan), "I climb", OFFERS, 1.0)


def test_a_vote_moves_a_score_by_what_the_model_says_of_this_action_alone() -> None:
    scores = (Score(ROLL, 0.5, 0.5, "so"), Score(RECALL, 0.5, 0.5, "so"))
    moved = apply_vote(scores, {ROLL: -1.0, RECALL: -3.0}, {ROLL: -3.0, RECALL: -3.0})
    assert moved[0].needed > 0.5
    assert moved[1].needed == pytest.approx(0.5)


def test_a_vote_does_not_overrule_what_is_certain() -> None:
    (moved,) = apply_vote([Score(ROLL, 0.01, 0.01, "so")], {ROLL: 0.0}, {ROLL: -100.0})
    assert not moved.is_chosen
