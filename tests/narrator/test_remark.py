"""What somebody says first: the happening in their own words, in a line that fits them."""

from __future__ import annotations

import re

import pytest

from narratoria.narrator.answer_request import AnswerContext, Listener
from narratoria.narrator.grammar import in_the_past
from narratoria.narrator.remark import (
    Happening,
    as_said_by,
    describe_thing,
    load_remarks,
    make_remark,
    names_person,
)
from narratoria.narrator.repertoire import MANNERS

OTHERS = {"Lisk Amory": "she", "Brother Osk": "he"}
BREAD = Happening("bread", "gave", "you shared your bread with me", "own", 5.0)
PLACE = AnswerContext(place="the mill", units=())


def listener(manners: tuple[str, ...] = (), feeling: str = "neutral") -> Listener:
    return Listener("pike", "Pike", "Pike", "he", frozenset(manners), feeling)


@pytest.mark.parametrize(
    ("clause", "name", "pronoun", "words"),
    [
        ("shared your bread with Pike", "Pike", "he", "shared your bread with me"),
        (
            "asked Pike what it is that he keeps touching in his pocket",
            "Pike",
            "he",
            "asked me what it is that I keep touching in my pocket",
        ),
        ("told Lisk Amory that Pike is safe", "Pike", "he", "told Lisk that I am safe"),
        (
            "told Maren Tolliver that her brother is alive",
            "Maren Tolliver",
            "she",
            "told me that my brother is alive",
        ),
        ("put what you know before the abbess", "Abbess Verrin", "she", "put what you know before me"),
        ("lay down in the berth beside Bea's", "Bea Vane", "she", "lay down in the berth beside mine"),
        ("laid Bea's and your own side by side", "Bea Vane", "she", "laid mine and your own side by side"),
        (
            "put the broken pin into Ismay Corrie's hand",
            "Ismay Corrie",
            "she",
            "put the broken pin into my hand",
        ),
        (
            "looked into Julian's briefcase while he is on the telephone",
            "Julian Tewkes",
            "he",
            "looked into my briefcase while I was on the telephone",
        ),
    ],
)
def test_what_was_done_with_somebody_is_said_in_the_first_person(
    clause: str, name: str, pronoun: str, words: str
) -> None:
    assert as_said_by(clause, name, pronoun, OTHERS) == (words, True)


def test_what_was_done_with_others_keeps_their_names() -> None:
    assert as_said_by("gave Lisk Amory the lamp", "Pike", "he", OTHERS) == ("gave Lisk the lamp", False)


def test_a_pronoun_that_may_be_anothers_is_left_alone() -> None:
    words, _ = as_said_by("told Pike what Brother Osk keeps in his sleeve", "Pike", "he", OTHERS)
    assert words == "told me what Brother Osk keeps in his sleeve"


def test_who_is_only_described_is_the_speaker_where_nobody_else_takes_part() -> None:
    clause = "sat down across from the man with the black case"
    assert as_said_by(clause, "Dr. Voke", "he", OTHERS, is_about=True) == ("sat down across from me", True)
    assert as_said_by(clause, "Dr. Voke", "he", OTHERS) == (clause, False)


def test_a_name_is_known_by_each_of_its_parts_and_not_inside_other_words() -> None:
    assert names_person("Dame Ottoline is losing her words", "Dame Ottoline Carrow")
    assert names_person("the abbess knows", "Abbess Verrin")
    assert not names_person("the spike is loose", "Pike")


def test_the_further_verb_of_a_deed_is_bent_too() -> None:
    assert (
        in_the_past("sit down at the fire and share your salt") == "sat down at the fire and shared your salt"
    )


def test_every_line_is_filled_and_quotes_are_closed() -> None:
    for line in load_remarks().lines:
        happening = Happening("x", line.kind, "you gave me the lamp", line.by, 1.0)
        speaker = listener(() if line.manner == "any" else (line.manner,), line.feeling)
        context = AnswerContext(
            place="", units=(), used={one.id: 1 for one in load_remarks().lines if one.id != line.id}, turn=9
        )
        remark = make_remark(happening, speaker, context)
        assert remark is not None
        assert remark.line == line.id
        assert "{" not in remark.text
        assert remark.text.count("“") == remark.text.count("”")
        assert re.search(r"[Yy]ou gave me the lamp", remark.text)
        assert line.manner in MANNERS


def test_there_are_lines_for_every_kind_whoever_speaks() -> None:
    kinds = {(line.kind, line.by) for line in load_remarks().lines}
    for kind, by in kinds - {("killed", "own")}:
        plain = [
            line
            for line in load_remarks().lines
            if line.by == by and line.kind in (kind, "did") and (line.feeling, line.manner) == ("any", "any")
        ]
        assert plain, (kind, by)


def test_somebody_speaks_in_their_manner_and_by_their_feeling() -> None:
    lines = {one.id: one for one in load_remarks().lines}
    for seed in range(30):
        context = AnswerContext(place="", units=(), seed=str(seed))
        remark = make_remark(BREAD, listener(("dry",), "cold"), context)
        assert remark is not None
        line = lines[remark.line]
        assert line.feeling in ("any", "cold")
        assert line.manner in ("any", "dry")


def test_a_line_rests_while_another_fits() -> None:
    first = make_remark(BREAD, listener(), PLACE)
    assert first is not None
    again = make_remark(BREAD, listener(), AnswerContext(place="", units=(), used={first.line: 1}, turn=2))
    assert again is not None
    assert again.line != first.line


def test_what_the_author_wrote_is_said_as_it_stands() -> None:
    happening = Happening("b", "did", "", "own", 5.0, "You looked the other way. I saw that.")
    remark = make_remark(happening, listener(), PLACE)
    assert remark is not None
    assert remark.text == "“You looked the other way,” says Pike. “I saw that.”"


@pytest.mark.parametrize("offer", ["Look under the tarpaulin while Pell writes", "Quietly open the drawer"])
def test_what_is_done_in_secret_is_known_by_its_words(offer: str) -> None:
    assert load_remarks().is_covert(offer)
    assert not load_remarks().is_covert("Share your bread with Pike")


@pytest.mark.parametrize("state", ["broken", "burnt"])
def test_a_ruined_thing_is_seen_as_it_is(state: str) -> None:
    for seed in range(6):
        text = describe_thing("the letter", state, str(seed))
        assert "the letter" in text.casefold()
        assert "{" not in text


def test_somebody_who_has_no_name_but_what_they_are_speaks_of_me():
    told, is_own = as_said_by("you saw the Tenor alone", "The Tenor", "he", {})
    assert (told, is_own) == ("you saw me alone", True)
    assert as_said_by("you saw the Old Gate", "The Old Queen", "she", {}) == ("you saw the Old Gate", False)
