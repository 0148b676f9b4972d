"""Words as a search compares them: forms, slips, accents and the person in which they are told."""

from __future__ import annotations

import pytest

from narratoria.store.search.terms import correct_spelling, read_terms, stem, to_second_person


def test_a_question_is_put_in_the_person_in_which_events_are_told() -> None:
    assert to_second_person("who betrayed me for my sword?") == "who betrayed you for your sword?"
    assert to_second_person("a bribe I refused") == "a bribe you refused"
    assert to_second_person("I was robbed of our boat") == "you were robbed of your boat"


@pytest.mark.parametrize(
    "words",
    ["burn burned burning burns", "city cities", "forge forged forging forges", "stop stopped stopping"],
)
def test_the_forms_of_a_word_are_one_term(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


def test_a_slip_is_mended_to_the_nearest_known_word_and_short_words_are_left_alone() -> None:
    assert correct_spelling("captian", ["captain", "curtain"]) == "captain"
    assert correct_spelling("cat", ["car", "cut"]) is None
    assert correct_spelling("blacksmith", ["whitesmith"]) is None


def test_accents_and_possessives_do_not_matter() -> None:
    assert read_terms("Élodie’s façade").counts == read_terms("elodie facade").counts
