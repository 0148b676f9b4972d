"""Beats: when they are open, when they come by themselves, and what stays of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.campaign.campaign import Beat, BeatOutcome, Campaign, Conditions, Window
from narratoria.engine import beats
from narratoria.engine.session import Progress


def beat(beat_id: str, conditions: Conditions = Conditions(), **others: object) -> Beat:  # noqa: B008
    return Beat(id=beat_id, title=beat_id, description=beat_id, conditions=conditions, **others)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("conditions", "is_open"),
    [
        (Conditions(), True),
        (Conditions(scene_count=Window(min=3, max=3)), True),
        (Conditions(scene_count=Window(min=4)), False),
        (Conditions(scene_count=Window(max=2)), False),
        (Conditions(requires_beat="earlier"), True),
        (Conditions(requires_beat="never"), False),
        (Conditions(requires_any_beat=("never", "earlier")), True),
        (Conditions(requires_any_beat=("never",)), False),
        (Conditions(player_state="the door is open"), True),
        (Conditions(player_state="the door"), False),
        (Conditions(world_state="it rains"), False),
        (Conditions(custom='!("it rains" in flags)'), True),
        (Conditions(custom='!("the door is open" in flags)'), False),
        (Conditions(custom="scenes > 3"), False),
        (Conditions(requires_beat="earlier", player_state="it rains"), False),
    ],
)
def test_a_beat_is_open_when_all_its_conditions_hold(conditions: Conditions, is_open: bool) -> None:
    progress = Progress(scene=3, told={"earlier": ""})
    assert beats.is_open(beat("new", conditions), progress, {"the door is open"}) is is_open
    assert not beats.is_open(beat("earlier", conditions), progress, {"the door is open"})


def test_what_the_player_can_set_off_stands_by_priority_and_then_by_the_authors_order() -> None:
    offered = [
        beat("a", Conditions(player_choice="A"), priority="low"),
        beat("b", Conditions(player_choice="B"), priority="critical"),
        beat("c", Conditions(player_choice="C"), priority="critical"),
        beat("by-itself", priority="critical"),
    ]
    campaign = Campaign(Path(), "t", "1.0.0", beats=tuple(offered))
    assert [each.id for each in beats.openings(campaign, Progress(), set())] == ["b", "c", "a"]


def test_only_the_most_pressing_beat_that_is_at_home_here_comes_by_itself() -> None:
    waiting = [
        beat("minor", priority="optional"),
        beat("elsewhere", priority="critical", location="inn"),
        beat("major", priority="high"),
    ]
    campaign = Campaign(Path(), "t", "1.0.0", beats=tuple(waiting))
    here = beats.due(campaign, Progress(place="mill"), set())
    there = beats.due(campaign, Progress(place="inn"), set())
    assert here is not None
    assert there is not None
    assert (here.id, there.id) == ("major", "elsewhere")


def test_a_memory_gives_way_to_a_later_one_on_the_same_matter() -> None:
    chosen = Conditions(player_choice="do it")
    story = [
        beat("ask", chosen, tags=("coach",), consequences=("the coach is late",)),
        beat("lamp", chosen, tags=("lamp", "coach"), consequences=("you have the lamp",)),
        beat("came", tags=("coach",), consequences=("the coach is here",)),
    ]
    campaign = Campaign(Path(), "t", "1.0.0", beats=tuple(story))
    assert beats.remembered(campaign, Progress(told={"ask": ""})) == ("the coach is late",)
    assert beats.remembered(campaign, Progress(told={"ask": "", "lamp": ""})) == ("you have the lamp",)
    assert beats.remembered(campaign, Progress(told={"lamp": "", "came": ""})) == ("you have the lamp",)
    assert beats.remembered(campaign, Progress(told={"ask": "", "came": "", "unknown": ""})) == ()


def test_a_roll_decides_which_consequences_follow() -> None:
    outcomes = (
        BeatOutcome("success", "yes", consequences=("won",)),
        BeatOutcome("failure", "no", consequences=("lost",)),
    )
    risky = beat("risky", outcomes=outcomes, consequences=("tried",))
    assert beats.consequences(risky, "success") == ("tried", "won")
    assert beats.consequences(risky, "banana") == ("tried",)
