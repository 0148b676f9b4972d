"""The executor: order, together or alone, failures and their cost, retries, the deadline, cancellation."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria import contracts
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import (
    PlanFinished,
    PlanProgress,
    PlanStarted,
    ToolEmitted,
    ToolFinished,
    ToolInvocation,
    ToolRetrying,
    ToolStarted,
)
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ExecutionResult
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.events import DoneEvent, LogEvent
from narratoria.skills.runnable import v0_tool
from narratoria.state import SessionState

if TYPE_CHECKING:
    from tests.planning.conftest import Stage

ROOMY = Bounds(timeout=60, concurrency=4, shutdown_grace=5)


def states(result: ExecutionResult) -> dict[str, str]:
    return {tool.tool_id: tool.state for tool in result.tool_results}


def codes(result: ExecutionResult) -> dict[str, str]:
    return {tool.tool_id: tool.error.code for tool in result.tool_results if tool.error}


def output(result: ExecutionResult, tool_id: str) -> dict[str, Any]:
    found = result.of(tool_id).output
    assert found is not None
    return found


def request(result: ExecutionResult, tool_id: str) -> dict[str, Any]:
    """What an echoing tool was asked."""
    found: dict[str, Any] = output(result, tool_id)["request"]
    return found


# order


async def test_a_plan_without_tools_succeeds_and_leaves_the_state_alone(stage: Stage) -> None:
    result = await stage.run(stage.plan(), {"torch": {"lit": True}})
    assert result.success
    assert result.aggregated_state == {"torch": {"lit": True}}
    assert [type(told) for told in stage.progress] == [PlanStarted, PlanFinished]


@pytest.mark.parametrize("parallel", [False, True])
async def test_tools_run_in_dependency_order_and_ties_go_by_position(stage: Stage, parallel: bool) -> None:
    def tool(name: str, needs: str = "") -> Any:
        return stage.tool(name, ["append", stage.path("order"), name], needs=needs, async_=False)

    plan = stage.plan(
        tool("d", "bc"), tool("z"), tool("c", "a"), tool("b", "a"), tool("a"), parallel=parallel
    )
    result = await stage.run(plan)
    assert stage.read("order") == "zacbd"
    assert [tool.tool_id for tool in result.tool_results] == ["z", "a", "c", "b", "d"]


async def test_the_results_stand_in_plan_order_whatever_finishes_first(stage: Stage) -> None:
    slow = stage.tool("slow", ["wait for", stage.path("fast is over")])
    fast = stage.tool("fast")
    after = stage.tool("after", ["touch", stage.path("fast is over")], needs=("fast",))
    result = await stage.run(stage.plan(slow, fast, after))
    assert next(told.result.tool_id for told in stage.told(ToolFinished)) == "fast"
    assert [tool.tool_id for tool in result.tool_results] == ["slow", "fast", "after"]


async def test_a_dependency_named_twice_counts_once(stage: Stage) -> None:
    result = await stage.run(stage.plan(stage.tool("a"), stage.tool("b", needs=("a", "a"))))
    assert states(result) == {"a": "success", "b": "success"}


async def test_ids_with_odd_characters_are_only_names(stage: Stage) -> None:
    first, second = "../../x y", "ä/{}'\"$from"
    result = await stage.run(
        stage.plan(
            stage.tool(first, ["done", {"output": {"n": 1}}], path="s/t"),
            stage.tool(
                second, ["echo"], path="s/t", needs=(first,), input={"n": {"$from": first, "path": "/n"}}
            ),
        )
    )
    assert request(result, second)["input"]["n"] == 1
    assert request(result, second)["requestId"] == f"{result.plan_id}/{second}/1"


# alone or together


async def most_at_once(stage: Stage, *, parallel: bool, async_: bool, bound: int, meet: int) -> int:
    room = stage.path("room")
    # they linger, so that one too many would be seen
    steps: list[list[Any]] = [["enter", room], ["meet", room, meet], ["sleep", 0.15], ["leave", room]]
    tools = [stage.tool(f"t{n}", *steps, async_=async_) for n in range(5)]
    result = await stage.run(stage.plan(*tools, parallel=parallel), bounds=replace(ROOMY, concurrency=bound))
    assert result.success
    return max(int(path.read_text()) for path in Path(room).glob("seen-*"))


async def test_without_parallel_one_tool_runs_at_a_time(stage: Stage) -> None:
    assert await most_at_once(stage, parallel=False, async_=True, bound=4, meet=1) == 1


async def test_in_a_parallel_plan_a_tool_that_is_not_async_runs_alone(stage: Stage) -> None:
    assert await most_at_once(stage, parallel=True, async_=False, bound=4, meet=1) == 1


@pytest.mark.parametrize("bound", [1, 2, 3])
async def test_async_tools_run_together_up_to_the_bound(stage: Stage, bound: int) -> None:
    # they meet: with fewer at once than the bound, the first ones would wait for the others forever
    assert await most_at_once(stage, parallel=True, async_=True, bound=bound, meet=bound) == bound


async def test_a_bound_below_one_still_lets_one_tool_run(stage: Stage) -> None:
    assert await most_at_once(stage, parallel=True, async_=True, bound=0, meet=1) == 1


async def test_a_tool_that_runs_alone_waits_for_those_before_it_and_holds_up_those_behind_it(
    stage: Stage,
) -> None:
    room = stage.path("room")
    together: list[list[Any]] = [["enter", room], ["meet", room, 2], ["leave", room]]
    alone = stage.tool("alone", ["enter", stage.path("room")], ["leave", room], async_=False)
    later: list[list[Any]] = [["enter", room], ["meet", room, 5], ["leave", room]]
    plan = stage.plan(
        stage.tool("a", *together),
        stage.tool("b", *together),
        alone,
        stage.tool("c", *later),
        stage.tool("d", *later),
    )
    result = await stage.run(plan)
    assert result.success
    assert stage.started == ["a", "b", "alone", "c", "d"]
    order = [told.tool_id if isinstance(told, ToolStarted) else told.result.tool_id.upper()
             for told in stage.progress if isinstance(told, ToolStarted | ToolFinished)]  # fmt: skip
    assert order.index("alone") > max(order.index("A"), order.index("B"))
    assert order.index("ALONE") < min(order.index("c"), order.index("d"))


async def test_a_tool_starts_as_soon_as_its_own_dependencies_are_over(stage: Stage) -> None:
    """`b` frees `a`, which no level-by-level schedule would allow."""
    plan = stage.plan(
        stage.tool("a", ["wait for", stage.path("b is over")]),
        stage.tool("start"),
        stage.tool("b", ["touch", stage.path("b is over")], needs=("start",)),
    )
    assert (await stage.run(plan)).success


# failures


async def test_a_required_failure_skips_what_needs_it_and_fails_the_plan(stage: Stage) -> None:
    result = await stage.run(
        stage.plan(
            stage.tool("a", ["fail"]),
            stage.tool("b", ["touch", stage.path("b ran")], needs="a"),
            stage.tool("c", ["touch", stage.path("c ran")], needs="b"),
            stage.tool("apart", ["patch", {"apart": 1}]),
        )
    )
    assert not result.success
    assert result.can_replan
    assert states(result) == {"a": "failed", "b": "skipped", "c": "skipped", "apart": "success"}
    assert codes(result) == {"a": "TOOL_FAILED", "b": "DEPENDENCY_FAILED", "c": "DEPENDENCY_FAILED"}
    assert "'a'" in str(result.of("b").error)
    assert "'b'" in str(result.of("c").error)
    assert result.failed_tools == ("a",)
    assert result.disabled_skills == ("skill-a",)
    assert result.aggregated_state == {"apart": 1}
    assert not stage.read("b ran") + stage.read("c ran")


async def test_an_optional_failure_is_null_to_what_needs_it_and_the_plan_succeeds(stage: Stage) -> None:
    result = await stage.run(
        stage.plan(
            stage.tool("a", ["fail"], required=False),
            stage.tool("fine", ["done", {"output": {"n": 1}}]),
            stage.tool("b", ["echo"], needs=("a", "fine"), input={"x": {"$from": "a", "path": "/n"}}),
        )
    )
    assert result.success
    assert not result.can_replan
    assert result.failed_tools == ("a",)
    assert result.disabled_skills == ("skill-a",)
    assert request(result, "b")["context"]["dependencies"] == {"a": None, "fine": {"n": 1}}
    assert request(result, "b")["input"]["x"] is None


async def test_an_optional_tool_that_was_skipped_is_null_as_well(stage: Stage) -> None:
    result = await stage.run(
        stage.plan(
            stage.tool("a", ["fail"]),
            stage.tool("b", needs="a", required=False),
            stage.tool("c", ["echo"], needs="b"),
        )
    )
    assert states(result) == {"a": "failed", "b": "skipped", "c": "success"}
    assert request(result, "c")["context"]["dependencies"] == {"b": None}
    assert not result.success


async def test_a_skipped_tool_that_is_required_fails_the_plan_even_if_nothing_required_ran_and_failed(
    stage: Stage,
) -> None:
    result = await stage.run(
        stage.plan(stage.tool("a"), stage.tool("b", needs="a")), bounds=replace(ROOMY, timeout=0)
    )
    assert states(result) == {"a": "skipped", "b": "skipped"}
    assert not result.success
    assert result.failed_tools == ()


async def test_the_fifth_generation_cannot_be_replanned(stage: Stage) -> None:
    assert (await stage.run(stage.plan(stage.tool("a", ["fail"]), attempt=4))).can_replan
    assert not (await stage.run(stage.plan(stage.tool("a", ["fail"]), attempt=5))).can_replan


async def test_a_skill_whose_tools_fail_twice_is_disabled_once(stage: Stage) -> None:
    tools = [stage.tool(name, ["fail"], path="dice-roller/roll") for name in "ab"]
    result = await stage.run(stage.plan(*tools))
    assert result.failed_tools == ("a", "b")
    assert result.disabled_skills == ("dice-roller",)


async def test_a_tool_without_a_skill_disables_none(stage: Stage) -> None:
    stage.tools["loose"] = v0_tool("loose", Command(("false",)))
    result = await stage.run(stage.plan(stage.tool("a", path="loose")))
    assert result.failed_tools == ("a",)
    assert result.disabled_skills == ()


async def test_every_failure_carries_its_category(stage: Stage) -> None:
    stage.tools["brief"] = replace(stage.resolve("brief/act"), limits=replace(stage.limits, timeout=0.5))
    stage.tools["missing"] = v0_tool("missing", Command((stage.path("missing"),)))
    kinds: dict[str, tuple[list[list[Any]], tuple[str, str, str]]] = {
        "said no": ([["error", "NO_LUCK", "not today"], ["fail"]], ("failed", "NO_LUCK", "tool_failure")),
        "hangs": ([["hang"]], ("timeout", "TIMEOUT", "timeout")),
        "bad line": ([["raw", "{"]], ("failed", "INVALID_LINE", "invalid_json")),
        "exit 3": ([["exit", 3]], ("failed", "NONZERO_EXIT", "process_error")),
        "killed": ([["kill"]], ("failed", "KILLED_BY_SIGNAL", "process_error")),
        "silent": ([["silence"]], ("failed", "MISSING_DONE", "process_error")),
        "missing": ([], ("failed", "NOT_STARTED", "process_error")),
    }
    paths = {"missing": "missing", "hangs": "brief"}
    tools = [stage.tool(name, *do, path=paths.get(name, "")) for name, (do, _) in kinds.items()]
    result = await stage.run(stage.plan(*tools))
    found = {
        tool.tool_id: (tool.state, tool.error.code, tool.error.category)
        for tool in result.tool_results
        if tool.error
    }
    assert found == {name: expected for name, (_, expected) in kinds.items()}


# what a tool is told


async def test_a_tool_is_told_who_asks_what_for_and_in_which_context(stage: Stage) -> None:
    told = replace(stage.resolve("s/t"), context={"config": {"sides": 6}})
    stage.tools["s/t"] = told
    result = await stage.run(
        stage.plan(stage.tool("a", ["echo"], path="s/t")),
        {"hp": 3},
        context={"sessionId": "s-1", "config": None},
    )
    asked = request(result, "a")
    assert contracts.check_value("tool-request", asked) == ()
    assert asked["requestId"] == f"{result.plan_id}/a/1"
    assert (asked["tool"], asked["operation"]) == ("t", "t")
    assert asked["input"] == {"do": [["echo"]]}
    assert asked["context"] == {
        "sessionId": "s-1",
        "config": {"sides": 6},
        "dependencies": {},
        "state": {"hp": 3},
    }


async def test_a_tool_is_shown_the_patches_of_what_it_needs_and_of_nothing_else(stage: Stage) -> None:
    def patch(name: str) -> list[Any]:
        return ["patch", {name: 1, "last": name}]

    result = await stage.run(
        stage.plan(
            stage.tool("far", patch("far"), ["patch", {"farther": 1}]),
            stage.tool("near", patch("near"), ["patch", {"far": None}], needs=("far",)),
            stage.tool("apart", patch("apart")),
            stage.tool("one", ["echo"], needs=("near",)),
            stage.tool("two", ["echo"], needs=("apart", "near")),
            stage.tool("none", ["echo"]),
            parallel=False,
        ),
        {"seen": True},
    )
    assert request(result, "none")["context"]["state"] == {"seen": True}
    assert request(result, "one")["context"]["state"] == {
        "seen": True,
        "farther": 1,
        "near": 1,
        "last": "near",
    }
    assert request(result, "two")["context"]["state"] == {
        "seen": True,
        "farther": 1,
        "near": 1,
        "apart": 1,
        "last": "apart",  # later in plan order, whatever ran first
    }


async def test_the_patches_of_a_dependency_that_failed_are_not_shown(stage: Stage) -> None:
    result = await stage.run(
        stage.plan(
            stage.tool("a", ["patch", {"a": 1}], ["fail"], required=False),
            stage.tool("b", ["echo"], needs="a"),
        )
    )
    assert request(result, "b")["context"]["state"] == {}


async def test_the_state_a_plan_was_started_with_is_not_changed(stage: Stage) -> None:
    state = SessionState({"hp": 3})
    prepared = prepare_plan(stage.plan(stage.tool("a", ["patch", {"hp": 1}])), stage.resolve)
    result = await execute(prepared, state, bounds=ROOMY)
    assert result.aggregated_state == {"hp": 1}
    assert state == SessionState({"hp": 3})


async def test_a_reference_is_replaced_by_the_part_of_the_output_it_names(stage: Stage) -> None:
    whole = {"total": 7, "rolls": [3, 4], "a/b": {"m~n": "odd"}, "not": {"$from": "roll"}}
    wanted = {
        "whole": ({"$from": "roll"}, whole),
        "empty path": ({"$from": "roll", "path": ""}, whole),
        "member": ({"$from": "roll", "path": "/total"}, 7),
        "element": ({"$from": "roll", "path": "/rolls/1"}, 4),
        "escapes": ({"$from": "roll", "path": "/a~1b/m~0n"}, "odd"),
        "missing": ({"$from": "roll", "path": "/nothing/here"}, None),
        "beyond": ({"$from": "roll", "path": "/rolls/2"}, None),
        "far beyond": ({"$from": "roll", "path": "/rolls/" + "9" * 5000}, None),
        "inside": ([{"deep": {"$from": "roll", "path": "/total"}}], [{"deep": 7}]),
        "more keys": ({"$from": "roll", "other": 1}, {"$from": "roll", "other": 1}),
    }
    result = await stage.run(
        stage.plan(
            stage.tool(
                "roll", ["raw", json.dumps({"version": "0", "type": "done", "ok": True, "output": whole})]
            ),
            stage.tool("b", ["echo"], needs=("roll",), input={key: ask for key, (ask, _) in wanted.items()}),
        )
    )
    got = request(result, "b")["input"]
    assert {key: got[key] for key in wanted} == {key: answer for key, (_, answer) in wanted.items()}


@pytest.mark.parametrize(
    ("made", "path", "expected"),
    [
        (["done", {"output": {"args": {"do": [["log", "as told"]]}}}], "/args", ["as told"]),
        (["done", {"output": {"args": 7}}], "/args", []),
        (["done", {"output": {}}], "/args", []),
        (["fail"], "", []),
    ],
)
async def test_a_whole_input_can_be_a_reference_and_is_empty_where_no_object_comes_of_it(
    stage: Stage, made: list[Any], path: str, expected: list[str]
) -> None:
    asking = ToolInvocation(
        tool_id="b", tool_path="s/t", dependencies=("a",), input={"$from": "a", "path": path}
    )
    result = await stage.run(stage.plan(stage.tool("a", made, required=False), asking))
    said = [event.message for event in result.of("b").events if isinstance(event, LogEvent)]
    assert (result.of("b").state, said) == ("success", expected)


async def test_without_an_output_of_its_own_a_tool_answers_with_its_patches_and_summary(stage: Stage) -> None:
    result = await stage.run(
        stage.plan(
            stage.tool(
                "a", ["patch", {"x": {"y": 1}}], ["patch", {"x": {"z": 2}}], ["done", {"summary": "ok"}]
            ),
            stage.tool("b", ["echo"], needs="a"),
        )
    )
    assert request(result, "b")["context"]["dependencies"] == {"a": {"x": {"y": 1, "z": 2}, "summary": "ok"}}


# retries


@pytest.mark.parametrize(
    ("failing", "retries", "runs", "state"),
    [
        (0, 3, 1, "success"),
        (1, 3, 2, "success"),
        (3, 3, 4, "success"),
        (4, 3, 4, "failed"),
        (1, 0, 1, "failed"),
    ],
)
async def test_a_tool_runs_once_and_again_for_each_retry(
    stage: Stage, failing: int, retries: int, runs: int, state: str
) -> None:
    tool = stage.tool(
        "a", ["fail first", stage.path("runs"), failing], ["patch", {"won": True}], retries=retries
    )
    result = await stage.run(stage.plan(tool))
    assert len(stage.read("runs")) == runs
    found = result.of("a")
    assert (found.state, found.retry_count, len(found.attempts)) == (state, runs - 1, runs)
    assert [attempt.state for attempt in found.attempts] == ["failed"] * (runs - 1) + [state]


async def test_the_wait_before_a_retry_doubles_each_time(stage: Stage) -> None:
    tool = stage.tool("a", ["fail first", stage.path("runs"), 9], retries=4, backoff=5)
    result = await stage.run(stage.plan(tool))
    assert [
        (told.attempt, told.delay_ms, told.error.code) for told in stage.told(ToolRetrying)
    ] == [(1, 5, "NOT_YET"), (2, 10, "NOT_YET"), (3, 20, "NOT_YET"), (4, 40, "NOT_YET")]  # fmt: skip
    attempts = result.of("a").attempts
    gaps = [
        later.started_at_ms - (sooner.started_at_ms + sooner.execution_time_ms)
        for sooner, later in pairwise(attempts)
    ]
    # never shorter than the wait; a millisecond for rounding
    assert all(gap >= wait - 1 for gap, wait in zip(gaps, [5, 10, 20, 40], strict=True))


async def test_all_attempts_are_in_the_trace_and_the_patches_of_those_that_failed_are_kept_out(
    stage: Stage,
) -> None:
    tool = stage.tool(
        "a", ["stderr", "hm"], ["fail first", stage.path("runs"), 2], ["patch", {"won": True}], retries=2
    )
    result = await stage.run(stage.plan(tool, stage.tool("b", ["echo"], needs="a")))
    assert result.aggregated_state == {"won": True}
    assert request(result, "b")["context"]["state"] == {"won": True}
    trace = json.loads(result.to_json())["toolResults"][0]["attempts"]
    patches = [
        [event["patch"] for event in attempt["events"] if event["type"] == "state_patch"] for attempt in trace
    ]
    assert patches == [[{"failed": {"1": True}}], [{"failed": {"2": True}}], [{"won": True}]]
    assert [attempt["stderrTail"] for attempt in trace] == ["hm\n"] * 3
    assert [attempt["exitCode"] for attempt in trace] == [0, 0, 0]
    assert [attempt.get("error", {}).get("code") for attempt in trace] == ["NOT_YET", "NOT_YET", None]


@pytest.mark.parametrize(
    "step",
    [
        ["hang"],
        ["raw", "not json"],
        ["exit", 7],
        ["kill"],
        ["silence"],
        ["raw", '{"version":"0","type":"?"}'],
    ],
    ids=str,
)
async def test_timeouts_and_broken_protocol_are_retried_like_any_failure(
    stage: Stage, step: list[Any]
) -> None:
    stage.limits = replace(stage.limits, timeout=1.5 if step == ["hang"] else 30)
    result = await stage.run(stage.plan(stage.tool("a", ["touch", stage.path("runs")], step, retries=2)))
    assert len(stage.read("runs")) == len(result.of("a").attempts) == 3
    assert result.of("a").state == ("timeout" if step == ["hang"] else "failed")


async def test_each_attempt_has_a_request_id_of_its_own(stage: Stage) -> None:
    tool = stage.tool("a", ["fail first", stage.path("runs"), 1], ["echo"], retries=1)
    result = await stage.run(stage.plan(tool))
    assert request(result, "a")["requestId"] == f"{result.plan_id}/a/2"


async def test_a_tool_that_waits_for_its_retry_holds_up_nobody_else(stage: Stage) -> None:
    flaky = stage.tool("flaky", ["fail first", stage.path("runs"), 1], retries=1, backoff=200)
    others = [stage.tool(name) for name in "abc"]
    result = await stage.run(stage.plan(flaky, *others))
    assert result.success
    finished = [told.result.tool_id for told in stage.told(ToolFinished)]
    assert finished[-1] == "flaky" or result.of("flaky").execution_time_ms >= 200


# the deadline


@pytest.mark.parametrize(("granted", "state"), [(["model"], "success"), ([], "timeout")])
async def test_a_model_that_goes_on_telling_is_not_bound_by_the_plans_time(
    stage: Stage, granted: list[str], state: str
) -> None:
    """Only who was granted a model can be telling; what comes after it has its time as well."""
    limits = replace(stage.limits, timeout=0.4)
    stage.tools["tells/act"] = replace(
        stage.resolve("tells/act"), limits=limits, context={"permissions": granted}
    )
    telling = [["ui", "telling"], ["sleep", 0.8]] * 3
    tools = (stage.tool("tells", *telling, path="tells/act"), stage.tool("next", needs=("tells",)))
    result = await stage.run(stage.plan(*tools), bounds=replace(ROOMY, timeout=1.5))
    assert states(result) == {"tells": state, "next": "success" if state == "success" else "skipped"}


async def test_after_the_deadline_nothing_starts(stage: Stage) -> None:
    tools = [stage.tool(name, ["touch", stage.path("ran")]) for name in "abc"]
    result = await stage.run(stage.plan(*tools), bounds=replace(ROOMY, timeout=0))
    assert states(result) == dict.fromkeys("abc", "skipped")
    assert set(codes(result).values()) == {"PLAN_DEADLINE"}
    assert {tool.error.category for tool in result.tool_results if tool.error} == {"timeout"}
    assert stage.read("ran") == ""
    assert not result.success
    assert result.can_replan


@pytest.mark.parametrize("parallel", [False, True])
async def test_at_the_deadline_what_runs_is_stopped_and_what_waits_is_skipped(
    stage: Stage, parallel: bool
) -> None:
    result = await stage.run(
        stage.plan(
            stage.tool("quick", ["patch", {"quick": 1}]),
            stage.tool("slow", ["patch", {"slow": 1}], ["hang"], retries=3),
            stage.tool("needs it", needs=("slow",)),
            stage.tool("alone", ["touch", stage.path("ran")], async_=False),
            parallel=parallel,
        ),
        bounds=replace(ROOMY, timeout=4),
    )
    assert states(result) == {
        "quick": "success", "slow": "timeout", "needs it": "skipped", "alone": "skipped",
    }  # fmt: skip
    assert codes(result)["alone"] == "PLAN_DEADLINE"
    assert codes(result)["needs it"] == "DEPENDENCY_FAILED"
    assert len(result.of("slow").attempts) == 1
    assert result.aggregated_state == {"quick": 1}
    assert stage.read("ran") == ""
    assert result.failed_tools == ("slow",)


async def test_a_tool_whose_turn_comes_when_starting_the_others_has_used_up_the_time_is_skipped(
    stage: Stage,
) -> None:
    """The listener is slow enough for the deadline to pass between the first start and the second."""
    started: list[str] = []

    def listen(told: PlanProgress) -> None:
        if isinstance(told, ToolStarted):
            started.append(told.tool_id)
            time.sleep(0.3)

    prepared = prepare_plan(
        stage.plan(stage.tool("a"), stage.tool("b", ["touch", stage.path("b ran")])), stage.resolve
    )
    result = await execute(prepared, SessionState(), bounds=replace(ROOMY, timeout=0.25), on_progress=listen)
    assert started == ["a"]
    assert (result.of("b").state, codes(result)["b"]) == ("skipped", "PLAN_DEADLINE")
    assert stage.read("b ran") == ""


async def test_a_tool_stopped_by_the_deadline_is_told_apart_from_one_that_used_up_its_own_time(
    stage: Stage,
) -> None:
    stopped = await stage.run(stage.plan(stage.tool("a", ["hang"])), bounds=replace(ROOMY, timeout=0.5))
    assert codes(stopped) == {"a": "PLAN_DEADLINE"}
    assert "plan's 0.5 s" in str(stopped.of("a").error)
    stage.limits = replace(stage.limits, timeout=0.4)
    out_of_time = await stage.run(stage.plan(stage.tool("a", ["hang"])))
    assert codes(out_of_time) == {"a": "TIMEOUT"}


async def test_what_comes_late_is_used_while_the_scene_waits_for_others_anyway(stage: Stage) -> None:
    quick = Limits(timeout=0.5, exit_grace=5, kill_grace=0.5)
    stage.tools["late/act"] = replace(stage.resolve("late/act"), limits=quick)
    late = stage.tool(
        "late", ["wait for", stage.path("told")], ["touch", stage.path("came")], ["echo"], path="late/act"
    )
    other = stage.tool(
        "other", ["sleep", 1.5], ["touch", stage.path("told")], ["wait for", stage.path("came")]
    )
    result = await stage.run(stage.plan(late, other))
    assert states(result) == {"late": "success", "other": "success"}


async def test_a_tool_that_never_ends_is_stopped_once_nothing_else_is_waited_for(stage: Stage) -> None:
    quick = Limits(timeout=0.4, exit_grace=5, kill_grace=0.5)
    stage.tools["late/act"] = replace(stage.resolve("late/act"), limits=quick)
    stage.tools["later/act"] = replace(stage.resolve("later/act"), limits=quick)
    plan = stage.plan(
        stage.tool("late", ["hang"], path="late/act"), stage.tool("later", ["hang"], path="later/act")
    )
    result = await stage.run(plan)
    assert codes(result) == {"late": "TIMEOUT", "later": "TIMEOUT"}


async def test_no_wait_is_begun_that_would_go_past_the_deadline(stage: Stage) -> None:
    tool = stage.tool("a", ["fail"], retries=3, backoff=60_001)
    result = await stage.run(stage.plan(tool))
    assert stage.told(ToolRetrying) == []
    assert (result.of("a").state, result.of("a").retry_count) == ("failed", 0)
    assert codes(result) == {"a": "TOOL_FAILED"}


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(backoff=st.integers(0, 400), timeout=st.integers(100, 700))
def test_retries_and_their_waits_stay_within_the_deadline(stage: Stage, backoff: int, timeout: int) -> None:
    plan = stage.plan(stage.tool("a", ["fail"], retries=10, backoff=backoff))
    result = asyncio.run(stage.run(plan, bounds=replace(ROOMY, timeout=timeout / 1000)))
    attempts = result.of("a").attempts
    assert all(attempt.started_at_ms <= timeout for attempt in attempts)
    assert sum(told.delay_ms for told in stage.told(ToolRetrying)) <= timeout


# progress


async def test_progress_tells_each_step_in_order(stage: Stage) -> None:
    plan = stage.plan(
        stage.tool("a", ["fail first", stage.path("runs"), 1], ["log", "hello"], retries=1, backoff=3),
        stage.tool("b", needs="a"),
    )
    result = await stage.run(plan)

    def short(told: PlanProgress) -> tuple[Any, ...]:
        match told:
            case ToolStarted(_, tool_id, attempt):
                return "started", tool_id, attempt
            case ToolEmitted(_, tool_id, attempt, event):
                return "emitted", tool_id, attempt, event.__struct_config__.tag
            case ToolRetrying(_, tool_id, attempt, error, delay):
                return "retrying", tool_id, attempt, error.code, delay
            case ToolFinished(_, finished):
                return "finished", finished.tool_id, finished.state
        return (type(told).__name__,)

    assert [short(told) for told in stage.progress] == [
        ("PlanStarted",),
        ("started", "a", 1),
        ("emitted", "a", 1, "state_patch"),
        ("emitted", "a", 1, "error"),
        ("emitted", "a", 1, "done"),
        ("retrying", "a", 1, "NOT_YET", 3),
        ("started", "a", 2),
        ("emitted", "a", 2, "log"),
        ("emitted", "a", 2, "done"),
        ("finished", "a", "success"),
        ("started", "b", 1),
        ("emitted", "b", 1, "done"),
        ("finished", "b", "success"),
        ("PlanFinished",),
    ]
    told_ids = {told.plan_id for told in stage.progress if not isinstance(told, PlanStarted | PlanFinished)}
    assert told_ids == {result.plan_id}


async def test_events_are_told_while_the_tool_still_runs(stage: Stage) -> None:
    """The tool waits for a file that only its listener makes."""
    prepared = prepare_plan(
        stage.plan(stage.tool("a", ["log", "go on?"], ["wait for", stage.path("go on")])), stage.resolve
    )

    def listen(told: PlanProgress) -> None:
        if isinstance(told, ToolEmitted) and isinstance(told.event, LogEvent):
            Path(stage.path("go on")).touch()

    assert (await execute(prepared, SessionState(), bounds=ROOMY, on_progress=listen)).success


async def test_a_skipped_tool_is_finished_and_never_started(stage: Stage) -> None:
    await stage.run(stage.plan(stage.tool("a", ["fail"]), stage.tool("b", needs="a")))
    assert stage.started == ["a"]
    assert [told.result.tool_id for told in stage.told(ToolFinished)] == ["a", "b"]


class Clumsy(Exception):
    pass


@pytest.mark.parametrize(
    "moment", [PlanStarted, ToolStarted, ToolEmitted, ToolRetrying, ToolFinished, PlanFinished]
)
async def test_an_exception_of_the_listener_ends_the_plan_and_its_processes_and_surfaces(
    stage: Stage, moment: type[PlanProgress]
) -> None:
    tools = [stage.tool(f"hangs {n}", ["log", "x"], ["hang"]) for n in range(2)]
    if moment is PlanFinished:
        tools = []
    plan = stage.plan(*tools, stage.tool("fails", ["fail first", stage.path("runs"), 1], retries=1))

    def listen(told: PlanProgress) -> None:
        if isinstance(told, moment):
            raise Clumsy

    with pytest.raises(Clumsy):
        await execute(prepare_plan(plan, stage.resolve), SessionState(), bounds=ROOMY, on_progress=listen)
    assert stage.alive() == []


# cancellation


async def cancelled(
    stage: Stage,
    bounds: Bounds,
    when: Callable[[PlanProgress], bool],
    *tools: Any,
    times: int = 1,
    **plan: Any,
) -> list[PlanProgress]:
    """Run, cancel at a moment, and hand over what was told until the end."""
    told: list[PlanProgress] = []
    moment = asyncio.Event()

    def listen(progress: PlanProgress) -> None:
        told.append(progress)
        if when(progress):
            moment.set()

    prepared = prepare_plan(stage.plan(*tools, **plan), stage.resolve)
    running = asyncio.create_task(execute(prepared, SessionState(), bounds=bounds, on_progress=listen))
    await moment.wait()
    for _ in range(times):
        running.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await running
    return told


def says(message: str) -> Callable[[PlanProgress], bool]:
    def when(told: PlanProgress) -> bool:
        return (
            isinstance(told, ToolEmitted)
            and isinstance(told.event, LogEvent)
            and told.event.message == message
        )

    return when


async def test_a_cancelled_plan_lets_running_tools_finish_and_starts_no_more(stage: Stage) -> None:
    told = await cancelled(
        stage,
        replace(ROOMY, shutdown_grace=30),
        says("here"),
        stage.tool("a", ["log", "here"], ["sleep", 0.3], ["touch", stage.path("a ended")]),
        stage.tool("b", ["touch", stage.path("b ran")], needs="a"),
        stage.tool("c", ["touch", stage.path("c ran")], async_=False),
    )
    assert stage.read("a ended") == "."
    assert not stage.read("b ran") + stage.read("c ran")
    assert [event.tool_id for event in told if isinstance(event, ToolStarted)] == ["a"]
    assert any(isinstance(event, ToolEmitted) and isinstance(event.event, DoneEvent) for event in told)
    assert not any(isinstance(event, PlanFinished) for event in told)


async def test_a_cancelled_plan_tries_nothing_again(stage: Stage) -> None:
    await cancelled(
        stage,
        replace(ROOMY, shutdown_grace=30),
        says("here"),
        stage.tool("a", ["touch", stage.path("runs")], ["log", "here"], ["sleep", 0.2], ["fail"], retries=5),
    )
    assert stage.read("runs") == "."


async def test_a_cancelled_plan_does_not_sit_out_the_wait_before_a_retry(stage: Stage) -> None:
    """With a grace and a wait far beyond the test's own time limit."""
    told = await cancelled(
        stage,
        Bounds(timeout=3000, shutdown_grace=1000),
        lambda told: isinstance(told, ToolRetrying),
        stage.tool("a", ["fail"], retries=1, backoff=1_000_000),
    )
    assert [type(event) for event in told].count(ToolStarted) == 1


@pytest.mark.parametrize("deaf", [[], [["deaf"]]], ids=["polite", "deaf"])
async def test_when_the_grace_is_over_what_still_runs_is_killed(stage: Stage, deaf: list[list[Any]]) -> None:
    await cancelled(
        stage,
        replace(ROOMY, shutdown_grace=0.1),
        says("here"),
        stage.tool("a", *deaf, ["log", "here"], ["hang"]),
        stage.tool("b", *deaf, ["hang"]),
    )
    assert stage.alive() == []


async def test_a_second_cancellation_does_not_wait_for_the_grace(stage: Stage) -> None:
    """With a grace far beyond the test's own time limit."""
    await cancelled(
        stage,
        replace(ROOMY, shutdown_grace=1000),
        says("here"),
        stage.tool("a", ["log", "here"], ["hang"]),
        stage.tool("b", ["hang"]),
        times=2,
    )
    assert stage.alive() == []


async def test_a_third_cancellation_does_not_even_wait_for_a_deaf_tool(stage: Stage) -> None:
    stage.limits = Limits(kill_grace=1000)
    await cancelled(
        stage,
        replace(ROOMY, shutdown_grace=1000),
        says("here"),
        stage.tool("a", ["deaf"], ["log", "here"], ["hang"]),
        times=3,
    )
    assert stage.alive() == []


@pytest.mark.parametrize("moment", [PlanStarted, ToolFinished])
async def test_a_listener_that_cancels_the_plan_sees_nothing_start_after_it(
    stage: Stage, moment: type[PlanProgress]
) -> None:
    told: list[PlanProgress] = []

    def listen(progress: PlanProgress) -> None:
        told.append(progress)
        if isinstance(progress, moment):
            running.cancel()

    plan = stage.plan(stage.tool("a"), stage.tool("b", ["touch", stage.path("b ran")], needs="a"))
    running = asyncio.create_task(
        execute(prepare_plan(plan, stage.resolve), SessionState(), bounds=ROOMY, on_progress=listen)
    )
    with pytest.raises(asyncio.CancelledError):
        await running
    assert isinstance(told[-1], moment)
    assert stage.read("b ran") == ""


async def test_a_plan_under_a_timeout_of_its_caller_ends_its_processes(stage: Stage) -> None:
    prepared = prepare_plan(stage.plan(stage.tool("a", ["hang"])), stage.resolve)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await execute(prepared, SessionState(), bounds=replace(ROOMY, shutdown_grace=0.1))
    assert stage.alive() == []
