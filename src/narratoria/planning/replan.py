"""Runs the replan loop of a turn: at most five plans, then a fallback, never an exception.

A planner may raise, hang, or return a plan that cannot run. Each of these uses up one of the five attempts,
and the next request says what went wrong.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

import msgspec

from narratoria.errors import CyclicDependencyException, NarratoriaException, PlanRejected
from narratoria.planning.execute import MAX_GENERATIONS
from narratoria.planning.plan import FailedAttempt, Plan, Planner, PlanRequest
from narratoria.planning.plan_log import PlanLog
from narratoria.planning.prepare import PreparedPlan, Resolve, prepare_plan
from narratoria.planning.result import Attempt, ExecutionResult, ToolResult
from narratoria.protocol.dialect import Category
from narratoria.skills.health import Observation, SessionHealth, classify_failure
from narratoria.skills.skill import Skill
from narratoria.state import SessionState

GENERATION_TIMEOUT = 5.0  # seconds for one plan; not a setting

# Narrated when every plan failed; the specification gives the wording.
TEMPLATES = (
    "The narrator pauses, considering your words: '{input}'",
    "Your action '{input}' echoes in the stillness...",
    "The story continues, though the path is unclear...",
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """Holds a plan that ran to its end, with every required tool successful."""

    plan: Plan
    result: ExecutionResult
    health: SessionHealth
    failures: tuple[FailedAttempt, ...] = ()


@dataclass(frozen=True, slots=True)
class Fallback:
    """Replaces a scene when no plan succeeded: a template, and the partial result of the last plan."""

    narration: str
    health: SessionHealth
    failures: tuple[FailedAttempt, ...]

    @property
    def partial(self) -> ExecutionResult | None:
        return next((failure.result for failure in reversed(self.failures) if failure.result), None)


Execute: TypeAlias = Callable[[PreparedPlan, SessionState], Awaitable[ExecutionResult]]


async def run_replan_loop(
    player_input: str,
    state: SessionState,
    *,
    planner: Planner,
    skills: Sequence[Skill],
    resolve: Resolve,
    execute: Execute,
    plan_log: PlanLog,
    health: SessionHealth = SessionHealth(),
    context: Mapping[str, Any] | None = None,
) -> PlanOutcome | Fallback:
    """Plan, execute, and replan without the skills that failed; return a fallback after five attempts."""
    failures: list[FailedAttempt] = []
    disabled = health.disabled
    parent: str | None = None
    for attempt in range(1, MAX_GENERATIONS + 1):
        request = PlanRequest(
            player_input=player_input,
            skills=[skill for skill in skills if skill.name not in disabled],
            disabled_skills=disabled,
            degraded_skills=health.degraded,
            context=context or {},
            attempt=attempt,
            parent_plan_id=parent,
            error_context=failures[-1] if failures else None,
        )
        used = {failure.plan.request_id for failure in failures if failure.plan}
        generated = await _generate(planner, request, used, resolve, plan_log)
        if isinstance(generated, FailedAttempt):
            failures.append(generated)
            parent = generated.plan.request_id if generated.plan else parent
            continue
        result = await _execute(execute, generated, state, plan_log)
        if isinstance(result, FailedAttempt):
            failures.append(result)
            parent = generated.plan.request_id
            continue
        health = update_health(health, generated.plan, result.tool_results)
        plan_log.record_execution(generated.plan, result, health)
        if result.success:
            return PlanOutcome(generated.plan, result, health, tuple(failures))
        failures.append(_failed(attempt, generated.plan, result))
        parent = generated.plan.request_id
        disabled = disabled | health.disabled | set(result.disabled_skills)
    return Fallback(fallback_narration(player_input), health, tuple(failures))


async def _execute(
    execute: Execute, prepared: PreparedPlan, state: SessionState, plan_log: PlanLog
) -> ExecutionResult | FailedAttempt:
    clock = asyncio.get_running_loop().time
    started = clock()
    try:
        return await execute(prepared, state)
    except asyncio.CancelledError:
        plan_log.record_cancellation(prepared.plan, clock() - started)
        raise
    except Exception as error:  # noqa: BLE001  our own bug costs this plan and no scene; it is logged
        reason = f"the execution broke down: {type(error).__name__}: {error}"
        _log.debug("%s", reason, exc_info=True)
        plan_log.record_breakdown(prepared.plan, clock() - started, reason)
        attempt = prepared.plan.metadata.generation_attempt
        return FailedAttempt(attempt, reason, "process_error", prepared.plan)


async def _generate(
    planner: Planner, request: PlanRequest, used: Collection[str], resolve: Resolve, plan_log: PlanLog
) -> PreparedPlan | FailedAttempt:
    clock = asyncio.get_running_loop().time
    started = clock()
    plan: Plan | None = None
    outcome: PreparedPlan | FailedAttempt
    try:
        answer = _with_attempt(await _in_time(planner.generate(request)), request, used)
        plan = Plan.from_json(answer.to_json())  # whatever it was made of, from here on it keeps its contract
        outcome = prepare_plan(plan, resolve, disabled=request.disabled_skills)
    except TimeoutError as error:
        outcome = FailedAttempt(request.attempt, str(error) or "the planner ran out of time", "timeout")
    except CyclicDependencyException as error:
        outcome = FailedAttempt(request.attempt, str(error), "circular_dependency", plan, error.problems)
    except PlanRejected as error:
        outcome = FailedAttempt(request.attempt, str(error), "invalid_json", plan, error.problems)
    except NarratoriaException as error:
        outcome = FailedAttempt(request.attempt, str(error), "invalid_json", plan)
    except Exception as error:  # noqa: BLE001  whatever a planner does, the player gets a scene; it is logged
        reason = f"the planner failed: {type(error).__name__}: {error}"
        outcome = FailedAttempt(request.attempt, reason, "process_error", plan)
    plan_log.record_generation(
        request, outcome.plan if isinstance(outcome, PreparedPlan) else outcome, clock() - started
    )
    return outcome


async def _in_time(generating: Coroutine[Any, Any, Plan]) -> Plan:
    """Return the plan; raise TimeoutError when its time is up, even if the planner cannot be cancelled."""
    task = asyncio.ensure_future(generating)
    try:
        await asyncio.wait({task}, timeout=GENERATION_TIMEOUT)
        if not task.done():
            raise TimeoutError(f"no plan within {GENERATION_TIMEOUT:g} s")
    finally:
        task.cancel()
    if task.cancelled():
        raise RuntimeError("it was cancelled from within")  # and not by whoever waits for the turn
    return task.result()


def _with_attempt(plan: Plan, request: PlanRequest, used: Collection[str]) -> Plan:
    """Return the plan with the metadata of this attempt, whatever the planner wrote there."""
    if not isinstance(plan, Plan):
        raise TypeError(f"it gave {type(plan).__name__} and no Plan")
    return msgspec.structs.replace(
        plan,
        request_id=str(uuid4()) if plan.request_id in used else plan.request_id,
        disabled_skills=tuple(sorted(request.disabled_skills)),
        metadata=msgspec.structs.replace(
            plan.metadata, generation_attempt=request.attempt, parent_plan_id=request.parent_plan_id
        ),
    )


def _failed(attempt: int, plan: Plan, result: ExecutionResult) -> FailedAttempt:
    failed = [result.of(tool_id) for tool_id in result.failed_tools]
    named = "; ".join(f"{tool.tool_id}: {tool.error.message}" for tool in failed if tool.error)
    required = {call.tool_id for call in plan.tools if call.required}
    errors = [tool.error for tool in failed if tool.error and tool.tool_id in required]
    category: Category = errors[0].category if errors else "timeout"
    return FailedAttempt(attempt, named or "the plan's time was up", category, plan, (), result)


def update_health(health: SessionHealth, plan: Plan, results: Sequence[ToolResult]) -> SessionHealth:
    """Return the session's health after these tools of the plan have run."""
    retries = {call.tool_id: call.retry_policy.max_retries for call in plan.tools}
    for result in results:
        if result.skill and result.attempts:
            runs = [_observed(attempt) for attempt in result.attempts]
            exhausted = result.retry_count >= retries[result.tool_id]
            health = health.after(result.skill, runs, exhausted=exhausted)
    return health


def _observed(attempt: Attempt) -> Observation:
    return classify_failure(attempt.error.category, attempt.error.code) if attempt.error else "success"


def fallback_narration(player_input: str) -> str:
    """Return one of the templates, always the same one for the same input."""
    words = player_input.encode(errors="replace")  # a terminal may hand over halves of characters
    return TEMPLATES[sum(words) % len(TEMPLATES)].format(input=words.decode())
