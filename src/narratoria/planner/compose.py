"""From the scripts an action needs to a plan that can run: their order, their inputs, and who waits for whom.

Nothing here decides what is needed. Whatever is asked for, the plan names only scripts that were offered,
depends on nothing that is not in it, and has no cycle.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from narratoria.planner.inputs import OWN_LOOKS, Known, input_of
from narratoria.planner.reading import Reading
from narratoria.planner.steps import (
    BEFORE,
    CHOICES,
    DRAW,
    FIND_DRAWN,
    NARRATE,
    ODDS,
    ORDER,
    REDRAW,
    ROLL,
    Offer,
    SceneType,
    Stage,
    stage_of,
    step_id,
)
from narratoria.planning.plan import Plan, RetryPolicy, ToolInvocation
from narratoria.planning.plan_request import PlanRequest

LONGEST_PROMPT = 2000  # characters of a skill's own advice to the narrator
UNDECIDED_OUTCOME = "partial success"  # of a roll that no step of the plan makes
NO_DRAFT = ("You do it.", "The story goes on.")


def with_groups(request: PlanRequest) -> PlanRequest:
    """The request, with the groups of the story where a reader of actions looks for them."""
    ledger = request.context.get("ledger")
    groups = ledger.get("factions") if isinstance(ledger, Mapping) else None
    if request.context.get("factions") or not groups:
        return request
    return replace(request, context={**request.context, "factions": list(groups)})


def compose(
    request: PlanRequest,
    wanted: Collection[str],
    reading: Reading,
    scene: SceneType,
    offered: Mapping[str, Offer],
) -> Plan:
    """The plan with what is wanted of what is offered; prose and choices are always wanted."""
    facts = _facts(request)
    wanted = {*wanted, NARRATE, CHOICES}
    if ROLL in wanted and ROLL in offered and not facts["action"].get("risky"):
        wanted.add(ODDS)  # nobody has counted yet what speaks for it and against it
    if _meets_somebody(facts):
        wanted.add(DRAW)
    elif not _has_a_face(facts, reading):
        wanted -= {DRAW, FIND_DRAWN, REDRAW}
    labels = [label for label in offered if label in wanted]
    labels.sort(key=lambda label: ORDER.index(stage_of(label)))
    stages = {step_id(label): stage_of(label) for label in labels}
    known = Known(facts, reading, scene_of(facts, scene, wanted), stages, _advice(labels, offered, facts))
    tools = tuple(_invocation(offered[label], stages, input_of(label, known)) for label in labels)
    return Plan(
        request_id=str(uuid.uuid4()),
        narrative=None if NARRATE in labels else "\n\n".join(_draft(facts)),
        tools=tools,
        parallel=True,  # what does not wait for each other runs together
    )


def _draft(facts: Mapping[str, Any]) -> Iterable[str]:
    """Return the paragraphs drafted by the engine, for a plan without a storyteller."""
    drafts = facts.get("drafts")
    by_outcome = drafts if isinstance(drafts, Mapping) else {}
    paragraphs: Iterable[str] = (
        by_outcome.get(UNDECIDED_OUTCOME) or by_outcome.get("") or facts.get("draft") or NO_DRAFT
    )
    return paragraphs


def _meets_somebody(facts: Mapping[str, Any]) -> bool:
    """Whether somebody new is there when a choice is told whose portrait nobody has painted."""
    if facts["action"].get("kind", "free") not in ("begin", "go", "talk", "beat"):
        return False
    people = facts.get("people")
    listed = people if isinstance(people, (list, tuple)) else ()
    return any(
        isinstance(person, Mapping) and not person.get("met", True) and not person.get("portrait")
        for person in listed
    )


def _has_a_face(facts: Mapping[str, Any], reading: Reading) -> bool:
    """Whether there is anybody to look at: goats and paintings have no portrait."""
    return bool(
        facts.get("people") or facts.get("others") or reading.has("newWord") or OWN_LOOKS.search(reading.text)
    )


def scene_of(facts: Mapping[str, Any], guessed: SceneType, wanted: Collection[str]) -> SceneType:
    """What is rolled for is dangerous; else the engine knows best what kind of scene it is, where it says."""
    if ROLL in wanted:
        return "danger"
    kinds: tuple[SceneType, ...] = get_args(SceneType)
    return next((kind for kind in kinds if kind == facts.get("sceneType")), guessed)


def _invocation(offer: Offer, stages: Mapping[str, Stage], input_: dict[str, Any]) -> ToolInvocation:
    before = BEFORE[stage_of(offer.label)]
    return ToolInvocation(
        tool_id=step_id(offer.label),
        tool_path=f"skills/{offer.label}",
        input=input_,
        dependencies=tuple(step for step, stage in stages.items() if stage in before),
        required=offer.label == NARRATE,  # there is a usual outcome, and there are generic choices
        async_=True,
        retry_policy=RetryPolicy(max_retries=offer.skill.max_retries, backoff_ms=offer.skill.backoff_ms),
    )


def _facts(request: PlanRequest) -> dict[str, Any]:
    """The context, and an action made from the words where the context has none."""
    action = request.context.get("action") or {"kind": "free", "text": request.player_input}
    return {**request.context, "action": action}


def _advice(labels: Iterable[str], offered: Mapping[str, Offer], facts: Mapping[str, Any]) -> list[str]:
    """What the skills in this plan want the narrator to mind; the storyteller knows its own."""
    skills = {offered[label].skill.name: offered[label].skill for label in labels if label != NARRATE}
    prompts = [skill.prompt[:LONGEST_PROMPT] for skill in skills.values() if skill.prompt.strip()]
    return [prompt.replace("{player_stats}", _stats(facts)) for prompt in prompts]


def _stats(facts: Mapping[str, Any]) -> str:
    persona = facts.get("persona")
    stats = persona.get("stats") if isinstance(persona, Mapping) else None
    told = [f"{name} {value}" for name, value in stats.items()] if isinstance(stats, Mapping) else []
    return ", ".join(told) or "nothing out of the ordinary"
