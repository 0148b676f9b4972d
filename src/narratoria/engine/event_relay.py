"""Turns the progress of a plan into the events of a story."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from narratoria.engine import events
from narratoria.engine.events import StoryEvent
from narratoria.engine.scene import Scene, name_modifiers, read_roll
from narratoria.planner.planner import PlanExplanation
from narratoria.planning.plan import (
    LoadingPlanner,
    Plan,
    Planner,
    PlanProgress,
    PlanRequest,
    PlanStarted,
    ToolEmitted,
    ToolFinished,
    ToolRetrying,
    ToolStarted,
)
from narratoria.planning.result import ToolResult
from narratoria.protocol.events import AssetEvent, Event, LogEvent, UiEvent

PROTOCOL = ("invalid_json", "process_error")  # categories of a tool that broke the protocol
LONGEST_NOTICE = 500  # characters
FAILED = "The {skill} skill failed. The story continues without it."
HELD_BY_THE_SCENE = ("narration", "narrative_choice")


@runtime_checkable
class ExplainingPlanner(Protocol):
    """A planner that can say how it came to a plan."""

    async def explain(self, request: PlanRequest) -> PlanExplanation: ...


class EventRelay:
    """Passes the events of one turn to `emit`, in their order.

    It implements `Planner` on top of the given one, to say in the event of a plan who made it.
    """

    def __init__(self, emit: Callable[[StoryEvent], None], planner: Planner) -> None:
        self._emit, self._planner = emit, planner
        self._made_by = ""  # model, scorer or patterns
        self._reasons: tuple[str, ...] = ()  # why no better planner made the plan
        self._authored_modifiers: dict[str, int] = {}  # of the action, for dice that name none
        self._plan: Plan | None = None
        self._narrating_tool = ""  # the tool whose words are shown
        self._streamed_text = ""
        self._rolls: list[events.DiceRolled] = []

    async def generate(self, request: PlanRequest) -> Plan:
        """Ask the planner for a plan, and keep what it says about where the plan comes from."""
        self._made_by, self._reasons = "", ()
        action = request.context.get("action", {})
        self._authored_modifiers = name_modifiers(action.get("modifiers", []))
        if not isinstance(self._planner, ExplainingPlanner):
            return await self._planner.generate(request)
        explanation = await self._planner.explain(request)
        self._made_by, self._reasons = explanation.by, explanation.fallback_reasons
        return explanation.plan

    async def wait_until_loaded(self) -> None:
        """Wait for what the planner loads, if it loads anything."""
        if isinstance(self._planner, LoadingPlanner):
            await self._planner.wait_until_loaded()

    def on_progress(self, progress: PlanProgress) -> None:
        """Emit the events for one step of the plan under way."""
        match progress:
            case PlanStarted(plan):
                self._discard("the scene is planned anew")
                self._plan = plan
                attempt = plan.metadata.generation_attempt
                self._emit(
                    events.PlanMade(plan=plan, attempt=attempt, planner=self._made_by, reasons=self._reasons)
                )
            case ToolStarted(_, tool_id, attempt):
                if tool_id == self._narrating_tool:
                    self._discard("the storyteller begins anew")
                skill, script = self._owner(tool_id)
                self._emit(events.ToolBegan(tool_id=tool_id, skill=skill, script=script, attempt=attempt))
            case ToolEmitted(_, tool_id, _, event):
                self._on_tool_event(tool_id, event)
            case ToolRetrying(_, tool_id, _, error, delay_ms):
                self._emit(events.ToolTriedAgain(tool_id=tool_id, error=error, delay_ms=delay_ms))
            case ToolFinished(_, result):
                self._on_tool_finished(result)

    def finish(self, scene: Scene) -> None:
        """Discard the streamed words if they are not those of the scene that is about to be shown."""
        if self._streamed_text.split() != scene.text.split():
            self._discard("the scene is told in other words")

    def _on_tool_event(self, tool_id: str, event: Event) -> None:
        match event:
            case LogEvent(level=level, message=message):
                self._emit(events.ToolLog(tool_id=tool_id, level=level, message=message))
            case AssetEvent():
                self._emit(
                    events.AssetMade(
                        asset_id=event.asset_id,
                        kind=event.kind,
                        media_type=event.media_type,
                        path=event.path,
                        tool_id=tool_id,
                        metadata=event.metadata,
                    )
                )
            case UiEvent(event="narration_delta", payload={"text": str(text)}) if text:
                self._narrate(tool_id, text)
            case UiEvent(event="notice", payload={"message": str(message)} as payload) if message.strip():
                self._notice(tool_id, message, payload)
            case UiEvent(event="dice_roll", payload=payload):
                self._dice(tool_id, payload)
            case UiEvent(event=name, payload=payload) if name not in HELD_BY_THE_SCENE:
                self._emit(events.Ui(event=name, payload=payload, tool_id=tool_id))

    def _narrate(self, tool_id: str, text: str) -> None:
        self._narrating_tool = self._narrating_tool or tool_id
        if tool_id == self._narrating_tool:  # two that speak at once cannot both be read
            self._streamed_text += text
            self._emit(events.NarrationDelta(text=text))

    def _notice(self, tool_id: str, message: str, payload: Mapping[str, Any]) -> None:
        """Emit what the player should know of a problem that a skill has worked around."""
        kind: events.NoticeKind = "network" if payload.get("kind") == "network" else "model"
        skill, script = self._owner(tool_id)
        self._emit(
            events.Notice(
                kind=kind,
                skill=skill,
                message=" ".join(message.split())[:LONGEST_NOTICE],
                details={"toolId": tool_id, "script": script},
            )
        )

    def _dice(self, tool_id: str, payload: Mapping[str, Any]) -> None:
        roll = read_roll(payload)
        if roll is None:  # a skill's own idea of dice
            self._emit(events.Ui(event="dice_roll", payload=dict(payload), tool_id=tool_id))
            return
        # as the scene will show them: dice that grow when it is ready push its words down
        modifiers = roll.modifiers or self._authored_modifiers
        modifiers = modifiers or ({"modifier": roll.modifier} if roll.modifier else {})
        event = events.DiceRolled(
            formula=roll.formula,
            total=roll.total,
            rolls=roll.rolls,
            outcome=roll.outcome,
            modifiers=modifiers,
        )
        if event not in self._rolls:  # a plan made anew rolls the same dice
            self._rolls.append(event)
            self._emit(event)

    def _on_tool_finished(self, result: ToolResult) -> None:
        self._emit(
            events.ToolEnded(
                tool_id=result.tool_id, state=result.state, ms=result.execution_time_ms, error=result.error
            )
        )
        error = result.error
        if result.ok or error is None or result.state == "skipped":
            return
        if result.tool_id == self._narrating_tool:
            self._discard("the storyteller broke off")
        if error.category in PROTOCOL:
            self._emit(events.ProtocolViolation(tool_id=result.tool_id, message=error.message))
        skill, script = self._owner(result.tool_id)
        skill = result.skill or skill
        is_network = error.code.upper().startswith("NETWORK")
        self._emit(
            events.Notice(
                kind="network" if is_network else "tool_failure",
                skill=skill,
                message=f"{skill}: {error.message}" if is_network else FAILED.format(skill=skill),
                details={
                    "toolId": result.tool_id,
                    "script": script,
                    "code": error.code,
                    "category": error.category,
                    "reason": error.message[:LONGEST_NOTICE],  # for whoever wrote the skill
                },
            )
        )

    def _discard(self, reason: str) -> None:
        if self._streamed_text:
            self._emit(events.NarrationDiscarded(reason=reason))
        self._narrating_tool = self._streamed_text = ""

    def _owner(self, tool_id: str) -> tuple[str, str]:
        calls = self._plan.tools if self._plan else ()
        path = next((call.tool_path for call in calls if call.tool_id == tool_id), "")
        skill, _, script = path.removeprefix("skills/").partition("/")
        return skill, script


def state_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the patch that makes `after` of `before`: changed values, and null for removed ones."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            if nested_patch := state_patch(old, value):
                patch[key] = nested_patch
        elif key not in before or old != value:
            patch[key] = value
    return patch
