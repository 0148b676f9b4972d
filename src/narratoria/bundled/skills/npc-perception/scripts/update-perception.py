#!/usr/bin/env python3
"""Records that people think better or worse of the player, all in one step, with the reason."""

from __future__ import annotations

from _perception import (
    LONGEST_REASON,
    MOST_PEOPLE,
    names_of,
    opinions_of,
    person_id,
    refused,
    rounded,
    view,
)

from narratoria import sdk
from narratoria.sdk.opinions import has_failed, is_number

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    changes = read_changes(request.input)
    if not changes:
        return {"updated": []}
    npcs = list(dict.fromkeys(change["subject"] for change in changes))
    opinions = opinions_of(request)
    before = opinions.scores(npcs)
    opinions.add(request.key(changes), changes)
    after, called = opinions.scores(npcs), names_of(request)
    updated = []
    for npc in npcs:
        reasons = [change["reason"] for change in changes if change["subject"] == npc and change["reason"]]
        held = rounded(before[npc]["score"]) if npc in before else 0.0
        now = view(npc, after[npc]["score"], request.config, called.get(npc, ""))
        moved = rounded(now["perception"] - held)
        updated.append({**now, "before": held, "change": moved, "reason": "; ".join(dict.fromkeys(reasons))})
        sdk.log(f"{npc}: {held:g} → {now['perception']:g} ({'; '.join(reasons) or 'no reason given'})")
    sdk.state_patch({"perception": {one["npc"]: one["perception"] for one in updated}})
    sdk.ui_event("perception_changed", {"npcs": updated})
    return {"updated": updated}


def read_changes(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Every change, or a ToolFailure for the first that makes no sense: then none of them happens."""
    listed = given.get("changes")
    if listed is None:
        if "npc" not in given:
            raise refused("changes", "expected a list of changes, each with an npc and a number")
        listed = [{name: given[name] for name in ("npc", "change", "perception") if name in given}]
    if not isinstance(listed, list) or len(listed) > MOST_PEOPLE:
        raise refused("changes", f"expected a list of at most {MOST_PEOPLE} changes")
    failed = has_failed(given.get("roll"))
    return [read_change(one, f"changes/{n}", given, failed=failed) for n, one in enumerate(listed)]


def read_change(one: Any, field: str, given: dict[str, Any], *, failed: bool) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise refused(field, "expected an object with an npc and a change")
    reason = one.get("reason", given.get("reason")) or ""
    if not isinstance(reason, str):
        raise refused(f"{field}/reason", "expected a text")
    if ("perception" in one) == ("change" in one):
        raise refused(field, "expected a change or a perception")
    kind = "perception" if "perception" in one else "change"
    points = one[kind]
    if not is_number(points) or abs(points) > (100 if kind == "perception" else 200):
        raise refused(f"{field}/{kind}", "expected a number of points")
    # who tries to help and fails is thanked for the trying
    points = points / 2 if failed and kind == "change" and points > 0 else points
    return {
        "subject": person_id(one.get("npc"), f"{field}/npc"),
        "reason": " ".join(reason.split())[:LONGEST_REASON],
        "score" if kind == "perception" else kind: float(points),
    }


if __name__ == "__main__":
    sdk.run(main)
