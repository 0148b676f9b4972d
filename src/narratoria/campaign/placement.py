"""Defines where somebody is when a story begins, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

# written: the profile says it · away: a beat brings them · gone: not among the living · nowhere: nothing says
PlacementKind: TypeAlias = Literal[
    "written", "beat", "lore", "role", "card", "tie", "away", "gone", "nowhere"
]


@dataclass(frozen=True, slots=True)
class Placement:
    """Says where somebody is when the story begins, and why; without a place they are nowhere."""

    place: str = ""
    kind: PlacementKind = "nowhere"
    reason: str = ""


def describe_placement(name: str, placement: Placement) -> str:
    """Return one sentence about where somebody is: "Pike is placed at landing (first_appearance)"."""
    if placement.kind == "written":
        return f"{name} is placed at {placement.place} (first_appearance)"
    if placement.place:
        return f"{name} is placed at {placement.place}, because {placement.reason}"
    if placement.kind == "nowhere":
        return f"{name} is placed nowhere: say where with metadata.first_appearance"
    return f"{name} is placed nowhere until a beat brings them: {placement.reason}"
