"""What an author wrote, as the source of a story: nouns by kind, and written as grammar wants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.campaign.enrich.nouns import KINDS, Noun, find_nouns


def heads(text: str, kind: str) -> list[str]:
    return [noun.head for noun in find_nouns(text)[kind]]  # type: ignore[index]


def test_nouns_are_sorted_by_what_they_are() -> None:
    text = "The ferryman waits at the harbour with a sealed letter while the rain falls."
    assert heads(text, "person") == ["ferryman"]
    assert heads(text, "place") == ["harbour"]
    assert heads(text, "token") == ["letter"]
    assert heads(text, "weather") == ["rain"]


def test_what_is_named_most_often_comes_first() -> None:
    text = "A key lies there. The letter is open. Who wrote the letter?"
    assert heads(text, "token") == ["letter", "key"]


def test_an_adjective_stays_and_a_number_in_a_row_does_not() -> None:
    assert [noun.word for noun in find_nouns("There is a sealed letter.")["token"]] == ["sealed letter"]
    assert [noun.word for noun in find_nouns("There is a second letter.")["token"]] == ["letter"]


@pytest.mark.parametrize(
    ("noun", "spec", "text"),
    [
        (Noun("letter"), "the", "the letter"),
        (Noun("letter"), "The", "The letter"),
        (Noun("old key"), "a", "an old key"),
        (Noun("unicorn"), "a", "a unicorn"),
        (Noun("keys", plural=True), "a", "keys"),
        (Noun("keys", plural=True), "is", "are"),
        (Noun("keys", plural=True), "It", "Them"),
        (Noun("key"), "is", "is"),
        (Noun("Harrowmere", proper=True), "the", "Harrowmere"),
        (Noun("old mill"), "title", "the Old Mill"),
        (Noun("key"), "", "key"),
    ],
)
def test_a_noun_is_written_as_its_sentence_wants_it(noun: Noun, spec: str, text: str) -> None:
    assert format(noun, spec) == text


def test_a_form_that_there_is_not_is_a_bug_of_the_template() -> None:
    with pytest.raises(KeyError):
        format(Noun("key"), "whose")


def test_an_id_is_fit_for_a_file() -> None:
    assert Noun("Old Mill’s key").id == "old-mill-s-key"
    assert Noun("…").id == "thing"


@given(st.text(max_size=200))
def test_any_text_has_nouns_of_known_kinds(text: str) -> None:
    found = find_nouns(text)
    assert set(found) == set(KINDS)
    assert all(noun.word for nouns in found.values() for noun in nouns)
