"""Builds the plan that runs the scripts an action needs: their order, their inputs, and who waits for whom.

Nothing here decides what is needed. Whatever is asked for, the plan names only scripts that were offered,
depends on nothing that is not in it, and has no cycle.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from narratoria.errors import ContractViolation
from narratoria.planner.plan_scripts import (
    BEFORE,
    CHOICES,
    DRAW,
    FAMILIAR,
    FIND_DRAWN,
    FIRST_OPINION,
    NARRATE,
    ODDS,
    ORDER,
    REDRAW,
    ROLL,
    SceneType,
    ScriptOffer,
    Stage,
    find_advisers,
    stage_of,
    step_id,
)
from narratoria.planner.player_action import PlayerAction
from narratoria.planner.script_inputs import (
    OWN_LOOKS,
    InputContext,
    build_input,
    fill_typed_inputs,
    list_strangers,
)
from narratoria.planning.plan import Plan, PlanMetadata, PlanRequest, RetryPolicy, ToolInvocation
from narratoria.skills.manifest import read_instructions
from narratoria.skills.skill import Skill

LONGEST_PROMPT = 2000  # characters of a skill's own advice to the narrator
UNDECIDED_OUTCOME = "partial success"  # of a roll that no step of the plan makes
NOBODY_MET = ("begin", "look-back", "again", "branch", "leave")  # kinds of choice before or after a story
NO_DRAFT = ("You do it.", "The story goes on.")


def add_groups(request: PlanRequest) -> PlanRequest:
    """Return the request with the groups of the story where a reader of actions looks for them."""
    ledger = request.context.get("ledger")
    groups = ledger.get("factions") if isinstance(ledger, Mapping) else None
    if request.context.get("factions") or not groups:
        return request
    return replace(request, context={**request.context, "factions": list(groups)})


def build_plan(
    request: PlanRequest,
    wanted_labels: Collection[str],
    player_action: PlayerAction,
    scene: SceneType,
    offers: Mapping[str, ScriptOffer],
) -> Plan:
    """Return the plan of the wanted scripts among those offered; prose and choices are always wanted."""
    facts = _facts_with_action(request)
    wanted_labels = {*wanted_labels, NARRATE, CHOICES}
    if ROLL in wanted_labels and ROLL in offers and not facts["action"].get("risky"):
        wanted_labels.add(ODDS)  # nobody has counted yet what speaks for it and against it
    if has_strangers(facts):
        wanted_labels.add(FIRST_OPINION)
    if _meets_somebody(facts):
        wanted_labels.add(DRAW)
    elif not _has_a_face(facts, player_action):
        wanted_labels -= {DRAW, FIND_DRAWN, REDRAW}
    labels = [label for label in offers if label in wanted_labels]
    labels.sort(key=lambda label: ORDER.index(stage_of(label)))
    stages = {step_id(label): stage_of(label) for label in labels}
    skills_run = list(
        {offers[one].skill.name: offers[one].skill for one in labels if one != NARRATE}.values()
    )
    advisers = [skill for name, skill in find_advisers(request).items() if name in wanted_labels]
    inputs = InputContext(
        facts,
        player_action,
        choose_scene_type(facts, scene, wanted_labels),
        stages,
        _advice([*skills_run, *advisers], facts, is_familiar=False)
        + _standing_advice(request, [*skills_run, *advisers], facts),
        _advice(skills_run, facts, is_familiar=True),
    )
    typed = fill_typed_inputs([offers[label] for label in labels], inputs)
    unfit = {label for label, one in typed.items() if one.problems}
    stages = {step: stage for step, stage in stages.items() if step not in {step_id(one) for one in unfit}}
    inputs = replace(inputs, stages=stages)
    tools = tuple(
        _invocation(
            offers[label],
            stages,
            typed[label].values if label in typed else build_input(label, inputs),
            request.degraded_skills,
        )
        for label in labels
        if label not in unfit
    )
    return Plan(
        request_id=str(uuid.uuid4()),
        narrative=None if NARRATE in labels else "\n\n".join(_draft_paragraphs(facts)),
        tools=tools,
        parallel=True,  # what does not wait for each other runs together
        metadata=PlanMetadata(
            reasons=tuple(
                f"{label} is left out: {'; '.join(typed[label].problems)}" for label in sorted(unfit)
            )
        ),
    )


def _draft_paragraphs(facts: Mapping[str, Any]) -> Iterable[str]:
    """Return the paragraphs drafted by the engine, for a plan without a storyteller."""
    drafts = facts.get("drafts")
    by_outcome = drafts if isinstance(drafts, Mapping) else {}
    paragraphs: Iterable[str] = (
        by_outcome.get(UNDECIDED_OUTCOME) or by_outcome.get("") or facts.get("draft") or NO_DRAFT
    )
    return paragraphs


def _meets_somebody(facts: Mapping[str, Any]) -> bool:
    """Return whether the choice meets somebody new who has no portrait yet."""
    if facts["action"].get("kind", "free") not in ("begin", "go", "talk", "beat"):
        return False
    people = facts.get("people")
    known_people = people if isinstance(people, (list, tuple)) else ()
    return any(
        isinstance(person, Mapping) and not person.get("met", True) and not person.get("portrait")
        for person in known_people
    )


def has_strangers(facts: Mapping[str, Any]) -> bool:
    """Return whether somebody is there who has no opinion of the player yet.

    The first page of a story waits for nothing that can come with the second.
    """
    if facts["action"].get("kind", "free") in NOBODY_MET or facts.get("ending"):
        return False
    return any(list_strangers(facts))


def _has_a_face(facts: Mapping[str, Any], player_action: PlayerAction) -> bool:
    """Return whether there is anybody to look at: goats and paintings have no portrait."""
    return bool(
        facts.get("people")
        or facts.get("others")
        or player_action.has("newWord")
        or OWN_LOOKS.search(player_action.text)
    )


def choose_scene_type(
    facts: Mapping[str, Any], guess: SceneType, wanted_labels: Collection[str]
) -> SceneType:
    """Return danger where dice are rolled, else the engine's scene type, else the guess."""
    if ROLL in wanted_labels:
        return "danger"
    kinds: tuple[SceneType, ...] = get_args(SceneType)
    return next((kind for kind in kinds if kind == facts.get("sceneType")), guess)


def _invocation(
    offer: ScriptOffer,
    stages: Mapping[str, Stage],
    input_: dict[str, Any],
    degraded_skills: Collection[str],
) -> ToolInvocation:
    before = BEFORE[stage_of(offer.label)]
    return ToolInvocation(
        tool_id=step_id(offer.label),
        tool_path=f"skills/{offer.label}",
        input=input_,
        dependencies=tuple(step for step, stage in stages.items() if stage in before),
        required=is_required(offer, degraded_skills),
        async_=True,
        retry_policy=RetryPolicy(max_retries=offer.skill.max_retries, backoff_ms=offer.skill.backoff_ms),
    )


def is_required(offer: ScriptOffer, degraded_skills: Collection[str] = ()) -> bool:
    """Return whether a plan fails with a script: the storyteller, and what a manifest of others says.

    Without the other bundled skills there is a usual outcome, and there are generic choices. On a skill that
    has failed often lately no plan depends.
    """
    if offer.label == NARRATE:
        return True
    is_foreign = offer.skill.name not in FAMILIAR
    return is_foreign and offer.script.required and offer.skill.name not in degraded_skills


def _facts_with_action(request: PlanRequest) -> dict[str, Any]:
    """Return the context, with an action made from the words where it has none."""
    action = request.context.get("action") or {"kind": "free", "text": request.player_input}
    return {**request.context, "action": action}


def _advice(skills: Iterable[Skill], facts: Mapping[str, Any], *, is_familiar: bool) -> list[str]:
    """Return what the skills of this plan want minded, those that are bundled or the others'."""
    advisers = [skill for skill in skills if (skill.name in FAMILIAR) is is_familiar]
    texts = [
        "\n\n".join(filter(None, (skill.prompt.strip(), "" if is_familiar else _instructions(skill))))
        for skill in advisers
    ]
    prompts = [text[:LONGEST_PROMPT] for text in texts if text]
    return [prompt.replace("{player_stats}", _stats(facts)) for prompt in prompts]


def _standing_advice(
    request: PlanRequest, skills_in_plan: Collection[Skill], facts: Mapping[str, Any]
) -> list[str]:
    """Return the prompts of others' skills that are there and have nothing to do in this plan."""
    skills_idle = [
        replace(skill, instructions=None)  # a SKILL.md counts where its skill is chosen
        for skill in request.skills
        if skill not in skills_in_plan and skill.name not in request.disabled_skills
    ]
    return _advice(skills_idle, facts, is_familiar=False)


def _instructions(skill: Skill) -> str:
    """Return the body of a chosen skill's SKILL.md; empty where it cannot be read any more."""
    try:
        return read_instructions(skill).strip()
    except ContractViolation:
        return ""


def _stats(facts: Mapping[str, Any]) -> str:
    persona = facts.get("persona")
    stats = persona.get("stats") if isinstance(persona, Mapping) else None
    lines = [f"{name} {value}" for name, value in stats.items()] if isinstance(stats, Mapping) else []
    return ", ".join(lines) or "nothing out of the ordinary"
