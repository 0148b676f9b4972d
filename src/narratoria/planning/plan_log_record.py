"""Defines a record of the plan log, in the shape of the contract `journal-line`, and limits its length.

A record describes one attempt to generate or execute a plan. Plan and result stay undecoded until they are
asked for, so that reading a long log is cheap.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ContractViolation, Problem, SkillScriptNotFoundError
from narratoria.planning.plan import FailedAttempt, Plan, PlanRequest
from narratoria.planning.result import Attempt, ExecutionResult, ToolError, ToolResult
from narratoria.protocol.dialect import Category
from narratoria.protocol.events import Event
from narratoria.skills.discovery import Catalogue
from narratoria.skills.health import SessionHealth, SkillHealth
from narratoria.skills.skill import Skill

MAX_EVENTS = 200  # of one attempt; the rest is counted
MAX_LINE = 1_000_000  # bytes
MAX_TEXT = 4_000  # characters of the player's input and of a reason
MAX_LISTED = 100  # problems, skills

Part: TypeAlias = Literal["events", "values", "attempts", "plan", "result"]

_NOTHING = msgspec.Raw(b"null")


class OmittedEvents(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Counts the events of a tool's attempt that the log leaves out."""

    tool_id: str
    attempt: int  # 1 is the first run
    count: int


class PlanLogRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    kind: Literal["generation", "execution"]
    at: str
    plan_id: str | None  # None: the planner gave no plan
    parent_plan_id: str | None
    attempt: int
    outcome: Literal["success", "failed", "cancelled"]
    duration_ms: int
    player_input: str | None = None
    skills: tuple[str, ...] = ()
    disabled_skills: tuple[str, ...] = ()
    category: Category | None = None
    reason: str = ""
    problems: tuple[Problem, ...] = ()
    plan_json: msgspec.Raw = msgspec.field(name="plan", default=_NOTHING)
    result_json: msgspec.Raw = msgspec.field(name="result", default=_NOTHING)
    health: dict[str, SkillHealth] = {}
    omitted_events: tuple[OmittedEvents, ...] = ()
    left_out: tuple[Part, ...] = ()  # to keep the line short
    story: str = ""  # whose turn it was; it is forgotten with its story

    def plan(self) -> Plan | None:
        """Return the plan, or None where there was none, or a damaged line holds none any more."""
        with contextlib.suppress(*UNDECODABLE, ContractViolation):
            return msgspec.json.decode(self.plan_json, type=Plan | None)
        return None

    def result(self) -> ExecutionResult | None:
        """Return the result, or None where there was none, or a damaged line holds none any more."""
        with contextlib.suppress(*UNDECODABLE, ContractViolation):
            return msgspec.json.decode(self.result_json, type=ExecutionResult | None)
        return None


def generation_line(
    request: PlanRequest, outcome: Plan | FailedAttempt, seconds: float, story: str = ""
) -> bytes:
    """Return the line for a planner's answer."""
    failed = outcome if isinstance(outcome, FailedAttempt) else None
    plan = outcome.plan if isinstance(outcome, FailedAttempt) else outcome
    record = PlanLogRecord(
        kind="generation",
        at=_now(),
        plan_id=plan.request_id if plan else None,
        parent_plan_id=request.parent_plan_id,
        attempt=request.attempt,
        outcome="failed" if failed else "success",
        duration_ms=round(seconds * 1000),
        player_input=_text(request.player_input),
        skills=_listed(_owners(plan, request.skills)) if plan else (),
        disabled_skills=_listed(sorted(request.disabled_skills)),
        category=failed.category if failed else None,
        reason=_text(failed.reason) if failed else "",
        problems=failed.problems[:MAX_LISTED] if failed else (),
        story=story,
    )
    return _line(record, plan, None)


def execution_line(plan: Plan, result: ExecutionResult, health: SessionHealth, story: str = "") -> bytes:
    """Return the line for a plan that has run to its end."""
    errors = [] if result.success else _errors(result)
    record = PlanLogRecord(
        kind="execution",
        at=_now(),
        plan_id=plan.request_id,
        parent_plan_id=plan.metadata.parent_plan_id,
        attempt=result.attempt_number,
        outcome="success" if result.success else "failed",
        duration_ms=result.execution_time_ms,
        skills=_listed(tool.skill for tool in result.tool_results if tool.skill),
        disabled_skills=_listed(result.disabled_skills),
        category=errors[0][1].category if errors else None,
        reason=_text("; ".join(f"{tool_id}: {error.message}" for tool_id, error in errors)),
        health=dict(health.skills),
        story=story,
    )
    return _line(record, plan, result)


def cancellation_line(plan: Plan, seconds: float, story: str = "") -> bytes:
    """Return the line for a plan that was cancelled while it ran."""
    record = _without_result(plan, seconds, "cancelled", "the plan was given up while it ran")
    return _line(replace(record, story=story), plan, None)


def breakdown_line(plan: Plan, seconds: float, reason: str, story: str = "") -> bytes:
    """Return the line for a plan during which the executor itself failed."""
    record = _without_result(plan, seconds, "failed", reason)
    return _line(replace(record, category="process_error", story=story), plan, None)


def _without_result(
    plan: Plan, seconds: float, outcome: Literal["failed", "cancelled"], reason: str
) -> PlanLogRecord:
    return PlanLogRecord(
        kind="execution",
        at=_now(),
        plan_id=plan.request_id,
        parent_plan_id=plan.metadata.parent_plan_id,
        attempt=plan.metadata.generation_attempt,
        outcome=outcome,
        duration_ms=round(seconds * 1000),
        reason=_text(reason),
    )


def _errors(result: ExecutionResult) -> list[tuple[str, ToolError]]:
    """Return the errors of the tools that failed or, where none did, of those that were skipped."""
    errors = [(tool.tool_id, tool.error) for tool in result.tool_results if tool.error]
    return [error for error in errors if error[0] in result.failed_tools] or errors


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(text: str) -> str:
    """Shorten a text, and replace lone surrogates, which a terminal can send and JSON cannot hold."""
    cut = text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    return cut.encode(errors="replace").decode()


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:MAX_LISTED]


def _owners(plan: Plan, skills: Sequence[Skill]) -> Iterable[str]:
    catalogue = Catalogue(tuple(skills))
    for tool_path in dict.fromkeys(call.tool_path for call in plan.tools):
        try:
            yield catalogue.find(tool_path)[0].name
        except SkillScriptNotFoundError:
            continue  # an m-control tool, or nothing at all: the plan says which


# keeping it short: one step after the other, until the line is no longer than it may be


def _line(record: PlanLogRecord, plan: Plan | None, result: ExecutionResult | None) -> bytes:
    short_result = _with_events(result, MAX_EVENTS) if result else None
    line = _encoded(record, plan, short_result, result)
    for part, shorter in _STEPS:
        if line is not None and len(line) <= MAX_LINE:
            break
        plan, short_result = shorter(plan, short_result)
        record = replace(record, left_out=(*record.left_out, part))
        line = _encoded(record, plan, short_result, result)
    return line if line is not None else _encode(_bare(record))


def _bare(record: PlanLogRecord) -> PlanLogRecord:
    """Return the record without the parts that may hold text JSON cannot."""
    plan_id, parent_id = (name and _text(name) for name in (record.plan_id, record.parent_plan_id))
    names = {"plan_id": plan_id, "parent_plan_id": parent_id, "skills": (), "disabled_skills": ()}
    return replace(record, **names, problems=(), health={})


def _encoded(
    record: PlanLogRecord,
    plan: Plan | None,
    short_result: ExecutionResult | None,
    whole: ExecutionResult | None,
) -> bytes | None:
    """Return the line, or None for values that JSON cannot hold, as a planner written in Python may use."""
    try:
        return _encode(
            replace(
                record,
                plan_json=msgspec.Raw(plan.to_json()) if plan else _NOTHING,
                result_json=msgspec.Raw(short_result.to_json()) if short_result else _NOTHING,
                omitted_events=tuple(_omitted(whole, short_result))[:MAX_LISTED]
                if whole and short_result
                else (),
            )
        )
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _encode(record: PlanLogRecord) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def _omitted(whole: ExecutionResult, short_result: ExecutionResult) -> Iterable[OmittedEvents]:
    for tool, shown in zip(whole.tool_results, short_result.tool_results, strict=True):
        for number, attempt in enumerate(tool.attempts, 1):
            left = len(shown.attempts[number - 1].events) if shown.attempts else 0
            if count := len(attempt.events) - left:
                yield OmittedEvents(tool_id=tool.tool_id, attempt=number, count=count)


def _with_events(result: ExecutionResult, most: int) -> ExecutionResult:
    def some(events: tuple[Event, ...]) -> tuple[Event, ...]:
        # the first and the last: how it began and what went wrong
        return events if len(events) <= most else events[: most // 2] + events[len(events) - most // 2 :]

    def tool(of: ToolResult) -> ToolResult:
        attempts = tuple(replace(attempt, events=some(attempt.events)) for attempt in of.attempts)
        return replace(of, events=some(of.events), attempts=attempts)

    return replace(result, tool_results=tuple(map(tool, result.tool_results)))


def _without_values(
    plan: Plan | None, result: ExecutionResult | None
) -> tuple[Plan | None, ExecutionResult | None]:
    if plan:
        plan = replace(plan, tools=tuple(replace(call, input={}) for call in plan.tools))
    if result:
        tools = tuple(map(_tool_without_values, result.tool_results))
        result = replace(result, tool_results=tools, aggregated_state={}, aggregated_assets=())
    return plan, result


def _tool_without_values(tool: ToolResult) -> ToolResult:
    def attempt(of: Attempt) -> Attempt:
        error = replace(of.error, message=_text(of.error.message), details={}) if of.error else None
        return replace(of, error=error, stderr_tail="", warnings=())

    error = replace(tool.error, message=_text(tool.error.message), details={}) if tool.error else None
    attempts = tuple(map(attempt, tool.attempts))
    return replace(tool, output=None, error=error, attempts=attempts)


def _without_attempts(result: ExecutionResult) -> ExecutionResult:
    return replace(result, tool_results=tuple(replace(tool, attempts=()) for tool in result.tool_results))


_Shorten: TypeAlias = Callable[[Any, Any], tuple[Plan | None, ExecutionResult | None]]
_STEPS: tuple[tuple[Part, _Shorten], ...] = (
    ("events", lambda plan, result: (plan, result and _with_events(result, 0))),
    ("values", _without_values),
    ("attempts", lambda plan, result: (plan, result and _without_attempts(result))),
    ("plan", lambda _, result: (None, result)),
    ("result", lambda _, __: (None, None)),
)
