"""Sentences that were told are remembered, and the one told longest ago comes next."""

from __future__ import annotations

import random

from narratoria.narrator.phrase_memory import (
    MAX_PHRASES,
    RARE,
    PhraseChooser,
    fill_slots,
    line_key,
    phrase_keys,
    remember_phrases,
    sentences,
)


def chooser(phrase_scenes: dict[str, int], number: int) -> PhraseChooser:
    one = PhraseChooser()
    one.number, one.phrase_scenes, one.people = number, phrase_scenes, ()
    one.dice, one.scene_sentences = random.Random(1), set()
    return one


def test_a_sentence_that_was_not_told_is_chosen_before_one_that_was() -> None:
    phrase_scenes = remember_phrases({}, ["The rain has stopped."], 3)
    texts = ["The rain has stopped.", "A dog barks."]
    assert chooser(phrase_scenes, 4).one_of(texts) == "A dog barks."


def test_the_same_sentence_does_not_come_twice_in_a_scene() -> None:
    one = chooser({}, 1)
    assert one.one_of(["A dog barks."]) == "A dog barks."
    assert one.one_of(["A dog barks."]) == ""


def test_an_optional_sentence_told_lately_is_left_out() -> None:
    phrase_scenes = remember_phrases({}, ["A dog barks."], 3)
    assert chooser(phrase_scenes, 5).one_of(["A dog barks."], optional=True) == ""
    assert chooser(phrase_scenes, 5).one_of(["A dog barks."]) == "A dog barks."


def test_the_beginning_of_a_long_sentence_is_remembered_too() -> None:
    first, second = phrase_keys("You go down to the mill.")
    assert second.startswith("~")
    assert second in phrase_keys("You go down to a river.")
    assert first not in phrase_keys("You go down to a river.")


def test_the_oldest_phrases_are_dropped_first() -> None:
    phrase_scenes = {f"key{number}": number for number in range(MAX_PHRASES)}
    after = remember_phrases(phrase_scenes, ["A dog barks."], MAX_PHRASES)
    assert len(after) == MAX_PHRASES
    assert "key0" not in after
    assert phrase_keys("A dog barks.")[0] in after


def test_a_name_with_an_article_is_small_inside_a_sentence() -> None:
    assert (
        fill_slots("You see {who}. {who} waits.", {"who": "The Quiet"})
        == "You see the Quiet. The Quiet waits."
    )


def test_braces_of_the_author_stay() -> None:
    assert fill_slots("{who} says {this}.", {"who": "Pell"}) == "Pell says {this}."


def test_a_text_is_split_after_its_marks() -> None:
    assert sentences("It rains. It pours!") == ["It rains.", "It pours!"]


def test_a_line_of_the_composer_is_known_again_whatever_fills_its_slots() -> None:
    lines = ("You head for {place}.", "Then it is {place} once more.")
    phrase_scenes = remember_phrases({}, ["You head for the mill. A dog barks."], 3)
    assert chooser(phrase_scenes, 60).one_of(lines, {"place": "the inn"}) == "Then it is the inn once more."


def test_the_composers_own_lines_are_not_forgotten() -> None:
    phrase_scenes = remember_phrases({}, ["You head for the mill."], 3)
    for scene in range(4, 300):
        paragraphs = [f"Dog {scene} barks at {word} and is quiet then." for word in ("noon", "night", "dusk")]
        phrase_scenes = remember_phrases(phrase_scenes, paragraphs, scene)
    assert len(phrase_scenes) == MAX_PHRASES
    assert phrase_scenes[line_key("You head for {place}.")] == 3


def test_a_joining_line_told_within_the_last_scenes_is_left_out() -> None:
    line = "You look at your hands. They seem ready for something."
    phrase_scenes = remember_phrases({}, [line], 3)
    for number, is_told in ((3 + RARE, False), (4 + RARE, True)):
        one = chooser(phrase_scenes, number)
        one.has_joining_line = False
        assert bool(one.joining_line([line])) is is_told
