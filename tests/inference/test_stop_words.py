"""Stop words are left out of questions and of mentions, each with words of its own."""

from __future__ import annotations

from narratoria.inference.stop_words import MENTION_STOP_WORDS, QUESTION_STOP_WORDS


def test_words_of_grammar_are_left_out_of_both() -> None:
    assert {"the", "of", "is", "who"} <= QUESTION_STOP_WORDS & MENTION_STOP_WORDS


def test_a_question_keeps_the_words_that_only_a_mention_leaves_out() -> None:
    assert "captain" in MENTION_STOP_WORDS - QUESTION_STOP_WORDS
    assert "ask" in QUESTION_STOP_WORDS - MENTION_STOP_WORDS
