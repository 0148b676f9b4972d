"""What an offer is made of: a text, an intent, a weight, and the receipts that stand behind it."""

from __future__ import annotations

import re

from _choice_scene import Scene
from _choice_words import domain_of, first_name

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

TRIFLES = re.compile(  # what is done all day, and talk about talk
    r"(?i)you (?:chose to |tried to )?(?:(?:go|went|come|came|walk|head|wait|look|talk|arriv|remind|begin|"
    r"began|search|listen|sit|sat|keep|kept|wonder)\w*|(?:take|took) a closer look|"
    r"(?:tell|told|ask|asked) .* (?:how|that|to help|to return|what you should|you have not))\b"
)
LONGEST = 120  # characters of a choice; a memory that does not fit is left to the receipts


def offer(text: str, intent: str, weight: float, *receipts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"text": text, "intent": intent, "weight": weight, "because": list(receipts), **fields}


def of_memory(memory: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "memory", "id": memory["id"], "text": memory["summary"]}


def of_stat(scene: Scene, stat: str) -> dict[str, Any]:
    return {"kind": "state", "id": f"persona.stats.{stat}", "text": f"your {stat} is {scene.stats[stat]:g}"}


def of_person(person: dict[str, Any]) -> dict[str, Any]:
    score = person["perception"]
    thinks = "thinks well of you" if score > 0 else "thinks ill of you" if score < 0 else "is undecided"
    return {"kind": "standing", "id": person["id"], "text": f"{person['name']} {thinks} ({score:+g})"}


def of_faction(scene: Scene, faction: str) -> dict[str, Any]:
    score = scene.standing(faction)
    return {"kind": "standing", "id": faction, "text": f"your standing with {faction} is {score:+g}"}


PLACE = "here"  # where no name of it is known
OFFERED = {  # what is true of a choice of each kind wherever it is offered
    "beat": "the story offers it at {place}",
    "go": "a way leads there from {place}",
    "talk": "{who} is at {place}",
    "wait": "you are at {place}, and may stay",
    "continue": "the story goes on from {place}",
    "idea": "the storyteller thought of it for {place}",
}


def of_place(choice: dict[str, Any], scene: Scene) -> dict[str, Any]:
    """Of what nothing in particular led to: where one is, and what that has to do with it."""
    place, target = scene.place, scene.person(str(choice.get("target") or ""))
    kind = "idea" if str(choice.get("intent") or "").startswith("idea ") else str(choice.get("kind") or "")
    text = OFFERED.get(kind, "you are at {place}")
    if kind == "talk" and target is None:
        text = "you are at {place}"
    name = str(place.get("name") or "this place")
    who = str(target["name"]) if target else ""
    return {
        "kind": "place",
        "id": str(place.get("id") or PLACE),
        "text": text.format(place=name, who=who[:1].upper() + who[1:]),
    }


def with_clause(text: str, joined: str, told: str) -> str:
    whole = f"{text}{joined}{told}"
    return whole if told and len(whole) <= LONGEST else text


def best(scene: Scene, *domains: str) -> str:
    """The character's best stat for any of this, where it stands out."""
    able = [stat for stat in scene.stats if domain_of(stat) in domains and scene.level(stat) == "high"]
    return max(able, key=lambda stat: scene.stats[stat], default="")


def relevant_to(person: dict[str, Any], scene: Scene) -> list[dict[str, Any]]:
    shared = [
        memory
        for memory in scene.memories
        if person["id"] in memory["characters"] or mentions(memory, person)
    ]
    return [of_memory(memory) for memory in sorted(shared, key=weightiest)[:1]]


def mentions(memory: dict[str, Any], person: dict[str, Any]) -> bool:
    return bool(re.search(rf"\b{re.escape(first_name(person['name']))}\b", memory["summary"]))


def is_trifling(memory: dict[str, Any], told: str) -> bool:
    """Whether nobody would speak of it: a way that was gone, a look round, a talk about another thing."""
    return memory["significance"] == "low" or bool(TRIFLES.match(told))


def weightiest(memory: dict[str, Any]) -> tuple[bool, int]:
    order = ("critical", "high", "medium", "low")
    return not memory["episodic"], order.index(memory["significance"]) if memory[
        "significance"
    ] in order else 2


def names_of(scene: Scene) -> tuple[str, ...]:
    return tuple(name for name in (scene.name, first_name(scene.name)) if name)


def the(faction: str) -> str:
    """The name with its article, within a sentence."""
    if re.match(r"[A-Z][\w']*'s\b", faction):
        return faction
    return f"the {re.sub(r'(?i)^the +', '', faction)}"


def they_are_many(faction: str) -> bool:
    return faction.endswith("s") and not faction.endswith("ss")
