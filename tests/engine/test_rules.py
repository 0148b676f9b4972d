"""Rolls: what counts, how much of it, how a total ends, and how hard that makes a thing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.small_story import beat, situation, story

from narratoria.campaign.campaign import Band, BeatOutcome, Conditions, Modifiers, Rules
from narratoria.engine import rules
from narratoria.engine.memory.recall import Memory, RecallResult
from narratoria.engine.snapshot import Progress


@pytest.mark.parametrize(
    ("total", "ends"),
    [
        (2, "failure"),
        (6, "failure"),
        (7, "partial success"),
        (9, "partial success"),
        (10, "success"),
        (13, "success"),
    ],
)
def test_two_dice_end_in_three_bands(total: int, ends: str) -> None:
    assert rules.band(total, Rules()) == ends


def counted(state: dict[str, Any], known: RecallResult | None = None, **others: Any) -> dict[str, int]:
    climb = beat("climb", Conditions(player_choice="Climb with Ada"), tags=("rope",), stat="nerve")
    earlier = beat(
        "tie", Conditions(player_choice="Tie it"), tags=("rope",), consequences=("the rope holds",)
    )
    now = situation(
        story(climb, earlier, **others),
        Progress(place="mill", beat_outcomes={"tie": ""} if state.pop("tied", False) else {}),
        state=state,
    )
    found = rules.modifiers(climb, "Climb with Ada", now, known or RecallResult())
    assert all(modifier.id and modifier.text for modifier in found), "each has its receipt"
    return {modifier.kind: modifier.value for modifier in found}


def test_traits_opinions_and_what_happened_before_count_with_a_receipt_each() -> None:
    assert counted({}) == {}
    assert counted({"persona": {"traits": ["a climber"]}}) == {"state": 1}
    assert counted({"perception": {"ada": 40}}) == {"standing": 1}
    assert counted({"perception": {"ada": -40}}) == {"standing": -1}
    assert counted({"perception": {"ada": 30}}) == counted({"perception": {"ada": -30}}) == {}
    assert counted({"perception": {"ada": 54}}) == {"standing": 2}
    assert counted({"perception": {"ada": -100}}) == {"standing": -3}
    assert counted({"perception": {"bo": 100}}) == {}, "who is not rolled against and not there"
    assert counted({"tied": True}) == {"beat": 1}
    episode = Memory("m", "The rope broke.", 0.8, episodic=True, outcome="failure")
    assert counted({}, RecallResult((episode,))) == {"memory": 1}
    assert counted({}, RecallResult((Memory("m", "It rained.", 0.8),))) == {}


def test_an_attribute_counts_where_the_campaign_says_so_and_never_beyond_its_most() -> None:
    nerve = {"persona": {"stats": {"nerve": 5}}}
    assert counted(dict(nerve)) == {}
    assert counted(dict(nerve), rules=Rules(modifiers=Modifiers(stat="half"))) == {"state": 2}
    assert counted(dict(nerve), rules=Rules(modifiers=Modifiers(stat="bonus"))) == {"state": 3}
    everything = {**nerve, "perception": {"ada": 50}, "tied": True}
    assert sum(counted(everything, rules=Rules(modifiers=Modifiers(stat="bonus"))).values()) == 3


def test_the_formula_adds_up_what_counts() -> None:
    more = (rules.Modifier(1, "state", "t", "t"), rules.Modifier(-2, "standing", "a", "a"))
    assert rules.formula(Rules(), more) == "2d6-1"
    assert rules.formula(Rules(dice="1d20+2"), more[:1]) == "1d20+3"
    assert rules.formula(Rules(dice="nonsense"), ()) == "2d6"


def test_a_roll_that_ends_as_the_beat_does_not_know_ends_as_the_nearest_it_knows() -> None:
    custom = Rules(bands=(Band("fumble", -99), Band("miss", 5), Band("hit", 10), Band("feat", 18)))
    plain = beat("b", outcomes=(BeatOutcome("miss", "m"), BeatOutcome("hit", "h")))
    assert [rules.outcome_for(plain, end, custom) for end in ("fumble", "miss", "hit", "feat")] == [
        *("miss", "miss", "hit", "hit")
    ]
    assert rules.outcome_for(plain, "banana", custom) in ("miss", "hit")


@pytest.mark.parametrize(
    ("formula", "word"), [("2d6+3", "easy"), ("2d6+1", "risky"), ("2d6", "hard"), ("2d6-3", "unlikely")]
)
def test_the_odds_are_told_in_a_word(formula: str, word: str) -> None:
    assert rules.difficulty(formula, Rules()) == word


@given(st.lists(st.integers(-5, 5).filter(bool), max_size=6), st.integers(0, 4))
def test_all_that_counts_together_stays_within_the_most(values: list[int], most: int) -> None:
    found = [rules.Modifier(value, "state", str(value), "t") for value in values]
    while abs(sum(modifier.value for modifier in found)) > most and found:
        found = rules._less(found, most)
    assert abs(sum(modifier.value for modifier in found)) <= most
