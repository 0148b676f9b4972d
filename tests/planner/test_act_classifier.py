"""The act classifier gives every act a probability, by meaning and by words."""

from __future__ import annotations

import numpy as np
import pytest

from narratoria.planner.act_classifier import ActClassifier, load_act_classifier, word_vector
from narratoria.planner.intent import load_acts


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


def test_the_classifier_that_ships_knows_every_act() -> None:
    assert set(load_act_classifier().acts) == set(load_acts())
