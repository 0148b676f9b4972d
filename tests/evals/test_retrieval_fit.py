"""Relevance is a probability: the fit finds the truth behind labels."""

from __future__ import annotations

import numpy as np
import pytest
from evals.retrieval.fit import fit_model


def test_a_fit_on_labels_drawn_from_known_probabilities_finds_them_again() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40_000, 2)) * [0.1, 3.0] + [0.4, -1.0]
    true = 1 / (1 + np.exp(-(20 * (values[:, 0] - 0.5) + 0.5 * values[:, 1])))
    model = fit_model(("one", "other"), values, rng.random(len(values)) < true)
    assert np.abs(model.probabilities(values) - true).max() < 0.05


def test_labels_that_can_be_told_apart_perfectly_do_not_break_the_fit() -> None:
    values = np.array([[0.0], [0.1], [0.9], [1.0]])
    model = fit_model(("one",), values, np.array([False, False, True, True]))
    probable = model.probabilities(values)
    assert np.isfinite(probable).all()
    assert probable[1] < 0.5 < probable[2]


def test_a_feature_that_never_varies_weighs_nothing() -> None:
    values = np.column_stack([np.linspace(0, 1, 50), np.full(50, 7.0)])
    model = fit_model(("one", "constant"), values, values[:, 0] > 0.4)
    assert model.weights[1] == pytest.approx(0.0)
