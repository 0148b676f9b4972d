"""From the scripts an action needs to a plan that can run: their order, their inputs, and who waits for whom.

Nothing here decides what is needed. Whatever is asked for, the plan names only scripts that were offered,
depends on nothing that is not in it, and has no cycle.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from narratoria.narrator.fallback import tell
from narratoria.narrator.reading import Reading
from narratoria.planning.plan import Plan, RetryPolicy, ToolInvocation
from narratoria.planning.planner import FailedAttempt, PlanRequest
from narratoria.skills.skill import Skill, SkillScript

SceneType: TypeAlias = Literal["travel", "dialogue", "danger", "resolution"]
Stage: TypeAlias = Literal["know", "roll", "other", "tell", "choose", "show", "keep"]

NARRATE = "storyteller/narrate"
CHOICES = "player-choices/generate-choices"
ROLL = "dice-roller/roll-dice"
RECALL, STORE = "memory/recall-memory", "memory/store-memory"
STANDING, RESTAND = "reputation/query-reputation", "reputation/update-reputation"
OPINION, REOPINION = "npc-perception/query-perception", "npc-perception/update-perception"
FIRST_OPINION = "npc-perception/initialize-perception"
DRAW, FIND_DRAWN, REDRAW = (
    "character-portraits/generate-portrait",
    "character-portraits/lookup-portrait",
    "character-portraits/update-portrait",
)

# what each script is called in a plan, and when it runs
STEPS: Mapping[str, tuple[str, Stage]] = {
    RECALL: ("recall", "know"),
    STANDING: ("standing", "know"),
    OPINION: ("opinion", "know"),
    FIRST_OPINION: ("first-opinion", "know"),
    ROLL: ("roll", "roll"),
    NARRATE: ("narrate", "tell"),
    CHOICES: ("choices", "choose"),
    DRAW: ("portrait", "show"),
    FIND_DRAWN: ("portrait-found", "show"),
    REDRAW: ("portrait-again", "show"),
    STORE: ("store", "keep"),
    RESTAND: ("restand", "keep"),
    REOPINION: ("reopinion", "keep"),
}
BEFORE: Mapping[Stage, frozenset[Stage]] = {
    "know": frozenset(),
    "show": frozenset(),
    "roll": frozenset({"know"}),
    "other": frozenset({"know", "roll"}),
    "tell": frozenset({"know", "roll", "other"}),
    "choose": frozenset({"know", "roll", "other"}),
    "keep": frozenset({"roll", "tell"}),
}
ORDER: tuple[Stage, ...] = ("know", "roll", "other", "show", "tell", "choose", "keep")
NEEDED: Mapping[str, tuple[str, ...]] = {  # of what is known about the scene
    NARRATE: (
        *("action", "ledger", "draft", "drafts", "place", "people", "beat", "due", "remembered"),
        *("ending", "persona", "constraints", "memories", "lore", "recent", "campaign", "gameTime"),
    ),
    CHOICES: (
        *("action", "place", "people", "next", "persona", "statRange", "memories", "ledger", "rules"),
        "factions",
    ),
}
HANDED_ON = ("recall", "standing", "opinion", "first-opinion")
RECALLED = 5  # memories that a scene can bear
LONGEST_PROMPT = 2000  # characters of a skill's own advice to the narrator


@dataclass(frozen=True, slots=True)
class Offer:
    """A script that may be used in this plan."""

    skill: Skill
    script: SkillScript

    @property
    def label(self) -> str:
        return f"{self.skill.name}/{self.script.name}"


@dataclass(frozen=True, slots=True)
class Known:
    """What inputs are filled from."""

    facts: Mapping[str, Any]
    reading: Reading
    scene: SceneType
    stages: Mapping[str, Stage]  # of the steps in this plan
    advice: list[str]

    @property
    def text(self) -> str:
        return str(self.facts["action"].get("text") or "")

    @property
    def who(self) -> list[str]:
        return [*self.reading.known, *self.reading.strangers]

    @property
    def roll(self) -> dict[str, str] | None:
        return {"$from": "roll"} if "roll" in self.stages else None


def offers(request: PlanRequest) -> dict[str, Offer]:
    """What may be used: offered, enabled, and not among what just failed."""
    found: dict[str, Offer] = {}
    for skill in request.skills:
        if skill.name in request.disabled_skills:
            continue
        for script in skill.scripts:
            offer = Offer(skill, script)
            if _is_allowed(step_id(offer.label), request.error_context):
                found.setdefault(offer.label, offer)
    return found


def step_id(label: str) -> str:
    known = STEPS.get(label)
    return known[0] if known else label[:200]


def compose(
    request: PlanRequest,
    wanted: Collection[str],
    reading: Reading,
    scene: SceneType,
    offered: Mapping[str, Offer],
) -> Plan:
    """The plan with what is wanted of what is offered; prose and choices are always wanted."""
    labels = [label for label in offered if label in wanted or label in (NARRATE, CHOICES)]
    labels.sort(key=lambda label: ORDER.index(_stage(label)))
    stages = {step_id(label): _stage(label) for label in labels}
    facts = _facts(request)
    known = Known(facts, reading, scene, stages, _advice(labels, offered, facts))
    tools = tuple(_invocation(offered[label], stages, _input(label, known)) for label in labels)
    return Plan(
        request_id=str(uuid.uuid4()),
        narrative=None if NARRATE in labels else "\n\n".join(tell(facts)),
        tools=tools,
        parallel=True,  # what does not wait for each other runs together
    )


def _stage(label: str) -> Stage:
    known = STEPS.get(label)
    return known[1] if known else "other"


def _is_allowed(step: str, failed: FailedAttempt | None) -> bool:
    """A plan that could not carry the turn is only ever made smaller."""
    if failed is None or failed.plan is None:
        return True
    position = next((i for i, call in enumerate(failed.plan.tools) if call.tool_id == step), None)
    if position is None:
        return False
    if failed.result:
        return step not in failed.result.failed_tools
    return not any(problem.pointer.startswith(f"/tools/{position}") for problem in failed.problems)


def _invocation(offer: Offer, stages: Mapping[str, Stage], input_: dict[str, Any]) -> ToolInvocation:
    before = BEFORE[_stage(offer.label)]
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


def _input(label: str, known: Known) -> dict[str, Any]:
    fill = FILLED.get(label) or (_portrait if label.startswith("character-portraits/") else _strange)
    return fill(known)


def _roll(known: Known) -> dict[str, Any]:
    action = known.facts["action"]
    # the formula of a deed that is risky by itself has all that counts in it, and nothing counts twice
    counted = bool(action.get("risky"))
    opinion = {"opinion": {"$from": "opinion"}} if "opinion" in known.stages and not counted else {}
    rules = known.facts.get("rules")
    bands = {"rules": {"bands": rules["bands"]}} if isinstance(rules, Mapping) and rules.get("bands") else {}
    return {"formula": action.get("formula") or "2d6", "reason": known.text, **bands, **opinion}


def _recall(known: Known) -> dict[str, Any]:
    return {"query": known.reading.text or known.text or "what has happened", "limit": RECALLED}


def _store(known: Known) -> dict[str, Any]:
    place = known.facts.get("place")
    return {
        "summary": f"The player: {known.text}" if known.text else "The player did something that matters.",
        "characters": ["player", *known.who],
        "location": str(place.get("id") or "") if isinstance(place, Mapping) else "",
        "significance": "high" if known.reading.has("vow", "grave", "confide", "treason") else "medium",
    }


def _standing(known: Known) -> dict[str, Any]:
    return {"factions": list(known.reading.groups)}


def _restand(known: Known) -> dict[str, Any]:
    changes = [{"faction": group, "change": _change(known.reading)} for group in known.reading.groups]
    return {"changes": changes, "reason": known.text, "roll": known.roll}


def _opinion(known: Known) -> dict[str, Any]:
    return {"npcs": known.who}


def _first_opinion(known: Known) -> dict[str, Any]:
    """Who is met, and what can be seen of whom they meet."""
    seen = {name: known.facts[name] for name in ("people", "persona") if known.facts.get(name)}
    return {"npcs": known.who, **seen}


def _reopinion(known: Known) -> dict[str, Any]:
    changes = [{"npc": person, "change": _change(known.reading)} for person in known.who]
    return {"changes": changes, "reason": known.text, "roll": known.roll}


def _narrate(known: Known) -> dict[str, Any]:
    advice = {"advice": known.advice} if known.advice else {}
    return {**_told(NARRATE, known), "sceneType": known.scene, **advice}


def _choices(known: Known) -> dict[str, Any]:
    return _told(CHOICES, known)


def _told(label: str, known: Known) -> dict[str, Any]:
    facts = {name: known.facts[name] for name in NEEDED[label] if name in known.facts}
    handed = {step: {"$from": step} for step in HANDED_ON if step in known.stages}
    return {**facts, "roll": known.roll, **handed}


def _portrait(known: Known) -> dict[str, Any]:
    return {"characters": known.who, "description": known.reading.text or known.text}


def _strange(known: Known) -> dict[str, Any]:
    """For a skill nobody knows: everything it could want."""
    handed = {step: {"$from": step} for step, stage in known.stages.items() if stage in ("know", "roll")}
    scene = {name: known.facts[name] for name in ("place", "people") if name in known.facts}
    return {"action": known.text, **scene, **handed}


FILLED: Mapping[str, Callable[[Known], dict[str, Any]]] = {
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


def _change(reading: Reading) -> int:
    """How much a deed moves an opinion: the sign is a rule, as small models get it wrong."""
    kind = reading.has("give", "help", "warm", "vow") and not reading.has("cold", "force", "treason")
    hard = reading.has("cold", "force", "treason", "grave", "deceit", "stealth")
    size = 20 if reading.has("grave", "treason", "confide", "vow") else 10
    return size if kind else -size if hard else size // 2
