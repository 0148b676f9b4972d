"""Runs a plan: tools in dependency order, in sequence or in parallel, with retries, within a deadline."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from typing import Any

import msgspec

from narratoria.errors import Problem
from narratoria.planning.aggregate import aggregate_results, apply_patches
from narratoria.planning.plan import (
    OnProgress,
    PlanFinished,
    PlanStarted,
    ToolEmitted,
    ToolFinished,
    ToolInvocation,
    ToolRetrying,
    ToolStarted,
)
from narratoria.planning.prepare import PreparedPlan, resolve_input
from narratoria.planning.result import Attempt, AttemptState, ExecutionResult, ToolError, ToolResult
from narratoria.protocol.events import Event, UiEvent
from narratoria.protocol.process import run
from narratoria.skills.health import HOST_LATE
from narratoria.skills.input_schema import check_input
from narratoria.skills.runnable import InvocationRequest, Runnable
from narratoria.state import SessionState

MAX_GENERATIONS = 5  # plans in one turn; not a setting
TELLING = "telling"  # the sign a storyteller gives while a model tells the scene
TELLING_PAUSE_S = 100.0  # seconds between two signs, at most: a slow machine reads before it writes
LONGEST_TELLING_S = 1200.0  # seconds after which even a telling ends
_WAITED_SHARE = 0.5  # of a run that failed: kept waiting for longer than this, the tool is not to blame


def _cores() -> int:
    """Return the cores this process may use, which in a container are fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits a plan's execution; each limit is a setting."""

    timeout: float = 60.0  # seconds for the whole plan
    concurrency: int = field(default_factory=_cores)
    shutdown_grace: float = 5.0  # seconds for running tools to finish when the plan is cancelled


async def execute(
    prepared: PreparedPlan,
    state: SessionState,
    *,
    bounds: Bounds = Bounds(),
    context: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
) -> ExecutionResult:
    """Run the plan; a failing tool is part of its result, and only a cancelled plan has none."""
    return await _Execution(prepared, state, bounds, context or {}, on_progress or _ignore).run()


def _ignore(_: object) -> None:
    pass


def _may_tell(tool: Runnable) -> bool:
    """Return whether a model may tell a scene with a tool: only who was granted one."""
    return "model" in tool.context.get("permissions", ())


class _Execution:
    def __init__(
        self,
        prepared: PreparedPlan,
        state: SessionState,
        bounds: Bounds,
        context: Mapping[str, Any],
        tell: OnProgress,
    ) -> None:
        self._plan, self._graph, self._tools = prepared.plan, prepared.graph, prepared.tools
        self._state, self._bounds, self._context, self._tell = state, bounds, context, tell
        self._id = prepared.plan.request_id
        self._clock = asyncio.get_running_loop().time
        self._started_at = self._clock()
        self._deadline = self._started_at + bounds.timeout
        self._closing = asyncio.Event()  # set when the plan is being cancelled
        self._rank = {tool_id: rank for rank, tool_id in enumerate(self._graph.order)}
        self._unmet = {tool_id: len(needed) for tool_id, needed in self._graph.dependencies.items()}
        self._ready = [
            rank for tool_id, rank in self._rank.items() if not self._unmet[tool_id]
        ]  # a heap: sorted
        self._running: dict[asyncio.Task[ToolResult], ToolInvocation] = {}
        self._late: set[str] = set()  # tools whose time is up and that go on beside others
        self._signs: dict[str, float] = {}  # tools with which a model tells the scene, and the latest sign
        self._results: dict[str, ToolResult] = {}
        self._views = _Views(state, self._graph.order, self._graph.dependencies, self._results)

    async def run(self) -> ExecutionResult:
        self._tell(PlanStarted(self._plan))
        try:
            while self._ready or self._running:
                await asyncio.sleep(0)  # a listener may have cancelled us: then nothing more is started
                self._start_ready()
                if self._running:
                    done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
                    for task in sorted(done, key=lambda task: self._rank[self._running[task].tool_id]):
                        del self._running[task]
                        self._finish(task.result())
        except asyncio.CancelledError:
            self._closing.set()
            if self._running:
                await asyncio.wait(self._running, timeout=self._bounds.shutdown_grace)
            raise
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
        result = self._result()
        self._tell(PlanFinished(result))
        return result

    # scheduling: by plan order; a tool that must run alone holds the door until it has

    def _start_ready(self) -> None:
        while self._ready:
            call = self._graph.tools[self._graph.order[self._ready[0]]]
            reason = self._reason_to_skip(call)
            if reason is None and not self._may_start(call):
                return
            heappop(self._ready)
            if reason:
                self._finish(self._skipped(call, reason))
            else:
                self._running[asyncio.create_task(self._run_tool(call))] = call

    def _may_start(self, call: ToolInvocation) -> bool:
        if not (self._plan.parallel and call.async_):
            return not self._running
        alone = any(not other.async_ for other in self._running.values())
        return not alone and len(self._running) < max(1, self._bounds.concurrency)

    def _reason_to_skip(self, call: ToolInvocation) -> ToolError | None:
        for needed in self._graph.dependencies[call.tool_id]:
            result = self._results[needed]
            if self._graph.tools[needed].required and not result.ok:
                message = f"needs '{needed}', which {_ENDINGS[result.state]}"
                return ToolError(code="DEPENDENCY_FAILED", message=message, category="tool_failure")
        return self._past_deadline("before it could start") if self._left() <= 0 else None

    def _past_deadline(self, when: str) -> ToolError:
        message = f"the plan's {self._bounds.timeout:g} s were over {when}"
        return ToolError(code="PLAN_DEADLINE", message=message, category="timeout")

    def _skipped(self, call: ToolInvocation, reason: ToolError) -> ToolResult:
        skill = self._tools[call.tool_id].skill
        return ToolResult.skipped(call.tool_id, reason, tool_path=call.tool_path, skill=skill)

    def _finish(self, result: ToolResult) -> None:
        self._results[result.tool_id] = result
        self._tell(ToolFinished(self._id, result))
        for dependent in self._graph.dependents(result.tool_id):
            self._unmet[dependent] -= 1
            if not self._unmet[dependent]:
                heappush(self._ready, self._rank[dependent])

    # one tool

    async def _run_tool(self, call: ToolInvocation) -> ToolResult:
        if reason := self._reason_to_skip(call):  # starting its neighbours took the time that was left
            return self._skipped(call, reason)
        tool = self._tools[call.tool_id]
        outputs = {needed: self._results[needed].output for needed in self._graph.dependencies[call.tool_id]}
        context = {
            **self._context,
            **tool.context,
            "dependencies": outputs,
            "state": self._views.before(call.tool_id),
        }
        arguments = resolve_input(call.input, outputs)
        if tool.input_schema is not None and (unfit := check_input(tool.input_schema, arguments)):
            return self._skipped(call, _refuse_input(unfit))
        attempts: list[Attempt] = []
        output: dict[str, Any] | None = None
        for number in range(1, call.retry_policy.max_retries + 2):
            if attempts and not await self._wait_to_retry(call, attempts[-1], number - 1):
                break
            request_id = f"{self._id}/{call.tool_id}/{number}"
            request = InvocationRequest(request_id, arguments, context, partial(self._has_more_time, call))
            attempt, output = await self._attempt(call, tool, request, number)
            attempts.append(attempt)
            if attempt.state == "success":
                break
        return ToolResult.from_attempts(
            call.tool_id, attempts, output=output, tool_path=call.tool_path, skill=tool.skill
        )

    def _note_telling(self, call: ToolInvocation, tool: Runnable) -> None:
        """Note that a model goes on telling the scene, which is not bound by the plan's time."""
        now = self._clock()
        if not _may_tell(tool):
            return
        self._signs[call.tool_id] = now
        if now - self._started_at < LONGEST_TELLING_S:
            self._deadline = max(self._deadline, now + self._bounds.timeout)

    def _has_more_time(self, call: ToolInvocation) -> bool:
        """Return whether a tool whose time is up may go on: it tells, or others in time are waited for."""
        now = self._clock()
        is_telling = now - self._signs.get(call.tool_id, -TELLING_PAUSE_S) < TELLING_PAUSE_S
        if is_telling and now - self._started_at < LONGEST_TELLING_S:
            return True
        self._late.add(call.tool_id)
        return self._left() > 0 and any(other.tool_id not in self._late for other in self._running.values())

    async def _wait_to_retry(self, call: ToolInvocation, failed: Attempt, retry: int) -> bool:
        """Wait; return False if the wait would pass the plan's deadline or the plan is being cancelled."""
        delay_ms = call.retry_policy.delay(retry)
        if failed.error is None or self._left() <= delay_ms / 1000:
            return False
        self._tell(ToolRetrying(self._id, call.tool_id, retry, failed.error, delay_ms))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), delay_ms / 1000)
        return self._left() > 0

    async def _attempt(
        self, call: ToolInvocation, tool: Runnable, request: InvocationRequest, number: int
    ) -> tuple[Attempt, dict[str, Any]]:
        events: list[Event] = []

        def listen(batch: Sequence[Any]) -> None:
            for event in map(tool.redact, tool.events(batch)):
                if isinstance(event, UiEvent) and event.event == TELLING:
                    self._note_telling(call, tool)
                events.append(event)
                self._tell(ToolEmitted(self._id, call.tool_id, number, event))

        self._tell(ToolStarted(self._id, call.tool_id, number))
        started = self._clock()
        left = self._left()
        longest_s = LONGEST_TELLING_S if _may_tell(tool) else left
        limits = replace(tool.limits, timeout=min(tool.limits.timeout, left), longest_run=longest_s)
        self._late.discard(call.tool_id)
        async with tool.launch(request) as command:
            outcome = await run(
                command,
                tool.encode(request),
                tool.dialect,
                limits=limits,
                on_events=listen,
                has_more_time=request.has_more_time,
            )
            is_late = command.is_kept_waiting() or outcome.waited_ms > _WAITED_SHARE * outcome.duration_ms
        outcome = replace(tool.redact(outcome), stderr_tail=tool.redact.tail(outcome.stderr_tail))
        error = ToolError.from_failure(outcome.failure) if outcome.failure else None
        state: AttemptState = "success"
        if error:
            state = "timeout" if error.category == "timeout" else "failed"
        if state == "timeout" and (limits.timeout < tool.limits.timeout or self._left() <= 0):
            error = self._past_deadline("while it ran")
        if error and is_late:  # slow is not broken: this does not count against the skill
            error = msgspec.structs.replace(error, code=HOST_LATE)
        attempt = Attempt(
            state=state,
            events=tuple(events),
            error=error,
            started_at_ms=_ms(started - self._started_at),
            execution_time_ms=_ms(self._clock() - started),
            exit_code=outcome.exit_code,
            warnings=outcome.warnings,
            stderr_tail=outcome.stderr_tail,
        )
        return attempt, outcome.output

    # the end

    def _result(self) -> ExecutionResult:
        results = [self._results[tool_id] for tool_id in self._graph.order]
        merged = aggregate_results(results, self._state)
        failed = [result for result in results if result.state in ("failed", "timeout")]
        success = all(result.ok for result in results if self._graph.tools[result.tool_id].required)
        attempt = self._plan.metadata.generation_attempt
        return ExecutionResult(
            plan_id=self._id,
            success=success,
            can_replan=not success and attempt < MAX_GENERATIONS,
            failed_tools=tuple(result.tool_id for result in failed),
            disabled_skills=tuple(dict.fromkeys(result.skill for result in failed if result.skill)),
            tool_results=tuple(results),
            aggregated_state=merged.state.to_dict(),
            aggregated_assets=merged.assets,
            execution_time_ms=_ms(self._clock() - self._started_at),
            attempt_number=attempt,
        )

    def _left(self) -> float:
        """Return the seconds in which a tool may still start: none once the plan is being cancelled."""
        return 0.0 if self._closing.is_set() else self._deadline - self._clock()


class _Views:
    """Computes the state each tool is shown: the session's, with the patches of its dependencies only.

    What ran before it by chance is left out, or a parallel run and a sequential one would differ.
    """

    def __init__(
        self,
        state: SessionState,
        order: Sequence[str],
        dependencies: Mapping[str, Sequence[str]],
        results: Mapping[str, ToolResult],
    ) -> None:
        self._initial, self._order, self._dependencies, self._results = state, order, dependencies, results
        self._states: dict[str, SessionState] = {}
        self._encoded: dict[int, msgspec.Raw] = {}
        rank = {tool_id: index for index, tool_id in enumerate(order)}
        self._ancestors: dict[str, int] = {}  # as bits, by rank
        for tool_id in order:
            bits = 0
            for needed in dependencies[tool_id]:
                bits |= self._ancestors[needed] | 1 << rank[needed]
            self._ancestors[tool_id] = bits

    def before(self, tool_id: str) -> msgspec.Raw:
        """Return the state as JSON; tools that are shown the same state share one text."""
        state = self._states[tool_id] = self._state_before(tool_id)
        if id(state) not in self._encoded:
            self._encoded[id(state)] = msgspec.Raw(msgspec.json.encode(state.to_dict()))
        return self._encoded[id(state)]

    def _state_before(self, tool_id: str) -> SessionState:
        needed = self._dependencies[tool_id]
        if len(needed) == 1 and needed[0] in self._states:
            return apply_patches(self._states[needed[0]], self._results[needed[0]])
        state, bits = self._initial, self._ancestors[tool_id]
        while bits:
            first = bits & -bits
            state = apply_patches(state, self._results[self._order[first.bit_length() - 1]])
            bits ^= first
        return state


_ENDINGS = {
    "failed": "failed",
    "timeout": "ran out of time",
    "skipped": "was skipped",
    "success": "succeeded",
}


def _refuse_input(problems: Sequence[Problem]) -> ToolError:
    """Return why a tool is not launched whose input does not fit what it declares."""
    reasons = "; ".join(f"{one.pointer.lstrip('/') or 'input'}: {one.message}" for one in problems)
    return ToolError(code="INVALID_INPUT", message=reasons, category="tool_failure")


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
