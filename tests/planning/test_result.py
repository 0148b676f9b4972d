"""Results: what they are made from, and that what is written keeps the contract."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.contracts import check
from narratoria.planning.result import (
    AssetReference,
    Attempt,
    ExecutionResult,
    ToolError,
    ToolResult,
    ToolState,
)
from narratoria.protocol.dialect import Category, Failure
from narratoria.protocol.events import (
    AssetEvent,
    DoneEvent,
    ErrorEvent,
    Event,
    LogEvent,
    StatePatchEvent,
    UiEvent,
)

ID = "3f2b8c1e-6a54-4d0b-9c57-2a7d1e0f4b61"
LIT = StatePatchEvent(version="0", patch={"torch": {"lit": True}})
DONE = DoneEvent(version="0", ok=True, output={"total": 17})
BROKEN = ToolError(code="NONZERO_EXIT", message="the tool exited with 3", category="process_error")


def result_of(*tools: ToolResult, **fields: Any) -> ExecutionResult:
    return ExecutionResult(
        **{
            "plan_id": ID,
            "success": True,
            "can_replan": False,
            "failed_tools": (),
            "disabled_skills": (),
            "tool_results": tools,
            "aggregated_state": {},
            "aggregated_assets": (),
            "execution_time_ms": 1,
            "attempt_number": 1,
        }
        | fields
    )


def test_a_tool_that_succeeds_on_its_second_run_has_one_retry_and_both_runs_in_its_trace() -> None:
    first = Attempt(state="failed", error=BROKEN, started_at_ms=10, execution_time_ms=5, exit_code=3)
    second = Attempt(state="success", events=(LIT, DONE), started_at_ms=115, execution_time_ms=7, exit_code=0)
    result = ToolResult.from_attempts("light", [first, second], output={"total": 17}, skill="torches")
    assert (result.state, result.ok, result.retry_count, result.error) == ("success", True, 1, None)
    assert result.output == {"total": 17}
    assert result.events == (LIT, DONE)
    assert result.execution_time_ms == 112
    assert result.attempts == (first, second)


def test_a_tool_that_never_succeeded_has_no_output_and_the_last_error() -> None:
    slow = ToolError(code="TIMEOUT", message="no answer in 30 s", category="timeout")
    attempts = [Attempt(state="failed", error=BROKEN), Attempt(state="timeout", error=slow)]
    result = ToolResult.from_attempts("light", attempts, output={"total": 1})
    assert (result.state, result.ok, result.output, result.error) == ("timeout", False, None, slow)


def test_a_skipped_tool_has_run_no_times() -> None:
    result = ToolResult.skipped("light", BROKEN)
    assert (result.state, result.attempts, result.retry_count, result.error) == ("skipped", (), 0, BROKEN)


def test_a_failure_of_the_runner_becomes_the_error_of_the_trace() -> None:
    failure = Failure("TIMEOUT", "no answer", "timeout", {"seconds": 30})
    assert ToolError.from_failure(failure) == ToolError(
        code="TIMEOUT", message="no answer", category="timeout", details={"seconds": 30}
    )


def test_an_asset_event_becomes_a_reference_that_knows_its_tool() -> None:
    event = AssetEvent(
        version="0", asset_id="p1", kind="image", media_type="image/png", path="a.png", metadata={"w": 1}
    )
    assert AssetReference.from_event(event, "portrait") == AssetReference(
        asset_id="p1",
        kind="image",
        media_type="image/png",
        path="a.png",
        tool_id="portrait",
        metadata={"w": 1},
    )


def test_a_result_is_looked_up_by_tool() -> None:
    light, roll = ToolResult.skipped("light"), ToolResult.skipped("roll")
    assert result_of(light, roll).of("roll") is roll


def test_a_written_result_has_the_names_of_the_specification() -> None:
    written = json.loads(result_of(ToolResult.skipped("light")).to_json())
    assert list(written) == [
        "planId",
        "success",
        "canReplan",
        "failedTools",
        "disabledSkills",
        "toolResults",
        "aggregatedState",
        "aggregatedAssets",
        "executionTimeMs",
        "attemptNumber",
    ]
    skipped = written["toolResults"][0]
    assert {"toolId", "state", "events", "executionTimeMs", "retryCount"} <= set(skipped)
    assert None not in skipped.values(), "what a tool does not have is absent"


def test_a_null_that_a_tool_has_said_is_kept() -> None:
    run = Attempt(state="success", exit_code=0)
    tool = ToolResult.from_attempts("light", [run], output={"lamp": None})
    (written,) = json.loads(result_of(tool).to_json())["toolResults"]
    assert written["output"] == {"lamp": None}
    assert "error" not in written
    assert "error" not in written["attempts"][0]


texts = st.text(min_size=1, max_size=5)
objects = st.dictionaries(texts, st.integers() | st.none() | st.lists(st.booleans(), max_size=2), max_size=2)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        LogEvent, version=st.just("0"), level=st.sampled_from(["info", "warn"]), message=texts, fields=objects
    ),
    st.builds(StatePatchEvent, version=st.just("0"), patch=objects),
    st.builds(
        AssetEvent,
        version=st.just("0"),
        asset_id=texts,
        kind=texts,
        media_type=st.just("image/png"),
        path=texts,
        metadata=objects,
    ),
    st.builds(UiEvent, version=st.just("0"), event=texts, payload=objects),
    st.builds(ErrorEvent, version=st.just("0"), error_code=texts, error_message=texts, details=objects),
    st.builds(DoneEvent, version=st.just("0"), ok=st.booleans(), summary=st.text(max_size=3), output=objects),
)
errors = st.builds(
    ToolError,
    code=texts,
    message=st.text(max_size=5),
    category=st.sampled_from(get_args(Category)),
    details=objects,
)
whole = st.integers(0, 100_000)
names = st.text("abc-ü", min_size=1, max_size=4)
attempts = st.builds(
    Attempt,
    state=st.sampled_from(["success", "failed", "timeout"]),
    events=st.lists(events, max_size=3).map(tuple),
    error=st.none() | errors,
    started_at_ms=whole,
    execution_time_ms=whole,
    exit_code=st.none() | st.integers(-64, 255),
    warnings=st.lists(texts, max_size=2).map(tuple),
    stderr_tail=st.text(max_size=5),
)
tool_results = st.builds(
    ToolResult,
    tool_id=names,
    tool_path=names,
    skill=st.none() | names,
    state=st.sampled_from(get_args(ToolState)),
    output=st.none() | objects,
    events=st.lists(events, max_size=3).map(tuple),
    execution_time_ms=whole,
    retry_count=st.integers(0, 10),
    error=st.none() | errors,
    attempts=st.lists(attempts, max_size=2).map(tuple),
)
results = st.builds(
    ExecutionResult,
    plan_id=st.uuids().map(str),
    success=st.booleans(),
    can_replan=st.booleans(),
    failed_tools=st.lists(names, max_size=2).map(tuple),
    disabled_skills=st.lists(names, max_size=2).map(tuple),
    tool_results=st.lists(tool_results, max_size=2).map(tuple),
    aggregated_state=objects,
    aggregated_assets=st.lists(
        st.builds(
            AssetReference,
            asset_id=texts,
            kind=texts,
            media_type=texts,
            path=texts,
            tool_id=names,
            metadata=objects,
        ),
        max_size=2,
    ).map(tuple),
    execution_time_ms=whole,
    attempt_number=st.integers(1, 5),
)


@given(results)
def test_every_written_result_keeps_the_contract_and_is_read_back_equal(result: ExecutionResult) -> None:
    text = result.to_json()
    assert check("execution-result", text) == ()
    assert ExecutionResult.from_json(text) == result


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"state": "pending"}, "/toolResults/0/state"),
        ({"events": [{"version": "0", "type": "shout"}]}, "/toolResults/0/events/0/type"),
        ({"error": {"code": "X", "message": "", "category": "other"}}, "/toolResults/0/error/category"),
        ({"error": "broken"}, "/toolResults/0/error"),
        ({"retryCount": 11}, "/toolResults/0/retryCount"),
    ],
)
def test_a_result_that_breaks_the_contract_is_told_where(change: dict[str, Any], pointer: str) -> None:
    written = json.loads(result_of(ToolResult.skipped("light")).to_json())
    written["toolResults"][0] |= change
    assert [problem.pointer for problem in check("execution-result", json.dumps(written))] == [pointer]
