#!/usr/bin/env python3
"""Chooses three or four things to do next from what is open to the player."""

from __future__ import annotations

import random

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

MIN_OPTIONS, MAX_OPTIONS = 3, 4
MAX_OPENINGS = 2  # the story's own offers leave room to turn away from them
UNDECIDED = "partial success"
FAR = 1000  # steps
GENERIC = ("Continue", "continue"), ("Look around", "look"), ("Wait", "wait")


def main(request: sdk.Request) -> dict[str, Any]:
    facts = request.input
    dice = random.Random(f"{request.seed}/choices")
    chosen = pick(facts, dice)
    payload = {"choices": [choice["text"] for choice in chosen], "details": chosen}
    sdk.ui_event("narrative_choice", payload)
    return payload


def pick(facts: dict[str, Any], dice: random.Random) -> list[dict[str, Any]]:
    """The story's offers, a way on, and something to do here; four of them where four are to be had."""
    ahead = what_follows(facts)
    openings = [opening(offer) for offer in listed(ahead, "openings")]
    ways = [way(to) for to in in_order(listed(ahead, "ways"))]
    here = around(facts, dice)
    wanted = [
        *openings[:MAX_OPENINGS],
        *ways[:1],
        *here[:1],
        *ways[1:2],
        *openings[MAX_OPENINGS:],
        *here[1:],
        *ways[2:],
    ]
    chosen: list[dict[str, Any]] = []
    for choice in wanted:
        if len(chosen) < MAX_OPTIONS and choice["text"] not in [other["text"] for other in chosen]:
            chosen.append(choice)
    for text, kind in GENERIC:
        if len(chosen) < MIN_OPTIONS and text not in [other["text"] for other in chosen]:
            chosen.append({"text": text, "kind": kind})
    return chosen


def what_follows(facts: dict[str, Any]) -> dict[str, Any]:
    """What is open after the deed, given how its roll ended."""
    ahead = facts.get("next") or {}
    roll = facts.get("roll") or {}
    return ahead.get(roll.get("outcome")) or ahead.get(UNDECIDED) or ahead.get("") or {}


def opening(offer: dict[str, Any]) -> dict[str, Any]:
    choice = {
        "text": offer["text"],
        "kind": "beat",
        "beat": offer["beat"],
        "because": offer.get("because", []),
    }
    if offer.get("risky"):
        choice |= {"risky": True, "hint": f"risky, {offer.get('formula') or '2d6'}"}
    return choice


def way(to: dict[str, Any]) -> dict[str, Any]:
    verb = "Go back to" if to.get("visited") else "Go to"
    return {"text": f"{verb} {to['name']}", "kind": "go", "target": to["to"]}


def in_order(ways: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """First the way to what cannot wait; then the nearest thing to do, and places one has not seen."""
    ways = sorted(ways, key=lambda to: (to.get("steps") or FAR, bool(to.get("visited"))))
    urgent = sorted((to for to in ways if to.get("urgent")), key=lambda to: to["urgent"])[:1]
    return [*urgent, *(to for to in ways if to not in urgent)]


def around(facts: dict[str, Any], dice: random.Random) -> list[dict[str, Any]]:
    """What can be done here, in any order; what is used up comes last."""
    place, action = facts.get("place") or {}, facts.get("action") or {}
    fresh: list[dict[str, Any]] = [
        {"text": f"Talk to {person['name']}", "kind": "talk", "target": person["id"]}
        for person in listed(facts, "people")
        if person.get("unheard") and person["name"] != action.get("person")
    ]
    stale = []
    unseen = (place.get("unseen") or 0) - (action.get("kind") == "look")
    name = place.get("name") or "this place"
    if unseen > 0:
        fresh.append({"text": f"Take a closer look at {name}", "kind": "look"})
    else:
        stale.append({"text": "Look around", "kind": "look"})
    dice.shuffle(fresh)
    return [*fresh, {"text": "Wait and listen", "kind": "wait"}, *stale]


def listed(facts: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [item for item in facts.get(name) or [] if isinstance(item, dict)]


if __name__ == "__main__":
    sdk.run(main)
