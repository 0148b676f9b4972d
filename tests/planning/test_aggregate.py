"""Merging what tools said: in the order of the results, from successful tools only."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from narratoria.planning.aggregate import aggregate_results, apply_patches
from narratoria.planning.result import AssetReference, Attempt, ToolError, ToolResult
from narratoria.protocol.events import (
    AssetEvent,
    DoneEvent,
    ErrorEvent,
    Event,
    LogEvent,
    StatePatchEvent,
    UiEvent,
)
from narratoria.state import SessionState

NO = ToolError(code="NO", message="no", category="tool_failure")


def said(tool_id: str, *events: Event, ok: bool = True, before: tuple[Attempt, ...] = ()) -> ToolResult:
    last = Attempt(state="success" if ok else "failed", events=events, error=None if ok else NO)
    return ToolResult.from_attempts(tool_id, [*before, last], output={})


def patch(**values: Any) -> StatePatchEvent:
    return StatePatchEvent(version="0", patch=values)


def log(message: str) -> LogEvent:
    return LogEvent(version="0", level="info", message=message)


def asset(asset_id: str) -> AssetEvent:
    return AssetEvent(
        version="0", asset_id=asset_id, kind="image", media_type="image/png", path=f"/{asset_id}.png"
    )


def test_patches_merge_in_the_order_of_the_results_and_of_each_tools_events() -> None:
    results = [said("a", patch(x=1, deep={"a": 1}), patch(x=2)), said("b", patch(x=3, deep={"b": 1}))]
    start = SessionState({"deep": {"c": 1}})
    assert aggregate_results(results, start).state == SessionState({"x": 3, "deep": {"a": 1, "b": 1, "c": 1}})
    assert aggregate_results(results[::-1], start).state.get("x") == 2
    assert start == SessionState({"deep": {"c": 1}})


def test_a_null_deletes_and_a_later_patch_can_bring_the_key_back() -> None:
    results = [
        said("a", patch(hp=None, list=[1, None])),
        said("b", patch(gold=None)),
        said("c", patch(gold=1)),
    ]
    merged = aggregate_results(results, SessionState({"hp": 3, "gold": 9}))
    assert merged.state == SessionState({"list": [1, None], "gold": 1})


def test_a_tool_that_failed_gives_no_patch_no_asset_and_no_ui_event_but_its_logs_and_errors() -> None:
    error = ErrorEvent(version="0", error_code="NO", error_message="no")
    ui = UiEvent(version="0", event="roll")
    failed = said("a", patch(x=1), asset("one"), ui, log("tried"), error, ok=False)
    fine = said("b", asset("two"), ui, log("did"), error, DoneEvent(version="0", ok=True))
    skipped = ToolResult.skipped("c", NO)
    merged = aggregate_results([failed, fine, skipped], SessionState())
    assert merged.state == SessionState()
    assert merged.assets == (
        AssetReference(asset_id="two", kind="image", media_type="image/png", path="/two.png", tool_id="b"),
    )
    assert merged.ui_events == (("b", ui),)
    assert merged.logs == (("a", log("tried")), ("b", log("did")))
    assert merged.errors == (("a", error), ("b", error))


def test_what_an_attempt_said_before_the_one_that_succeeded_is_not_applied() -> None:
    before = Attempt(state="failed", events=(patch(x=1), asset("one")), error=NO)
    merged = aggregate_results([said("a", patch(y=1), before=(before,))], SessionState())
    assert merged.state == SessionState({"y": 1})
    assert merged.assets == ()


def test_two_tools_may_name_an_asset_alike() -> None:
    merged = aggregate_results([said("a", asset("map")), said("b", asset("map"))], SessionState())
    assert [(found.tool_id, found.asset_id) for found in merged.assets] == [("a", "map"), ("b", "map")]


def test_nothing_said_changes_nothing() -> None:
    state = SessionState({"x": 1})
    assert aggregate_results([], state).state is state
    assert apply_patches(state, said("a", log("hm"))) is state


patches = st.dictionaries(
    st.sampled_from("abc"), st.none() | st.integers(0, 3) | st.just({"d": 1}), max_size=3
)


@given(st.lists(st.tuples(st.booleans(), st.lists(patches, max_size=3)), max_size=5))
def test_the_state_is_that_of_the_successful_patches_one_after_the_other(
    tools: list[tuple[bool, list[dict[str, Any]]]],
) -> None:
    results = [
        said(str(n), *(patch(**values) for values in said_), ok=ok) for n, (ok, said_) in enumerate(tools)
    ]
    expected = SessionState()
    for ok, said_ in tools:
        for values in said_ if ok else ():
            expected = expected.apply_patch(values)
    assert aggregate_results(results, SessionState()).state == expected
