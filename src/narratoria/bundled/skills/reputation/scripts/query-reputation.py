#!/usr/bin/env python3
"""Tells how one or several factions regard the player, in words and numbers, and why."""

from __future__ import annotations

from _reputation import MOST_FACTIONS, Names, in_words, rounded, scale_of, standings_of

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    scale = scale_of(request.config)
    names = Names(request)
    factions = read_factions(request.input, names)
    standings = standings_of(request)
    held = standings.scores(factions)
    listed = list(dict.fromkeys(factions or [*names.listed, *held]))
    reasons = standings.reasons(faction for faction in listed if faction in held)
    views = [standing(faction, held.get(faction), reasons.get(faction, []), scale) for faction in listed]
    return {
        "reputations": views,
        "reputation": {one["faction"]: one["score"] for one in views},
        "scale": {"min": scale[0], "max": scale[1]},
    }


def read_factions(given: dict[str, Any], names: Names) -> list[str]:
    """Those that are asked for; none for all there are."""
    listed = given.get("factions", given.get("faction"))
    if listed is None:
        return []
    listed = [listed] if isinstance(listed, str) else listed
    if not isinstance(listed, list) or len(listed) > MOST_FACTIONS:
        raise sdk.InvalidInput("factions", f"expected a list of at most {MOST_FACTIONS} names")
    return [names.spell(name, f"factions/{number}") for number, name in enumerate(listed)]


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
