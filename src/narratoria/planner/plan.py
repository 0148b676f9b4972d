"""Builds the plan that runs the scripts an action needs: their order, their inputs, and who waits for whom.

Nothing here decides what is needed. Whatever is asked for, the plan names only scripts that were offered,
depends on nothing that is not in it, and has no cycle.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
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
    OPINION,
    ORDER,
    RECALL,
    REDRAW,
    REOPINION,
    RESTAND,
    ROLL,
    STANDING,
    STORE,
    SceneType,
    ScriptOffer,
    Stage,
    stage_of,
    step_id,
)
from narratoria.planner.player_action import PlayerAction, person_id
from narratoria.planning.plan import Plan, PlanRequest, RetryPolicy, ToolInvocation
from narratoria.skills.manifest import read_instructions
from narratoria.skills.skill import Skill

LONGEST_PROMPT = 2000  # characters of a skill's own advice to the narrator
UNDECIDED_OUTCOME = "partial success"  # of a roll that no step of the plan makes
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
    if _meets_somebody(facts):
        wanted_labels.add(DRAW)
    elif not _has_a_face(facts, player_action):
        wanted_labels -= {DRAW, FIND_DRAWN, REDRAW}
    labels = [label for label in offers if label in wanted_labels]
    labels.sort(key=lambda label: ORDER.index(stage_of(label)))
    stages = {step_id(label): stage_of(label) for label in labels}
    inputs = InputContext(
        facts,
        player_action,
        choose_scene_type(facts, scene, wanted_labels),
        stages,
        _advice(labels, offers, facts),
    )
    tools = tuple(_invocation(offers[label], stages, build_input(label, inputs)) for label in labels)
    return Plan(
        request_id=str(uuid.uuid4()),
        narrative=None if NARRATE in labels else "\n\n".join(_draft_paragraphs(facts)),
        tools=tools,
        parallel=True,  # what does not wait for each other runs together
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


def _invocation(offer: ScriptOffer, stages: Mapping[str, Stage], input_: dict[str, Any]) -> ToolInvocation:
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


def _facts_with_action(request: PlanRequest) -> dict[str, Any]:
    """Return the context, with an action made from the words where it has none."""
    action = request.context.get("action") or {"kind": "free", "text": request.player_input}
    return {**request.context, "action": action}


def _advice(labels: Iterable[str], offers: Mapping[str, ScriptOffer], facts: Mapping[str, Any]) -> list[str]:
    """Return what the skills in this plan want the narrator to mind; the storyteller knows its own."""
    skills = {offers[label].skill.name: offers[label].skill for label in labels if label != NARRATE}
    strangers_first = sorted(skills.values(), key=lambda skill: skill.name in FAMILIAR)
    texts = [
        "\n\n".join(
            filter(None, (skill.prompt.strip(), "" if skill.name in FAMILIAR else _instructions(skill)))
        )
        for skill in strangers_first
    ]
    prompts = [text[:LONGEST_PROMPT] for text in texts if text]
    return [prompt.replace("{player_stats}", _stats(facts)) for prompt in prompts]


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


SCENE_FIELDS: Mapping[str, tuple[str, ...]] = {  # of what is known about the scene
    NARRATE: (
        *("action", "limits", "ledger", "draft", "drafts", "place", "people", "beat", "due", "remembered"),
        *("ending", "persona", "constraints", "memories", "lore", "recent", "campaign", "gameTime"),
        "context",
    ),
    CHOICES: (
        *("action", "place", "people", "next", "persona", "statRange", "memories", "ledger", "rules"),
        *("factions", "limits"),
    ),
    ODDS: ("place", "people", "persona", "statRange", "memories", "ledger", "rules"),
}
EARLIER_STEPS = ("recall", "standing", "opinion", "first-opinion")
OWN_LOOKS = re.compile(r"(?i)\b(?:my|myself|mirror|reflection|do I look|I look like)\b")
RECALL_LIMIT = 5  # memories that a scene can bear


@dataclass(frozen=True, slots=True)
class InputContext:
    """Everything that the inputs of scripts are built from."""

    facts: Mapping[str, Any]
    player_action: PlayerAction
    scene: SceneType
    stages: Mapping[str, Stage]  # of the steps in this plan
    advice: list[str]

    @property
    def text(self) -> str:
        return str(self.facts["action"].get("text") or "")

    @property
    def who(self) -> list[str]:
        """Return who is meant: those named, or the only one there if somebody is spoken to."""
        ids = [*self.player_action.known_people, *self.player_action.strangers]
        alone = len(self.people) == 1 and self.player_action.has("pronoun", "speech", "favour")
        return ids or ([person_id(self.people[0])] if alone else [])

    @property
    def people(self) -> list[Mapping[str, Any]]:
        value = self.facts.get("people")
        people = value if isinstance(value, (list, tuple)) else ()
        return [person for person in people if isinstance(person, Mapping) and person_id(person)]

    @property
    def is_counted(self) -> bool:
        """Return whether the formula holds all modifiers, as with an action that is risky by itself."""
        return bool(self.facts["action"].get("risky"))

    @property
    def roll(self) -> dict[str, str] | None:
        return {"$from": "roll"} if "roll" in self.stages else None


def build_input(label: str, inputs: InputContext) -> dict[str, Any]:
    fill = INPUT_BUILDERS.get(label) or (
        _portrait if label.startswith("character-portraits/") else _unknown_script
    )
    return fill(inputs)


def _roll(inputs: InputContext) -> dict[str, Any]:
    action = inputs.facts["action"]
    arguments = {"formula": action.get("formula") or "2d6", "reason": inputs.text, **_bands(inputs)}
    if inputs.is_counted:  # nothing counts twice
        return arguments
    if "odds" in inputs.stages:
        return {**arguments, "modifiers": {"$from": "odds", "path": "/modifiers"}}
    return {**arguments, "opinion": {"$from": "opinion"}} if "opinion" in inputs.stages else arguments


def _bands(inputs: InputContext) -> dict[str, Any]:
    """Return the campaign's bands as rules for the dice, so that they say it ended as the story does."""
    rules = inputs.facts.get("rules")
    bands = rules.get("bands") if isinstance(rules, Mapping) else None
    return {"rules": {"bands": bands}} if bands else {}


def _odds(inputs: InputContext) -> dict[str, Any]:
    facts = {name: inputs.facts[name] for name in SCENE_FIELDS[ODDS] if name in inputs.facts}
    return {"choice": {"text": inputs.text or "that", "risky": True}, **facts, **_earlier_results(inputs)}


def _recall(inputs: InputContext) -> dict[str, Any]:
    return {"query": inputs.player_action.text or inputs.text or "what has happened", "limit": RECALL_LIMIT}


def _store(inputs: InputContext) -> dict[str, Any]:
    place, time = inputs.facts.get("place"), inputs.facts.get("gameTime")
    return {
        "summary": f"The player: {inputs.text}" if inputs.text else "The player did something that matters.",
        "characters": ["player", *inputs.who],
        "witnesses": ["player", *map(person_id, inputs.people)],
        "location": str(place.get("id") or "") if isinstance(place, Mapping) else "",
        "significance": "high"
        if inputs.player_action.has("vow", "grave", "confide", "treason")
        else "medium",
        **({"gameTime": time} if isinstance(time, (int, float)) and time >= 0 else {}),
    }


def _standing(inputs: InputContext) -> dict[str, Any]:
    return {"factions": list(inputs.player_action.groups)}


def _restand(inputs: InputContext) -> dict[str, Any]:
    changes = [
        {"faction": group, "change": _opinion_change(inputs.player_action)}
        for group in inputs.player_action.groups
    ]
    return {"changes": changes, "reason": inputs.text, "roll": inputs.roll}


def _opinion(inputs: InputContext) -> dict[str, Any]:
    return {"npcs": inputs.who, "people": _names(inputs)}


def _names(inputs: InputContext) -> list[dict[str, str]]:
    """Return the ids and names of the people present."""
    return [
        {"id": person_id(person), "name": str(person.get("name") or person_id(person))}
        for person in inputs.people
    ]


def _first_opinion(inputs: InputContext) -> dict[str, Any]:
    """Return who is met, and what they can see of the player."""
    visible_facts = {name: inputs.facts[name] for name in ("people", "persona") if inputs.facts.get(name)}
    return {"npcs": inputs.who, **visible_facts}


def _reopinion(inputs: InputContext) -> dict[str, Any]:
    changes = [{"npc": person, "change": _opinion_change(inputs.player_action)} for person in inputs.who]
    return {"changes": changes, "reason": inputs.text, "roll": inputs.roll, "people": _names(inputs)}


def _narrate(inputs: InputContext) -> dict[str, Any]:
    advice: dict[str, Any] = {"advice": inputs.advice} if inputs.advice else {}
    others = [step for step, stage in inputs.stages.items() if stage == "other"]
    if others:  # what skills that are nobody's part have to say, for a model that tells the scene
        advice["findings"] = {step: {"$from": step} for step in others}
    return {**_scene_input(NARRATE, inputs), "sceneType": inputs.scene, **advice}


def _choices(inputs: InputContext) -> dict[str, Any]:
    return _scene_input(CHOICES, inputs)


def _scene_input(label: str, inputs: InputContext) -> dict[str, Any]:
    facts = {name: inputs.facts[name] for name in SCENE_FIELDS[label] if name in inputs.facts}
    return {**facts, "roll": inputs.roll, **_earlier_results(inputs)}


def _earlier_results(inputs: InputContext) -> dict[str, Any]:
    return {step: {"$from": step} for step in EARLIER_STEPS if step in inputs.stages}


def _portrait(inputs: InputContext) -> dict[str, Any]:
    """Return whom to draw: somebody new before somebody known, the player where nobody else is meant."""
    ids = [*inputs.player_action.strangers, *inputs.who]
    unmet = [person_id(person) for person in inputs.people if not person.get("met", True)]
    who = next(
        iter(
            ids or (unmet if not inputs.player_action.has("I") or inputs.player_action.has("newWord") else [])
        ),
        "",
    )
    person = next((one for one in inputs.people if person_id(one) == who), None)
    if person is None:
        return _own_portrait(inputs) if OWN_LOOKS.search(inputs.text) else {"description": inputs.text}
    looks = [str(person[name]) for name in ("appearance", "role") if person.get(name)]
    return {
        "characterId": who,
        "name": str(person.get("name") or who),
        "description": "; ".join(looks) or inputs.text,
    }


def _redraw(inputs: InputContext) -> dict[str, Any]:
    portrait = {"characterId": "player", **_portrait(inputs)}
    return {
        **{name: portrait[name] for name in ("characterId", "name") if name in portrait},
        "changes": inputs.text,
    }


def _own_portrait(inputs: InputContext) -> dict[str, Any]:
    value = inputs.facts.get("persona")
    persona: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    parts = [
        str(persona[name]) for name in ("appearance", "race", "class", "background") if persona.get(name)
    ]
    parts += [str(trait) for trait in persona.get("traits") or ()]
    return {
        "characterId": "player",
        "name": str(persona.get("name") or "you"),
        "description": "; ".join([*parts, inputs.text]) or "somebody",
    }


def _unknown_script(inputs: InputContext) -> dict[str, Any]:
    """Return everything that a skill the planner does not know could want."""
    earlier_results = {
        step: {"$from": step} for step, stage in inputs.stages.items() if stage in ("know", "roll")
    }
    scene = {name: inputs.facts[name] for name in ("place", "people") if name in inputs.facts}
    return {"action": inputs.text, **scene, **earlier_results}


INPUT_BUILDERS: Mapping[str, Callable[[InputContext], dict[str, Any]]] = {
    ODDS: _odds,
    REDRAW: _redraw,
    ROLL: _roll,
    RECALL: _recall,
    STORE: _store,
    STANDING: _standing,
    RESTAND: _restand,
    OPINION: _opinion,
    FIRST_OPINION: _first_opinion,
    REOPINION: _reopinion,
    NARRATE: _narrate,
    CHOICES: _choices,
}


def _opinion_change(player_action: PlayerAction) -> int:
    """Return how much the action moves an opinion; its sign is a rule, as small models get it wrong."""
    kind = player_action.has("give", "help", "warm", "vow") and not player_action.has(
        "cold", "force", "treason"
    )
    hard = player_action.has("cold", "force", "treason", "grave", "deceit", "stealth")
    size = 20 if player_action.has("grave", "treason", "confide", "vow") else 10
    return size if kind else -size if hard else size // 2


def opinion_sign(player_action: PlayerAction) -> int:
    """Return 1 if the action makes its people think better of the player, else -1."""
    return 1 if _opinion_change(player_action) > 0 else -1
