"""What a skill has said is told in its own words, or as what its values say."""

from __future__ import annotations

import pytest

from narratoria.narrator.skill_prose import LONGEST, as_prose, tell_result


def test_the_words_of_the_skill_come_before_everything_else():
    output = {"tell": "a white crow crosses the sky", "omen": "a white crow"}
    assert tell_result(output, [{"omen": {"seen": True}}], "Drew an omen") == "A white crow crosses the sky."


def test_without_words_of_its_own_the_summary_of_done_is_told():
    assert (
        tell_result({"count": 3}, [], "Three herons stand in the reeds") == "Three herons stand in the reeds."
    )


def test_what_a_plain_program_printed_is_told():
    assert tell_result({"text": "The water is 1 fathom deep.\n"}) == "The water is 1 fathom deep."


@pytest.mark.parametrize(
    ("patch", "sentence"),
    [
        ({"lantern": {"lit": True}}, "The lantern is lit."),
        ({"lantern": {"lit": False}}, "The lantern is not lit."),
        ({"flags": {"torchLit": True}}, "The torch is lit."),
        ({"weather": "a thin cold rain"}, "The weather is a thin cold rain."),
        ({"omens": {"the mill": "a white crow"}}, "The mill of the omens is a white crow."),
    ],
)
def test_a_change_of_the_state_is_told_as_a_sentence(patch, sentence):
    assert tell_result({}, [patch]) == sentence


@pytest.mark.parametrize(
    "output",
    [
        {},
        {"id": "0f3a9c2e-77aa-4c1e"},
        {"file": "assets/map.png"},
        {"url": "http://localhost:8080/x"},
        {"brightness": 3},
        {"text": '{"a": 1}'},
        {"tell": "   "},
    ],
)
def test_what_only_an_author_could_read_is_not_told(output):
    assert tell_result(output) == ""


def test_a_sentence_among_the_values_is_told_as_it_stands():
    assert tell_result({"said": "Good day, Ada!", "times": 1}) == "Good day, Ada!"


def test_a_long_text_ends_with_a_whole_sentence():
    text = as_prose("The rain falls on the roof of the mill. " * 40)
    assert len(text) <= LONGEST
    assert text.endswith("mill.")
