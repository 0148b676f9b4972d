"""Random plans: run in parallel or one by one, they come to the same end."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria.planning.execute import Bounds
from narratoria.planning.plan import Plan, RetryPolicy, ToolInvocation
from narratoria.planning.result import ExecutionResult
from narratoria.protocol.command import Command
from narratoria.skills.runnable import v0_tool

if TYPE_CHECKING:
    from tests.planning.conftest import Stage

KEYS = "xyz"
VALUES = (
    st.none()
    | st.integers(0, 9)
    | st.just([1, None])
    | st.dictionaries(st.sampled_from(KEYS), st.none() | st.integers(0, 9), max_size=2)
)
PATCHES = st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3), max_size=2)


@dataclass(frozen=True)
class Part:
    """A tool of a random plan: what it needs, what it says, and how it ends."""

    needs: tuple[int, ...]
    patches: tuple[dict[str, Any], ...]
    ok: bool
    required: bool
    async_: bool


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[Part], list[int]]:
    """Up to five tools without a cycle, and the order in which the plan lists them."""
    count = draw(st.integers(1, 5))
    parts = [
        Part(
            needs=tuple(sorted(draw(st.sets(st.integers(0, number - 1), max_size=2)))) if number else (),
            patches=tuple(draw(PATCHES)),
            ok=draw(st.sampled_from([True, True, True, False])),
            required=draw(st.booleans()),
            async_=draw(st.sampled_from([True, True, False])),
        )
        for number in range(count)
    ]
    return parts, draw(st.permutations(range(count)))


def on_stage(stage: Stage, parts: list[Part], order: list[int], *, parallel: bool) -> Plan:
    """Each tool is one printf: it starts in no time."""
    tools = []
    for number in order:
        part = parts[number]
        events: list[dict[str, Any]] = [{"type": "state_patch", "patch": patch} for patch in part.patches]
        events.append({"type": "done", "ok": part.ok})
        lines = [json.dumps({"version": "0", **event}) for event in events]
        path = f"skill-{number}/say"
        command = Command(("printf", "%s\\n", *lines))
        stage.tools[path] = v0_tool("say", command, limits=stage.limits, skill=f"skill-{number}")
        tools.append(
            ToolInvocation(
                tool_id=f"t{number}",
                tool_path=path,
                dependencies=tuple(f"t{needed}" for needed in part.needs),
                required=part.required,
                async_=part.async_,
                retry_policy=RetryPolicy(max_retries=0),
            )
        )
    return stage.plan(*tools, parallel=parallel)


def ending(result: ExecutionResult) -> dict[str, Any]:
    """All of a result that may not depend on how its tools came to run."""
    return {
        "success": result.success,
        "failed": result.failed_tools,
        "disabled": result.disabled_skills,
        "state": result.aggregated_state,
        "tools": [
            (tool.tool_id, tool.state, tool.output, tool.events, tool.retry_count, tool.error)
            for tool in result.tool_results
        ],
    }


def expected_states(parts: list[Part]) -> dict[str, str]:
    """By the rules: a tool is skipped where something required that it needs has not succeeded."""
    states: dict[str, str] = {}
    for number, part in enumerate(parts):
        missing = any(parts[needed].required and states[f"t{needed}"] != "success" for needed in part.needs)
        states[f"t{number}"] = "skipped" if missing else "success" if part.ok else "failed"
    return states


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=plans())
def test_a_parallel_run_and_a_sequential_run_come_to_the_same_end(
    stage: Stage, plan: tuple[list[Part], list[int]]
) -> None:
    parts, order = plan
    start = {"x": {"y": 1}, "z": 5}
    bounds = Bounds(timeout=60, concurrency=3)

    async def both() -> tuple[ExecutionResult, ExecutionResult]:
        together = await stage.run(on_stage(stage, parts, order, parallel=True), start, bounds=bounds)
        alone = await stage.run(on_stage(stage, parts, order, parallel=False), start, bounds=bounds)
        return together, alone

    together, alone = asyncio.run(both())
    assert ending(together) == ending(alone)
    assert {tool.tool_id: tool.state for tool in alone.tool_results} == expected_states(parts)
    assert stage.started == [tool.tool_id for tool in alone.tool_results if tool.state != "skipped"]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=plans(), data=st.data())
def test_what_finishes_first_does_not_matter(
    stage: Stage, plan: tuple[list[Part], list[int]], data: st.DataObject
) -> None:
    """Held back in a random order, the tools of a parallel plan give the state they give in their own."""
    parts, order = plan
    parts = [replace(part, needs=(), async_=True) for part in parts]
    usual = on_stage(stage, parts, order, parallel=True)
    finishing = data.draw(st.permutations(range(len(parts))))
    bounds = Bounds(timeout=60, concurrency=len(parts))

    def held_back() -> Plan:
        plan = on_stage(stage, parts, order, parallel=True)
        tools = []
        for call in plan.tools:
            number = int(call.tool_id[1:])
            rank = finishing.index(number)
            before = stage.path(f"{plan.request_id}-{rank}")
            after = stage.path(f"{plan.request_id}-{rank + 1}")
            say = stage.tools[call.tool_path].command.argv
            script = (
                f'while [ {rank} -gt 0 ] && [ ! -e "{before}" ]; do sleep 0.005; done; "$@"; : > "{after}"'
            )
            path = f"held-{number}/say"
            stage.tools[path] = v0_tool(
                "say", Command(("sh", "-c", script, "sh", *say)), limits=stage.limits, skill=f"skill-{number}"
            )
            tools.append(msgspec.structs.replace(call, tool_path=path))
        return msgspec.structs.replace(plan, tools=tuple(tools))

    async def both() -> tuple[ExecutionResult, ExecutionResult]:
        return await stage.run(usual, bounds=bounds), await stage.run(held_back(), bounds=bounds)

    first, second = asyncio.run(both())
    assert ending(first) == ending(second)
