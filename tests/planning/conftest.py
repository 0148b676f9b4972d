"""A stage on which plans run with real processes; every run is held to what all runs must keep."""

from __future__ import annotations

import asyncio
import os
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from narratoria import contracts
from narratoria.errors import SkillScriptNotFoundError
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import (
    Plan,
    PlanFinished,
    PlanMetadata,
    PlanProgress,
    PlanStarted,
    RetryPolicy,
    ToolEmitted,
    ToolFinished,
    ToolInvocation,
    ToolStarted,
)
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ExecutionResult
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.skills.runnable import Runnable, v0_tool
from narratoria.state import SessionState

ACTOR = Path(__file__).parent.parent / "tools" / "plan" / "actor.py"
ROOMY = Bounds(timeout=60, concurrency=4, shutdown_grace=5)
MARK = "STAGE_MARK"


@dataclass
class Stage:
    """Makes plans of actors and runs them. A `toolPath` is `skill/script`; no skill is called `unowned`."""

    folder: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    progress: list[PlanProgress] = field(default_factory=list)
    limits: Limits = Limits(timeout=30, exit_grace=5, kill_grace=0.5)
    tools: dict[str, Runnable] = field(default_factory=dict)  # for a path that is not an actor's

    def tool(
        self,
        tool_id: str,
        *do: list[Any],
        needs: str | tuple[str, ...] = (),
        retries: int = 0,
        backoff: int = 0,
        input: dict[str, Any] | None = None,
        path: str = "",
        required: bool = True,
        async_: bool = True,
    ) -> ToolInvocation:
        return ToolInvocation(
            tool_id=tool_id,
            tool_path=path or f"skill-{tool_id}/act",
            input={"do": list(do), **(input or {})},
            dependencies=tuple(needs),
            required=required,
            async_=async_,
            retry_policy=RetryPolicy(max_retries=retries, backoff_ms=backoff),
        )

    def plan(self, *tools: ToolInvocation, parallel: bool = True, attempt: int = 1, **more: Any) -> Plan:
        metadata = PlanMetadata(generation_attempt=attempt)
        return Plan(request_id=str(uuid.uuid4()), tools=tools, parallel=parallel, metadata=metadata, **more)

    def resolve(self, tool_path: str) -> Runnable:
        if tool_path in self.tools:
            return self.tools[tool_path]
        skill, _, script = tool_path.partition("/")
        if skill == "unowned":
            raise SkillScriptNotFoundError(f"no skill owns '{tool_path}'")
        argv = (sys.executable, "-I", "-S", str(ACTOR))
        command = Command(argv, cwd=self.folder, env={MARK: self.mark})
        return v0_tool(script, command, limits=self.limits, skill=skill)

    async def run(
        self,
        plan: Plan,
        state: dict[str, Any] | None = None,
        *,
        bounds: Bounds = ROOMY,
        context: dict[str, Any] | None = None,
    ) -> ExecutionResult:
        prepared = prepare_plan(plan, self.resolve)
        self.progress.clear()
        result = await execute(
            prepared, SessionState(state), bounds=bounds, context=context, on_progress=self.progress.append
        )
        keeps_what_every_run_keeps(result, plan, self.progress)
        return result

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def told(self, kind: type[Any]) -> list[Any]:
        return [told for told in self.progress if isinstance(told, kind)]

    @property
    def started(self) -> list[str]:
        return [told.tool_id for told in self.told(ToolStarted)]

    def alive(self) -> list[int]:
        """The processes of this stage that still run."""
        needle = self.mark.encode()
        return [
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/environ")
            if needle in _bytes_of(path) and int(path.parent.name) != os.getpid()
        ]


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def keeps_what_every_run_keeps(result: ExecutionResult, plan: Plan, progress: list[PlanProgress]) -> None:
    text = result.to_json()
    assert contracts.check("execution-result", text) == ()
    assert ExecutionResult.from_json(text) == result
    assert (result.plan_id, result.attempt_number) == (plan.request_id, plan.metadata.generation_attempt)

    required = {call.tool_id for call in plan.tools if call.required}
    assert result.success == all(tool.ok for tool in result.tool_results if tool.tool_id in required)
    assert result.can_replan == (not result.success and result.attempt_number < 5)
    failed = [tool for tool in result.tool_results if tool.state in ("failed", "timeout")]
    assert list(result.failed_tools) == [tool.tool_id for tool in failed]
    assert list(result.disabled_skills) == list(dict.fromkeys(tool.skill for tool in failed if tool.skill))

    assert sorted(tool.tool_id for tool in result.tool_results) == sorted(call.tool_id for call in plan.tools)
    for call in plan.tools:
        tool = result.of(call.tool_id)
        assert tool.tool_path == call.tool_path
        assert (tool.error is None) == tool.ok
        assert (tool.output is not None) == tool.ok
        assert bool(tool.attempts) == (tool.state != "skipped")
        assert tool.retry_count == max(0, len(tool.attempts) - 1) <= call.retry_policy.max_retries
        assert all(attempt.state != "success" for attempt in tool.attempts[:-1])
        assert all((attempt.error is None) == (attempt.state == "success") for attempt in tool.attempts)
        if tool.attempts:
            last = tool.attempts[-1]
            assert (tool.state, tool.events, tool.error) == (last.state, last.events, last.error)

    assert progress[0] == PlanStarted(plan)
    assert progress[-1] == PlanFinished(result)
    finished = [told.result for told in progress if isinstance(told, ToolFinished)]
    assert sorted(finished, key=lambda tool: tool.tool_id) == sorted(
        result.tool_results, key=lambda tool: tool.tool_id
    )
    for tool in result.tool_results:
        numbers = [
            told.attempt
            for told in progress
            if isinstance(told, ToolStarted) and told.tool_id == tool.tool_id
        ]
        assert numbers == list(range(1, len(tool.attempts) + 1))
        emitted = [
            (told.attempt, told.event)
            for told in progress
            if isinstance(told, ToolEmitted) and told.tool_id == tool.tool_id
        ]
        assert emitted == [
            (number, event) for number, attempt in enumerate(tool.attempts, 1) for event in attempt.events
        ]


@pytest.fixture(scope="session")
def watchdog_is_up() -> None:
    """What the runner starts once and keeps belongs to no single test."""
    asyncio.run(run(Command(("true",)), b"", NARRATORIA_V0))


@pytest.fixture
def stage(tmp_path: Path, watchdog_is_up: None) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    before = _descriptors()
    yield stage
    until = time.monotonic() + 30
    while stage.alive() and time.monotonic() < until:
        time.sleep(0.01)  # the kernel takes its time to bury what was killed
    assert stage.alive() == []
    assert _descriptors() <= before


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  a listing, not paths to follow
