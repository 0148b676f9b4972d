"""What each script of a plan is given, from what is known about the scene and read off the action."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from narratoria.planner.reading import Reading, person_id
from narratoria.planner.steps import (
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
    Stage,
)

NEEDED: Mapping[str, tuple[str, ...]] = {  # of what is known about the scene
    NARRATE: (
        *("action", "ledger", "draft", "drafts", "place", "people", "beat", "due", "remembered"),
        *("ending", "persona", "constraints", "memories", "lore", "recent", "campaign", "gameTime"),
        "context",
    ),
    CHOICES: (
        *("action", "place", "people", "next", "persona", "statRange", "memories", "ledger", "rules"),
        "factions",
    ),
    ODDS: ("place", "people", "persona", "statRange", "memories", "ledger", "rules"),
}
HANDED_ON = ("recall", "standing", "opinion", "first-opinion")
OWN_LOOKS = re.compile(r"(?i)\b(?:my|myself|mirror|reflection|do I look|I look like)\b")
RECALLED = 5  # memories that a scene can bear


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
        """Who is meant: by name, or the only one there to whom somebody speaks or does something."""
        named = [*self.reading.known, *self.reading.strangers]
        alone = len(self.people) == 1 and self.reading.has("pronoun", "speech", "favour")
        return named or ([person_id(self.people[0])] if alone else [])

    @property
    def people(self) -> list[Mapping[str, Any]]:
        listed = self.facts.get("people")
        people = listed if isinstance(listed, (list, tuple)) else ()
        return [person for person in people if isinstance(person, Mapping) and person_id(person)]

    @property
    def is_counted(self) -> bool:
        """Whether all that helps or hinders is in the formula, as with a deed that is risky by itself."""
        return bool(self.facts["action"].get("risky"))

    @property
    def roll(self) -> dict[str, str] | None:
        return {"$from": "roll"} if "roll" in self.stages else None


def input_of(label: str, known: Known) -> dict[str, Any]:
    fill = FILLED.get(label) or (_portrait if label.startswith("character-portraits/") else _strange)
    return fill(known)


def _roll(known: Known) -> dict[str, Any]:
    action = known.facts["action"]
    given = {"formula": action.get("formula") or "2d6", "reason": known.text}
    if known.is_counted:  # nothing counts twice
        return given
    if "odds" in known.stages:
        return {**given, "modifiers": {"$from": "odds", "path": "/modifiers"}}
    return {**given, "opinion": {"$from": "opinion"}} if "opinion" in known.stages else given


def _odds(known: Known) -> dict[str, Any]:
    facts = {name: known.facts[name] for name in NEEDED[ODDS] if name in known.facts}
    return {"choice": {"text": known.text or "that", "risky": True}, **facts, **_handed_on(known)}


def _recall(known: Known) -> dict[str, Any]:
    return {"query": known.reading.text or known.text or "what has happened", "limit": RECALLED}


def _store(known: Known) -> dict[str, Any]:
    place, time = known.facts.get("place"), known.facts.get("gameTime")
    return {
        "summary": f"The player: {known.text}" if known.text else "The player did something that matters.",
        "characters": ["player", *known.who],
        "witnesses": ["player", *map(person_id, known.people)],
        "location": str(place.get("id") or "") if isinstance(place, Mapping) else "",
        "significance": "high" if known.reading.has("vow", "grave", "confide", "treason") else "medium",
        **({"gameTime": time} if isinstance(time, (int, float)) and time >= 0 else {}),
    }


def _standing(known: Known) -> dict[str, Any]:
    return {"factions": list(known.reading.groups)}


def _restand(known: Known) -> dict[str, Any]:
    changes = [{"faction": group, "change": _change(known.reading)} for group in known.reading.groups]
    return {"changes": changes, "reason": known.text, "roll": known.roll}


def _opinion(known: Known) -> dict[str, Any]:
    return {"npcs": known.who, "people": _names(known)}


def _names(known: Known) -> list[dict[str, str]]:
    """What people are called, for whoever speaks of them."""
    return [
        {"id": person_id(person), "name": str(person.get("name") or person_id(person))}
        for person in known.people
    ]


def _first_opinion(known: Known) -> dict[str, Any]:
    """Who is met, and what can be seen of whom they meet."""
    seen = {name: known.facts[name] for name in ("people", "persona") if known.facts.get(name)}
    return {"npcs": known.who, **seen}


def _reopinion(known: Known) -> dict[str, Any]:
    changes = [{"npc": person, "change": _change(known.reading)} for person in known.who]
    return {"changes": changes, "reason": known.text, "roll": known.roll, "people": _names(known)}


def _narrate(known: Known) -> dict[str, Any]:
    advice = {"advice": known.advice} if known.advice else {}
    return {**_told(NARRATE, known), "sceneType": known.scene, **advice}


def _choices(known: Known) -> dict[str, Any]:
    return _told(CHOICES, known)


def _told(label: str, known: Known) -> dict[str, Any]:
    facts = {name: known.facts[name] for name in NEEDED[label] if name in known.facts}
    return {**facts, "roll": known.roll, **_handed_on(known)}


def _handed_on(known: Known) -> dict[str, Any]:
    return {step: {"$from": step} for step in HANDED_ON if step in known.stages}


def _portrait(known: Known) -> dict[str, Any]:
    """Somebody new before somebody known; the player where the words are about nobody else."""
    meant = [*known.reading.strangers, *known.who]
    unmet = [person_id(person) for person in known.people if not person.get("met", True)]
    who = next(
        iter(meant or (unmet if not known.reading.has("I") or known.reading.has("newWord") else [])), ""
    )
    person = next((one for one in known.people if person_id(one) == who), None)
    if person is None:
        return _own_portrait(known) if OWN_LOOKS.search(known.text) else {"description": known.text}
    looks = [str(person[name]) for name in ("appearance", "role") if person.get(name)]
    return {
        "characterId": who,
        "name": str(person.get("name") or who),
        "description": "; ".join(looks) or known.text,
    }


def _redraw(known: Known) -> dict[str, Any]:
    given = {"characterId": "player", **_portrait(known)}
    return {**{name: given[name] for name in ("characterId", "name") if name in given}, "changes": known.text}


def _own_portrait(known: Known) -> dict[str, Any]:
    told = known.facts.get("persona")
    persona: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    parts = [
        str(persona[name]) for name in ("appearance", "race", "class", "background") if persona.get(name)
    ]
    parts += [str(trait) for trait in persona.get("traits") or ()]
    return {
        "characterId": "player",
        "name": str(persona.get("name") or "you"),
        "description": "; ".join([*parts, known.text]) or "somebody",
    }


def _strange(known: Known) -> dict[str, Any]:
    """For a skill nobody knows: everything it could want."""
    handed = {step: {"$from": step} for step, stage in known.stages.items() if stage in ("know", "roll")}
    scene = {name: known.facts[name] for name in ("place", "people") if name in known.facts}
    return {"action": known.text, **scene, **handed}


FILLED: Mapping[str, Callable[[Known], dict[str, Any]]] = {
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


def _change(reading: Reading) -> int:
    """How much a deed moves an opinion: the sign is a rule, as small models get it wrong."""
    kind = reading.has("give", "help", "warm", "vow") and not reading.has("cold", "force", "treason")
    hard = reading.has("cold", "force", "treason", "grave", "deceit", "stealth")
    size = 20 if reading.has("grave", "treason", "confide", "vow") else 10
    return size if kind else -size if hard else size // 2


def sign_of(reading: Reading) -> int:
    """Whether a deed makes its people think better or worse of the player."""
    return 1 if _change(reading) > 0 else -1
