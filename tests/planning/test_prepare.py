"""Preparing a plan: everything that is wrong is said at once, and nothing has been started."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from narratoria.errors import CyclicDependencyException, NotRunnable, PlanRejected, SkillScriptNotFoundError
from narratoria.planning.plan import Plan
from narratoria.planning.prepare import prepare_plan
from narratoria.skills.runnable import Runnable

if TYPE_CHECKING:
    from tests.planning.conftest import Stage


def rejection(stage: Stage, *tools: Any, disabled: tuple[str, ...] = (), **plan: Any) -> PlanRejected:
    with pytest.raises(PlanRejected) as caught:
        prepare_plan(stage.plan(*tools, **plan), stage.resolve, disabled=disabled, file="plan.json")
    assert all(problem.file == "plan.json" for problem in caught.value.problems)
    return caught.value


def pointers(rejected: PlanRejected) -> list[str]:
    return [problem.pointer for problem in rejected.problems]


def test_a_sound_plan_comes_with_its_order_and_its_tools(stage: Stage) -> None:
    plan = stage.plan(stage.tool("b", needs="a"), stage.tool("a"))
    prepared = prepare_plan(plan, stage.resolve)
    assert prepared.plan is plan
    assert prepared.graph.order == ("a", "b")
    assert {name: tool.skill for name, tool in prepared.tools.items()} == {"a": "skill-a", "b": "skill-b"}


def test_a_plan_without_tools_is_sound(stage: Stage) -> None:
    assert prepare_plan(stage.plan(), stage.resolve).graph.order == ()


async def test_every_problem_is_listed_at_once_and_nothing_is_started(stage: Stage) -> None:
    fine = stage.tool("fine", ["touch", stage.path("ran")])
    plan = stage.plan(
        fine,
        fine,
        stage.tool("lost", needs=("ghost",)),
        stage.tool("x", needs=("y",)),
        stage.tool("y", needs=("x",)),
        stage.tool("path", path="unowned/rm"),
        stage.tool("off", path="broken/run"),
        stage.tool("from", input={"a": [{"$from": "fine"}], "b": {"$from": "from", "path": "oops"}}),
        disabled_skills=("broken",),
    )
    with pytest.raises(CyclicDependencyException) as caught:
        await stage.run(plan)
    assert {(problem.pointer, problem.message.split(";")[0]) for problem in caught.value.problems} == {
        ("/tools/1/toolId", "'fine' is already the id of tool 0"),
        ("/tools/2/dependencies/0", "'ghost' is not a tool of this plan"),
        ("/tools/3/dependencies", "circular dependency: x → y → x"),
        ("/tools/5/toolPath", "no skill owns 'unowned/rm'"),
        ("/tools/6/toolPath", "'broken/run' belongs to the skill 'broken', which is disabled"),
        ("/tools/7/input/a/0/$from", "takes a value from 'fine', which is not among its dependencies"),
        ("/tools/7/input/b/$from", "takes a value from 'from', which is not among its dependencies"),
        ("/tools/7/input/b/path", "'oops' is not a JSON pointer"),
    }
    assert caught.value.cycle == ("x", "y", "x")
    assert stage.read("ran") == ""
    assert stage.progress == []


@pytest.mark.parametrize("cycle", [("a",), ("a", "b"), ("a", "b", "c", "d")])
def test_a_cycle_is_named_from_end_to_end(stage: Stage, cycle: tuple[str, ...]) -> None:
    tools = [stage.tool(name, needs=(cycle[(at + 1) % len(cycle)],)) for at, name in enumerate(cycle)]
    rejected = rejection(stage, stage.tool("fine"), *tools)
    assert isinstance(rejected, CyclicDependencyException)
    assert rejected.cycle == (*cycle, cycle[0])
    assert " → ".join(rejected.cycle) in str(rejected)


def test_a_plan_that_is_wrong_in_other_ways_is_not_called_circular(stage: Stage) -> None:
    rejected = rejection(stage, stage.tool("a", path="unowned/x"), stage.tool("a"))
    assert not isinstance(rejected, CyclicDependencyException)
    assert sorted(pointers(rejected)) == ["/tools/0/toolPath", "/tools/1/toolId"]


def test_a_skill_is_disabled_by_the_caller_or_by_the_plan(stage: Stage) -> None:
    tools = [stage.tool("a", path="one/x"), stage.tool("b", path="two/x"), stage.tool("c", path="three/x")]
    rejected = rejection(stage, *tools, disabled=("one", "never seen"), disabled_skills=("two",))
    assert pointers(rejected) == ["/tools/0/toolPath", "/tools/1/toolPath"]
    assert "'one'" in rejected.problems[0].message
    assert "'two'" in rejected.problems[1].message


@pytest.mark.parametrize(
    "reference",
    [
        {"$from": "apart"},
        {"$from": "b"},
        {"$from": "ghost"},
        {"$from": "far"},
        {"$from": ""},
        {"$from": 1},
        {"$from": None},
        {"$from": ["near"]},
        {"$from": {"$from": "near"}},
    ],
    ids=str,
)
def test_a_value_may_only_be_taken_from_a_dependency(stage: Stage, reference: dict[str, Any]) -> None:
    tools = [
        stage.tool("far"),
        stage.tool("near", needs=("far",)),
        stage.tool("apart"),
        stage.tool("b", needs=("near",), input={"x": reference}),
    ]
    assert pointers(rejection(stage, *tools)) == ["/tools/3/input/x/$from"]


@pytest.mark.parametrize("path", ["total", "/~2", 3, None, ["/x"]], ids=str)
def test_a_path_that_is_no_pointer_is_refused(stage: Stage, path: Any) -> None:
    asking = stage.tool("b", needs="a", input={"x/y": {"$from": "a", "path": path}})
    assert pointers(rejection(stage, stage.tool("a"), asking)) == ["/tools/1/input/x~1y/path"]


def test_a_path_that_leads_to_nothing_runnable_is_told_with_its_reason(stage: Stage) -> None:
    reasons = {"gone": SkillScriptNotFoundError("no skill owns 'gone'"), "flat": NotRunnable("chmod +x it")}

    def resolve(path: str) -> Runnable:
        raise reasons[path]

    plan = stage.plan(stage.tool("a", path="gone"), stage.tool("b", path="flat"))
    with pytest.raises(PlanRejected) as caught:
        prepare_plan(plan, resolve)
    assert [(problem.pointer, problem.message) for problem in caught.value.problems] == [
        ("/tools/0/toolPath", "no skill owns 'gone'"),
        ("/tools/1/toolPath", "chmod +x it"),
    ]


def test_a_bug_in_a_resolver_is_not_taken_for_a_bad_plan(stage: Stage) -> None:
    def resolve(path: str) -> Runnable:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        prepare_plan(stage.plan(stage.tool("a")), resolve)


def test_a_plan_of_5000_tools_resolves_each_path_once(stage: Stage) -> None:
    asked: list[str] = []

    def resolve(path: str) -> Runnable:
        asked.append(path)
        return stage.resolve(path)

    tools = [stage.tool(f"t{n}", path=f"skill/{n % 3}") for n in range(5000)]
    prepare_plan(stage.plan(*tools), resolve)
    assert sorted(asked) == ["skill/0", "skill/1", "skill/2"]


def test_each_bad_path_is_told_for_each_tool_that_names_it(stage: Stage) -> None:
    tools = [stage.tool(name, path="unowned/x") for name in "ab"]
    assert pointers(rejection(stage, *tools)) == ["/tools/0/toolPath", "/tools/1/toolPath"]


def test_what_is_prepared_is_what_was_read(stage: Stage) -> None:
    text = stage.plan(stage.tool("a"), stage.tool("b", needs="a")).to_json()
    plan = Plan.from_json(text)
    assert prepare_plan(plan, stage.resolve).plan.to_json() == text


SPELL = {"type": "object", "properties": {"spell": {"type": "string"}}, "required": ["spell"]}


def test_an_input_that_does_not_fit_what_the_tool_declares_is_rejected(stage: Stage) -> None:
    stage.tools["wizard/cast"] = replace(stage.resolve("wizard/cast"), input_schema=SPELL)
    rejected = rejection(stage, stage.tool("cast", path="wizard/cast", input={"spell": 3}))
    assert pointers(rejected) == ["/tools/0/input/spell"]


async def test_what_an_earlier_tool_gives_is_checked_before_the_next_is_launched(stage: Stage) -> None:
    stage.tools["wizard/cast"] = replace(stage.resolve("wizard/cast"), input_schema=SPELL)
    give = stage.tool("give", ["done", {"output": {"word": 3}}])
    take = {"spell": {"$from": "give", "path": "/word"}}
    result = await stage.run(
        stage.plan(give, stage.tool("cast", needs=("give",), path="wizard/cast", input=take))
    )
    error = result.of("cast").error
    assert error is not None
    assert error.code == "INVALID_INPUT"
    assert "cast" not in stage.started
