"""Computes which beats of a campaign can still happen in a story that has come some way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from narratoria.campaign.campaign import Beat, Campaign
from narratoria.campaign.load import flag_changes
from narratoria.campaign.plot import Plot, is_dead_outcome
from narratoria.campaign.reachability import NEVER, Blocker, PossibleState, ReachableState
from narratoria.contracts.json_pointer import join_pointer


@dataclass(frozen=True, slots=True)
class StoryPosition:
    """Holds how far a story has come, and what was done that the plot did not foresee."""

    place: str
    scene: int = 0  # since the story began
    beat_outcomes: Mapping[str, str] = field(default_factory=dict)
    called_beats: Collection[str] = ()
    skipped_beats: Collection[str] = ()
    flags: Collection[str] = ()
    dead: Collection[str] = ()
    killed: Collection[str] = ()  # those of the dead whom no beat let die
    met: Collection[str] = ()
    lost_items: Collection[str] = ()


def can_end(campaign: Campaign, position: StoryPosition) -> bool:
    """Return whether some ending can still be reached; true as well for a campaign that never had one."""
    endings = [beat.id for beat in campaign.beats if beat.ending]
    plot = Plot(campaign)
    could_end = ReachableState(plot, optimistic=True).explore().beats
    if not any(beat in could_end for beat in endings):
        return True
    remaining = RemainingState(plot, optimistic=True, position=position).explore().beats
    return any(beat in remaining for beat in endings if beat not in position.beat_outcomes)


@dataclass
class RemainingState(ReachableState):
    """Holds what can still be reached from where a story stands; whatever might help is assumed to."""

    position: StoryPosition = field(kw_only=True)
    gained_items: set[str] = field(default_factory=set)

    def _start(self) -> None:
        position, people = self.position, self.plot.campaign.people
        self._arrive(position.place)
        self.beats.update(dict.fromkeys(position.beat_outcomes, 0))
        self.flags.update(dict.fromkeys(position.flags, 0))
        for person in people.keys() - set(position.dead):
            for topic in people[person].topics:  # somebody may still be asked
                changes = (flag for flag, on in flag_changes(topic.effects.state) if on)
                self.flags.update(dict.fromkeys((*topic.consequences, *changes), 0))
                self.gained_items.update(topic.effects.gain)
                self._arrive(topic.effects.move_to)

    def _candidates(self) -> list[Beat]:
        position = self.position
        closed = {*position.beat_outcomes, *position.skipped_beats}
        return [beat for name, beat in self.plot.beats.items() if name not in closed]

    def _calls(self, beat: Beat) -> Iterator[int]:
        position = self.position
        if any(person in position.killed for person in participants(beat)):
            return
        if beat.id in position.called_beats:
            yield position.scene
        for source in self.plot.callers.get(beat.id, ()):
            if source.beat in position.beat_outcomes or source.beat in position.skipped_beats:
                continue  # what it called for is called for
            since = min(self.beats.get(source.beat, NEVER), self.waiting.get(source.beat, NEVER))
            if source.wait and since < NEVER:
                yield since + source.wait
            elif not source.wait and source.beat in self.beats and not is_dead_outcome(source, self.plot):
                yield self.beats[source.beat]

    def _follow(self, beat: Beat, scene: int) -> None:
        super()._follow(beat, scene)
        for effects in (beat.effects, *(outcome.effects for outcome in beat.outcomes)):
            self.gained_items.update(effects.gain)

    def opens(self, beat: Beat) -> int:
        return max(super().opens(beat), self.position.scene)

    def _blocked_by_people(self, beat: Beat) -> Iterator[Blocker]:
        position = self.position
        for person, condition in beat.conditions.npc_state.items():
            pointer = join_pointer(["conditions", "npc_state", person])
            is_met = person in position.met
            if person in position.dead and (condition.alive or condition.present):
                yield Blocker(pointer, f"'{person}' must live, and is dead")
            if condition.met is False and is_met:
                yield Blocker(pointer, f"'{person}' must not have been met, and was")
            if condition.met and not is_met and person in position.dead:
                yield Blocker(pointer, f"'{person}' must have been met, and is dead")
        for person in participants(beat):
            if person in position.killed:
                yield Blocker("/npcs", f"'{person}' takes part, and is dead")

    def _possible(self, beat: Beat) -> PossibleState:
        position, requirements = self.position, self.plot.certain(beat)
        certain_flags = {flag: "" for flag in position.flags if flag not in self.plot.clearers}
        return PossibleState(
            self.beats,
            self.flags,
            self.places,
            {**requirements, **position.beat_outcomes},
            {**self.plot.certain_flags(beat), **certain_flags},
            self.opens(beat),
            self.optimistic,
            frozenset(position.lost_items) - self.gained_items,
        )


def participants(beat: Beat) -> frozenset[str]:
    """Return the people a beat cannot happen without, except those it wants dead."""
    wanted_dead = {person for person, state in beat.conditions.npc_state.items() if state.alive is False}
    return frozenset((*beat.npcs, *(line.speaker for line in beat.dialogue))) - wanted_dead
