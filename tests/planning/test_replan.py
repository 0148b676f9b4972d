"""The replan loop: five plans at most, without what failed, then a template, never an exception."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria import contracts
from narratoria.planning import replan
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import Plan, PlanMetadata, PlanRequest, RetryPolicy, ToolInvocation
from narratoria.planning.plan_log import PlanLog
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.replan import (
    TEMPLATES,
    Fallback,
    PlanOutcome,
    fallback_narration,
    run_replan_loop,
    update_health,
)
from narratoria.protocol.dialect import Limits
from narratoria.skills.health import SessionHealth, SkillHealth
from narratoria.skills.skill import Skill
from narratoria.state import SessionState

if TYPE_CHECKING:
    from tests.planning.conftest import Stage

Answer = Callable[[PlanRequest], Any]
BOUNDS = Bounds(timeout=60, concurrency=4)


class Scripted:
    """A planner that gives one answer after the other, the last one again and again."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.asked: list[PlanRequest] = []

    async def generate(self, request: PlanRequest) -> Plan:
        self.asked.append(request)
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1](request)
        plan: Plan = await answer if asyncio.iscoroutine(answer) else answer
        return plan


def skill(name: str) -> Skill:
    return Skill(name=name, version="1.0.0", description=name, folder=Path("/nowhere"))


class Turn:
    """A turn of play on a stage, with a journal in the stage's folder."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.skills = [skill(f"skill-{name}") for name in "abcdefg"]
        self.health = SessionHealth()
        self.state = SessionState({"hp": 3})

    async def play(
        self, planner: Scripted, words: str = "I look around", **more: Any
    ) -> PlanOutcome | Fallback:
        outcome = await run_replan_loop(
            words,
            self.state,
            planner=planner,
            skills=self.skills,
            resolve=self.stage.resolve,
            plan_log=PlanLog(self.stage.folder / "logs"),
            health=self.health,
            **{"execute": partial(execute, bounds=BOUNDS), **more},
        )
        assert len(planner.asked) <= 5
        assert [request.attempt for request in planner.asked] == list(range(1, len(planner.asked) + 1))
        for failure in outcome.failures:
            if failure.result:
                assert contracts.check("execution-result", failure.result.to_json()) == ()
        if isinstance(outcome, Fallback):
            assert len(planner.asked) == len(outcome.failures) == 5
            assert outcome.narration == fallback_narration(words)
        return outcome

    def lines(self) -> list[dict[str, Any]]:
        text = self.stage.read("logs/plans.jsonl")
        for line in text.splitlines():
            assert contracts.check("journal-line", line) == ()
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def turn(stage: Stage) -> Turn:
    return Turn(stage)


def failing(stage: Stage, name: str, **more: Any) -> Plan:
    return stage.plan(stage.tool(name, ["patch", {name: 1}], ["error", "NO", "no luck"], ["fail"], **more))


def fine(stage: Stage, name: str = "g") -> Plan:
    return stage.plan(stage.tool(name, ["patch", {"done": True}]))


def raising(error: BaseException) -> Answer:
    def answer(_: PlanRequest) -> Plan:
        raise error

    return answer


# when a plan carries the turn


async def test_a_plan_that_succeeds_carries_the_turn(turn: Turn, stage: Stage) -> None:
    plan = fine(stage)
    planner = Scripted(lambda _: plan)
    outcome = await turn.play(planner, context={"scene": "hall"})
    assert isinstance(outcome, PlanOutcome)
    assert outcome.result.success
    assert outcome.result.plan_id == outcome.plan.request_id == plan.request_id
    assert outcome.failures == ()
    assert outcome.result.aggregated_state == {"hp": 3, "done": True}
    (asked,) = planner.asked
    assert asked == PlanRequest(
        player_input="I look around",
        skills=turn.skills,
        disabled_skills=frozenset(),
        context={"scene": "hall"},
        attempt=1,
        parent_plan_id=None,
        error_context=None,
    )


async def test_a_planner_is_told_which_skills_have_failed_often(turn: Turn, stage: Stage) -> None:
    turn.health = SessionHealth({"skill-a": SkillHealth("degraded"), "skill-b": SkillHealth()})
    planner = Scripted(lambda _: fine(stage))
    await turn.play(planner)
    assert planner.asked[0].degraded_skills == {"skill-a"}
    assert "skill-a" in {skill.name for skill in planner.asked[0].skills}, "it may still be chosen"


async def test_an_optional_failure_does_not_need_a_second_plan(turn: Turn, stage: Stage) -> None:
    plan = stage.plan(stage.tool("a", ["fail"], required=False), stage.tool("b"))
    outcome = await turn.play(Scripted(lambda _: plan))
    assert isinstance(outcome, PlanOutcome)
    assert outcome.result.disabled_skills == ("skill-a",)


async def test_a_failed_plan_is_replaced_by_one_that_knows_what_went_wrong(turn: Turn, stage: Stage) -> None:
    first, second = failing(stage, "a"), fine(stage)
    planner = Scripted(lambda _: first, lambda _: second)
    outcome = await turn.play(planner)
    assert isinstance(outcome, PlanOutcome)
    assert outcome.plan.metadata == PlanMetadata(generation_attempt=2, parent_plan_id=first.request_id)
    assert outcome.plan.disabled_skills == ("skill-a",)
    assert outcome.result.attempt_number == 2
    assert outcome.result.aggregated_state == {"hp": 3, "done": True}  # nothing of the first plan
    asked = planner.asked[1]
    assert asked.disabled_skills == {"skill-a"}
    assert "skill-a" not in [found.name for found in asked.skills]
    assert len(asked.skills) == len(turn.skills) - 1
    assert asked.parent_plan_id == first.request_id
    told = asked.error_context
    assert told is not None
    assert (told.number, told.category, told.reason) == (1, "tool_failure", "a: no luck")
    assert told.plan is not None
    assert told.plan.request_id == first.request_id
    assert told.result is not None
    assert told.result.failed_tools == ("a",)
    assert outcome.failures == (told,)


async def test_the_loop_writes_its_own_numbers_whatever_the_planner_wrote(turn: Turn, stage: Stage) -> None:
    lie = PlanMetadata(generation_attempt=4, parent_plan_id="00000000-0000-0000-0000-000000000000")
    first = msgspec.structs.replace(failing(stage, "a"), metadata=lie, disabled_skills=("skill-a", "skill-b"))
    second = msgspec.structs.replace(fine(stage, "b"), metadata=lie)
    outcome = await turn.play(Scripted(lambda _: first, lambda _: second))
    assert isinstance(outcome, PlanOutcome)
    (failure,) = outcome.failures
    assert failure.plan is not None
    assert failure.plan.metadata == PlanMetadata(generation_attempt=1, parent_plan_id=None)
    assert failure.plan.disabled_skills == ()
    assert outcome.plan.metadata == PlanMetadata(generation_attempt=2, parent_plan_id=first.request_id)


# five at most


async def test_after_five_plans_that_failed_comes_a_template(turn: Turn, stage: Stage) -> None:
    plans = [failing(stage, name) for name in "abcde"]
    planner = Scripted(*(lambda _, plan=plan: plan for plan in plans))
    outcome = await turn.play(planner)
    assert isinstance(outcome, Fallback)
    assert [request.disabled_skills for request in planner.asked] == [
        {f"skill-{name}" for name in "abcde"[:count]} for count in range(5)
    ]
    assert [request.parent_plan_id for request in planner.asked] == [
        None,
        *(plan.request_id for plan in plans[:4]),
    ]
    results = [failure.result for failure in outcome.failures]
    assert [result.attempt_number for result in results if result] == [1, 2, 3, 4, 5]
    assert [result.can_replan for result in results if result] == [True] * 4 + [False]
    assert outcome.partial is results[-1]


async def test_a_planner_that_insists_on_a_disabled_skill_uses_up_its_attempts(
    turn: Turn, stage: Stage
) -> None:
    planner = Scripted(lambda _: stage.plan(stage.tool("a", ["touch", stage.path("runs")], ["fail"])))
    outcome = await turn.play(planner)
    assert isinstance(outcome, Fallback)
    assert stage.read("runs") == "."
    assert [failure.category for failure in outcome.failures] == ["tool_failure"] + ["invalid_json"] * 4
    assert all("disabled" in failure.reason for failure in outcome.failures[1:])
    assert outcome.partial is outcome.failures[0].result


async def test_every_generation_that_gave_a_plan_is_the_parent_of_the_next(turn: Turn, stage: Stage) -> None:
    refused = stage.plan(stage.tool("x", path="unowned/x"))
    failed = failing(stage, "a")
    planner = Scripted(
        lambda _: refused,
        raising(ValueError("hm")),
        lambda _: failed,
        raising(ValueError("hm")),
        lambda _: refused,
    )
    await turn.play(planner)
    assert [request.parent_plan_id for request in planner.asked] == [
        None,
        refused.request_id,
        refused.request_id,
        failed.request_id,
        failed.request_id,
    ]


async def test_a_plan_that_is_handed_over_again_gets_an_id_of_its_own(turn: Turn, stage: Stage) -> None:
    refused = stage.plan(stage.tool("x", path="unowned/x"))
    planner = Scripted(lambda _: refused)
    carried = await turn.play(planner)
    ids = [failure.plan.request_id for failure in carried.failures if failure.plan]
    assert ids[0] == refused.request_id
    assert len(set(ids)) == len(ids) == 5


# a planner may be wrong in every way


async def hang(_: PlanRequest) -> Plan:
    await asyncio.sleep(1000)
    raise AssertionError


async def resist(_: PlanRequest) -> Plan:
    """It will not be cancelled."""
    for _ in range(100):
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            continue
    raise AssertionError


def circular(stage: Stage) -> Plan:
    return stage.plan(stage.tool("a", needs="b"), stage.tool("b", needs="a"))


ID = "3f2b8c1e-6a54-4d0b-9c57-2a7d1e0f4b61"
WRONG: dict[str, tuple[Callable[[Stage], Answer], str, str]] = {
    "raises": (lambda _: raising(ValueError("out of ideas")), "process_error", "ValueError: out of ideas"),
    "raises its own timeout": (lambda _: raising(TimeoutError("model is slow")), "timeout", "model is slow"),
    "raises a timeout without words": (lambda _: raising(TimeoutError()), "timeout", "out of time"),
    "recurses": (lambda _: raising(RecursionError()), "process_error", "RecursionError"),
    "is out of memory": (lambda _: raising(MemoryError()), "process_error", "MemoryError"),
    "is cancelled from within": (lambda _: raising(asyncio.CancelledError()), "process_error", "cancelled"),
    "hangs": (lambda _: hang, "timeout", "no plan within 0.2 s"),
    "hangs and resists": (lambda _: resist, "timeout", "no plan within 0.2 s"),
    "gives no JSON": (lambda _: lambda _: Plan.from_json("Sure! Here is"), "invalid_json", "JSON"),
    "gives an empty text": (lambda _: lambda _: Plan.from_json(""), "invalid_json", ""),
    "gives another document": (lambda _: lambda _: Plan.from_json("[1]"), "invalid_json", ""),
    "gives a cycle": (lambda stage: lambda _: circular(stage), "circular_dependency", "a → b → a"),
    "gives a path nobody owns": (
        lambda stage: lambda _: stage.plan(stage.tool("a", path="unowned/rm")),
        "invalid_json",
        "no skill owns 'unowned/rm'",
    ),
    "gives a reference to nothing": (
        lambda stage: lambda _: stage.plan(stage.tool("a", input={"x": {"$from": "b"}})),
        "invalid_json",
        "not among its dependencies",
    ),
    "gives nothing": (lambda _: lambda _: None, "process_error", "TypeError"),
    "gives a dict": (lambda _: lambda _: {"tools": []}, "process_error", "TypeError"),
    "gives a plan without an id": (
        lambda _: lambda _: Plan(request_id="first", tools=()),
        "invalid_json",
        "UUID",
    ),
    "gives a plan without tools at all": (
        lambda _: lambda _: Plan(request_id=ID, tools=None),  # type: ignore[arg-type]
        "invalid_json",
        "/tools",
    ),
    "gives a plan of anything": (
        lambda _: lambda _: Plan(request_id=ID, tools=(object(),)),  # type: ignore[arg-type]
        "process_error",
        "TypeError",
    ),
    "gives half a character": (
        lambda _: lambda _: Plan(request_id=ID, tools=(), narrative="\ud800"),
        "process_error",
        "Unicode",
    ),
    "asks for a billion retries": (
        lambda _: (
            lambda _: Plan(
                request_id=ID,
                tools=(
                    ToolInvocation(tool_id="a", tool_path="s/t", retry_policy=RetryPolicy(max_retries=10**9)),
                ),
            )
        ),
        "invalid_json",
        "maxRetries",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
async def test_whatever_a_planner_does_it_costs_one_attempt_and_the_next_is_told(
    turn: Turn, stage: Stage, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replan, "GENERATION_TIMEOUT", 0.2)
    make, category, words = WRONG[kind]
    planner = Scripted(make(stage), lambda _: fine(stage))
    outcome = await turn.play(planner)
    assert isinstance(outcome, PlanOutcome)
    assert len(planner.asked) == 2
    assert outcome.plan.metadata.generation_attempt == 2
    (failure,) = outcome.failures
    assert planner.asked[1].error_context == failure
    assert (failure.number, failure.category, failure.result) == (1, category, None)
    assert words in failure.reason
    assert [(line["kind"], line["outcome"]) for line in turn.lines()] == [
        ("generation", "failed"),
        ("generation", "success"),
        ("execution", "success"),
    ]


@pytest.mark.parametrize("kind", WRONG)
async def test_a_planner_that_is_always_wrong_ends_in_a_template(
    turn: Turn, stage: Stage, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replan, "GENERATION_TIMEOUT", 0.05)
    make, category, _ = WRONG[kind]
    outcome = await turn.play(Scripted(make(stage)))
    assert isinstance(outcome, Fallback)
    assert [failure.category for failure in outcome.failures] == [category] * 5
    assert outcome.partial is None
    assert outcome.health == SessionHealth()
    lines = turn.lines()
    assert [(line["kind"], line["attempt"], line["category"]) for line in lines] == [
        ("generation", attempt, category) for attempt in range(1, 6)
    ]


async def test_the_problems_of_a_refused_plan_are_handed_on(turn: Turn, stage: Stage) -> None:
    twice = stage.plan(stage.tool("a", path="unowned/x"), stage.tool("a", needs=("ghost",)))
    planner = Scripted(lambda _: twice, lambda _: fine(stage))
    await turn.play(planner)
    told = planner.asked[1].error_context
    assert told is not None
    assert sorted(problem.pointer for problem in told.problems) == [
        "/tools/0/toolPath",
        "/tools/1/dependencies/0",
        "/tools/1/toolId",
    ]
    assert told.plan is not None
    assert planner.asked[1].disabled_skills == frozenset()


async def test_a_rejected_plan_starts_nothing(turn: Turn, stage: Stage) -> None:
    plan = stage.plan(stage.tool("a", ["touch", stage.path("ran")]), stage.tool("b", path="unowned/x"))
    await turn.play(Scripted(lambda _: plan))
    assert stage.read("ran") == ""


async def test_a_turn_that_is_cancelled_while_planning_ends_the_planner(turn: Turn) -> None:
    ended = asyncio.Event()
    begun = asyncio.Event()

    async def plan(_: PlanRequest) -> Plan:
        begun.set()
        try:
            await asyncio.sleep(1000)
        finally:
            ended.set()
        raise AssertionError

    playing = asyncio.create_task(turn.play(Scripted(plan)))
    await begun.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    await ended.wait()


async def test_an_executor_that_breaks_down_costs_its_plan_and_never_the_scene(turn: Turn) -> None:
    planner = Scripted(lambda _: fine(turn.stage))

    async def broken(*_: Any) -> Any:
        raise OSError(36, "File name too long")

    outcome = await turn.play(planner, execute=broken)

    assert isinstance(outcome, Fallback)
    assert {failure.category for failure in outcome.failures} == {"process_error"}
    executions = [line for line in turn.lines() if line["kind"] == "execution"]
    assert [(line["outcome"], line["attempt"]) for line in executions] == [("failed", n) for n in range(1, 6)]
    assert "File name too long" in executions[0]["reason"]
    assert [request.parent_plan_id for request in planner.asked][1:] == [
        line["planId"] for line in executions[:-1]
    ]


async def test_a_turn_that_is_cancelled_while_a_plan_runs_is_in_the_journal(turn: Turn, stage: Stage) -> None:
    plan = stage.plan(stage.tool("a", ["touch", stage.path("runs")], ["sleep", 0.3]))
    playing = asyncio.create_task(turn.play(Scripted(lambda _: plan)))
    while not stage.read("runs"):
        await asyncio.sleep(0.01)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert [(line["kind"], line["outcome"]) for line in turn.lines()] == [
        ("generation", "success"),
        ("execution", "cancelled"),
    ]


# the journal


async def test_every_generation_and_every_execution_is_one_line(turn: Turn, stage: Stage) -> None:
    first, second = failing(stage, "a", retries=1), fine(stage)
    await turn.play(Scripted(lambda _: first, raising(ValueError("hm")), lambda _: second))
    lines = turn.lines()
    assert [(line["kind"], line["attempt"], line["outcome"], line["planId"]) for line in lines] == [
        ("generation", 1, "success", first.request_id),
        ("execution", 1, "failed", first.request_id),
        ("generation", 2, "failed", None),
        ("generation", 3, "success", second.request_id),
        ("execution", 3, "success", second.request_id),
    ]
    assert lines[1]["result"]["toolResults"][0]["retryCount"] == 1
    assert lines[3]["parentPlanId"] == first.request_id
    assert lines[3]["disabledSkills"] == ["skill-a"]


async def test_a_journal_that_cannot_be_written_stops_no_story(turn: Turn, stage: Stage) -> None:
    (stage.folder / "logs").write_text("a file where the folder should be")
    assert isinstance(await turn.play(Scripted(lambda _: fine(stage))), PlanOutcome)


# health


async def test_a_skill_that_is_out_for_the_session_is_never_offered(turn: Turn, stage: Stage) -> None:
    turn.health = SessionHealth(
        {"skill-a": SkillHealth("permanentFailure"), "skill-b": SkillHealth("degraded")}
    )
    planner = Scripted(lambda _: fine(stage, "a"), lambda _: fine(stage, "b"))
    outcome = await turn.play(planner)
    assert isinstance(outcome, PlanOutcome)
    assert outcome.plan.metadata.generation_attempt == 2
    for asked in planner.asked:
        assert asked.disabled_skills == {"skill-a"}
        assert [found.name for found in asked.skills] == [f"skill-{name}" for name in "bcdefg"]
    assert outcome.health.of("skill-b") == SkillHealth("healthy")
    assert outcome.health.of("skill-a") == SkillHealth("permanentFailure")


async def test_every_run_of_a_tool_counts_for_its_skill(turn: Turn, stage: Stage) -> None:
    first = failing(stage, "a", retries=2)
    outcome = await turn.play(Scripted(lambda _: first, lambda _: fine(stage)))
    assert outcome.health.of("skill-a") == SkillHealth("degraded", 0)
    assert outcome.health.of("skill-g") == SkillHealth("healthy", 0)
    assert outcome.health.disabled == frozenset()
    (line,) = [line for line in turn.lines() if line["kind"] == "execution" and line["attempt"] == 2]
    assert line["health"]["skill-a"]["state"] == "degraded"


async def test_a_skill_that_times_out_to_the_last_retry_is_out_for_the_session(
    turn: Turn, stage: Stage
) -> None:
    stage.limits = Limits(timeout=0.3)
    hanging = stage.plan(stage.tool("a", ["hang"], retries=1))
    outcome = await turn.play(Scripted(lambda _: hanging, raising(ValueError())))
    assert outcome.health.of("skill-a").state == "permanentFailure"
    turn.health = outcome.health
    planner = Scripted(raising(ValueError()))
    await turn.play(planner)
    assert planner.asked[0].disabled_skills == {"skill-a"}


async def test_a_network_error_that_passes_leaves_the_skill_healthy(turn: Turn, stage: Stage) -> None:
    offline = ["error", "NETWORK_DOWN", "no route"]
    tool = stage.tool("a", offline, ["fail first", stage.path("runs"), 1], retries=1)
    outcome = await turn.play(Scripted(lambda _: stage.plan(tool)))
    assert isinstance(outcome, PlanOutcome)
    assert outcome.health.of("skill-a").state == "healthy"


async def test_a_skill_cut_short_by_the_plans_deadline_is_not_out_for_the_session(stage: Stage) -> None:
    plan = stage.plan(stage.tool("a", ["hang"], retries=1))
    result = await stage.run(plan, bounds=replace(BOUNDS, timeout=0.3))
    assert result.of("a").state == "timeout"
    assert update_health(SessionHealth(), plan, result.tool_results).of("skill-a").state == "temporaryFailure"


async def test_a_skipped_tool_says_nothing_about_its_skill(stage: Stage) -> None:
    plan = stage.plan(stage.tool("a", ["fail"]), stage.tool("b", needs="a"))
    result = await stage.run(plan)
    assert update_health(SessionHealth(), plan, result.tool_results).skills.keys() == {"skill-a"}


async def test_a_plan_whose_time_was_over_before_anything_failed_says_so(turn: Turn, stage: Stage) -> None:
    outcome = await run_replan_loop(
        "wait",
        SessionState(),
        planner=Scripted(lambda _: fine(stage)),
        skills=turn.skills,
        resolve=stage.resolve,
        execute=partial(execute, bounds=Bounds(timeout=0)),
        plan_log=PlanLog(stage.folder / "logs"),
    )
    assert isinstance(outcome, Fallback)
    assert {(failure.category, failure.reason) for failure in outcome.failures} == {
        ("timeout", "the plan's time was up")
    }
    assert outcome.partial is not None


# the template


def test_the_templates_are_those_of_the_specification() -> None:
    assert TEMPLATES == (
        "The narrator pauses, considering your words: '{input}'",
        "Your action '{input}' echoes in the stillness...",
        "The story continues, though the path is unclear...",
    )


@pytest.mark.parametrize(
    "words",
    [
        "",
        "look",
        "{input}",
        "{0} {} {x!r:>9}",
        "{{",
        "}",
        "it's 'quoted' \"twice\"",
        "%s %(input)s",
        "\\n\n",
        "öß 🐉",
    ],
)
def test_the_players_words_are_quoted_as_they_are(words: str) -> None:
    assert fallback_narration(words) in [template.replace("{input}", words) for template in TEMPLATES]


def test_halves_of_characters_become_question_marks() -> None:
    assert fallback_narration("\ud800\udcff").encode()
    assert {fallback_narration(f"\udcff{letter}") for letter in "abc"} <= {
        template.replace("{input}", f"?{letter}") for template in TEMPLATES for letter in "abc"
    }


@given(st.text(st.characters()))
def test_any_words_lead_to_one_of_the_templates_and_always_to_the_same(words: str) -> None:
    narration = fallback_narration(words)
    said = words.encode(errors="replace").decode()
    assert narration in [template.replace("{input}", said) for template in TEMPLATES]
    assert narration == fallback_narration(words)


def test_each_template_has_its_turn() -> None:
    assert len({fallback_narration(word)[:5] for word in ("a", "b", "c")}) == 3


async def test_words_a_terminal_garbled_are_played_like_any_others(turn: Turn) -> None:
    outcome = await turn.play(Scripted(raising(ValueError("\ud800"))), "\udcff look {input}")
    assert isinstance(outcome, Fallback)
    assert len(turn.lines()) == 5


async def test_a_refused_plan_keeps_the_executor_from_ever_seeing_it(stage: Stage) -> None:
    """What is executed was prepared with the skills of the turn disabled."""
    seen: list[Plan] = []

    async def watch(prepared: Any, state: SessionState) -> Any:
        seen.append(prepared.plan)
        assert prepare_plan(prepared.plan, stage.resolve)
        return await execute(prepared, state, bounds=BOUNDS)

    planner = Scripted(lambda _: failing(stage, "a"), lambda _: failing(stage, "a"), lambda _: fine(stage))
    await run_replan_loop(
        "look",
        SessionState(),
        planner=planner,
        skills=(),
        resolve=stage.resolve,
        execute=watch,
        plan_log=PlanLog(stage.folder / "logs"),
    )
    assert [plan.metadata.generation_attempt for plan in seen] == [1, 3]
