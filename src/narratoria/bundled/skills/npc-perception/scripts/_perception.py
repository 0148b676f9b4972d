"""Opinions of single people: read, put into words and onto dice, and where they are kept."""

from __future__ import annotations

from narratoria import sdk
from narratoria.sdk.opinions import Opinions, is_number
from narratoria.sdk.tiers import NEUTRAL, tier_of

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

MOST_PEOPLE = 200
RATE = 0.1
LOWEST, HIGHEST = -100.0, 100.0
WORDS = (  # up to this opinion: the attitude, and what follows the person's name
    (-75, "hateful", "hates you"),
    (-50, "hostile", "is hostile to you"),
    (-30.01, "resentful", "bears you a grudge"),
    (-10.01, "wary", "is wary of you"),
    (10, "indifferent", "has not made up their mind about you"),
    (30, "friendly", "thinks well of you"),
    (49.99, "trusting", "trusts you"),
    (74.99, "loyal", "would stand by you"),
    (100, "devoted", "would do anything for you"),
)


def person_id(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise sdk.InvalidInput(field, "expected the id of a person")
    return value.strip()[:200]


def listed_people(given: dict[str, Any], field: str = "npcs") -> list[Any]:
    """Return what stands under `npcs`, or the one under `npc`."""
    listed = given.get(field, given.get("npc"))
    if listed is None:
        return []
    listed = listed if isinstance(listed, list) else [listed]
    if len(listed) > MOST_PEOPLE:
        raise sdk.InvalidInput(field, f"expected at most {MOST_PEOPLE} people")
    return listed


def rounded(score: float) -> float:
    return round(max(LOWEST, min(HIGHEST, score)), 1) + 0.0


def view(npc: str, score: float, config: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Return an opinion in numbers, in words and on the dice."""
    score = rounded(score)
    scale = config.get("modifierScale", 1)
    _, attitude, verb = next(words for words in WORDS if score <= words[0])
    modifier = tier_of(score) * (float(scale) if is_number(scale) else 1.0)
    return {
        "npc": npc,
        "name": name or npc,
        "perception": score,
        "score": score,
        "sentiment": round(score / 100, 3),
        "modifier": int(modifier) if modifier == int(modifier) else modifier,
        "attitude": attitude,
        "tone": "warm" if score > NEUTRAL else "cold" if score < -NEUTRAL else "neutral",
        "sentence": f"{name or npc} {verb}.",
    }


def names_of(request: sdk.Request) -> dict[str, str]:
    """Return what people are called, where the scene says it."""
    people = request.input.get("people")
    return {
        person["id"]: str(person.get("name") or person["id"])
        for person in (people if isinstance(people, list) else ())
        if isinstance(person, dict) and isinstance(person.get("id"), str)
    }


def opinions_of(request: sdk.Request) -> Opinions:
    return Opinions(request, "perception", rate=float(request.config.get("decayRate", RATE)))
