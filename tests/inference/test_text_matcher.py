"""The matcher: which passage answers a question, which offer an action means, or none."""

from __future__ import annotations

import numpy as np
import pytest

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import open_encoder
from narratoria.inference.text_matcher import TextMatcher, open_matcher
from narratoria.narrator.evidence import shared_words

PASSAGES = [
    "Her elder brother Tomas cut salt here until the east gallery came down on his crew.",
    "The chapel on the third level is carved whole from rock salt, altar and candlesticks too.",
    "A course of treatment is forty nights. Patients who leave sooner forfeit their deposit.",
    "She is saving for a passage to Trieste, where her cousin keeps a hat shop.",
]
OFFERS = [
    "Open the letter addressed in your own hand",
    "Ask Hob Tarrant when the night coach is due",
    "Climb down to the third span",
]


@pytest.fixture(scope="module")
def matcher() -> TextMatcher:
    folder = find_embedder()
    assert folder is not None
    return open_matcher(folder)


def best(matcher: TextMatcher, text: str, texts: list[str], task: str) -> tuple[int, float]:
    found = matcher.match(text, texts, shared_words(text, texts), task)  # type: ignore[arg-type]
    at = max(range(len(found)), key=found.__getitem__)
    return at, found[at]


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("what happened to your brother?", 0),
        ("how long do I have to stay", 2),
        ("whats she putting money by for", 3),
    ],
)
def test_a_question_in_other_words_finds_the_passage_that_answers_it(
    matcher: TextMatcher, question: str, passage: int
) -> None:
    at, probability = best(matcher, question, PASSAGES, "question")
    assert at == passage
    assert probability > 0.5


def test_a_question_that_nothing_answers_finds_nothing(matcher: TextMatcher) -> None:
    assert best(matcher, "what do we get for breakfast?", PASSAGES, "question")[1] < 0.5


def test_an_action_means_the_offer_it_rewords_and_one_about_something_else_none(matcher: TextMatcher) -> None:
    at, probability = best(matcher, "I slit the envelope and read what I wrote to myself", OFFERS, "offer")
    assert (at, probability > 0.5) == (0, True)
    assert best(matcher, "I order a beer and sit down by the fire", OFFERS, "offer")[1] < 0.5


def test_the_passage_is_found_among_more_than_can_be_read_together(matcher: TextMatcher) -> None:
    others = [f"The {name} stands in the yard and is swept on Mondays." for name in ("cart", "pump", "well")]
    at, probability = best(matcher, "what happened to your brother?", [*others, *PASSAGES], "question")
    assert (at, probability > 0.5) == (3, True)


def test_no_candidates_give_no_probabilities(matcher: TextMatcher) -> None:
    assert matcher.match("anything", [], [], "question") == []


def test_texts_of_different_length_are_encoded_together_as_each_would_be_alone(matcher: TextMatcher) -> None:
    folder = find_embedder()
    assert folder is not None
    encoder = open_encoder(folder)
    texts = [("short", ""), (PASSAGES[2], ""), ("what happened to your brother?", PASSAGES[0])]
    together = encoder.encode_batch(texts, matcher.apart.thin)
    for row, text in zip(together, texts, strict=True):
        alone = encoder.encode_batch([text], matcher.apart.thin)[0]
        np.testing.assert_allclose(row, alone, atol=1e-4)
