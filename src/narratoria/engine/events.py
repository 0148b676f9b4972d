"""Defines the events of a story, for any face that shows it: numbered, and only ever added.

Whoever loses the connection asks for what came after the last number it saw. A scene holds everything that
the words streamed before it were, so that a log may forget the oldest events and no story loses a word.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.engine.scene import Choice, Scene
from narratoria.planning.plan import Plan
from narratoria.planning.result import ToolError, ToolState

NoticeKind: TypeAlias = Literal["tool_failure", "plan_failure", "network", "store", "model", "settings"]
ModelState: TypeAlias = Literal["loading", "ready", "failed", "downloading"]


class Envelope(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    """Holds what every event says about itself; the log fills it in."""

    id: int = 0
    turn: int = 0  # the one under way, or the last one that was told
    at: str = ""


class TurnStarted(Envelope, tag="turn_started", frozen=True, kw_only=True):
    choice: Choice


class PlanMade(Envelope, tag="plan_made", frozen=True, kw_only=True):
    plan: Plan
    attempt: int
    planner: str = ""  # model, scorer or patterns
    reasons: tuple[str, ...] = ()  # why a better planner did not make it


class ToolBegan(Envelope, tag="tool_started", frozen=True, kw_only=True):
    tool_id: str
    skill: str
    script: str
    attempt: int


class ToolLog(Envelope, tag="tool_log", frozen=True, kw_only=True):
    tool_id: str
    level: str
    message: str


class ToolTriedAgain(Envelope, tag="tool_retrying", frozen=True, kw_only=True):
    tool_id: str
    error: ToolError
    delay_ms: int


class ToolEnded(Envelope, tag="tool_finished", frozen=True, kw_only=True):
    tool_id: str
    state: ToolState
    ms: int
    error: ToolError | None = None


class AssetMade(Envelope, tag="asset", frozen=True, kw_only=True):
    asset_id: str
    kind: str
    media_type: str
    path: str
    tool_id: str
    metadata: dict[str, Any] = {}
    url: str | None = None  # for a face that serves it


class Ui(Envelope, tag="ui", frozen=True, kw_only=True):
    """An event of a skill that has no name of its own here."""

    event: str
    payload: dict[str, Any]
    tool_id: str


class DiceRolled(Envelope, tag="dice_rolled", frozen=True, kw_only=True):
    formula: str
    total: int
    rolls: tuple[int, ...] = ()
    outcome: str = ""
    modifiers: dict[str, int] = {}


class NarrationDelta(Envelope, tag="narration_delta", frozen=True, kw_only=True):
    text: str


class NarrationDiscarded(Envelope, tag="narration_discarded", frozen=True, kw_only=True):
    """The words streamed so far in this turn do not count."""

    reason: str


class StateChanged(Envelope, tag="state_changed", frozen=True, kw_only=True):
    patch: dict[str, Any]


class SceneReady(Envelope, tag="scene_ready", frozen=True, kw_only=True):
    scene: Scene
    mark: str = ""  # of the scene in the store: what follows it says so


class Notice(Envelope, tag="notice", frozen=True, kw_only=True):
    kind: NoticeKind
    message: str
    skill: str | None = None
    details: dict[str, Any] = {}


class ReplanExhausted(Envelope, tag="replan_exhausted", frozen=True, kw_only=True):
    attempts: int
    errors: tuple[str, ...]


class ProtocolViolation(Envelope, tag="protocol_violation", frozen=True, kw_only=True):
    tool_id: str
    message: str


class TurnCancelled(Envelope, tag="turn_cancelled", frozen=True, kw_only=True):
    pass


class TurnUndone(Envelope, tag="turn_undone", frozen=True, kw_only=True):
    """The story stands again where `scene` left it; None before its first scene."""

    scene: Scene | None


class StoryRevised(Envelope, tag="story_revised", frozen=True, kw_only=True):
    """The player has changed something besides playing: a scene, a note, what is remembered."""

    scene: Scene | None = None  # the one that was edited


class StoryMoved(Envelope, tag="story_moved", frozen=True, kw_only=True):
    """The story has gone on elsewhere, on another server: it is to be loaded anew."""


class AskedBack(Envelope, tag="asked_back", frozen=True, kw_only=True):
    """The player's words could not be made out: a question, and readings to pick from. No turn was played."""

    words: str
    question: str
    readings: tuple[str, ...] = ()


class ModelStatus(Envelope, tag="model_status", frozen=True, kw_only=True):
    model: str
    tier: str
    state: ModelState
    progress: float = 0.0


StoryEvent: TypeAlias = (
    TurnStarted
    | PlanMade
    | ToolBegan
    | ToolLog
    | ToolTriedAgain
    | ToolEnded
    | AssetMade
    | Ui
    | DiceRolled
    | NarrationDelta
    | NarrationDiscarded
    | StateChanged
    | SceneReady
    | Notice
    | ReplanExhausted
    | ProtocolViolation
    | TurnCancelled
    | TurnUndone
    | StoryRevised
    | StoryMoved
    | AskedBack
    | ModelStatus
)
