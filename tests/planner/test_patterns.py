"""The pattern planner: plans that can run, whatever it is asked and whatever failed before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria import paths
from narratoria.contracts import check
from narratoria.errors import Problem
from narratoria.planner.patterns import PatternPlanner
from narratoria.planning.plan import FailedAttempt, Plan, PlanRequest
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ExecutionResult, ToolError, ToolResult
from narratoria.skills.discovery import discover
from narratoria.skills.resolve import Tools

CATALOGUE = discover([paths.BUNDLED_SKILLS])
NAMES = [skill.name for skill in CATALOGUE.skills]
TOOLS = Tools(CATALOGUE)


async def plan_for(text: str, **others: Any) -> Plan:
    return await PatternPlanner().generate(PlanRequest(text, CATALOGUE.skills, **others))


def steps(plan: Plan) -> list[str]:
    return [call.tool_id for call in plan.tools]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I climb the wall", ["odds", "roll", "narrate", "choices"]),
        ("Sneak past the guards", ["odds", "roll", "narrate", "choices"]),
        ("I try picking the lock", ["odds", "roll", "narrate", "choices"]),
        ("I ask the smith how he climbed the wall", ["narrate", "choices"]),
        ("Walk to the harbour", ["narrate", "choices"]),
        ("Look at the good goat", ["narrate", "choices"]),
        ("", ["narrate", "choices"]),
    ],
)
async def test_what_is_risky_is_rolled_before_it_is_told(text: str, expected: list[str]) -> None:
    plan = await plan_for(text)
    assert steps(plan) == expected
    prepared = prepare_plan(plan, TOOLS.resolve)
    assert prepared.graph.order[-2:] == ("narrate", "choices")
    if "roll" in expected:
        assert all("roll" in call.dependencies for call in plan.tools[2:])
        assert plan.tools[2].input["roll"] == {"$from": "roll"}


async def test_what_is_known_about_a_choice_counts_more_than_its_words() -> None:
    safe = await plan_for("Climb out", context={"action": {"kind": "go", "text": "Climb out", "route": "up"}})
    risky = await plan_for(
        "Say yes", context={"action": {"kind": "beat", "text": "Say yes", "risky": True, "formula": "2d6+1"}}
    )
    assert steps(safe) == ["narrate", "choices"]
    assert [call.input for call in risky.tools if call.tool_id == "roll"] == [
        {"formula": "2d6+1", "reason": "Say yes"}
    ]


PIKE = {"id": "pike", "name": "Pike", "faction": "Lamplighters", "hasOpinion": True, "met": True}
NEWCOMER = {"id": "osk", "name": "Osk", "hasOpinion": False, "met": False}


@pytest.mark.parametrize(
    ("kind", "people", "asked"),
    [
        ("talk", [PIKE], {"recall", "standing", "opinion"}),
        ("beat", [{**PIKE, "faction": ""}], {"recall", "opinion"}),
        ("beat", [], {"recall"}),
        ("go", [PIKE], {"opinion"}),
        ("go", [NEWCOMER], {"first-opinion"}),
        ("wait", [PIKE, NEWCOMER], {"opinion", "first-opinion"}),
        ("go", [], set()),
        ("begin", [PIKE], set()),
    ],
)
async def test_a_picked_choice_asks_what_people_think_and_what_is_remembered(
    kind: str, people: list[dict[str, Any]], asked: set[str]
) -> None:
    action = {"kind": kind, "text": "Do it", "person": "Pike"}
    plan = await plan_for("Do it", context={"action": action, "people": people})
    queries = {call.tool_id: call.input for call in plan.tools}
    assert queries.keys() & {"recall", "standing", "opinion", "first-opinion"} == asked
    if "opinion" in asked:
        assert queries["opinion"]["npcs"] == ["pike"], "a first opinion is not asked for while it is formed"
    if "standing" in asked:
        assert queries["standing"]["factions"] == ["Lamplighters"]
    for step in asked:
        assert queries["choices"][step] == {"$from": step}, "what was asked reaches the choices"


@given(st.text(max_size=60), st.sets(st.sampled_from([*NAMES, "somebody-else"])))
async def test_any_words_give_a_valid_plan_without_disabled_or_unknown_skills(
    text: str, disabled: set[str]
) -> None:
    plan = await plan_for(text, disabled_skills=frozenset(disabled))
    assert check("plan-json", plan.to_json()) == ()
    prepared = prepare_plan(plan, TOOLS.resolve, disabled=disabled)
    assert not {tool.skill for tool in prepared.tools.values()} & disabled
    if "storyteller" in disabled:
        assert plan.narrative
        assert len(plan.narrative.split("\n\n")) >= 2


async def test_what_could_be_asked_is_not_asked_of_a_skill_that_has_failed_often() -> None:
    context = {"action": {"kind": "talk", "text": "Talk to Pike", "person": "Pike"}, "people": [PIKE]}
    plan = await plan_for("Talk to Pike", context=context, degraded_skills=frozenset({"memory"}))
    assert steps(plan) == ["opinion", "standing", "narrate", "choices"]


async def test_a_skill_that_is_not_offered_is_not_used() -> None:
    dice = CATALOGUE.skill("dice-roller")
    assert dice is not None
    plan = await PatternPlanner().generate(PlanRequest("I climb", [dice]))
    assert steps(plan) == ["roll"]


async def test_the_same_words_give_the_same_plan_under_another_id() -> None:
    first, second = await plan_for("I climb the wall"), await plan_for("I climb the wall")
    assert first.request_id != second.request_id
    assert first.tools == second.tools


async def test_a_tool_that_failed_is_left_out_of_the_next_plan_and_of_all_that_follow() -> None:
    first = await plan_for("I climb the wall")
    second = await plan_for("I climb the wall", attempt=2, error_context=failed(first, "roll"))
    third = await plan_for("I climb the wall", attempt=3, error_context=failed(second, "narrate"))
    fourth = await plan_for("I climb the wall", attempt=4, error_context=failed(third, "choices"))
    assert [steps(plan) for plan in (second, third, fourth)] == [["narrate", "choices"], ["choices"], []]
    assert third.narrative
    assert fourth.narrative


async def test_a_tool_that_could_not_be_run_is_left_out_of_the_next_plan() -> None:
    first = await plan_for("I walk on")
    rejected = FailedAttempt(
        1, "no", "invalid_json", first, (Problem("no skill owns it", "/tools/0/toolPath"),)
    )
    assert steps(await plan_for("I walk on", attempt=2, error_context=rejected)) == ["choices"]


async def test_a_failure_without_a_plan_changes_nothing() -> None:
    lost = FailedAttempt(1, "no plan within 5 s", "timeout")
    assert steps(await plan_for("I walk on", attempt=2, error_context=lost)) == ["narrate", "choices"]


async def test_a_skill_says_how_often_it_is_tried_again() -> None:
    patient = [replace(skill, max_retries=7, backoff_ms=5) for skill in CATALOGUE.skills]
    plan = await PatternPlanner().generate(PlanRequest("I walk on", patient))
    assert {(call.retry_policy.max_retries, call.retry_policy.backoff_ms) for call in plan.tools} == {(7, 5)}


def failed(plan: Plan, tool_id: str) -> FailedAttempt:
    error = ToolError(code="NONZERO_EXIT", message="exit 1", category="process_error")
    results = tuple(
        ToolResult(tool_id=call.tool_id, state="failed", error=error)
        if call.tool_id == tool_id
        else ToolResult(tool_id=call.tool_id, state="success", output={})
        for call in plan.tools
    )
    result = ExecutionResult(
        plan_id=plan.request_id,
        success=False,
        can_replan=True,
        failed_tools=(tool_id,),
        disabled_skills=(),
        tool_results=results,
        aggregated_state={},
        aggregated_assets=(),
        execution_time_ms=1,
        attempt_number=1,
    )
    return FailedAttempt(1, "exit 1", "process_error", plan, (), result)
