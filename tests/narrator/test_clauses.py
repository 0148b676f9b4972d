"""A sentence is read as clauses, each with its subject: the speaker's or somebody else's."""

from __future__ import annotations

import pytest

from narratoria.narrator.clauses import is_finite, read_clauses


def own_verbs(text: str, *, is_note: bool = False) -> list[str]:
    """Return the verbs without a subject of their own that the speaker is the subject of."""
    return [
        text[slice(*clause.verb)]
        for clause in read_clauses(text, "I", is_note=is_note)
        if clause.subject == "own" and clause.is_shared and clause.verb
    ]


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("I bake bread and sells it", ["sells"]),
        ("I bake, and my sister sells it and sings", []),
        ("I send him soup; he goes out and comes home", []),
        ("I know a man who lives here and has a boat", []),
        ("I sing in a choir, which has nine members, and has no robe", ["has"]),
        ("I live with my uncle, who lets me do as I like and never asks", []),
        ("and my mother, who is a nurse, has told me", []),
        ("I eat half a pack since the ship failed to come and puts back the rest", ["puts"]),
        ("When somebody writes, I cannot bear it, and writes back", ["writes"]),
        ("I sell cheese and hides to the saddlery", []),
        ("I carry water, sixty buckets a day, and has noticed", ["has"]),
    ],
)
def test_a_verb_after_and_has_the_subject_of_its_clause(text: str, verbs: list[str]) -> None:
    assert own_verbs(text) == verbs


def test_a_note_begins_with_its_owners_verb() -> None:
    assert own_verbs("reads, writes and sings", is_note=True) == ["reads", "writes", "sings"]


def test_what_has_no_subject_and_what_is_doubtful_is_marked() -> None:
    clauses = list(read_clauses("I went, off the rock, to a man who taught me, and let me go", "I"))
    assert [clause.has_subject for clause in clauses] == [True, False, False, True, True]
    assert clauses[-1].is_doubtful


@pytest.mark.parametrize(
    ("word", "is_verb"), [("died", True), ("has", True), ("need", False), ("hundred", False), ("Tam", False)]
)
def test_a_verb_is_told_by_its_form(word: str, is_verb: bool) -> None:
    assert is_finite(word) is is_verb
