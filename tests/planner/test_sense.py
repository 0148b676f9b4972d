"""Words that make no sense together are told from a line that somebody means."""

from __future__ import annotations

import pytest

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import open_encoder
from narratoria.planner.sense import makes_sense


@pytest.fixture(scope="module")
def known() -> frozenset[str]:
    folder = find_embedder()
    if folder is None:
        pytest.skip("the embedding model is not installed")
    return frozenset(open_encoder(folder).words)


@pytest.mark.parametrize(
    "words",
    [
        "blorp the window frindly of of nine",
        "krrz tkk 4 4 spoonish under because",
        "of the the into am lantern of of",
    ],
)
def test_a_salad_of_words_makes_no_sense(known: frozenset[str], words: str) -> None:
    assert not makes_sense(words, known, ())


@pytest.mark.parametrize(
    "words",
    [
        "n",
        "Tell me then what Gävle and Örebro are like",
        "hit him",
        "inventory",
        "I put the kettle on and wait for her to say something",
        "did you really walk all the way from the coast?",
        "ok lets get out of here before they come back",
    ],
)
def test_terse_and_plain_lines_make_sense(known: frozenset[str], words: str) -> None:
    assert makes_sense(words, known, ())


def test_names_of_the_story_are_no_strange_words(known: frozenset[str]) -> None:
    assert makes_sense("ask Vraxil about Qorthu and Zembli", known, {"vraxil", "qorthu", "zembli"})
