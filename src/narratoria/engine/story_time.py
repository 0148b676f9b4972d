"""Says what kind of scene an action makes, and how much time goes by in the story meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from narratoria.campaign.campaign import Campaign, SceneType
from narratoria.engine.action import ResolvedAction
from narratoria.engine.people import named_in
from narratoria.sdk.decay import DAY

HOURS: Mapping[SceneType, float] = {"travel": 0.5, "dialogue": 0.25, "danger": 0.25, "resolution": 0.25}
BY_KIND: Mapping[str, SceneType] = {
    "begin": "travel",
    "go": "travel",
    "look": "travel",
    "wait": "travel",
    "talk": "dialogue",
}
SAME_MORNING = 240.0  # minutes into a day in which a morning that is told is the one that has come already
_SPEECH = re.compile(r"“[^”]*”?")
_MORNING = re.compile(
    r"(?:^|[.!?…] )(?:In the morning|Towards morning|(?:The )?[Nn]ext (?:morning|day)|Morning comes)\b"
    r"|\bhas become morning\b|\b[Ii]t is (?:morning|tomorrow)\b"
    r"|\b[Yy]ou (?:sleep|rest|wait|doze|stay|sit|lie)\b[^.!?;]*\b(?:until|till|for)"
    r" (?:tomorrow|(?:the )?(?:next )?(?:morning|day|dawn))\b"
)


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


def advance_time(game_time: float, minutes_taken: float, paragraphs: Iterable[str]) -> float:
    """Return the minutes since the story began after a scene; a morning that it tells begins another day."""
    after, into_the_day = game_time + minutes_taken, game_time % DAY
    has_begun = game_time >= DAY and into_the_day < SAME_MORNING
    if has_begun or not any(_MORNING.search(_SPEECH.sub("", text)) for text in paragraphs):
        return after
    return max(after, game_time - into_the_day + DAY)
