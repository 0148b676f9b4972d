"""Two dice and what helps: the default rules."""

from __future__ import annotations

from narratoria.campaign.campaign import Beat, Campaign
from narratoria.engine.session import Progress

DICE = "2d6"
OUTCOMES = ("success", "partial success", "failure")
UNDECIDED = "partial success"  # when no dice could be rolled, things go as they mostly do
CALLBACK = 1  # for something that went well before, and has to do with it


def helps(beat: Beat, campaign: Campaign, progress: Progress) -> tuple[str, ...]:
    """The beats that went well and have to do with this one."""
    return tuple(
        earlier.id
        for earlier in campaign.beats
        if progress.told.get(earlier.id, "failure") != "failure" and set(earlier.tags) & set(beat.tags)
    )


def formula(beat: Beat, campaign: Campaign, progress: Progress) -> str:
    return f"{DICE}+{CALLBACK}" if helps(beat, campaign, progress) else DICE
