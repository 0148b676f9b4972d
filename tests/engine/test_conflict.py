"""What follows a lost conflict: a cold reception, and being held for a scene."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.small_story import beat, situation, story

from narratoria.campaign.campaign import Conditions
from narratoria.engine.conditions import StorySituation
from narratoria.engine.conflict import (
    COLD_SCENES,
    Hold,
    held_by,
    hold_of,
    is_unwelcome,
    keep_back,
    release,
    spare_items,
    tone_at,
)
from narratoria.engine.snapshot import Progress

OUT: dict[str, Any] = {"world": {"driven_out": {"mill": 3}}, "perception": {"ada": 50}}
HELD: dict[str, Any] = {"world": {"held": {"place": "mill", "by": "ada", "scene": 3}}}


def at(scene: int, state: dict[str, Any], **fields: Any) -> StorySituation:
    return situation(story(), Progress(place="mill", scene=scene, **fields), state=state)


def test_whoever_was_driven_out_is_met_coldly_there_and_for_some_scenes() -> None:
    assert tone_at("ada", "mill", at(4, OUT)) == "cold"
    assert tone_at("ada", "inn", at(4, OUT)) == "warm"
    assert is_unwelcome("mill", at(3 + COLD_SCENES - 1, OUT))
    assert tone_at("ada", "mill", at(3 + COLD_SCENES, OUT)) == "warm"


def test_one_is_held_for_the_next_scene_only_and_not_after_the_end() -> None:
    assert hold_of(HELD, 3) == held_by(at(3, HELD)) == Hold("mill", "ada", 3)
    assert held_by(at(4, HELD)) is None
    assert held_by(at(3, HELD, ending="end")) is None
    assert held_by(at(3, {})) is None


@pytest.mark.parametrize("by", ["ada", "here"])
def test_being_let_go_costs_an_item_or_time_and_the_text_says_which(by: str) -> None:
    hold, now = Hold("mill", by, 3), at(3, {**HELD, "persona": {"items": ["a tin whistle"]}})
    answers = [release(hold, now, f"seed {number}") for number in range(20)]

    assert {answer.effects[0].kind for answer in answers} == {"gives" if by == "ada" else "loses", "time"}
    for answer in answers:
        assert "{" not in answer.text
        assert ("whistle" in answer.text) == (answer.effects[0].kind != "time")
        assert answer.effects[0].kind != "time" or answer.effects[0].by in (60, 120)
    assert "{" not in keep_back(hold, now, "seed").text


def test_nobody_takes_what_the_plot_needs() -> None:
    door = beat("door", Conditions(player_choice="Open", custom='"a brass key" in items'))

    assert spare_items(["a brass key", "a tin whistle"], story(door)) == ["a tin whistle"]
