"""Which beats can happen now, which come by themselves, and what each of them leaves behind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from narratoria.campaign.campaign import PRIORITIES, Beat, Campaign
from narratoria.engine.session import Progress

ABSENT = re.compile(r'!\("([^"]*)" in flags\)')


def is_open(beat: Beat, progress: Progress, flags: AbstractSet[str]) -> bool:
    """Whether everything but the place allows it; what was told is not told again."""
    needs = beat.conditions
    latest = needs.scene_count.max
    return (
        beat.id not in progress.told
        and needs.scene_count.min <= progress.scene
        and (latest is None or progress.scene <= latest)
        and (not needs.requires_beat or needs.requires_beat in progress.told)
        and (not needs.requires_any_beat or any(beat in progress.told for beat in needs.requires_any_beat))
        and _flags_of(needs.player_state, needs.world_state) <= flags
        and (not needs.custom or _absent(needs.custom, flags))
    )


def _absent(expression: str, flags: AbstractSet[str]) -> bool:
    """What `!("something" in flags)` comes to; anything else is not understood, and so never true."""
    found = ABSENT.fullmatch(expression)
    return found is not None and found[1] not in flags


def openings(campaign: Campaign, progress: Progress, flags: AbstractSet[str]) -> tuple[Beat, ...]:
    """What the player can set off, anywhere, the most pressing first."""
    return _by_priority(
        beat for beat in campaign.beats if beat.conditions.player_choice and is_open(beat, progress, flags)
    )


def due(campaign: Campaign, progress: Progress, flags: AbstractSet[str]) -> Beat | None:
    """What comes by itself now."""
    waiting = _by_priority(
        beat
        for beat in campaign.beats
        if not beat.conditions.player_choice
        and beat.location in ("", progress.place)
        and is_open(beat, progress, flags)
    )
    return waiting[0] if waiting else None


def consequences(beat: Beat, outcome: str) -> tuple[str, ...]:
    """What is so from then on."""
    ended = beat.outcome(outcome)
    return (*beat.consequences, *(ended.consequences if ended else ()))


def _by_priority(beats: Iterable[Beat]) -> tuple[Beat, ...]:
    return tuple(sorted(beats, key=lambda beat: PRIORITIES.index(beat.priority)))


def remembered(campaign: Campaign, progress: Progress) -> tuple[str, ...]:
    """What the player has brought about and is still so, the oldest first.

    A later beat that carries all of an earlier one's tags has moved the matter on.
    """
    told = [(beat, outcome) for beat_id, outcome in progress.told.items() if (beat := campaign.beat(beat_id))]
    return tuple(
        consequence
        for index, (beat, outcome) in enumerate(told)
        if beat.conditions.player_choice
        and not (beat.tags and any(set(later.tags) >= set(beat.tags) for later, _ in told[index + 1 :]))
        for consequence in consequences(beat, outcome)
    )


def grounds(beat: Beat, campaign: Campaign, progress: Progress) -> tuple[str, ...]:
    """The beats that made this one possible."""
    needs = beat.conditions
    states = _flags_of(needs.player_state, needs.world_state)
    return tuple(
        told
        for told, outcome in progress.told.items()
        if told == needs.requires_beat
        or told in needs.requires_any_beat
        or ((earlier := campaign.beat(told)) and states & set(consequences(earlier, outcome)))
    )


def _flags_of(*states: str | tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        flag for state in states for flag in ((state,) if isinstance(state, str) else state) if flag
    )
