"""Plans by the words of an action, without a model: the same words give the same plan.

Every plan narrates and then offers choices; what has to be known is asked first, what is risky is rolled
before it is told, and what will matter is kept afterwards. On a replan the plan only ever gets shorter, so
five attempts are enough to end with one that nothing can break.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from narratoria.planner.plan import NOBODY_MET, build_plan
from narratoria.planner.plan_scripts import (
    DRAW,
    OPINION,
    RECALL,
    REOPINION,
    RESTAND,
    ROLL,
    STANDING,
    STEPS,
    STORE,
    SceneType,
    ScriptOffer,
    find_offers,
)
from narratoria.planner.player_action import Mend, PlayerAction, read_action
from narratoria.planner.script_inputs import list_acquaintances, list_factions
from narratoria.planning.plan import Plan, PlanRequest

RISK_SIGNS = ("force", "stealth", "body", "craft", "deceit", "wager")
KIND_SIGNS = ("give", "help", "warm")
SCENE_TYPE_OF_KIND: Mapping[str, SceneType] = {
    "go": "travel",
    "talk": "dialogue",
    "look": "travel",
    "begin": "travel",
}
_WORD = re.compile(r"[a-z]{4,}")
ALIKE = 0.6  # of an example's words are in the action: it means the same skill


class PatternPlanner:
    """Implements `Planner`."""

    async def generate(self, request: PlanRequest) -> Plan:
        return plan_by_patterns(request, read_request(request))


def plan_by_patterns(request: PlanRequest, player_action: PlayerAction) -> Plan:
    offers = find_offers(request)
    wanted_labels = choose_scripts(player_action, request, offers)
    return build_plan(
        request, wanted_labels, player_action, scene_type(player_action, wanted_labels, request), offers
    )


def read_request(request: PlanRequest, mend: Mend | None = None) -> PlayerAction:
    names = [name for skill in request.skills for name in (skill.name, *(one.name for one in skill.scripts))]
    return read_action(request.player_input, request.context, names, mend)


def choose_scripts(
    player_action: PlayerAction, request: PlanRequest, offers: Mapping[str, ScriptOffer]
) -> set[str]:
    """Return the scripts to run; what the engine knows about a choice counts more than its words."""
    action = get_action(request)
    wanted_labels = scripts_by_words(player_action)
    if is_picked_choice(action):
        wanted_labels -= {ROLL}
        if action.get("kind") not in ("beat", "talk"):
            wanted_labels = set()
        if action.get("risky"):
            wanted_labels.add(ROLL)
        wanted_labels |= choose_queries(request)
    elif action.get("risky"):
        wanted_labels.add(ROLL)
    alike = {
        label for label in offers if label not in STEPS and _is_like_an_example(player_action, offers[label])
    }
    return wanted_labels | named_scripts(action) | prefer_healthy(alike, request.degraded_skills)


def prefer_healthy(labels: Collection[str], degraded_skills: Collection[str]) -> set[str]:
    """Return the scripts without those of degraded skills, unless all of them are."""
    healthy = {label for label in labels if label.partition("/")[0] not in degraded_skills}
    return healthy or set(labels)


def choose_queries(request: PlanRequest) -> set[str]:
    """Return what is asked before a picked choice is told and the next are offered.

    What people think is asked wherever somebody is there who has an opinion. What their factions think and
    what is remembered is asked where the choice deals with somebody, and costs a walk nothing.
    """
    kind = str(get_action(request).get("kind"))
    if kind in NOBODY_MET:
        return set()
    queries = {OPINION} if list_acquaintances(request.context) else set()
    if kind in ("beat", "talk"):
        queries.add(RECALL)
        if list_factions(request.context):
            queries.add(STANDING)
    return {label for label in queries if label.partition("/")[0] not in request.degraded_skills}


def named_scripts(action: Mapping[str, Any]) -> set[str]:
    """Return the script of the skill that offered the choice, where one did."""
    return {str(action["skill"])} if action.get("skill") else set()


def get_action(request: PlanRequest) -> Mapping[str, Any]:
    action = request.context.get("action")
    return action if isinstance(action, Mapping) else {}


def is_picked_choice(action: Mapping[str, Any]) -> bool:
    """Return whether the player picked the action among the choices offered."""
    return bool(action.get("kind", "free") != "free")


def scripts_by_words(player_action: PlayerAction) -> set[str]:
    """Return the scripts of bundled skills that the words of an action ask for."""
    signs = player_action.signs
    person = bool(player_action.known_people or player_action.strangers)
    wanted_labels: set[str] = set()
    asks = player_action.has("endsAsking") or (player_action.has("question") and not player_action.has("I"))
    if (
        player_action.has(*RISK_SIGNS)
        and not asks
        and not player_action.has("favour")
        and not _is_reported(player_action)
    ):
        wanted_labels.add(ROLL)
    if player_action.has("sway") and not asks:
        wanted_labels.add(ROLL)
    if player_action.has("recall") or (signs["recall?"] and asks):
        wanted_labels.add(RECALL)
    if player_action.has("keep", "vow", "confide", "treason") and not asks:
        wanted_labels.add(STORE)
    if player_action.has("grave") and (person or player_action.groups) and not asks:
        wanted_labels.add(STORE)
    about = signs["regard?"] or (player_action.has("favour") or player_action.has("sway", "deceit"))
    if about and player_action.groups and not person:
        wanted_labels.add(STANDING)
    elif about and person:
        wanted_labels.add(OPINION)
    if (
        player_action.groups
        and not asks
        and player_action.has("force", "stealth", "treason", "grave", "give", "help", "cold")
    ):
        wanted_labels.add(RESTAND)
    if (
        person
        and not asks
        and not player_action.has("favour")
        and player_action.has("cold", "confide", *KIND_SIGNS, "treason")
    ):
        wanted_labels.add(REOPINION)
    if signs["face"] and (player_action.strangers or signs["newWord"] or not player_action.known_people):
        wanted_labels.add(DRAW)
    return wanted_labels


def _is_reported(player_action: PlayerAction) -> bool:
    """Return whether the risk is only reported, or past."""
    return bool(
        re.search(
            r"\b(?:ask|tell|told|describe|explain)\w*\b.{0,40}\b(?:how|about|that|where)\b",
            player_action.text,
        )
    )


def scene_type(
    player_action: PlayerAction, wanted_labels: Collection[str], request: PlanRequest
) -> SceneType:
    if ROLL in wanted_labels:
        return "danger"
    action = get_action(request)
    if is_picked_choice(action):
        return SCENE_TYPE_OF_KIND.get(str(action.get("kind")), "resolution")
    if (
        player_action.known_people
        or player_action.strangers
        or player_action.groups
        or player_action.has("favour", "speech", "regard")
    ):
        return "dialogue"
    return "travel" if player_action.has("go") else "resolution"


def _is_like_an_example(player_action: PlayerAction, offer: ScriptOffer) -> bool:
    """Return whether an action has most words of one of the skill's examples."""
    words = set(_WORD.findall(player_action.text.casefold()))
    if not words or offer.skill.scripts[0] is not offer.script:
        return False
    examples = (set(_WORD.findall(example.casefold())) for example in offer.skill.examples)
    return any(len(words & example) >= ALIKE * len(example) for example in examples if example)
