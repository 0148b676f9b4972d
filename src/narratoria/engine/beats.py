"""Decides which beats can happen now, which come by themselves, how each ends, and what it leaves behind."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from narratoria.campaign.campaign import PRIORITIES, Beat, Campaign, Conditions, Effects
from narratoria.engine import sentiment
from narratoria.engine.conditions import (
    StorySituation,
    hold,
    items_of,
    missing_participants,
    never_again,
    phrases,
)
from narratoria.engine.otherwise import closing_beat
from narratoria.engine.snapshot import Progress


def offer_of(beat: Beat) -> str:
    """Return the words of the choice that sets a beat off; empty for one that comes by itself."""
    return beat.conditions.player_choice or next(iter(beat.conditions.player_choices), "")


def offers_of(beat: Beat) -> tuple[str, ...]:
    """Return every wording of the choice that sets a beat off, the one that is shown first."""
    return tuple(dict.fromkeys((offer_of(beat), *beat.conditions.player_choices)))


def is_open(beat: Beat, situation: StorySituation) -> bool:
    """Return whether everything but the place allows a beat; what was told is not, unless it repeats."""
    progress = situation.progress
    is_over = beat.id in progress.beat_outcomes and not beat.repeats
    if is_over or beat.id in progress.skipped_beats:
        return False
    if missing_participants(beat, situation):
        return False
    return beat.id in progress.called_beats or hold(beat, _late(beat, situation))


def _late(beat: Beat, situation: StorySituation) -> StorySituation:
    """Return the situation in which a beat that must not be skipped has not outlived its window."""
    latest = beat.conditions.scene_count.max
    progress = situation.progress
    if beat.skippable or latest is None or progress.age <= latest:
        return situation
    return replace(situation, progress=msgspec.structs.replace(progress, scene=progress.began_after + latest))


def openings(situation: StorySituation, first: Iterable[str] = ()) -> tuple[Beat, ...]:
    """Return what the player can set off, anywhere: what is called for, the most pressing, then `first`."""
    closing = closing_beat(situation)
    return _in_order(
        (
            *(beat for beat in situation.campaign.beats if offer_of(beat) and is_open(beat, situation)),
            *((closing,) if closing else ()),
        ),
        situation.progress,
        frozenset(first),
    )


def dues(situation: StorySituation) -> tuple[Beat, ...]:
    """Return the beats that come by themselves here and now, the most pressing first."""
    return _in_order(
        (
            beat
            for beat in situation.campaign.beats
            if not offer_of(beat)
            and (not beat.encounter or beat.id in situation.progress.called_beats)
            and (
                beat.location in ("", situation.progress.place) or beat.id in situation.progress.called_beats
            )
            and is_open(beat, situation)
        ),
        situation.progress,
        frozenset(),
    )


def due_now(situation: StorySituation, *, room_for_a_roll: bool) -> tuple[Beat, ...]:
    """Return the beats of this scene: the most pressing one, and all that have waited for a scene already.

    So whatever comes by itself is told in the scene in which it could be, or in the next one. A scene has one
    roll at most: what needs another one waits for the next scene.
    """
    due_beats: list[Beat] = []
    for beat in dues(situation):
        if beat.ending and due_beats:
            continue  # an end has a scene to itself
        if beat.is_risky and not room_for_a_roll:
            continue
        if due_beats and beat.id not in situation.progress.waiting:
            continue
        due_beats.append(beat)
        room_for_a_roll = room_for_a_roll and not beat.is_risky
        if beat.ending:
            break
    return tuple(due_beats)


def _in_order(beats: Iterable[Beat], progress: Progress, first: frozenset[str]) -> tuple[Beat, ...]:
    def rank(beat: Beat) -> tuple[bool, int, bool]:
        return beat.id not in progress.called_beats, PRIORITIES.index(beat.priority), beat.id not in first

    return tuple(sorted(beats, key=rank))


def outcome_by_chance(beat: Beat, seed: object) -> str:
    """Return the outcome that chance picks, where the author gave chances; always the same for a seed."""
    if beat.is_risky or not beat.outcomes:
        return ""
    dice = random.Random(f"{seed}/{beat.id}")
    chances = [outcome.probability or 0.0 for outcome in beat.outcomes]
    if sum(chances) <= 0:
        return beat.outcomes[0].name
    return dice.choices([outcome.name for outcome in beat.outcomes], chances)[0]


def consequences(beat: Beat, outcome: str) -> tuple[str, ...]:
    """Return what is so once a beat has ended like that."""
    end = beat.outcome(outcome)
    return (*beat.consequences, *(end.consequences if end else ()))


def effects(beat: Beat, outcome: str) -> tuple[Effects, ...]:
    end = beat.outcome(outcome)
    return (beat.effects, end.effects) if end else (beat.effects,)


def patch(changes: Iterable[Effects], state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what effects change in the state: their own patch, opinions, and what the player has."""
    result: dict[str, Any] = {}
    items = items_of(state)
    items_before = list(items)
    for effect in changes:
        flags = {**_mapping(result.get("flags")), **_mapping(effect.state.get("flags"))}
        result = {**result, **effect.state, **({"flags": flags} if flags else {})}
        result |= {
            key: _number(result.get(key, state.get(key))) + number for key, number in effect.add.items()
        }
        for ledger, by in (("perception", effect.perception), ("reputation", effect.reputation)):
            if by:
                scores = {**_mapping(state.get(ledger)), **_mapping(result.get(ledger))}
                result[ledger] = {
                    **_mapping(result.get(ledger)),
                    **sentiment.apply_changes({ledger: scores}, by, ledger),
                }
        items = [item for item in items if item not in effect.lose]
        items += [item for item in effect.gain if item not in items]
    if items != items_before:
        result["persona"] = {**_mapping(result.get("persona")), "items": items}
    return result


def _number(value: Any) -> int | float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """Holds where every beat stands after a scene, and what there is to report."""

    progress: Progress
    reports: tuple[str, ...] = ()


def tidy(situation: StorySituation) -> Housekeeping:
    """Count which beats wait, call what a timeout asks for, and skip what cannot happen any more."""
    progress = situation.progress
    untold = [beat for beat in situation.campaign.beats if beat.id not in progress.beat_outcomes]
    waiting = {
        beat.id: progress.waiting.get(beat.id, progress.scene) for beat in untold if is_open(beat, situation)
    }
    skip_reasons, called_beats = dict(progress.skipped_beats), list(progress.called_beats)
    reports: list[str] = []
    for beat in untold:
        if beat.id in skip_reasons:
            continue
        overdue = beat.timeout and beat.id in waiting
        if overdue and beat.timeout and progress.scene - waiting[beat.id] >= beat.timeout.scenes:
            _time_out(beat, situation.campaign, skip_reasons, called_beats, reports)
        else:
            here = replace(situation, progress=msgspec.structs.replace(progress, skipped_beats=skip_reasons))
            is_possible = beat.id in called_beats and not missing_participants(beat, here)
            if not is_possible and (reason := never_again(beat, here)):
                skip_reasons[beat.id] = reason
                reports.append(f"The beat {beat.id} is skipped: {reason}.")
    after = msgspec.structs.replace(
        progress,
        waiting={beat: since for beat, since in waiting.items() if beat not in skip_reasons},
        skipped_beats=skip_reasons,
        called_beats=tuple(
            beat for beat in dict.fromkeys(called_beats) if beat not in progress.beat_outcomes
        ),
    )
    return Housekeeping(after, tuple(reports))


def _time_out(
    beat: Beat, campaign: Campaign, skip_reasons: dict[str, str], called_beats: list[str], reports: list[str]
) -> None:
    assert beat.timeout is not None
    instead = campaign.beat(beat.timeout.fallback_beat)
    if instead is None and not beat.skippable:
        called_beats.append(beat.id)  # it must be told: from now on it comes first
        return
    skip_reasons[beat.id] = f"it waited for {beat.timeout.scenes} scenes"
    reports.append(f"The beat {beat.id} is skipped: {skip_reasons[beat.id]}.")
    if instead is not None:
        skip_reasons.pop(instead.id, None)
        called_beats.append(instead.id)


def lasting_consequences(campaign: Campaign, progress: Progress) -> tuple[str, ...]:
    """Return what the player has brought about and is still so, the oldest first.

    A later beat that carries all of an earlier one's tags has moved the matter on.
    """
    played_beats = [
        (beat, outcome)
        for beat_id, outcome in progress.beat_outcomes.items()
        if (beat := campaign.beat(beat_id))
    ]
    return tuple(
        consequence
        for index, (beat, outcome) in enumerate(played_beats)
        if offer_of(beat)
        and not (
            beat.tags and any(set(later.tags) >= set(beat.tags) for later, _ in played_beats[index + 1 :])
        )
        for consequence in consequences(beat, outcome)
    )


def grounds(needs: Conditions, campaign: Campaign, progress: Progress) -> tuple[str, ...]:
    """Return the ids of the beats that made something with these conditions possible."""
    states = {*phrases(needs.player_state), *phrases(needs.world_state)}
    return tuple(
        beat_id
        for beat_id, outcome in progress.beat_outcomes.items()
        if beat_id == needs.requires_beat
        or beat_id in needs.requires_any_beat
        or ((earlier := campaign.beat(beat_id)) and states & set(consequences(earlier, outcome)))
    )


def describe_result(beat_id: str, campaign: Campaign, progress: Progress) -> str:
    """Return what is so since a beat was told: the last of its consequences, or its title."""
    beat = campaign.beat(beat_id)
    results = consequences(beat, progress.beat_outcomes.get(beat_id, "")) if beat else ()
    return results[-1] if results else beat.title if beat else ""
