#!/usr/bin/env python3
"""Tells how one or several factions regard the player, in words and numbers, and why."""

from __future__ import annotations

from _reputation import MOST_FACTIONS, Names, in_words, refused, rounded, scale_of, standings_of

from narratoria import sdk
from narratoria.sdk import host
from narratoria.sdk.opinions import OUT_OF_REACH, is_number

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    scale = scale_of(request.config)
    names = Names(request)
    factions = read_factions(request.input, names)
    standings = standings_of(request)
    try:
        held = standings.scores(factions)
        known = list(dict.fromkeys(factions or [*names.listed, *held]))
        reasons = standings.reasons(faction for faction in known if faction in held)
    except host.HostError as refusal:
        if refusal.code not in OUT_OF_REACH:
            raise
        sdk.log(f"{refusal.message}; the standings are those of this sitting", "warn")
        held, reasons = of_this_sitting(request), {}
        known = list(dict.fromkeys(factions or [*names.listed, *held]))
    told = [standing(faction, held.get(faction), reasons.get(faction, []), scale) for faction in known]
    return {
        "reputations": told,
        "reputation": {one["faction"]: one["score"] for one in told},
        "scale": {"min": scale[0], "max": scale[1]},
    }


def read_factions(given: dict[str, Any], names: Names) -> list[str]:
    """Those that are asked for; none for all there are."""
    listed = given.get("factions", given.get("faction"))
    if listed is None:
        return []
    listed = [listed] if isinstance(listed, str) else listed
    if not isinstance(listed, list) or len(listed) > MOST_FACTIONS:
        raise refused("factions", f"expected a list of at most {MOST_FACTIONS} names")
    return [names.spell(name, f"factions/{number}") for number, name in enumerate(listed)]


def of_this_sitting(request: sdk.Request) -> dict[str, dict[str, Any]]:
    held = request.state.get("reputation")
    held = held if isinstance(held, dict) else {}
    return {name: {"score": float(score), "changed": ""} for name, score in held.items() if is_number(score)}


def standing(
    faction: str, held: dict[str, Any] | None, reasons: list[dict[str, Any]], scale: tuple[float, float]
) -> dict[str, Any]:
    score = rounded(held["score"]) if held else 0.0
    return {
        "faction": faction,
        "score": score,
        **in_words(faction, score, scale),
        "reasons": reasons,
        "lastUpdated": held["changed"] if held else "",
    }


if __name__ == "__main__":
    sdk.run(main)
