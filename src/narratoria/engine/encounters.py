"""Draws what is met on the way, by the rules of the campaign and the story's own seed."""

from __future__ import annotations

import random

from narratoria.campaign.campaign import Beat
from narratoria.engine.beats import is_open
from narratoria.engine.conditions import StorySituation
from narratoria.engine.content_limits import is_choice_within


def draw_encounter(situation: StorySituation, seed: str) -> Beat | None:
    """Return the encounter of a walk that has ended where the situation is, or None; the same for a seed."""
    rules, progress = situation.campaign.rules.encounters, situation.progress
    encounters = [beat for beat in situation.campaign.beats if beat.encounter]
    latest = max((progress.beat_scenes.get(beat.id, 0) for beat in encounters), default=0)
    if not encounters or (latest and progress.scene - latest <= rules.pause):
        return None
    possible = [
        beat
        for beat in encounters
        if beat.location in ("", progress.place)
        and is_open(beat, situation)
        and is_choice_within(_words_of(beat), "", situation.limits)
    ]
    dice = random.Random(f"{seed}/encounter")
    if not possible or dice.random() >= rules.chance:
        return None
    return dice.choices(possible, [beat.encounter for beat in possible])[0]


def _words_of(beat: Beat) -> str:
    return " ".join(
        (
            beat.title,
            beat.description,
            *(line.text for line in beat.dialogue),
            *(outcome.description for outcome in beat.outcomes),
        )
    )
