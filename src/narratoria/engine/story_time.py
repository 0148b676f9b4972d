"""Says what kind of scene an action makes, and how much time goes by in the story meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

from narratoria.campaign.campaign import Campaign, SceneType
from narratoria.engine.action import ResolvedAction
from narratoria.engine.people import named_in

HOURS: Mapping[SceneType, float] = {"travel": 0.5, "dialogue": 0.25, "danger": 0.25, "resolution": 0.25}
BY_KIND: Mapping[str, SceneType] = {
    "begin": "travel",
    "go": "travel",
    "look": "travel",
    "wait": "travel",
    "talk": "dialogue",
}


def scene_type(action: ResolvedAction, campaign: Campaign) -> SceneType:
    """Return the author's type, or one by risk, an end, the people who are spoken to, and what is done."""
    for beat in action.beats:
        if beat.scene_type:
            return beat.scene_type
    if action.is_risky:
        return "danger"
    if any(beat.ending for beat in action.beats):
        return "resolution"
    if action.beat:
        speaks = action.beat.npcs or action.beat.dialogue or named_in(action.choice.text, campaign)
        return "dialogue" if speaks else "resolution"
    if action.person:
        return "dialogue"
    return BY_KIND.get(action.choice.kind, "resolution")


def minutes(kind: SceneType, campaign: Campaign) -> float:
    return 60 * campaign.rules.time.get(kind, HOURS[kind])
