"""Evidence is ranked by how probably it answers, and quoted where it bears on the question."""

from __future__ import annotations

import numpy as np
import pytest

from narratoria.narrator.evidence import (
    BRIEF,
    LONGEST_QUOTE,
    Evidence,
    best_window,
    key_words,
    load_evidence_chooser,
    rank_evidence,
    split_sentences,
    told_window,
)

MILL = Evidence(id="mill", text="The mill burned in the year of the flood.", source="lore", about="the mill")
INN = Evidence(id="inn", text="The inn serves soup and nothing else.", source="place", about="the inn")


def ranked(question: str, *candidates: Evidence) -> list[Evidence]:
    vectors = [None] * len(candidates)
    return rank_evidence(
        question, candidates, question_vector=None, vectors=vectors, chooser=load_evidence_chooser()
    )


def test_shared_words_put_a_passage_first() -> None:
    assert [one.id for one in ranked("Who burned the mill?", INN, MILL)] == ["mill", "inn"]


def test_every_candidate_keeps_its_text_and_has_a_probability() -> None:
    for one in ranked("What is there to eat?", INN, MILL):
        assert one.text in (INN.text, MILL.text)
        assert 0.0 <= one.relevance <= 1.0


def test_likeness_of_meaning_counts_where_no_word_is_shared() -> None:
    near, far = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    best, _ = rank_evidence(
        "supper?", [MILL, INN], question_vector=near, vectors=[far, near], chooser=load_evidence_chooser()
    )
    assert best.id == "inn"


def test_stop_words_and_endings_carry_no_meaning() -> None:
    assert key_words("Tell me about the burning mills") == key_words("burn mill")


def test_a_short_passage_is_quoted_whole() -> None:
    assert best_window("the mill", MILL.text) == MILL.text


def test_a_long_passage_is_quoted_where_it_bears_on_the_question() -> None:
    filler = " ".join(f"Nothing of note happened in year {number}." for number in range(30))
    window = best_window("Who burned the mill?", f"{filler} {MILL.text} {filler}")
    assert MILL.text in window
    assert len(window.split()) <= 60


def test_sentences_end_at_their_marks() -> None:
    assert split_sentences("It rains.  It pours!\nDoes it?") == ["It rains.", "It pours!", "Does it?"]


SENTENCES = [f"Sentence {number} speaks of the year {number} and of not much else." for number in range(12)]


def of_focus(at: int, source: str = "lore") -> Evidence:
    return Evidence(id="e", text=" ".join(SENTENCES), source=source, focus=SENTENCES[at])  # type: ignore[arg-type]


def test_a_passage_without_a_focus_is_told_by_the_words_of_the_question() -> None:
    whole = Evidence(id="e", text=" ".join(SENTENCES), source="lore")

    assert told_window("year 7", whole) == best_window("year 7", whole.text)


def test_the_sentence_in_focus_is_told_with_those_around_it_within_a_length() -> None:
    window = told_window("anything", of_focus(6))

    assert SENTENCES[5] in window
    assert SENTENCES[6] in window
    assert SENTENCES[7] in window
    assert len(window.split()) <= LONGEST_QUOTE


def test_of_themselves_people_speak_briefly_and_begin_with_what_answers() -> None:
    window = told_window("anything", of_focus(6, "profile"))

    assert window.startswith(SENTENCES[6])
    assert len(window.split()) <= BRIEF


@pytest.mark.parametrize(
    ("second", "is_told_with_the_first"), [("It burned.", True), ("Bo burned it.", False)]
)
def test_a_sentence_that_leans_on_the_one_before_is_told_with_it(
    second: str, is_told_with_the_first: bool
) -> None:
    first = "The mill stood by the river."
    one = Evidence(id="e", text=f"{first} {second}", source="profile", focus=second)

    assert (told_window("fire", one) == f"{first} {second}") is is_told_with_the_first


def test_what_is_told_is_what_the_owner_says() -> None:
    one = Evidence(
        id="e", text="She burned it.", source="profile", spoken="I burned it. I ran.", focus="I burned it."
    )

    assert told_window("fire", one) == "I burned it. I ran."
