#!/usr/bin/env python3
"""Gives people who have just been met a first opinion of the player."""

from __future__ import annotations

import random
import re

from _perception import listed_people, names_of, opinions_of, person_id, rounded, view

from narratoria import sdk
from narratoria.sdk import host
from narratoria.sdk.names import fold
from narratoria.sdk.opinions import OUT_OF_REACH, in_state, is_number

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

FACTION_WEIGHT = 0.5
SEEN_OF_REST = 0.6  # of what the faction does not decide: 30 of 50; chance has the other 20
LIKED, NOTICED = 50, 25  # points for something this person cares about, and for what anybody would see
VISIBLE = ("traits", "items", "equipment", "appearance", "class", "background", "race")
PLEASANT = re.compile(
    r"(?i)\b(?:(?:charming|handsome|beautiful|elegant|well[- ]dressed|noble|kind|gentle|warm|cheerful|honest|"
    r"polite|courteous|gracious|brave|famous|respected|graceful|smiling|clean|pilgrim|healer)\w*|"
    r"(?:uniform|robe|medal|lute|flower|gift|ring)s?\b)"
)
# what lies on a desk or a table is no weapon
UNPLEASANT = re.compile(
    r"(?i)\b(?:(?:scar|branded|bloodstain|blood|filthy|dirty|drunk|menacing|grim|brutal|cruel|rude|sullen|"
    r"arrogant|suspicious|shady|wanted|outlaw|lockpick|crowbar|reek|stench|shackle)\w*|"
    r"(?:rag|sword|axe|dagger|gun|pistol|rifle|crossbow)s?\b|(?:mask|hood)(?:s|ed)?\b|ragged\b|"
    r"thie(?:f|ves)\b|"
    r"(?<!paper )(?<!pen )(?<!palette )(?<!putty )(?<!butter )(?<!bread )(?<!kitchen )kni(?:fe|ves)\b)"
)
BEARING = re.compile(r"(?i)charis|charm|presence|beauty|looks|style|poise|grace|appearance|allure|likea")


def main(request: sdk.Request) -> dict[str, Any]:
    people = read_people(request)
    npcs = list(people)
    opinions = opinions_of(request)
    held = {npc: opinion["score"] for npc, opinion in opinions.scores(npcs).items()} if npcs else {}
    strangers = [npc for npc in npcs if npc not in held]
    standings = reputations(request) if any(has_faction(people[npc], request) for npc in strangers) else {}
    weight = request.config.get("factionInfluenceWeight", FACTION_WEIGHT)
    first = {npc: impression(people[npc], npc, standings, request, float(weight)) for npc in strangers}
    if first:
        changes = [
            {"subject": npc, "score": one["perception"], "reason": one["because"]}
            for npc, one in first.items()
        ]
        opinions.add(request.key(strangers), changes)
        # what an author could not foresee is kept apart: conditions of a campaign count without it
        unforeseen = {
            npc: rounded(one["parts"]["seen"] + one["parts"]["chance"]) for npc, one in first.items()
        }
        opinions_now = {npc: one["perception"] for npc, one in first.items()}
        sdk.state_patch({"perception": opinions_now, "impressions": unforeseen})
    called = names_of(request)

    def view_of(npc: str, score: float) -> dict[str, Any]:
        return view(npc, score, request.config, str(people[npc].get("name") or called.get(npc, "")))

    return {
        "initialized": [{**view_of(npc, one["perception"]), **one} for npc, one in first.items()],
        "known": [view_of(npc, held[npc]) for npc in npcs if npc in held],
        "perceptions": [view_of(npc, held[npc] if npc in held else first[npc]["perception"]) for npc in npcs],
    }


def read_people(request: sdk.Request) -> dict[str, dict[str, Any]]:
    """Return the people who are met, by id, with everything the scene says about them."""
    scene = request.input.get("people")
    about = {
        person["id"]: person
        for person in (scene if isinstance(scene, list) else ())
        if isinstance(person, dict) and isinstance(person.get("id"), str)
    }
    listed = listed_people(request.input) or list(about)
    if not listed and "npcs" not in request.input:
        raise sdk.InvalidInput("npcs", "expected a list of people")
    people: dict[str, dict[str, Any]] = {}
    for number, one in enumerate(listed):
        npc = person_id(one.get("id") if isinstance(one, dict) else one, f"npcs/{number}")
        people[npc] = {**about.get(npc, {}), **(one if isinstance(one, dict) else {})}
    return people


def has_faction(person: dict[str, Any], request: sdk.Request) -> bool:
    return bool(person.get("faction") or request.input.get("faction"))


def reputations(request: sdk.Request) -> dict[str, float]:
    """Return factions' opinions of the player, -100 to 100: as stored, as another tool says, as given."""
    scores = in_state(request, "reputation")
    try:
        records = [entry["record"] for entry in host.exact_match(None, "reputation", limit=1000)]
        scores |= {record["factionId"]: record["currentScore"] for record in records}
    except host.HostError as refusal:
        if refusal.code not in OUT_OF_REACH:
            raise
    for one in (*request.dependencies.values(), request.input.get("standing"), request.input):
        if isinstance(one, dict) and isinstance(one.get("reputation"), dict):
            scores |= on_our_scale(one["reputation"], one.get("scale"))
    return {fold(name): score for name, score in scores.items()}


def on_our_scale(scores: dict[str, Any], scale: Any) -> dict[str, float]:
    """Standings of any scale, from -100 to 100."""
    ends = scale if isinstance(scale, dict) else {}
    reach = {
        sign: abs(ends[end]) if is_number(ends.get(end)) else 100 for sign, end in ((1, "max"), (-1, "min"))
    }
    numbers = {name: float(score) for name, score in scores.items() if is_number(score)}
    return {name: 100 * score / (reach[1 if score > 0 else -1] or 100) for name, score in numbers.items()}


def impression(
    person: dict[str, Any], npc: str, standings: dict[str, float], request: sdk.Request, weight: float
) -> dict[str, Any]:
    faction = person.get("faction") or request.input.get("faction")
    faction = faction if isinstance(faction, str) else ""
    standing = max(-100.0, min(100.0, standings.get(fold(faction), 0.0))) if faction else 0.0
    seen, noticed = sight(person, request)
    seed = request.seed if request.seed is not None else request.playthrough_id
    chance = random.Random(f"{seed}/{npc}/first impression").uniform(-100, 100)
    parts = {
        "faction": round(standing * weight, 1),
        "seen": round(seen * (1 - weight) * SEEN_OF_REST, 1),
        "chance": round(chance * (1 - weight) * (1 - SEEN_OF_REST), 1),
    }
    return {
        "perception": rounded(sum(parts.values())),
        "parts": parts,
        "because": in_words(faction, parts, noticed),
    }


def sight(person: dict[str, Any], request: sdk.Request) -> tuple[float, list[str]]:
    """Return what can be seen of the player, from -100 to 100 in this person's eyes, and what counted."""
    given = request.input.get("persona") or request.state.get("persona")
    persona: dict[str, Any] = given if isinstance(given, dict) else {}
    visible = [str(text) for name in VISIBLE for text in as_list(persona.get(name)) if text]
    liked, disliked = ([str(one) for one in person.get(name) or [] if one] for name in ("likes", "dislikes"))
    score, noticed = 0.0, []
    for text in visible:
        points = LIKED * (mentions(text, liked) - mentions(text, disliked)) or NOTICED * (
            bool(PLEASANT.search(text)) - bool(UNPLEASANT.search(text))
        )
        score += points
        if points:
            noticed.append(text)
    stats: dict[str, Any] = persona["stats"] if isinstance(persona.get("stats"), dict) else {}
    top = 20 if len(stats) < 3 or any(is_number(value) and value > 10 for value in stats.values()) else 10
    for name, value in stats.items():
        if BEARING.search(str(name)) and is_number(value):
            score += 100 * (min(max(value / top, 0), 1) - 0.5)
    return max(-100.0, min(100.0, score)), noticed


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def mentions(text: str, names: list[str]) -> bool:
    return any(fold(one) in fold(text) or fold(text) in fold(one) for one in names)


def in_words(faction: str, parts: dict[str, float], noticed: list[str]) -> str:
    reasons = []
    if faction and parts["faction"]:
        reasons.append(f"{faction} speaks {'well' if parts['faction'] > 0 else 'ill'} of you")
    if noticed:
        reasons.append(f"what one sees of you: {', '.join(noticed[:3])}")
    return f"first impression ({'; '.join(reasons)})" if reasons else "first impression"


if __name__ == "__main__":
    sdk.run(main)
