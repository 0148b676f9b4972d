"""From what a plan tells while it runs to the events of the story."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from narratoria.engine import events
from narratoria.engine.events import StoryEvent
from narratoria.engine.scene import Roll, Scene
from narratoria.engine.witness import Witness
from narratoria.planning.plan import Plan
from narratoria.planning.progress import (
    PlanStarted,
    Progress,
    ToolEmitted,
    ToolFinished,
    ToolRetrying,
    ToolStarted,
)
from narratoria.planning.result import ToolResult
from narratoria.protocol.events import AssetEvent, Event, LogEvent, UiEvent

PROTOCOL = ("invalid_json", "process_error")  # categories of a tool that broke the protocol
LONGEST_NOTICE = 500  # characters
HELD_BY_THE_SCENE = ("narration", "narrative_choice")


class Relay:
    """One turn's worth; `tell` is given every event in its order."""

    def __init__(self, tell: Callable[[StoryEvent], None], witness: Witness | None = None) -> None:
        self._tell, self._witness = tell, witness
        self._plan: Plan | None = None
        self._teller = ""  # the tool whose words are shown
        self._words = ""
        self._rolls: list[events.DiceRolled] = []

    def on_progress(self, progress: Progress) -> None:
        match progress:
            case PlanStarted(plan):
                self._discard("the scene is planned anew")
                self._plan = plan
                attempt = plan.metadata.generation_attempt
                by, reasons = (self._witness.by, self._witness.reasons) if self._witness else ("", ())
                self._tell(events.PlanMade(plan=plan, attempt=attempt, planner=by, reasons=reasons))
            case ToolStarted(_, tool_id, attempt):
                if tool_id == self._teller:
                    self._discard("the storyteller begins anew")
                skill, script = self._owner(tool_id)
                self._tell(events.ToolBegan(tool_id=tool_id, skill=skill, script=script, attempt=attempt))
            case ToolEmitted(_, tool_id, _, event):
                self._emitted(tool_id, event)
            case ToolRetrying(_, tool_id, _, error, delay_ms):
                self._tell(events.ToolTriedAgain(tool_id=tool_id, error=error, delay_ms=delay_ms))
            case ToolFinished(_, result):
                self._finished(result)

    def finish(self, scene: Scene) -> None:
        """Before the scene is shown: whether what was streamed is what it says."""
        if self._words.split() != scene.text.split():
            self._discard("the scene is told in other words")

    def _emitted(self, tool_id: str, event: Event) -> None:
        match event:
            case LogEvent(level=level, message=message):
                self._tell(events.ToolLog(tool_id=tool_id, level=level, message=message))
            case AssetEvent():
                self._tell(
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
                self._tell(events.Ui(event=name, payload=payload, tool_id=tool_id))

    def _narrate(self, tool_id: str, text: str) -> None:
        self._teller = self._teller or tool_id
        if tool_id == self._teller:  # two that speak at once cannot both be read
            self._words += text
            self._tell(events.NarrationDelta(text=text))

    def _notice(self, tool_id: str, message: str, payload: Mapping[str, Any]) -> None:
        """Something that the player should know, and that a skill has got round by itself."""
        kind: events.NoticeKind = "network" if payload.get("kind") == "network" else "model"
        skill, script = self._owner(tool_id)
        self._tell(
            events.Notice(
                kind=kind,
                skill=skill,
                message=" ".join(message.split())[:LONGEST_NOTICE],
                details={"toolId": tool_id, "script": script},
            )
        )

    def _dice(self, tool_id: str, payload: Mapping[str, Any]) -> None:
        try:
            roll = msgspec.convert({**payload, "modifiers": _named(payload.get("modifiers"))}, Roll)
        except msgspec.ValidationError:  # a skill's own idea of dice
            self._tell(events.Ui(event="dice_roll", payload=dict(payload), tool_id=tool_id))
            return
        modifiers = roll.modifiers or ({"modifier": roll.modifier} if roll.modifier else {})
        rolled = events.DiceRolled(
            formula=roll.formula,
            total=roll.total,
            rolls=roll.rolls,
            outcome=roll.outcome,
            modifiers=modifiers,
        )
        if rolled not in self._rolls:  # a plan made anew rolls the same dice
            self._rolls.append(rolled)
            self._tell(rolled)

    def _finished(self, result: ToolResult) -> None:
        self._tell(
            events.ToolEnded(
                tool_id=result.tool_id, state=result.state, ms=result.execution_time_ms, error=result.error
            )
        )
        error = result.error
        if result.ok or error is None or result.state == "skipped":
            return
        if result.tool_id == self._teller:
            self._discard("the storyteller broke off")
        if error.category in PROTOCOL:
            self._tell(events.ProtocolViolation(tool_id=result.tool_id, message=error.message))
        skill, script = self._owner(result.tool_id)
        details = {"toolId": result.tool_id, "script": script, "code": error.code, "category": error.category}
        self._tell(
            events.Notice(
                kind="network" if error.code.upper().startswith("NETWORK") else "tool_failure",
                skill=result.skill or skill,
                message=f"{result.skill or skill}: {error.message}",
                details=details,
            )
        )

    def _discard(self, reason: str) -> None:
        if self._words:
            self._tell(events.NarrationDiscarded(reason=reason))
        self._teller = self._words = ""

    def _owner(self, tool_id: str) -> tuple[str, str]:
        calls = self._plan.tools if self._plan else ()
        path = next((call.tool_path for call in calls if call.tool_id == tool_id), "")
        skill, _, script = path.removeprefix("skills/").partition("/")
        return skill, script


def _named(modifiers: Any) -> dict[str, int]:
    """By name, from a list of names and values."""
    listed = modifiers if isinstance(modifiers, list) else []
    found = [one for one in listed if isinstance(one, Mapping) and isinstance(one.get("value"), int)]
    return {str(one.get("name") or one.get("text") or "modifier"): one["value"] for one in found}


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The patch that makes `after` of `before`: what is new or other, and null for what is gone."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            if changed := difference(old, value):
                patch[key] = changed
        elif key not in before or old != value:
            patch[key] = value
    return patch
