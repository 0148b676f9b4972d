"""Plans with faults in them: every way to fail, at every place of a diamond, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.faults.zoo import TOOLS

from narratoria import contracts
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import Plan, RetryPolicy, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ExecutionResult
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.skills.runnable import Runnable, v0_tool
from narratoria.state import SessionState

MARK = "PLAN_MARK"
ACTOR = TOOLS / "plan" / "actor.py"
PATIENT = Limits(timeout=40, exit_grace=5, kill_grace=2)
BRIEF = Limits(timeout=0.6, exit_grace=0.3, kill_grace=0.2)
DEAF = Limits(timeout=40, exit_grace=5, kill_grace=0.2)  # for what does not hear that it should stop

# a kind of failure: the tool, its limits, and the state, code and category it comes to
KINDS: dict[str, tuple[str, Limits, tuple[str, str, str]]] = {
    "crash": ("segfaults.py", PATIENT, ("failed", "KILLED_BY_SIGNAL", "process_error")),
    "hang": ("hangs.py", BRIEF, ("timeout", "TIMEOUT", "timeout")),
    "deaf": ("ignores_sigterm.py", BRIEF, ("timeout", "TIMEOUT", "timeout")),
    "bad JSON": ("single_quotes.py", PATIENT, ("failed", "INVALID_LINE", "invalid_json")),
    "no done": ("no_done.py", PATIENT, ("failed", "MISSING_DONE", "process_error")),
    "exit 3 after done": ("exits_3_after_the_end.py", PATIENT, ("failed", "NONZERO_EXIT", "process_error")),
    "done.ok false": ("done_false_without_error.py", PATIENT, ("failed", "TOOL_FAILED", "tool_failure")),
    "missing file": ("ghost.py", PATIENT, ("failed", "NOT_STARTED", "process_error")),
    "flood": ("floods_events_forever.py", DEAF, ("failed", "RUNNER_GUARDRAIL", "process_error")),
}
NEEDS = {"A": "", "B": "A", "C": "A", "D": "BC"}  # A → (B, C) → D


class Troupe:
    """Tools that do as they should, tools of the zoo, and a mark on every process."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex

    def resolve(self, path: str) -> Runnable:
        if path == "actor":
            command = Command((sys.executable, "-I", "-S", str(ACTOR)), env={MARK: self.mark})
            return v0_tool(path, command, limits=PATIENT, skill="fine")
        if path == "quick":
            command = Command(
                ("printf", "%s\\n", '{"version":"0","type":"done","ok":true}'), env={MARK: self.mark}
            )
            return v0_tool(path, command, limits=PATIENT, skill="fine")
        name, limits, _ = KINDS[path]
        file = TOOLS / "v0" / name
        argv = (sys.executable, "-I", "-S", str(file)) if path != "missing file" else (str(file),)
        return v0_tool(path, Command(argv, env={MARK: self.mark}), limits=limits, skill=f"skill of {path}")

    async def run(
        self, *tools: ToolInvocation, parallel: bool = True, concurrency: int = 4
    ) -> ExecutionResult:
        plan = Plan(request_id=str(uuid.uuid4()), tools=tools, parallel=parallel)
        bounds = Bounds(timeout=100, concurrency=concurrency)
        result = await execute(prepare_plan(plan, self.resolve), SessionState({"hp": 3}), bounds=bounds)
        assert contracts.check("execution-result", result.to_json()) == ()
        return result

    def alive(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                if self.mark.encode() in Path(f"/proc/{process.pid}/environ").read_bytes():
                    found.append(process)
            except OSError:
                continue
        return found


def zombies() -> list[int]:
    children = psutil.Process().children()
    return [child.pid for child in children if child.status() == psutil.STATUS_ZOMBIE]


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  a listing, not paths to follow


@pytest.fixture(scope="module", autouse=True)
def first_run() -> None:
    """What the runner starts once and keeps belongs to no single plan."""
    asyncio.run(run(Command(("true",)), b"", NARRATORIA_V0))


@pytest.fixture
def troupe() -> Iterator[Troupe]:
    troupe = Troupe()
    before = descriptors()
    yield troupe
    until = time.monotonic() + 30
    while troupe.alive() and time.monotonic() < until:
        time.sleep(0.01)  # the kernel takes its time to bury what was killed
    assert troupe.alive() == []
    assert zombies() == []
    assert descriptors() <= before, "what an earlier test left open may be closed meanwhile"


def tool(
    tool_id: str,
    path: str,
    *,
    needs: str | tuple[str, ...] = "",
    required: bool = True,
    retries: int = 0,
    **input: Any,
) -> ToolInvocation:
    return ToolInvocation(
        tool_id=tool_id,
        tool_path=path,
        input=input,
        dependencies=tuple(needs),
        required=required,
        async_=True,
        retry_policy=RetryPolicy(max_retries=retries, backoff_ms=1),
    )


def expected_states(place: str, required: bool, failed: str) -> dict[str, str]:
    """By the rules: what needs a required tool that failed is skipped, and so is what needs that."""
    states: dict[str, str] = {}
    for tool_id, needs in NEEDS.items():
        if tool_id == place:
            states[tool_id] = failed
        elif any(states[needed] != "success" and (required or needed != place) for needed in needs):
            states[tool_id] = "skipped"
        else:
            states[tool_id] = "success"
    return states


@pytest.mark.parametrize("required", [True, False], ids=["required", "optional"])
@pytest.mark.parametrize("place", NEEDS)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_fault_in_a_diamond_comes_to_the_specified_states(
    troupe: Troupe, kind: str, place: str, required: bool
) -> None:
    _, _, (state, code, category) = KINDS[kind]
    tools = [
        tool(tool_id, kind, needs=needs, required=required)
        if tool_id == place
        else tool(tool_id, "actor", needs=needs, do=[["patch", {tool_id: 1}], ["echo"]])
        for tool_id, needs in NEEDS.items()
    ]
    result = await troupe.run(*tools)

    states = {found.tool_id: found.state for found in result.tool_results}
    assert states == expected_states(place, required, state)
    assert result.success == (not required)
    assert result.failed_tools == (place,)
    assert result.disabled_skills == (f"skill of {kind}",)
    error = result.of(place).error
    assert error is not None
    assert (error.code, error.category) == (code, category)
    succeeded = [tool_id for tool_id, ended in states.items() if ended == "success"]
    assert {key for key in result.aggregated_state if key in NEEDS} == set(succeeded)
    for tool_id in succeeded:
        output = result.of(tool_id).output
        assert output is not None
        told = output["request"]["context"]["dependencies"]
        assert told.keys() == set(NEEDS[tool_id])
        assert {needed for needed, answer in told.items() if answer is None} == set(NEEDS[tool_id]) & {place}
    for tool_id, ended in states.items():
        if ended == "skipped":
            skipped = result.of(tool_id)
            assert skipped.error is not None
            assert (skipped.error.code, skipped.attempts) == ("DEPENDENCY_FAILED", ())


@pytest.mark.parametrize("parallel", [True, False])
async def test_every_kind_of_fault_at_once_costs_only_itself(troupe: Troupe, parallel: bool) -> None:
    faults = [tool(kind, kind, required=False) for kind in KINDS]
    others = [tool(f"fine {n}", "quick") for n in range(5)]
    result = await troupe.run(*faults, *others, parallel=parallel)
    assert result.success
    assert {found.tool_id: found.state for found in result.tool_results} == {
        **{kind: ending[0] for kind, (_, _, ending) in KINDS.items()},
        **{call.tool_id: "success" for call in others},
    }


@pytest.mark.slow
async def test_a_thousand_invocations_with_faults_among_them_leave_nothing_behind(troupe: Troupe) -> None:
    """60 plans of 20 tools: a twentieth fails, each in its own way, and all the rest succeed."""
    kinds = [kind for kind in KINDS if kind != "deaf"]
    before = descriptors()
    states: Counter[str] = Counter()
    for number in range(60):
        kind = kinds[number % len(kinds)]
        tools = [tool(f"t{n}", kind if n == 7 else "quick", required=n != 7) for n in range(19)]
        result = await troupe.run(*tools, tool("last", "quick", needs=("t7",)))
        assert result.success, json.loads(result.to_json())
        assert result.failed_tools == ("t7",)
        assert result.of("t7").state == KINDS[kind][2][0]
        states.update(found.state for found in result.tool_results)
        assert troupe.alive() == []
        assert zombies() == []
        assert descriptors() <= before, "what an earlier test left open may be closed meanwhile"
    assert sum(states.values()) == 1200
    assert states["success"] == 1140
    assert states["failed"] + states["timeout"] == 60
    assert states["skipped"] == 0


async def test_retries_of_a_fault_leave_nothing_behind(troupe: Troupe) -> None:
    kinds = [kind for kind in KINDS if kind not in ("deaf", "flood")]
    result = await troupe.run(*(tool(kind, kind, required=False, retries=2) for kind in kinds))
    assert {found.retry_count for found in result.tool_results} == {2}
    for found in result.tool_results:
        codes = [attempt.error.code for attempt in found.attempts if attempt.error]
        assert codes == [KINDS[found.tool_id][2][1]] * 3
