"""The events of a turn: words as they come, dice once, and problems as notices."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.conftest import OpenLibrary
from tests.engine.played_story import begin_story

from narratoria.engine import events
from narratoria.engine.event_relay import EventRelay, state_patch
from narratoria.engine.events import PlanMade
from narratoria.engine.scene import Scene
from narratoria.planning.plan import PlanRequest, ToolEmitted, ToolFinished, ToolStarted
from narratoria.planning.result import ToolError, ToolResult
from narratoria.protocol.events import UiEvent


class Turn:
    """A relay without a planner, and what it has emitted."""

    def __init__(self, planner: Any = None) -> None:
        self.events: list[Any] = []
        self.relay = EventRelay(self.events.append, planner)

    def ui(self, name: str, tool: str = "tell", **payload: Any) -> None:
        self.relay.on_progress(
            ToolEmitted("plan", tool, 1, UiEvent(version="0", event=name, payload=payload))
        )

    def start(self, tool: str, attempt: int) -> None:
        self.relay.on_progress(ToolStarted("plan", tool, attempt))

    def all(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def scene(text: str) -> Scene:
    return Scene(number=1, action="a", place="p", paragraphs=(text,), choices=())


async def test_a_plan_says_who_made_it_and_why_nobody_better_did(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        await session.say("I juggle three teacups")
        plans = [event for event in session.log.since(0) if isinstance(event, PlanMade)]
        assert [plan.planner for plan in plans[:2]] == ["patterns", "patterns"]
        assert plans[-1].planner in ("scorer", "model") or plans[-1].reasons


def test_words_of_one_tool_are_streamed_and_stand_if_they_are_those_of_the_scene() -> None:
    turn = Turn()
    turn.ui("narration_delta", text="A bell ")
    turn.ui("narration_delta", tool="other", text="Silence.")
    turn.ui("narration_delta", text="rings.")
    turn.relay.finish(scene("A bell rings."))

    assert [event.text for event in turn.all(events.NarrationDelta)] == ["A bell ", "rings."]
    assert turn.all(events.NarrationDiscarded) == []


def test_words_that_are_not_those_of_the_scene_or_begin_anew_are_discarded() -> None:
    turn = Turn()
    turn.ui("narration_delta", text="A bell ")
    turn.start("tell", 2)
    turn.ui("narration_delta", text="A horn blows.")
    turn.relay.finish(scene("A bell rings."))

    assert len(turn.all(events.NarrationDiscarded)) == 2


def test_the_same_dice_are_shown_once_with_what_they_are_made_of() -> None:
    turn = Turn()
    for _ in range(2):
        turn.ui("dice_roll", formula="2d6+1", total=8, modifiers=[{"name": "you are bold", "value": 1}])

    (roll,) = turn.all(events.DiceRolled)
    assert (roll.total, roll.modifiers) == (8, {"you are bold": 1})


async def test_dice_that_name_no_reasons_are_shown_with_those_of_the_action() -> None:
    class NoPlanner:
        async def generate(self, request: PlanRequest) -> None:
            """Plan nothing: only what was asked matters."""

    turn = Turn(NoPlanner())
    reason = {"kind": "flag", "id": "rope", "text": "you have a rope", "value": 1}
    await turn.relay.generate(PlanRequest("Climb", (), context={"action": {"modifiers": [reason]}}))
    turn.ui("dice_roll", formula="2d6+1", total=8, modifier=1)
    turn.ui("dice_roll", formula="2d6+2", total=9, modifiers=[{"text": "it is dark", "value": 2}])

    assert [roll.modifiers for roll in turn.all(events.DiceRolled)] == [
        {"you have a rope": 1},
        {"it is dark": 2},
    ]


def test_dice_of_another_shape_are_an_event_of_the_skill() -> None:
    turn = Turn()
    turn.ui("dice_roll", faces="many")

    (event,) = turn.all(events.Ui)
    assert (event.event, event.payload) == ("dice_roll", {"faces": "many"})


def test_a_notice_of_a_skill_is_on_one_line_and_what_the_scene_holds_is_not_shown_twice() -> None:
    turn = Turn()
    turn.ui("notice", message="no\n network", kind="network")
    turn.ui("narrative_choice", choices=["Wait"])

    (notice,) = turn.all(events.Notice)
    assert (notice.kind, notice.message) == ("network", "no network")
    assert turn.all(events.Ui) == []


def test_the_player_reads_that_a_skill_failed_and_its_author_why() -> None:
    turn = Turn()
    error = ToolError(code="INVALID_INPUT", message="place must be text", category="tool_failure")
    result = ToolResult(tool_id="narrate", skill="omens", state="failed", error=error)
    turn.relay.on_progress(ToolFinished("p", result))

    (notice,) = turn.all(events.Notice)
    assert notice.message == "The omens skill failed. The story continues without it."
    assert notice.details["reason"] == "place must be text"


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1, "b": 2}, {"a": 3}, {"b": None, "a": 3}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 3}}),
        ({}, {"a": None}, {"a": None}),
        ({"a": {"b": 1}}, {"a": [1]}, {"a": [1]}),
    ],
)
def test_a_patch_has_what_changed_and_null_for_what_went(
    before: dict[str, Any], after: dict[str, Any], patch: dict[str, Any]
) -> None:
    assert state_patch(before, after) == patch
