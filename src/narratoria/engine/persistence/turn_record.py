"""Defines what the log holds of a turn: enough to replay it byte for byte.

Everything that came from outside the engine is in it: the plans, what every tool said, what was recalled.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.contracts.read import UNDECODABLE
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.revisions import Revision, apply_revisions, apply_to_scenes
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.snapshot import Beginning, Progress, StorySnapshot
from narratoria.planning.replan import Fallback, PlanOutcome
from narratoria.state import SessionState

LARGEST_TRACE = 64 * 1024 * 1024  # bytes, once it is unpacked


def expand(text: str, most: int = LARGEST_TRACE) -> bytes:
    """Return a packed trace as JSON, cut off after `most` bytes; ValueError for what is none."""
    try:
        return zlib.decompressobj().decompress(base64.b85decode(text), most)
    except zlib.error as error:
        raise ValueError(f"this trace cannot be read: {error}") from None


class MemoryRecord(NamedTuple):
    """Holds a memory or a change of opinion that is to be stored; JSON has it as a list."""

    data_type: str
    body: dict[str, Any]
    identifier: str


class TurnTrace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Holds how a turn was played; one of `plan_outcome` and `fallback` is there."""

    plan_outcome: PlanOutcome | None = msgspec.field(default=None, name="carried")
    fallback: Fallback | None = None
    # what the store remembered when the turn began
    recall_result: RecallResult = msgspec.field(default=NOTHING, name="recalled")
    planners: tuple[str, ...] = ()  # who made each plan

    @classmethod
    def of(
        cls, outcome: PlanOutcome | Fallback, recall_result: RecallResult, planners: tuple[str, ...] = ()
    ) -> TurnTrace:
        if recall_result == NOTHING:
            recall_result = NOTHING  # the default itself, which is not written
        if isinstance(outcome, PlanOutcome):
            return cls(plan_outcome=outcome, recall_result=recall_result, planners=planners)
        return cls(fallback=outcome, recall_result=recall_result, planners=planners)

    @property
    def outcome(self) -> PlanOutcome | Fallback:
        outcome = self.plan_outcome or self.fallback
        assert outcome is not None
        return outcome

    def pack(self) -> str:
        return base64.b85encode(zlib.compress(msgspec.json.encode(self), 6)).decode()

    @classmethod
    def unpack(cls, text: str) -> TurnTrace:
        """Return the trace in a text; ValueError for a text that holds none."""
        return cls.read(expand(text))

    @classmethod
    def read(cls, document: bytes) -> TurnTrace:
        try:
            trace = msgspec.json.decode(document, type=cls)
        except UNDECODABLE as error:
            raise ValueError(f"this trace cannot be read: {error}") from None
        if trace.plan_outcome is None and trace.fallback is None:
            raise ValueError("this trace says nothing of how the turn ended")
        return trace


class TurnInput(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Holds the input of a turn; that of the first turn also says who is played, and in which campaign."""

    choice: Choice
    take: int = 0  # how often it was told anew
    luck: int = 0  # the take whose dice count: a roll that was seen stays as it fell
    persona: dict[str, Any] = {}
    folder: str = ""  # of the campaign
    beginning: Beginning | None = None  # of a trial story
    limits: ContentLimits = NO_LIMITS  # that were set when it was played
    revisions: tuple[Revision, ...] = ()  # what the player changed after it, before the next turn


class TurnOutput(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Holds the outcome of a turn, without the state."""

    scene: Scene
    progress: Progress
    trace: str = ""
    seconds: float = 0.0  # played up to here, in all sessions


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds a finished turn of the log."""

    number: int
    input: TurnInput = msgspec.field(name="chosen")
    output: TurnOutput = msgspec.field(name="ended")
    state: dict[str, Any]
    begun_at: str
    finished_at: str


def snapshot_after(session: StorySnapshot, record: TurnRecord) -> StorySnapshot:
    """Return the snapshot one turn on, from the log, with what the player changed after it."""
    after = msgspec.structs.replace(
        session,
        progress=record.output.progress,
        state=SessionState(record.state),
        scenes=(*session.scenes, record.output.scene),
        revisions=(),
    )
    return apply_revisions(after, record.input.revisions)


def list_scenes(turns: Sequence[TurnRecord]) -> tuple[Scene, ...]:
    """Return the scenes of turns as the player reads them, with their edits."""
    revisions = [revision for turn in turns for revision in turn.input.revisions]
    return apply_to_scenes([turn.output.scene for turn in turns], revisions)
