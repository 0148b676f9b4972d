"""Which beats can happen now, which come by themselves, how each ends, and what it leaves behind."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from narratoria.campaign.campaign import PRIORITIES, Beat, Campaign, Effects
from narratoria.engine import sentiment
from narratoria.engine.conditions import Situation, hold, items_of, never_again, phrases
from narratoria.engine.snapshot import Progress


def offer_of(beat: Beat) -> str:
    """The words of the choice that sets it off; empty for a beat that comes by itself."""
    return beat.conditions.player_choice or next(iter(beat.conditions.player_choices), "")


def is_open(beat: Beat, situation: Situation) -> bool:
    """Whether everything but the place allows it; what was told is not told again."""
    progress = situation.progress
    if beat.id in progress.told or beat.id in progress.skipped:
        return False
    return beat.id in progress.called or hold(beat, _late(beat, situation))


def _late(beat: Beat, situation: Situation) -> Situation:
    """A beat that must not be skipped outlives its window."""
    latest = beat.conditions.scene_count.max
    progress = situation.progress
    if beat.skippable or latest is None or progress.age <= latest:
        return situation
    return replace(situation, progress=msgspec.structs.replace(progress, scene=progress.begun + latest))


def openings(situation: Situation, first: Iterable[str] = ()) -> tuple[Beat, ...]:
    """What the player can set off, anywhere: what is called for, then the most pressing, then `first`."""
    return _in_order(
        (beat for beat in situation.campaign.beats if offer_of(beat) and is_open(beat, situation)),
        situation.progress,
        frozenset(first),
    )


def dues(situation: Situation) -> tuple[Beat, ...]:
    """What comes by itself here and now, the most pressing first."""
    return _in_order(
        (
            beat
            for beat in situation.campaign.beats
            if not offer_of(beat)
            and (beat.location in ("", situation.progress.place) or beat.id in situation.progress.called)
            and is_open(beat, situation)
        ),
        situation.progress,
        frozenset(),
    )


def due_now(situation: Situation, *, room_for_a_roll: bool) -> tuple[Beat, ...]:
    """What is told in this scene: the most pressing one, and all that have waited for a scene already.

    So whatever comes by itself is told in the scene in which it could be, or in the next one. A scene has one
    roll at most: what needs another one waits for the next scene.
    """
    told: list[Beat] = []
    for beat in dues(situation):
        if beat.ending and told:
            continue  # an end has a scene to itself
        if beat.is_risky and not room_for_a_roll:
            continue
        if told and beat.id not in situation.progress.waiting:
            continue
        told.append(beat)
        room_for_a_roll = room_for_a_roll and not beat.is_risky
        if beat.ending:
            break
    return tuple(told)


def _in_order(beats: Iterable[Beat], progress: Progress, first: frozenset[str]) -> tuple[Beat, ...]:
    def rank(beat: Beat) -> tuple[bool, int, bool]:
        return beat.id not in progress.called, PRIORITIES.index(beat.priority), beat.id not in first

    return tuple(sorted(beats, key=rank))


def outcome_by_chance(beat: Beat, seed: object) -> str:
    """The outcome that chance picks, where the author gave chances; the same seed gives the same one."""
    if beat.is_risky or not beat.outcomes:
        return ""
    dice = random.Random(f"{seed}/{beat.id}")
    chances = [outcome.probability or 0.0 for outcome in beat.outcomes]
    if sum(chances) <= 0:
        return beat.outcomes[0].name
    return dice.choices([outcome.name for outcome in beat.outcomes], chances)[0]


def consequences(beat: Beat, outcome: str) -> tuple[str, ...]:
    """What is so from then on."""
    ended = beat.outcome(outcome)
    return (*beat.consequences, *(ended.consequences if ended else ()))


def effects(beat: Beat, outcome: str) -> tuple[Effects, ...]:
    ended = beat.outcome(outcome)
    return (beat.effects, ended.effects) if ended else (beat.effects,)


def patch(changes: Iterable[Effects], state: Mapping[str, Any]) -> dict[str, Any]:
    """What effects change in the session's state: their own patch, opinions, and what the player has."""
    result: dict[str, Any] = {}
    items = items_of(state)
    owned = list(items)
    for effect in changes:
        result = {**result, **effect.state}
        for ledger, by in (("perception", effect.perception), ("reputation", effect.reputation)):
            if by:
                held = {**_mapping(state.get(ledger)), **_mapping(result.get(ledger))}
                result[ledger] = {
                    **_mapping(result.get(ledger)),
                    **sentiment.changed({ledger: held}, by, ledger),
                }
        items = [item for item in items if item not in effect.lose]
        items += [item for item in effect.gain if item not in items]
    if items != owned:
        result["persona"] = {**_mapping(result.get("persona")), "items": items}
    return result


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """Where every beat stands after a scene, and what there is to report."""

    progress: Progress
    reports: tuple[str, ...] = ()


def tidy(situation: Situation) -> Housekeeping:
    """Counts who waits since when, calls what a timeout asks for, and skips what cannot happen any more."""
    progress = situation.progress
    untold = [beat for beat in situation.campaign.beats if beat.id not in progress.told]
    waiting = {
        beat.id: progress.waiting.get(beat.id, progress.scene) for beat in untold if is_open(beat, situation)
    }
    skipped, called = dict(progress.skipped), list(progress.called)
    reports: list[str] = []
    for beat in untold:
        if beat.id in skipped:
            continue
        overdue = beat.timeout and beat.id in waiting
        if overdue and beat.timeout and progress.scene - waiting[beat.id] >= beat.timeout.scenes:
            _time_out(beat, situation.campaign, skipped, called, reports)
        else:
            here = replace(situation, progress=msgspec.structs.replace(progress, skipped=skipped))
            if beat.id not in called and (reason := never_again(beat, here)):
                skipped[beat.id] = reason
                reports.append(f"The beat {beat.id} is skipped: {reason}.")
    after = msgspec.structs.replace(
        progress,
        waiting={beat: since for beat, since in waiting.items() if beat not in skipped},
        skipped=skipped,
        called=tuple(beat for beat in dict.fromkeys(called) if beat not in progress.told),
    )
    return Housekeeping(after, tuple(reports))


def _time_out(
    beat: Beat, campaign: Campaign, skipped: dict[str, str], called: list[str], reports: list[str]
) -> None:
    assert beat.timeout is not None
    instead = campaign.beat(beat.timeout.fallback_beat)
    if instead is None and not beat.skippable:
        called.append(beat.id)  # it must be told: from now on it comes first
        return
    skipped[beat.id] = f"it waited for {beat.timeout.scenes} scenes"
    reports.append(f"The beat {beat.id} is skipped: {skipped[beat.id]}.")
    if instead is not None:
        skipped.pop(instead.id, None)
        called.append(instead.id)


def remembered(campaign: Campaign, progress: Progress) -> tuple[str, ...]:
    """What the player has brought about and is still so, the oldest first.

    A later beat that carries all of an earlier one's tags has moved the matter on.
    """
    told = [(beat, outcome) for beat_id, outcome in progress.told.items() if (beat := campaign.beat(beat_id))]
    return tuple(
        consequence
        for index, (beat, outcome) in enumerate(told)
        if offer_of(beat)
        and not (beat.tags and any(set(later.tags) >= set(beat.tags) for later, _ in told[index + 1 :]))
        for consequence in consequences(beat, outcome)
    )


def grounds(beat: Beat, campaign: Campaign, progress: Progress) -> tuple[str, ...]:
    """The beats that made this one possible."""
    needs = beat.conditions
    states = {*phrases(needs.player_state), *phrases(needs.world_state)}
    return tuple(
        told
        for told, outcome in progress.told.items()
        if told == needs.requires_beat
        or told in needs.requires_any_beat
        or ((earlier := campaign.beat(told)) and states & set(consequences(earlier, outcome)))
    )
