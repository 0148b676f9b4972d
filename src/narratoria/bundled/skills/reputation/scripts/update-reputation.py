#!/usr/bin/env python3
"""Raises or lowers the standing with one or several factions, all in one step, with the reason."""

from __future__ import annotations

from _reputation import MOST_FACTIONS, Names, in_words, rounded, scale_of, standings_of

from narratoria import sdk
from narratoria.sdk.opinions import read_changes

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    changes = read_changes(request.input, "faction", Names(request).spell, most=MOST_FACTIONS)
    if not changes:
        return {"updated": []}
    scale = scale_of(request.config)
    factions = list(dict.fromkeys(change["subject"] for change in changes))
    standings = standings_of(request)
    before = standings.scores(factions)
    standings.add(request.key(changes), changes)
    after = standings.scores(factions)
    updated = [describe_change(faction, changes, before, after, scale) for faction in factions]
    sdk.state_patch({"reputation": {one["faction"]: one["score"] for one in updated}})
    sdk.ui_event("reputation_changed", {"factions": updated})
    for one in updated:
        sdk.log(
            f"{one['faction']}: {one['before']:g} → {one['score']:g} ({one['reason'] or 'no reason given'})"
        )
    return {"updated": updated}


def describe_change(
    faction: str,
    changes: list[dict[str, Any]],
    before: dict[str, Any],
    after: dict[str, Any],
    scale: tuple[float, float],
) -> dict[str, Any]:
    held = rounded(before[faction]["score"]) if faction in before else 0.0
    score = rounded(after[faction]["score"])
    reasons = [change["reason"] for change in changes if change["subject"] == faction and change["reason"]]
    return {
        "faction": faction,
        "before": held,
        "change": rounded(score - held),
        "score": score,
        "reason": "; ".join(dict.fromkeys(reasons)),
        **in_words(faction, score, scale),
    }


if __name__ == "__main__":
    sdk.run(main)
