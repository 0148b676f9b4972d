"""What kind of scene a deed makes: it decides which skills are asked, and how much time goes by."""

from __future__ import annotations

from collections.abc import Mapping

from narratoria.campaign.campaign import Campaign, SceneType
from narratoria.engine.cast import named_in
from narratoria.engine.deed import Deed

HOURS: Mapping[SceneType, float] = {"travel": 0.5, "dialogue": 0.25, "danger": 0.25, "resolution": 0.25}
BY_KIND: Mapping[str, SceneType] = {
    "begin": "travel",
    "go": "travel",
    "look": "travel",
    "wait": "travel",
    "talk": "dialogue",
}


def scene_type(deed: Deed, campaign: Campaign) -> SceneType:
    """The author's word counts; then risk, an end, the people who are spoken to, and what is done."""
    for beat in deed.told:
        if beat.scene_type:
            return beat.scene_type
    if deed.is_risky:
        return "danger"
    if any(beat.ending for beat in deed.told):
        return "resolution"
    if deed.beat:
        speaks = deed.beat.npcs or deed.beat.dialogue or named_in(deed.choice.text, campaign)
        return "dialogue" if speaks else "resolution"
    if deed.person:
        return "dialogue"
    return BY_KIND.get(deed.choice.kind, "resolution")


def minutes(kind: SceneType, campaign: Campaign) -> float:
    return 60 * campaign.rules.time.get(kind, HOURS[kind])
