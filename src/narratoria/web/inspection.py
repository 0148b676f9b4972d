"""Shows what each turn of a story was made of, its files, and its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from starlette.responses import Response

from narratoria.app import assets_folder
from narratoria.contracts.json_pointer import join_pointer
from narratoria.engine.events import (
    AssetMade,
    ModelStatus,
    PlanMade,
    StateChanged,
    StoryEvent,
    ToolBegan,
    ToolEnded,
    ToolLog,
    ToolTriedAgain,
    TurnStarted,
)
from narratoria.engine.persistence.turn_record import TurnRecord, TurnTrace
from narratoria.engine.scene import Choice
from narratoria.engine.story_session import StorySession
from narratoria.planning.plan import Plan
from narratoria.planning.replan import PlanOutcome
from narratoria.planning.result import AssetReference, ExecutionResult, ToolError, ToolResult
from narratoria.protocol.events import LogEvent
from narratoria.web.app_state import AppState
from narratoria.web.campaigns import campaign_folders
from narratoria.web.files import asset_address, is_below, show_file
from narratoria.web.operation import Operations, not_found

inspection = Operations("Behind the scenes", "What a turn was made of, its files, and the story's state.")

State = Literal["pending", "running", "success", "failed", "skipped", "timeout"]


class TurnRow(msgspec.Struct, frozen=True, rename="camel"):
    turn: int
    choice: Choice
    ms: int
    tools: int
    failed: int


class LogLine(msgspec.Struct, frozen=True, rename="camel"):
    level: str
    message: str


class ToolRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    tool_id: str
    skill: str
    script: str
    state: State
    ms: int
    attempts: int
    logs: tuple[LogLine, ...]
    error: ToolError | None
    dependencies: tuple[str, ...]
    output: dict[str, Any] | None = None


class TurnPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    turn: int
    choice: Choice
    ms: int
    plan: Plan | None
    failures: tuple[str, ...]  # why earlier plans of this turn were given up
    tools: tuple[ToolRow, ...]
    events: tuple[StoryEvent, ...]  # as far as they are kept


class AssetPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    asset_id: str
    kind: str
    media_type: str
    url: str
    metadata: dict[str, Any]
    generated: bool
    provenance: dict[str, Any] | None
    turn: int
    tool_id: str
    referred: bool  # whether a scene refers to it


class StateView(msgspec.Struct, frozen=True, rename="camel"):
    state: dict[str, Any]
    changed: tuple[str, ...]  # JSON pointers, of the last turn


@inspection.get("/stories/{story}/turns")
async def list_turns(app_state: AppState, story: str) -> list[TurnRow]:
    """Every turn that was told, and how long it took."""
    rows = []
    for record in await app_state.library.turns(story):
        results = tuple(_results(_trace(record)))
        failed = sum(not result.ok for result in results)
        rows.append(TurnRow(record.number, record.input.choice, _took(record), len(results), failed))
    return rows


@inspection.get("/stories/{story}/turns/{turn}")
async def show_turn(app_state: AppState, story: str, turn: Annotated[int, msgspec.Meta(ge=1)]) -> TurnPage:
    """One turn: its plan, what each tool did, and the events; also of the turn that is under way."""
    session = await app_state.open_story(story)
    events = _events_of(session, turn)
    if turn == session.snapshot.progress.scene + 1 and session.busy:
        return _under_way(turn, events)
    records = await app_state.library.turns(story, first=turn, last=turn)
    if not records:
        raise not_found("turn", str(turn))
    record, trace = records[0], _trace(records[0])
    failures = trace.outcome.failures if trace else ()
    plan = _plan(trace)
    needs = {call.tool_id: call.dependencies for call in plan.tools} if plan else {}
    return TurnPage(
        turn=turn,
        choice=record.input.choice,
        ms=_took(record),
        plan=plan,
        failures=tuple(failure.reason for failure in failures),
        tools=tuple(_row(result, needs.get(result.tool_id, ())) for result in _results(trace)),
        events=events,
    )


@inspection.get("/stories/{story}/assets", readers=True)
async def list_assets(app_state: AppState, story: str) -> list[AssetPage]:
    """Every file that was announced in this story, whether a scene refers to it or not."""
    return list(_assets(await app_state.open_story(story)).values())


@inspection.get("/stories/{story}/assets/{asset:path}", media="image/*", readers=True)
async def show_asset(app_state: AppState, story: str, asset: str) -> Response:
    """The file: a picture, a sound or a film to show, anything else to keep."""
    session = await app_state.open_story(story)
    path = _paths(session).get(asset)
    roots = [
        assets_folder(),
        *campaign_folders(app_state).values(),
        *(app_state.shared / "skills").glob("*/data"),
    ]
    if path is None:
        raise not_found("asset", asset)
    candidates = [Path(path)] if Path(path).is_absolute() else [root / path for root in roots]
    file = next((candidate for candidate in candidates if is_below(candidate, roots)), None)
    if file is None:
        raise not_found("file for the asset", asset)
    return show_file(file.resolve())


@inspection.get("/stories/{story}/state")
async def show_state(app_state: AppState, story: str) -> StateView:
    """The story's state, and what the last turn changed in it."""
    session = await app_state.open_story(story)
    turn = session.snapshot.progress.scene
    changes = [event for event in _events_of(session, turn) if isinstance(event, StateChanged)]
    patch = changes[-1].patch if changes else {}
    return StateView(session.snapshot.state.to_dict(), tuple(_pointers(patch)))


def _events_of(session: StorySession, turn: int) -> tuple[StoryEvent, ...]:
    """Return the events of the last time that this turn was told.

    The model's status reaches every open story whenever it changes, and belongs to no turn.
    """
    log = session.log.since(0)
    events = [event for event in log if event.turn == turn and not isinstance(event, ModelStatus)]
    starts = [index for index, event in enumerate(events) if isinstance(event, TurnStarted)]
    return tuple(events[starts[-1] :]) if starts else ()


def _trace(record: TurnRecord) -> TurnTrace | None:
    try:
        return TurnTrace.unpack(record.output.trace) if record.output.trace else None
    except ValueError:
        return None


def _plan(trace: TurnTrace | None) -> Plan | None:
    if trace is None:
        return None
    if isinstance(trace.outcome, PlanOutcome):
        return trace.outcome.plan
    return next((failure.plan for failure in reversed(trace.outcome.failures) if failure.plan), None)


def _results(trace: TurnTrace | None) -> Iterator[ToolResult]:
    if trace is None:
        return
    ended: ExecutionResult | None
    ended = trace.outcome.result if isinstance(trace.outcome, PlanOutcome) else trace.outcome.partial
    yield from ended.tool_results if ended else ()


def _row(result: ToolResult, needs: tuple[str, ...]) -> ToolRow:
    skill, _, script = result.tool_path.removeprefix("skills/").partition("/")
    return ToolRow(
        tool_id=result.tool_id,
        skill=result.skill or skill,
        script=script,
        state=result.state,
        ms=result.execution_time_ms,
        attempts=len(result.attempts),
        logs=tuple(
            LogLine(event.level, event.message)
            for attempt in result.attempts
            for event in attempt.events
            if isinstance(event, LogEvent)
        ),
        error=result.error,
        dependencies=needs,
        output=result.output,
    )


def _took(record: TurnRecord) -> int:
    try:
        begun, ended = datetime.fromisoformat(record.begun_at), datetime.fromisoformat(record.finished_at)
    except ValueError:
        return 0
    return round((ended - begun).total_seconds() * 1000)


def _under_way(turn: int, events: tuple[StoryEvent, ...]) -> TurnPage:
    plans = [event.plan for event in events if isinstance(event, PlanMade)]
    begun = next((event for event in events if isinstance(event, TurnStarted)), None)
    if begun is None:
        raise not_found("turn", str(turn))
    return TurnPage(
        turn=turn,
        choice=begun.choice,
        ms=0,
        plan=plans[-1] if plans else None,
        failures=(),
        tools=tuple(_live(plans[-1], events)) if plans else (),
        events=events,
    )


def _live(plan: Plan, events: tuple[StoryEvent, ...]) -> Iterator[ToolRow]:
    """Each tool of the plan as far as it is."""
    for call in plan.tools:
        skill, _, script = call.tool_path.removeprefix("skills/").partition("/")
        own = [event for event in events if getattr(event, "tool_id", None) == call.tool_id]
        begun = [event for event in own if isinstance(event, ToolBegan)]
        ended = next((event for event in reversed(own) if isinstance(event, ToolEnded)), None)
        tried = [event.error for event in own if isinstance(event, ToolTriedAgain)]
        state: State = ended.state if ended else "running" if begun else "pending"
        yield ToolRow(
            tool_id=call.tool_id,
            skill=skill,
            script=script,
            state=state,
            ms=ended.ms if ended else 0,
            attempts=len(begun),
            logs=tuple(LogLine(event.level, event.message) for event in own if isinstance(event, ToolLog)),
            error=(ended.error if ended else None) or (tried[-1] if tried else None),
            dependencies=call.dependencies,
        )


def _announced(session: StorySession) -> Iterator[tuple[int, AssetReference, bool]]:
    """In the order of their coming: those of the log, then what scenes refer to."""
    for event in session.log.since(0):
        if isinstance(event, AssetMade):
            yield event.turn, msgspec.convert(event, AssetReference, from_attributes=True), False
    for scene in session.snapshot.scenes:
        for reference in scene.assets:
            yield scene.number, reference, True


def _paths(session: StorySession) -> Mapping[str, str]:
    return {reference.asset_id: reference.path for _, reference, _ in _announced(session)}


def _assets(session: StorySession) -> dict[str, AssetPage]:
    pages: dict[str, AssetPage] = {}
    for turn, reference, referred in _announced(session):
        earlier = pages.get(reference.asset_id)
        origin = reference.metadata.get("provenance")
        pages[reference.asset_id] = AssetPage(
            asset_id=reference.asset_id,
            kind=reference.kind,
            media_type=reference.media_type,
            url=asset_address(session.story.id, reference.asset_id),
            metadata=reference.metadata,
            generated=reference.metadata.get("generated") is True or isinstance(origin, dict),
            provenance=origin if isinstance(origin, dict) else None,
            turn=earlier.turn if earlier else turn,
            tool_id=reference.tool_id,
            referred=referred or bool(earlier and earlier.referred),
        )
    return pages


def _pointers(patch: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in patch.items():
        pointer = above + join_pointer([key])
        if isinstance(value, Mapping) and value:
            yield from _pointers(value, pointer)
        else:
            yield pointer
