"""Conditions: a beat is open when all of them hold, and one that cannot be judged does not."""

from __future__ import annotations

import pytest
from tests.engine.small_story import beat, situation, story

from narratoria.campaign.campaign import Conditions, NpcState, Window
from narratoria.engine import beats
from narratoria.engine.conditions import BadExpression, evaluate, failing, never_again, prose_conditions
from narratoria.engine.snapshot import Progress


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
        (Conditions(player_state=("the door is open", "it rains")), False),
        (Conditions(player_state="you once helped the miller"), True),  # a memory bears it out
        (Conditions(world_state="it rains"), False),
        (Conditions(npc_state={"ada": NpcState(present=True, alive=True, met=True)}), True),
        (Conditions(npc_state={"bo": NpcState(present=True)}), False),
        (Conditions(npc_state={"bo": NpcState(met=True)}), False),
        (Conditions(npc_state={"ada": NpcState(perception=Window(min=20))}), True),
        (Conditions(npc_state={"ada": NpcState(perception=Window(min=-100, max=0))}), False),
        (Conditions(npc_state={"ada": NpcState(state="the door is open")}), True),
        (Conditions(custom='!("it rains" in flags)'), True),
        (Conditions(custom='!("the door is open" in flags)'), False),
        (Conditions(custom='scene == 3 && place == "mill" && "earlier" in told'), True),
        (Conditions(custom='stats.wit >= 2 && "a rope" in items && perception["ada"] > 20.0'), True),
        (Conditions(custom='reputation["guild"] < 0.0 || "bo" in met'), False),
        (Conditions(custom="stats.nerve > 1"), False),  # there is no such thing
        (Conditions(custom="scenes > 3"), False),  # nor such a name
        (Conditions(custom="1 + "), False),
        (Conditions(requires_beat="earlier", player_state="it rains"), False),
    ],
)
def test_a_beat_is_open_when_all_its_conditions_hold(conditions: Conditions, is_open: bool) -> None:
    now = situation(
        story(),
        Progress(scene=3, place="mill", beat_outcomes={"earlier": ""}, met_people=("ada",)),
        frozenset({"the door is open"}),
        state={"perception": {"ada": 25}, "persona": {"stats": {"wit": 2}, "items": ["a rope"]}},
        borne_out=frozenset({"you once helped the miller"}),
    )
    assert beats.is_open(beat("new", conditions), now) is is_open
    assert not beats.is_open(beat("earlier", conditions), now)


def test_an_expression_that_cannot_be_evaluated_is_not_true_and_says_why() -> None:
    now = situation(story())
    with pytest.raises(BadExpression, match="scenes"):
        evaluate("scenes > 3", now)
    with pytest.raises(BadExpression, match="neither true nor false"):
        evaluate("1 + 1", now)
    assert "neither true nor false" in next(failing(Conditions(custom="1 + 1"), now))


def test_what_a_beat_brings_about_is_decided_by_that_beat_and_never_by_a_memory() -> None:
    campaign = story(
        beat("hold", Conditions(player_choice="Hold it"), consequences=("the coach is held",)),
        beat("write", Conditions(player_state="the coach is held")),
        beat("thank", Conditions(player_state="you once helped the miller")),
    )
    assert prose_conditions(campaign, Progress(), frozenset()) == ("you once helped the miller",)


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        (Conditions(), ""),
        (Conditions(scene_count=Window(max=2)), "scene 2 is over"),
        (Conditions(requires_beat="missed"), "missed was skipped"),
        (Conditions(requires_any_beat=("missed",)), "missed were skipped"),
        (Conditions(requires_any_beat=("missed", "open")), ""),
        (Conditions(npc_state={"bo": NpcState(alive=True)}), "bo is dead"),
        (Conditions(npc_state={"bo": NpcState(met=True)}), ""),
    ],
)
def test_a_beat_that_can_never_happen_says_why(conditions: Conditions, reason: str) -> None:
    progress = Progress(scene=3, place="mill", skipped_beats={"missed": "too late"}, dead=("bo",))

    assert never_again(beat("new", conditions), situation(story(), progress)) == reason
