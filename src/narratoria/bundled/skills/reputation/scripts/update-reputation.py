#!/usr/bin/env python3
"""Raises or lowers the standing with one or several factions, all in one step, with the reason."""

from __future__ import annotations

from _reputation import (
    LONGEST_REASON,
    MOST_FACTIONS,
    Names,
    in_words,
    refused,
    rounded,
    scale_of,
    standings_of,
)

from narratoria import sdk
from narratoria.sdk.opinions import has_failed, is_number

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    changes = read_changes(request)
    if not changes:
        return {"updated": []}
    scale = scale_of(request.config)
    factions = list(dict.fromkeys(change["subject"] for change in changes))
    standings = standings_of(request)
    before = standings.scores(factions)
    standings.add(request.key(changes), changes)
    after = standings.scores(factions)
    updated = [told(faction, changes, before, after, scale) for faction in factions]
    sdk.state_patch({"reputation": {one["faction"]: one["score"] for one in updated}})
    sdk.ui_event("reputation_changed", {"factions": updated})
    for one in updated:
        sdk.log(
            f"{one['faction']}: {one['before']:g} → {one['score']:g} ({one['reason'] or 'no reason given'})"
        )
    return {"updated": updated}


def told(
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


def read_changes(request: sdk.Request) -> list[dict[str, Any]]:
    """Every change, or a ToolFailure for the first that makes no sense: then none of them happens."""
    given = request.input
    listed = given.get("changes")
    if listed is None:
        if "faction" not in given:
            raise refused("changes", "expected a list of changes, each with a faction and a number")
        listed = [{name: given[name] for name in ("faction", "change", "score") if name in given}]
    if not isinstance(listed, list) or len(listed) > MOST_FACTIONS:
        raise refused("changes", f"expected a list of at most {MOST_FACTIONS} changes")
    names, failed = Names(request), has_failed(given.get("roll"))
    return [read_change(one, f"changes/{n}", names, given, failed=failed) for n, one in enumerate(listed)]


def read_change(one: Any, field: str, names: Names, given: dict[str, Any], *, failed: bool) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise refused(field, "expected an object with a faction and a change")
    reason = one.get("reason", given.get("reason")) or ""
    if not isinstance(reason, str):
        raise refused(f"{field}/reason", "expected a text")
    change = {
        "subject": names.spell(one.get("faction"), f"{field}/faction"),
        "reason": " ".join(reason.split())[:LONGEST_REASON],
    }
    if ("score" in one) == ("change" in one):
        raise refused(field, "expected a change or a score")
    kind = "score" if "score" in one else "change"
    if not is_number(one[kind]):
        raise refused(f"{field}/{kind}", "expected a number of points")
    points = float(one[kind])
    # who tries to help and fails is thanked for the trying
    return change | {kind: points / 2 if failed and kind == "change" and points > 0 else points}


if __name__ == "__main__":
    sdk.run(main)
