"""Works out where a trial story begins: at a place or a beat, as if all before it had happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from narratoria.campaign.campaign import Beat, Campaign
from narratoria.campaign.plot import Plot
from narratoria.engine import beats
from narratoria.engine.action import ResolvedAction, effects_of, progress_after
from narratoria.engine.people import place_of
from narratoria.engine.scene import BEGIN, Choice
from narratoria.engine.snapshot import Beginning, Progress
from narratoria.state import SessionState


class TrialStart(msgspec.Struct, frozen=True):
    """The first choice of a trial story, and what is taken for granted before it."""

    choice: Choice
    beginning: Beginning


def start_at_place(place: str, persona: Mapping[str, Any]) -> TrialStart:
    """Return the start of a story at a place, where nothing has happened yet."""
    return TrialStart(_begin_at(place), Beginning(progress=Progress(), state=_state_of(persona)))


def start_at_beat(beat: Beat, campaign: Campaign, persona: Mapping[str, Any]) -> TrialStart:
    """Return the start of a story in which a beat can happen: what has to come before it has happened.

    A beat that the player sets off is offered in the first scene; one that comes by itself is told in it.
    """
    plot = Plot(campaign)
    progress, state = Progress(), SessionState(_state_of(persona))
    earlier = list(_earlier_beats(beat, plot))
    for one, outcome in earlier:
        action = ResolvedAction(
            Choice(text=beats.offer_of(one), kind="beat", beat=one.id),
            campaign.places[_place_of(one, campaign, progress)],
            beat=one,
            chance_outcomes={one.id: outcome},
        )
        state = state.apply_patch(beats.patch(effects_of(action, outcome), state.to_dict()))
        flags = dict.fromkeys(beats.consequences(one, outcome), True)
        state = state.apply_patch({"flags": flags}) if flags else state
        progress = progress_after(action, progress, campaign, outcome)
    needed = {flag: True for one in (*(one for one, _ in earlier), beat) for flag in plot.decided_flags(one)}
    state = state.apply_patch({"flags": needed}) if needed else state
    place = _place_of(beat, campaign, progress)
    gathered = {who: place for who in beat.npcs if who in campaign.people and who not in progress.dead}
    progress = msgspec.structs.replace(
        progress,
        scene=0,
        place="",
        visits={name: number for name, number in progress.visits.items() if name != place},
        beat_outcomes={name: how for name, how in progress.beat_outcomes.items() if name in plot.beats},
        beat_scenes={},
        evidence=tuple(one.id for one, _ in earlier if one.id in plot.topics),
        moved_people={**progress.moved_people, **gathered},
        called_beats=(beat.id,),
        ending="",
    )
    is_told_at_once = not beats.offer_of(beat)
    return TrialStart(
        _begin_at(place, beat.id if is_told_at_once else ""),
        Beginning(progress=progress, state=state.to_dict()),
    )


def _state_of(persona: Mapping[str, Any]) -> dict[str, Any]:
    return {"persona": dict(persona)} if persona else {}


def _begin_at(place: str, beat: str = "") -> Choice:
    return msgspec.structs.replace(BEGIN, target=place, beat=beat)


def _place_of(beat: Beat, campaign: Campaign, progress: Progress) -> str:
    """Return where a beat happens; one that can happen anywhere is had where its people are."""
    at = [beat.location, *(place_of(who, campaign, progress) for who in beat.npcs), progress.place]
    return next((place for place in at if place in campaign.places), campaign.start)


def _earlier_beats(beat: Beat, plot: Plot) -> Iterator[tuple[Beat, str]]:
    """Yield what has to come before a beat with how it ended, in an order in which it can have happened."""
    yielded: set[str] = {beat.id}

    def walk(at: Beat, ended: str) -> Iterator[tuple[Beat, str]]:
        causes = [(cause.beat, cause.outcome) for cause in plot.needs_of(at)]
        any_of = at.conditions.requires_any_beat
        if any_of and not any(name in any_of for name, _ in causes):
            causes.append((any_of[0], ""))
        for name, outcome in causes:
            earlier = plot.beats.get(name) or plot.topics.get(name)
            if earlier is not None and name not in yielded:
                yielded.add(name)
                yield from walk(earlier, outcome)
        if at is not beat:
            yield at, ended or next((one.name for one in at.outcomes), "")

    yield from walk(beat, "")
