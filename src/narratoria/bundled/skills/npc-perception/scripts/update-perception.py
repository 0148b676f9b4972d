#!/usr/bin/env python3
"""Records that people think better or worse of the player, all in one step, with the reason."""

from __future__ import annotations

from _perception import HIGHEST, MOST_PEOPLE, names_of, opinions_of, person_id, rounded, view

from narratoria import sdk
from narratoria.sdk.opinions import read_changes

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    changes = read_changes(
        request.input, "npc", person_id, score="perception", most=MOST_PEOPLE, reach=HIGHEST
    )
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


if __name__ == "__main__":
    sdk.run(main)
