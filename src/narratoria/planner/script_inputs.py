"""Builds the inputs of the scripts in a plan, from what the player does and what is known about the scene."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from narratoria.planner.plan_scripts import (
    CHOICES,
    FIRST_OPINION,
    NARRATE,
    ODDS,
    OPINION,
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
)
from narratoria.planner.player_action import PlayerAction, person_id
from narratoria.planner.typed_input import InputSources, TypedInput, fill_typed_input

SCENE_FIELDS: Mapping[str, tuple[str, ...]] = {  # of what is known about the scene
    NARRATE: (
        *("action", "limits", "ledger", "draft", "drafts", "place", "people", "beat", "due", "remembered"),
        *("ending", "persona", "constraints", "memories", "lore", "recent", "campaign", "gameTime"),
        *("brief", "history", "kept", "rules", "sceneType"),
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
    advice: list[str]  # of others' skills, for whoever tells the scene
    prompts: list[str]  # of the bundled ones

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
        return _people_in(self.facts)

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
    return {"factions": list(inputs.player_action.groups) or list_factions(inputs.facts)}


def _restand(inputs: InputContext) -> dict[str, Any]:
    changes = [
        {"faction": group, "change": _opinion_change(inputs.player_action)}
        for group in inputs.player_action.groups
    ]
    return {"changes": changes, "reason": inputs.text, "roll": inputs.roll}


def _opinion(inputs: InputContext) -> dict[str, Any]:
    strangers = list_strangers(inputs.facts)  # their first opinion is formed meanwhile
    who = [person for person in inputs.who if person not in strangers]
    return {"npcs": who or list_acquaintances(inputs.facts), "people": _names(inputs)}


def _names(inputs: InputContext) -> list[dict[str, str]]:
    """Return the ids and names of the people present."""
    return [
        {"id": person_id(person), "name": str(person.get("name") or person_id(person))}
        for person in inputs.people
    ]


def _first_opinion(inputs: InputContext) -> dict[str, Any]:
    """Return who is met, and what they can see of the player."""
    visible_facts = {name: inputs.facts[name] for name in ("people", "persona") if inputs.facts.get(name)}
    return {"npcs": list_strangers(inputs.facts) or inputs.who, **visible_facts}


def list_strangers(facts: Mapping[str, Any]) -> list[str]:
    """Return the people present who have no opinion of the player yet."""
    return [person_id(person) for person in _people_in(facts) if person.get("hasOpinion") is False]


def list_acquaintances(facts: Mapping[str, Any]) -> list[str]:
    """Return the people present who have an opinion of the player."""
    return [person_id(person) for person in _people_in(facts) if person.get("hasOpinion") is not False]


def list_factions(facts: Mapping[str, Any]) -> list[str]:
    """Return the factions of the people present, each once."""
    return list(dict.fromkeys(str(one["faction"]) for one in _people_in(facts) if one.get("faction")))


def _people_in(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    value = facts.get("people")
    people = value if isinstance(value, (list, tuple)) else ()
    return [person for person in people if isinstance(person, Mapping) and person_id(person)]


def _reopinion(inputs: InputContext) -> dict[str, Any]:
    changes = [{"npc": person, "change": _opinion_change(inputs.player_action)} for person in inputs.who]
    return {"changes": changes, "reason": inputs.text, "roll": inputs.roll, "people": _names(inputs)}


def _narrate(inputs: InputContext) -> dict[str, Any]:
    advice: dict[str, Any] = {"advice": inputs.advice} if inputs.advice else {}
    advice |= {"prompts": inputs.prompts} if inputs.prompts else {}
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
    scene = {name: inputs.facts[name] for name in ("place", "people") if name in inputs.facts}
    return {"action": inputs.text, **scene, **_results_before(inputs)}


def _results_before(inputs: InputContext) -> dict[str, Any]:
    """Return references to the results of all steps that come before the scene is told."""
    return {step: {"$from": step} for step, stage in inputs.stages.items() if stage in ("know", "roll")}


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


def fill_typed_inputs(offers: Iterable[ScriptOffer], inputs: InputContext) -> dict[str, TypedInput]:
    """Return the inputs of the scripts that declare them, each filled as far as it can be."""
    sources = InputSources(inputs.text, inputs.facts, tuple(inputs.who), _results_before(inputs))
    return {
        offer.label: fill_typed_input(offer.script.input_schema, sources)
        for offer in offers
        if offer.script.input_schema is not None and offer.label not in INPUT_BUILDERS
    }
