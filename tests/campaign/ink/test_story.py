"""Ink stories say and offer what the language's reference does; each transcript was compared with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from narratoria.campaign.ink.story import InkStory, InkTurn, parse_ink

STORIES = Path(__file__).parent / "stories"
TRANSCRIPTS: dict[str, list[dict[str, Any]]] = json.loads((STORIES / "transcripts.json").read_text("utf-8"))


def read_beside(name: str) -> str | None:
    file = STORIES / name
    return file.read_text("utf-8") if file.is_file() else None


def load(name: str) -> InkStory:
    story, problems = parse_ink(f"{name}.ink", (STORIES / f"{name}.ink").read_text("utf-8"), read_beside)
    assert problems == []
    return story


def parse(text: str) -> InkStory:
    story, problems = parse_ink("a.ink", text)
    assert problems == []
    return story


def play(story: InkStory, seed: int, picks: list[int], *, is_saved: bool) -> list[InkTurn]:
    """Play a story; where it is saved, every turn begins with what a file would give back."""
    turns = [story.begin(seed)]
    for pick in picks:
        state = turns[-1].state
        turns.append(story.choose(json.loads(json.dumps(state)) if is_saved else state, pick))
    return turns


@pytest.mark.parametrize("is_saved", [False, True], ids=["plain", "saved between turns"])
@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_story_is_told_as_its_transcript_says(name: str, *, is_saved: bool):
    story = load(name)
    for walk in TRANSCRIPTS[name]:
        picks = [turn["picked"] for turn in walk["turns"] if turn["picked"] >= 0]
        turns = play(story, walk["seed"], picks[: len(walk["turns"]) - 1], is_saved=is_saved)
        assert [(list(turn.paragraphs), list(turn.choices)) for turn in turns] == [
            (turn["told"], turn["offered"]) for turn in walk["turns"]
        ]


def test_there_are_more_than_sixty_behaviours():
    assert len(TRANSCRIPTS) > 60
    assert sum(len(walk["turns"]) for walks in TRANSCRIPTS.values() for walk in walks) > 300


def test_chance_is_decided_by_the_seed_alone():
    story = parse("- (top) {~a|b|c|d} {RANDOM(1, 1000)}\n+ [on]\n- -> top\n")
    one, again, other = (play(story, seed, [0] * 8, is_saved=True) for seed in (5, 5, 6))

    assert one == again
    assert [turn.paragraphs for turn in one] != [turn.paragraphs for turn in other]


def test_a_shuffle_tells_each_of_its_parts_once_in_a_round():
    story = parse("- (top) {~a|b|c|d}\n+ [on]\n- -> top\n")
    told = [turn.paragraphs[0] for turn in play(story, 3, [0] * 7, is_saved=False)]

    assert sorted(told[:4]) == sorted(told[4:]) == ["a", "b", "c", "d"]


def test_a_shuffle_that_stops_ends_with_its_last_part():
    story = parse("- (top) {shuffle stopping:\n- a\n- b\n- last\n}\n+ [on]\n- -> top\n")
    told = [turn.paragraphs[0] for turn in play(story, 3, [0] * 4, is_saved=False)]

    assert sorted(told[:2]) == ["a", "b"]
    assert told[2:] == ["last"] * 3


def test_a_state_of_another_story_is_refused_and_offers_nothing():
    one, other = parse("* Go\n- End.\n"), parse("* Go on\n- End.\n")
    state = one.begin(1).state

    assert other.offers_of(state) == ()
    with pytest.raises(ValueError, match="not on offer"):
        other.choose(state, 0)
    with pytest.raises(ValueError, match="not on offer"):
        one.choose(state, 7)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- (top) again -> top\n", "comes to no end"),
        ("-> a ->\n== a\n-> a ->\n->->\n", "without an end"),
        ("{f(1)}\n== function f(n)\n~ return f(n + 1)\n", "without an end"),
        ("Before.\n{1 / 0}\n", "a.ink:2: a number is divided by zero"),
        ("->->\n", "a.ink:1: “->->” stands where no tunnel was entered"),
        ("LIST l = a\nVAR x = 1\n~ x = LIST_COUNT(x)\n{x}\n", "LIST_COUNT needs a list"),
        ('VAR s = "x"\n-> grow\n== grow\n~ s = s + s\n-> grow\n', "grows without an end"),
    ],
)
def test_a_story_that_cannot_go_on_ends_and_says_where(text: str, reason: str):
    turn = parse(text).begin(1)

    assert turn.has_ended
    assert reason in turn.problem


def test_tags_at_the_head_and_markup_in_lines_are_not_told():
    story = parse("# title: A Mill\n# author: Nobody\n<i>The mill</i> stands &amp; waits. # art: x\n")

    assert story.tags == ("title: A Mill", "author: Nobody")
    assert story.begin(1).paragraphs == ("The mill stands & waits.",)


def test_a_problem_in_an_included_file_is_located_there():
    files = {"part.ink": "Fine.\n{broken\n"}
    _, problems = parse_ink("a.ink", "INCLUDE part.ink\nINCLUDE none.ink\n-> nowhere\n", files.get)

    assert [(one.file, one.line) for one in problems] == [("a.ink", 2), ("a.ink", 3), ("part.ink", 2)]
    assert "there is no such file" in problems[0].message
