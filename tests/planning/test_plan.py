"""Plans: read from documents, written back, refused with every problem."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.contracts import check, check_value
from narratoria.errors import PlanRejected
from narratoria.planning.plan import MAX_BYTES, Plan, PlanMetadata, RetryPolicy, ToolInvocation

ID = "3f2b8c1e-6a54-4d0b-9c57-2a7d1e0f4b61"


def example(name: str) -> bytes:
    return files("narratoria.contracts").joinpath(name).read_bytes()


def document(**tool: Any) -> dict[str, Any]:
    return {"requestId": ID, "tools": [{"toolId": "roll", "toolPath": "dice-roller/roll-dice", **tool}]}


def problems_of(text: bytes | str) -> list[tuple[str, str]]:
    with pytest.raises(PlanRejected) as caught:
        Plan.from_json(text, file="plan.json")
    assert all(problem.file == "plan.json" for problem in caught.value.problems)
    return [(problem.pointer, problem.message) for problem in caught.value.problems]


def test_absent_fields_have_the_defaults_of_the_specification() -> None:
    plan = Plan.from_json(json.dumps(document()))
    assert plan == Plan(
        request_id=ID,
        narrative=None,
        tools=(
            ToolInvocation(
                tool_id="roll",
                tool_path="dice-roller/roll-dice",
                input={},
                dependencies=(),
                required=True,
                async_=False,
                retry_policy=RetryPolicy(max_retries=3, backoff_ms=100),
            ),
        ),
        parallel=False,
        disabled_skills=(),
        metadata=PlanMetadata(generation_attempt=1, parent_plan_id=None),
    )


def test_the_wait_doubles_with_every_retry() -> None:
    assert [RetryPolicy(backoff_ms=100).delay(retry) for retry in (1, 2, 3, 10)] == [100, 200, 400, 51_200]
    assert RetryPolicy(backoff_ms=0).delay(10) == 0


@pytest.mark.parametrize("name", ["example-plan.json", "example-plan-replan.json"])
def test_the_example_plans_keep_the_contract_and_come_back_as_they_were(name: str) -> None:
    text = example(name)
    assert check("plan-json", text) == ()
    plan = Plan.from_json(text)
    assert Plan.from_json(plan.to_json()) == plan


def test_a_plan_that_spells_out_everything_is_written_back_unchanged() -> None:
    text = example("example-plan.json")
    assert json.loads(Plan.from_json(text).to_json()) == json.loads(text)


def test_what_a_plan_does_not_have_is_absent_and_what_its_tools_get_stays() -> None:
    plan = Plan.from_dict(document(input={"roll": None}))
    written = json.loads(plan.to_json())
    assert "narrative" not in written
    assert "parentPlanId" not in written["metadata"]
    assert written["tools"][0]["input"] == {"roll": None}


def test_notes_in_a_plan_are_read_over() -> None:
    noted = document(
        **{"$comment": "the lock first", "retryPolicy": {"$comment": "it may slip", "maxRetries": 1}}
    )
    plan = Plan.from_json(
        json.dumps({"$comment": "an example", **noted, "metadata": {"$comment": "by hand"}})
    )
    assert plan == Plan.from_dict(document(retryPolicy={"maxRetries": 1}))


def test_the_replan_example_is_a_second_attempt_that_names_its_parent_and_what_it_avoids() -> None:
    first, second = (
        Plan.from_json(example("example-plan.json")),
        Plan.from_json(example("example-plan-replan.json")),
    )
    assert second.metadata == PlanMetadata(generation_attempt=2, parent_plan_id=first.request_id)
    assert second.disabled_skills == ("dice-roller",)


def test_a_whole_number_may_be_written_with_a_decimal_point() -> None:
    plan = Plan.from_json(json.dumps(document(retryPolicy={"maxRetries": 2.0, "backoffMs": 5.0})))
    assert plan.tools[0].retry_policy == RetryPolicy(max_retries=2, backoff_ms=5)
    assert isinstance(plan.tools[0].retry_policy.max_retries, int)


def test_a_plan_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Plan.from_json(json.dumps(document())).parallel = True  # type: ignore[misc]


ids = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=8)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
tools = st.builds(
    ToolInvocation,
    tool_id=ids,
    tool_path=ids,
    input=st.dictionaries(st.text(max_size=4), anything, max_size=3),
    dependencies=st.lists(ids, max_size=3).map(tuple),
    required=st.booleans(),
    async_=st.booleans(),
    retry_policy=st.builds(RetryPolicy, max_retries=st.integers(0, 10), backoff_ms=st.integers(0, 3_600_000)),
)
plans = st.builds(
    Plan,
    request_id=st.uuids().map(str),
    narrative=st.none() | st.text(max_size=10),
    tools=st.lists(tools, max_size=4).map(tuple),
    parallel=st.booleans(),
    disabled_skills=st.lists(ids, max_size=2).map(tuple),
    metadata=st.builds(
        PlanMetadata,
        generation_attempt=st.integers(1, 5),
        parent_plan_id=st.none() | st.uuids().map(str),
    ),
)


@given(plans)
def test_every_plan_is_written_by_the_contract_and_read_back_equal(plan: Plan) -> None:
    text = plan.to_json()
    assert check("plan-json", text) == ()
    assert Plan.from_json(text) == plan
    assert Plan.from_json(text).to_json() == text


@given(st.binary(max_size=100) | st.text(max_size=100) | anything.map(msgspec.json.encode))
def test_whatever_a_planner_says_is_a_plan_or_a_list_of_problems(text: bytes | str) -> None:
    try:
        plan = Plan.from_json(text)
    except PlanRejected as rejected:
        problems = rejected.problems
    else:
        assert check("plan-json", plan.to_json()) == ()
        return
    assert problems


# what is refused


@pytest.mark.parametrize(
    "text", ["", "Sure! Here is the plan:", "[]", '"plan"', "null", "{", b"\xff", "[" * 5000]
)
def test_what_is_no_object_is_refused_with_one_problem(text: bytes | str) -> None:
    assert len(problems_of(text)) == 1


def test_every_problem_is_listed_at_once() -> None:
    broken = {
        "requestId": "7",
        "tools": [{"toolId": "", "toolPath": "x", "requird": True}, {"toolPath": "y", "async": "yes"}, 3],
        "metadata": {"generationAttempt": 6, "parentPlanId": "none"},
    }
    assert [pointer for pointer, _ in problems_of(json.dumps(broken))] == [
        "/requestId",
        "/tools/0/toolId",
        "/tools/0/requird",
        "/tools/1",
        "/tools/1/async",
        "/tools/2",
        "/metadata/generationAttempt",
        "/metadata/parentPlanId",
    ]


@pytest.mark.parametrize(
    ("tool", "pointer"),
    [
        ({"retryPolicy": {"maxRetries": 11}}, "/tools/0/retryPolicy/maxRetries"),
        ({"retryPolicy": {"maxRetries": -1}}, "/tools/0/retryPolicy/maxRetries"),
        ({"retryPolicy": {"maxRetries": 10**300}}, "/tools/0/retryPolicy/maxRetries"),
        ({"retryPolicy": {"backoffMs": -1}}, "/tools/0/retryPolicy/backoffMs"),
        ({"retryPolicy": {"backoffMs": 1e300}}, "/tools/0/retryPolicy/backoffMs"),
        ({"retryPolicy": None}, "/tools/0/retryPolicy"),
        ({"input": []}, "/tools/0/input"),
        ({"dependencies": "roll"}, "/tools/0/dependencies"),
        ({"dependencies": [1]}, "/tools/0/dependencies/0"),
        ({"required": 1}, "/tools/0/required"),
        ({"toolPath": ""}, "/tools/0/toolPath"),
        ({"toolPath": "a\u0000b"}, "/tools/0/toolPath"),
    ],
)
def test_a_field_that_breaks_the_contract_is_named(tool: dict[str, Any], pointer: str) -> None:
    assert [found for found, _ in problems_of(json.dumps(document(**tool)))] == [pointer]


@pytest.mark.parametrize(
    "tool_id", ["würfel 🎲", "a/b~c", "../../etc", "$from", '"', "'; drop", "a" * 200, "𝔸", " ", "👩‍🚀"]
)
def test_odd_but_printable_ids_are_accepted(tool_id: str) -> None:
    assert Plan.from_json(json.dumps(document(toolId=tool_id))).tools[0].tool_id == tool_id


@pytest.mark.parametrize(
    "tool_id", ["", "a\n", "\x00", "a\tb", "\x1b[31m", "\x7f", "\x85", "a\u2028b", "\u202eabc", "a" * 201]
)
def test_ids_with_control_characters_or_of_no_sensible_length_are_refused(tool_id: str) -> None:
    assert problems_of(json.dumps(document(toolId=tool_id)))[0][0] == "/tools/0/toolId"


def test_ten_thousand_tools_are_refused_with_a_clear_limit() -> None:
    many = {"requestId": ID, "tools": [{"toolId": str(n), "toolPath": "x"} for n in range(10_000)]}
    assert problems_of(json.dumps(many)) == [
        ("/tools", "too many items: 10000, where at most 5000 are allowed")
    ]


def test_ten_megabytes_are_refused_before_they_are_read() -> None:
    text = json.dumps(document(input={"text": "x" * 10_000_000}))
    ((pointer, message),) = problems_of(text)
    assert pointer == ""
    assert f"at most {MAX_BYTES:,}" in message


def test_a_large_input_below_the_limit_is_read() -> None:
    plan = Plan.from_json(json.dumps(document(input={"text": "x" * 8_000_000})))
    assert len(plan.tools[0].input["text"]) == 8_000_000


def test_references_to_the_output_of_dependencies_may_stand_in_the_input() -> None:
    reference = {"bonus": [{"$from": "roll", "path": "/total"}]}
    assert check_value("plan-json", document(input=reference)) == ()
