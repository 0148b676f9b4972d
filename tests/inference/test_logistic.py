"""A logistic chooser turns named measures into a probability."""

from __future__ import annotations

import pytest

from narratoria.inference.logistic import LogisticChooser, load_logistic_chooser

CHOOSER = LogisticChooser({"cosine": 2.0, "shared": 1.0}, bias=-1.0, threshold=0.5)


def test_without_measures_the_bias_decides() -> None:
    assert CHOOSER.probability({}) == pytest.approx(0.2689, abs=1e-4)


def test_a_measure_without_a_weight_does_not_count() -> None:
    assert CHOOSER.probability({"cosine": 0.5, "length": 9.0}) == CHOOSER.probability({"cosine": 0.5}) == 0.5


def test_a_measure_beyond_all_bounds_gives_a_probability() -> None:
    assert 0.0 < CHOOSER.probability({"cosine": -1e9}) < CHOOSER.probability({"cosine": 1e9}) <= 1.0


@pytest.mark.parametrize(
    ("package", "file"),
    [
        ("narratoria.narrator", "data/evidence-chooser.json"),
        ("narratoria.planner", "data/offer-matcher.json"),
    ],
)
def test_the_weights_that_ship_prefer_what_means_the_same(package: str, file: str) -> None:
    chooser = load_logistic_chooser(package, file)

    assert chooser.probability({"cosine": 0.0}) < chooser.threshold < chooser.probability({"cosine": 1.0})
