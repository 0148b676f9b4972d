"""Computes which beats, places and flags a campaign can reach, each with its earliest scene.

Every condition is considered by itself, and whatever might help is assumed to help. A beat that is
unreachable here is unreachable in every story; one that is reachable may still be hard to get to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from narratoria.campaign.campaign import Beat
from narratoria.campaign.expressions import (
    Compare,
    Contains,
    Node,
    Not,
    conjuncts,
    expression_problem,
    parse_expression,
    possible_truth,
)
from narratoria.campaign.load import flag_changes
from narratoria.campaign.plot import Cause, Plot, effects_by_cause, is_dead_outcome, is_offered, state_phrases
from narratoria.contracts.json_pointer import join_pointer

NEVER = 10**9  # a scene that does not come
PLACE = "/location"


@dataclass(frozen=True, slots=True)
class Blocker:
    """Says why a beat cannot happen, with the pointer in the beat's entry."""

    pointer: str
    reason: str


@dataclass(slots=True)
class ReachableState:
    """Holds what can be reached so far; `optimistic` assumes that memory decides in the beat's favour."""

    plot: Plot
    optimistic: bool
    beats: dict[str, int] = field(default_factory=dict)  # beats by the earliest scene
    waiting: dict[str, int] = field(default_factory=dict)  # beats that could be told if one were there
    flags: dict[str, int] = field(default_factory=dict)
    places: set[str] = field(default_factory=set)

    def explore(self) -> ReachableState:
        """Extend the state until nothing more can be reached."""
        self._start()
        beats = self._candidates()
        grown = True
        while grown:
            grown = False
            for beat in beats:
                grown = self._consider(beat) or grown
            beats.reverse()  # what was written from its end grows by one beat a time in the same direction
        return self

    def _start(self) -> None:
        self._arrive(self.plot.campaign.start)

    def _candidates(self) -> list[Beat]:
        return [*self.plot.beats.values(), *self.plot.topics.values()]

    def _consider(self, beat: Beat) -> bool:
        """Return whether the beat can now be reached, or reached earlier."""
        blockers = list(self.blockers(beat))
        calls = list(self._calls(beat))
        by_itself = self.opens(beat) if all(blocker.pointer == PLACE for blocker in blockers) else NEVER
        waits = min([by_itself, *calls])
        comes = calls if not is_offered(beat) or self._can_be_at(beat) else []
        earliest = min([by_itself if not blockers else NEVER, *comes])
        grown = waits < self.waiting.get(beat.id, NEVER) or earliest < self.beats.get(beat.id, NEVER)
        if waits < NEVER:
            self.waiting[beat.id] = min(waits, self.waiting.get(beat.id, NEVER))
        if earliest < self.beats.get(beat.id, NEVER):
            self.beats[beat.id] = earliest
            self._follow(beat, earliest)
        return grown

    def _calls(self, beat: Beat) -> Iterator[int]:
        """Yield the earliest scenes in which other beats call for it, whatever its conditions."""
        for source in self.plot.callers.get(beat.id, ()):
            # a timeout runs out wherever the player is; an outcome comes with what is told
            since = min(self.beats.get(source.beat, NEVER), self.waiting.get(source.beat, NEVER))
            if source.wait and since < NEVER:
                yield since + source.wait
            elif not source.wait and source.beat in self.beats and not is_dead_outcome(source, self.plot):
                yield self.beats[source.beat]

    def _follow(self, beat: Beat, scene: int) -> None:
        for source, consequences, effects in effects_by_cause(beat):
            if source.outcome and is_dead_outcome(source, self.plot):
                continue
            for flag in (*consequences, *(flag for flag, on in flag_changes(effects.state) if on)):
                self.flags[flag] = min(scene, self.flags.get(flag, NEVER))
            self._arrive(effects.move_to)

    def _arrive(self, place: str) -> None:
        waiting = [place]
        while waiting:
            at = waiting.pop()
            if at in self.plot.campaign.places and at not in self.places:
                self.places.add(at)
                waiting += [way.to for way in self.plot.campaign.places[at].ways]

    def _can_be_at(self, beat: Beat) -> bool:
        return not beat.location or beat.location in self.places

    def opens(self, beat: Beat) -> int:
        """Return the first scene in which everything it waits for can have happened."""
        needs = beat.conditions
        scenes = [needs.scene_count.min, self.beats.get(needs.requires_beat, 0)]
        if needs.requires_any_beat:
            scenes.append(min(self.beats.get(name, NEVER) for name in needs.requires_any_beat))
        scenes += [self.beats.get(name, 0) for name in self.plot.certain(beat)]
        scenes += [self.flags.get(flag, 0) for flag in self.plot.decided_flags(beat)]
        return max(scenes)

    # what is in the way

    def blockers(self, beat: Beat) -> Iterator[Blocker]:
        """Yield every reason why the beat cannot happen in this state."""
        yield from self._blocked_by_beats(beat)
        yield from self._blocked_by_states(beat)
        yield from self._blocked_by_people(beat)
        if beat.location and beat.location not in self.places:
            reason = (
                "no way leads there"
                if beat.location in self.plot.campaign.places
                else "there is no such place"
            )
            yield Blocker(PLACE, f"it happens at '{beat.location}', and {reason}")
        yield from self._blocked_by_window(beat)
        yield from self._blocked_by_expression(beat)

    def _blocked_by_beats(self, beat: Beat) -> Iterator[Blocker]:
        needs = beat.conditions
        if needs.requires_beat and needs.requires_beat not in self.beats:
            yield Blocker("/conditions/requires_beat", self._missing(needs.requires_beat))
        if needs.requires_any_beat and not any(name in self.beats for name in needs.requires_any_beat):
            names = ", ".join(needs.requires_any_beat)
            yield Blocker("/conditions/requires_any_beat", f"it requires one of {names}, and none can happen")
        for one, other in self._outcomes_at_odds(beat):
            yield Blocker(
                "/conditions", f"it needs '{one.beat}' to end in '{one.outcome}' and in '{other}' as well"
            )

    def _missing(self, name: str) -> str:
        if name not in self.plot.beats:
            return f"it requires '{name}', and there is no such beat"
        return f"it requires '{name}', which can never happen"

    def _outcomes_at_odds(self, beat: Beat) -> Iterator[tuple[Cause, str]]:
        outcomes: dict[str, str] = {}
        for source in self.plot.needs_of(beat):
            if source.outcome:
                first = outcomes.setdefault(source.beat, source.outcome)
                if first != source.outcome:
                    yield Cause(source.beat, first), source.outcome

    def _blocked_by_states(self, beat: Beat) -> Iterator[Blocker]:
        for pointer, phrase in state_phrases(beat):
            if phrase in self.flags or (self.optimistic and phrase not in self.plot.settled):
                continue
            setters = sorted({source.beat for source in self.plot.setters.get(phrase, ())})
            why = f"only {', '.join(setters)} could bring it about" if setters else "no beat brings it about"
            yield Blocker(pointer, f"“{phrase}” must be so, and {why}")

    def _blocked_by_people(self, beat: Beat) -> Iterator[Blocker]:
        requirements = self.plot.certain(beat)
        for person, condition in beat.conditions.npc_state.items():
            pointer = join_pointer(["conditions", "npc_state", person])
            killers = self.plot.killers.get(person, set())
            if condition.alive is False and not any(source.beat in self.beats for source in killers):
                yield Blocker(
                    pointer, f"'{person}' must be dead, and no beat that can happen brings that about"
                )
            if condition.alive is True or condition.present is True:
                killer = next(
                    (
                        s
                        for s in sorted(killers)
                        if s.beat in requirements and s.outcome in ("", requirements[s.beat])
                    ),
                    None,
                )
                if killer:
                    yield Blocker(
                        pointer, f"'{person}' must live, and dies in '{killer.beat}', which must come before"
                    )

    def _blocked_by_window(self, beat: Beat) -> Iterator[Blocker]:
        latest = beat.conditions.scene_count.max if beat.skippable else None
        if beat.conditions.scene_count.max is not None and (
            beat.conditions.scene_count.min > beat.conditions.scene_count.max
        ):
            yield Blocker("/conditions/scene_count", "its window closes before it opens")
        elif latest is not None and self.opens(beat) > latest:
            reason = (
                f"its window closes after scene {latest}, and what it waits for cannot come before scene "
            )
            scene = self.opens(beat)
            if scene < NEVER:
                yield Blocker("/conditions/scene_count", f"{reason}{scene}")

    def _blocked_by_expression(self, beat: Beat) -> Iterator[Blocker]:
        custom = beat.conditions.custom
        if not custom:
            return
        pointer = "/conditions/custom"
        if expression_problem(custom):
            yield Blocker(pointer, "its expression cannot be read")
            return
        view = BeatContext(beat, self._possible(beat))
        for node in conjuncts(parse_expression(custom)):
            if not possible_truth(node, view)[0]:
                yield Blocker(pointer, f"its expression can never be true: {view.why(node)}")
                return
        asked = set(self.plot.decided_flags(beat))
        for node in conjuncts(parse_expression(custom)):
            match node:
                case Not(Contains("flags", flag)) if flag in asked:
                    yield Blocker(pointer, f"“{flag}” must be so and must not be so")
                case _:
                    pass

    def _possible(self, beat: Beat) -> PossibleState:
        requirements = self.plot.certain(beat)
        flags, opens = self.plot.certain_flags(beat), self.opens(beat)
        return PossibleState(self.beats, self.flags, self.places, requirements, flags, opens, self.optimistic)


@dataclass(frozen=True, slots=True)
class PossibleState:
    """Holds what can be reached at all, and what is certain when a beat is considered."""

    beats: Collection[str]
    flags: Collection[str]
    places: Collection[str]
    certain_beats: Mapping[str, str]  # with the outcome, where that is certain too
    certain_flags: Mapping[str, str]  # with the beat that brings it about
    opens: int  # the first scene in which the beat can happen
    optimistic: bool
    lost_items: Collection[str] = ()  # what the player cannot come by any more


class BeatContext:
    """Decides for one beat what its expression may find true or false."""

    def __init__(self, beat: Beat, possible: PossibleState) -> None:
        self._beat, self._possible = beat, possible
        self._first = possible.opens
        self._last = beat.conditions.scene_count.max if beat.skippable else None
        for node in conjuncts(parse_expression(beat.conditions.custom)):
            self._narrow(node)

    def _narrow(self, node: Node) -> None:
        match node:
            case Compare(("scene",), op, int(number)):
                if op in (">", ">=", "=="):
                    self._first = max(self._first, number + (op == ">"))
                if op in ("<", "<=", "=="):
                    last = number - (op == "<")
                    self._last = last if self._last is None else min(last, self._last)
            case _:
                pass

    def has(self, name: str, value: str) -> tuple[bool, bool]:
        if name == "flags":
            return value in self._possible.flags, value not in self._possible.certain_flags
        if name == "told":
            return value in self._possible.beats, value not in self._possible.certain_beats
        if name == "items":
            return value not in self._possible.lost_items, True
        return True, True

    def compare(self, path: tuple[str, ...], op: str, value: Any) -> tuple[bool, bool]:
        match path, value:
            case ("scene",), int() | float():
                return self._scene(op, value)
            case ("place",), str():
                return self._place(op, value)
            case ("told", name), str():
                ended = self._possible.certain_beats.get(name, "")
                possible = name in self._possible.beats and (not ended or op != "==" or ended == value)
                return possible, True
            case _:
                return True, True

    def anything(self) -> tuple[bool, bool]:
        return (True, True) if self._possible.optimistic else (False, False)

    def _scene(self, op: str, value: float) -> tuple[bool, bool]:
        first, last = self._first, self._last
        if last is not None and first > last:
            return False, True
        true = {
            "<": first < value,
            "<=": first <= value,
            ">": last is None or last > value,
            ">=": last is None or last >= value,
            "==": first <= value and (last is None or value <= last),
            "!=": True,
        }[op]
        return true, True

    def _place(self, op: str, value: str) -> tuple[bool, bool]:
        here = self._beat.location
        if op == "==":
            return value in self._possible.places and here in ("", value), here != value
        return (here != value if here else True), True

    def why(self, node: Node) -> str:
        """Explain why a part of the expression cannot hold."""
        reason = "its parts exclude each other"
        match node:
            case Contains("flags", flag):
                reason = f"no beat that can happen brings “{flag}” about"
            case Not(Contains("flags", flag)):
                by = self._possible.certain_flags[flag]
                reason = f"“{flag}” comes about in '{by}', which must come before"
            case Contains("told", name):
                reason = f"'{name}' can never happen"
            case Not(Contains("told", name)):
                reason = f"'{name}' must come before"
            case Compare(("scene",), _, _):
                last = "on" if self._last is None else f"to {self._last}"
                reason = f"it asks for a scene outside of those from {self._possible.opens} {last}"
            case Compare(("place",), _, value):
                reason = f"one cannot be at '{value}' then"
            case Compare(("told", name), _, value):
                reason = f"'{name}' cannot have ended in '{value}'"
        return reason
