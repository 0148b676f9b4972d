"""The narrator's word lists load whole, in lower case where words are compared in lower case."""

from __future__ import annotations

from typing import get_args

from narratoria.narrator.word_lists import WORDS, Temper


def test_words_that_are_compared_in_lower_case_are_lower_case() -> None:
    for words in (WORDS.gate.irregular_verbs, WORDS.gate.titles, WORDS.gate.stop_words, WORDS.grammar.titles):
        assert [word for word in words if word != word.casefold()] == []


def test_every_temper_but_the_plain_one_has_its_signs() -> None:
    assert {"plain", *WORDS.manner.tempers} == set(get_args(Temper))


def test_a_contraction_is_shorter_than_its_whole_words() -> None:
    for short, whole in WORDS.manner.contractions.items():
        assert "'" in short
        assert len(short) < len(whole)
