"""The reading model: which act typed words are, and which text is right for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.reading_model import ReadingModel, open_reading_model
from narratoria.planner.intent import load_act_kinds, load_acts

OFFERS = ["Open the letter addressed in your own hand", "Climb down to the third span"]


@pytest.fixture(scope="module")
def model() -> ReadingModel:
    folder = find_embedder()
    assert folder is not None
    return open_reading_model(folder)


def test_it_knows_every_act_and_every_kind(model: ReadingModel) -> None:
    assert set(model.labels) == {*load_acts(), *load_act_kinds()}


def test_the_probabilities_of_all_labels_add_up_to_one(model: ReadingModel) -> None:
    assert sum(model.score_labels("whats in the hatbox missus").values()) == pytest.approx(1.0)


def test_the_offer_that_is_meant_is_probable_and_the_other_is_not(model: ReadingModel) -> None:
    meant, other = model.score_pairs("slit the envelope and read what i wrote to myself", OFFERS, "offer")
    assert meant > 0.5 > other


def test_a_score_does_not_depend_on_what_else_is_asked(model: ReadingModel) -> None:
    text = "down the ladder to the next span"
    assert model.score_pairs(text, OFFERS, "offer")[1] == model.score_pairs(text, OFFERS[1:], "offer")[0]


@pytest.mark.parametrize("typed", ["", "?", "a" * 5000, "word " * 2000, "\U0001f600 \u200b", "null\x00byte"])
def test_whatever_is_typed_gets_scores(model: ReadingModel, typed: str) -> None:
    assert sum(model.score_labels(typed).values()) == pytest.approx(1.0)
    assert 0 <= model.score_pairs(typed, [typed], "question")[0] <= 1


def test_a_folder_without_an_embedder_has_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable):
        open_reading_model(tmp_path)
