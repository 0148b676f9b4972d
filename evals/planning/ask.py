"""Puts the cases to a planner and reads its plans: which skills, valid or not, in what order, how fast."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from evals.planning.cases import EVERY_PLAN, PORTRAITS, SAME, Case, context_of, skill_of
from evals.planning.offered import resolve_in
from narratoria import contracts
from narratoria.errors import NarratoriaException, PlanRejected
from narratoria.planning.plan import Plan, Planner, PlanRequest, ReadAheadPlanner
from narratoria.planning.prepare import PreparedPlan, prepare_plan
from narratoria.skills.discovery import Catalogue

LONGEST = 30.0  # seconds; a planner that takes longer gave no plan

NARRATE = "storyteller/narrate"
# what has to be known before something else is done: (first, then)
ORDER = (
    ("dice-roller/roll-dice", NARRATE),
    ("memory/recall-memory", NARRATE),
    ("npc-perception/query-perception", NARRATE),
    ("reputation/query-reputation", NARRATE),
    ("npc-perception/query-perception", "dice-roller/roll-dice"),
    (NARRATE, "memory/store-memory"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A planner's answer to one case."""

    case: Case
    chosen: frozenset[str]  # labels
    seconds: float
    problems: tuple[str, ...] = ()  # why it cannot run
    whole: bool = False  # narrates and ends with choices
    ordered: bool = False
    scene_type: str = ""  # where the plan says one

    @property
    def skills(self) -> frozenset[str]:
        return frozenset(map(skill_of, self.chosen))

    @property
    def right_skills(self) -> bool:
        return self.case.needs <= self.skills and not self.skills & self.case.forbids

    @property
    def right_scripts(self) -> bool:
        return self.case.scripts <= self.chosen <= self.case.scripts | self.case.may_use


async def ask_all(planner: Planner, cases: Iterable[Case], catalogue: Catalogue) -> list[Answer]:
    return [await ask(planner, case, catalogue) for case in cases]


async def ask(planner: Planner, case: Case, catalogue: Catalogue) -> Answer:
    request = PlanRequest(case.action, catalogue.skills, context=context_of(case))
    if isinstance(planner, ReadAheadPlanner):  # while the player reads, as in a story
        await planner.expect(replace(request, player_input=""))
    begun = time.perf_counter()
    try:
        async with asyncio.timeout(LONGEST):
            plan = await planner.generate(request)
    except (TimeoutError, NarratoriaException) as error:
        return Answer(case, frozenset(), time.perf_counter() - begun, (f"{type(error).__name__}: {error}",))
    seconds = time.perf_counter() - begun
    problems = contracts.check("plan-json", plan.to_json())
    try:
        prepared = prepare_plan(plan, partial(resolve_in, catalogue))
    except PlanRejected as rejected:
        problems = (*problems, *rejected.problems)
        return Answer(case, frozenset(), seconds, tuple(map(str, problems)))
    scripts = {tool_id: f"{tool.skill}/{tool.name}" for tool_id, tool in prepared.tools.items()}
    return Answer(
        case,
        labels(scripts.values()),
        seconds,
        tuple(map(str, problems)),
        whole=set(EVERY_PLAN) <= set(scripts.values()),
        ordered=in_order(prepared, scripts),
        scene_type=_scene_type(plan),
    )


def labels(scripts: Iterable[str]) -> frozenset[str]:
    """Return the scripts a plan is scored by, less those every plan has; unknown ones count as wrong."""
    unscored = set(map(skill_of, EVERY_PLAN))
    return frozenset(
        PORTRAITS if skill_of(script) == PORTRAITS else SAME.get(script, script)
        for script in scripts
        if skill_of(script) not in unscored
    )


def in_order(prepared: PreparedPlan, scripts: Mapping[str, str]) -> bool:
    """Return whether everything a step needs to know is there when it starts."""
    plan, graph = prepared.plan, prepared.graph
    return all(
        then in graph.all_dependents(first)
        or (not plan.parallel and graph.order.index(first) < graph.order.index(then))
        for before, after in ORDER
        for first in _of(before, scripts)
        for then in _of(after, scripts)
    )


def _of(label: str, scripts: Mapping[str, str]) -> list[str]:
    return [tool_id for tool_id, script in scripts.items() if SAME.get(script, script) == label]


def _scene_type(plan: Plan) -> str:
    told = (call.input.get("sceneType") for call in plan.tools)
    return next((scene for scene in told if isinstance(scene, str)), "")
