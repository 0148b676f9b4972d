"""The act classifier gives every act a probability, by meaning and by words."""

from __future__ import annotations

import numpy as np
import pytest

from narratoria.planner.act_classifier import ActClassifier, load_act_classifiers, mix_scores, word_vector
from narratoria.planner.intent import load_act_kinds, load_acts


def test_words_are_hashed_counts_of_length_one() -> None:
    vector = word_vector("I open the door", 64)
    assert vector.shape == (64,)
    assert np.linalg.norm(vector) == pytest.approx(1.0)


def test_articles_and_case_make_no_difference() -> None:
    assert np.array_equal(word_vector("Open the door", 64), word_vector("open a door", 64))


def test_a_text_without_words_is_nothing() -> None:
    assert not word_vector("…", 64).any()
    assert word_vector("open", 0).shape == (0,)


def test_the_probabilities_of_all_acts_add_up_to_one() -> None:
    weights = np.array([[[5.0, 0.0], [0.0, 0.0]]], np.float32)  # one dimension and the bias, two acts
    classifier = ActClassifier(("go", "stay"), ({},), weights, word_features=0)
    go, stay = classifier.probabilities(np.array([[1.0]], np.float32), "north")
    assert go + stay == pytest.approx(1.0)
    assert go > 0.99


def test_the_last_classifier_that_ships_knows_every_act_and_every_kind() -> None:
    *_, last = load_act_classifiers()
    assert set(last.labels) == {*load_acts(), *load_act_kinds()}


def test_classifiers_are_averaged_by_act_and_the_last_says_which_kind() -> None:
    by_act = {"lie": 0.5, "tell": 0.5}
    by_kind = {"lie": 0.0, "lie/name": 0.3, "lie/illness": 0.1, "tell": 0.6}
    mixed_scores = mix_scores([by_act, by_kind])
    assert mixed_scores["tell"] == pytest.approx(0.55)
    assert mixed_scores["lie/name"] == pytest.approx(0.45 * 0.75)
    assert sum(mixed_scores.values()) == pytest.approx(1.0)
