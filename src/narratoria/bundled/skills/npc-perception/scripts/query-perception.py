#!/usr/bin/env python3
"""Tells what people think of the player, why, and what that adds to a roll or takes from it."""

from __future__ import annotations

from _perception import listed_people, names_of, opinions_of, person_id, view

from narratoria import sdk

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    asked = [person_id(npc, f"npcs/{n}") for n, npc in enumerate(listed_people(request.input))]
    opinions = opinions_of(request)
    held = {npc: opinion["score"] for npc, opinion in opinions.scores(asked).items()}
    people = list(dict.fromkeys(asked or held))
    reasons = opinions.reasons(npc for npc in people if npc in held)
    called = names_of(request)
    views = [
        {
            **view(npc, held.get(npc, 0.0), request.config, called.get(npc, "")),
            "known": npc in held,
            "reasons": reasons.get(npc, []),
        }
        for npc in people
    ]
    return {"perceptions": views, "perception": {one["npc"]: one["perception"] for one in views}}


if __name__ == "__main__":
    sdk.run(main)
