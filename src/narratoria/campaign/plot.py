"""Indexes what a campaign's beats cause and require."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from narratoria.campaign.campaign import Beat, BeatOutcome, Campaign, Effects, Topic
from narratoria.campaign.expressions import Compare, Contains, conjuncts, parse_expression
from narratoria.campaign.load import flag_changes
from narratoria.contracts.json_pointer import join_pointer


class Cause(NamedTuple):
    """Names a beat that causes something, and the outcome it must end in; "" for any."""

    beat: str
    outcome: str = ""
    wait: int = 0  # scenes, where it is called for only after them


class Plot:
    """Indexes who sets and clears which flag, who kills whom, who calls whom, and what requires what."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.beats: dict[str, Beat] = {}
        self.topics = {one.id: one for one in _topics_as_beats(campaign)}
        self.setters: dict[str, set[Cause]] = {}
        self.clearers: dict[str, set[Cause]] = {}
        self.killers: dict[str, set[Cause]] = {}
        self.callers: dict[str, set[Cause]] = {}
        self._certain: dict[str, dict[str, str]] = {}
        self._certain_flags: dict[str, dict[str, str]] = {}
        self._needs: dict[str, tuple[Cause, ...]] = {}
        for beat in campaign.beats:
            if self.beats.setdefault(beat.id, beat) is beat:  # of two with one name the first stays
                self._note(beat)
        for topic in self.topics.values():
            self._note(topic)

    def _note(self, beat: Beat) -> None:
        for source, consequences, effects in effects_by_cause(beat):
            for flag in consequences:
                self.setters.setdefault(flag, set()).add(source)
            for flag, on in flag_changes(effects.state):
                (self.setters if on else self.clearers).setdefault(flag, set()).add(source)
            for person in effects.dies:
                self.killers.setdefault(person, set()).add(source)
        for outcome in beat.outcomes:
            if outcome.next_beat:
                self.callers.setdefault(outcome.next_beat, set()).add(Cause(beat.id, outcome.name))
        if beat.timeout:
            # without a beat in its stead, one that must not be skipped is called itself
            instead = beat.timeout.fallback_beat
            has_fallback = any(other.id == instead for other in self.campaign.beats)
            if called := instead if has_fallback else "" if beat.skippable else beat.id:
                self.callers.setdefault(called, set()).add(Cause(beat.id, wait=beat.timeout.scenes))

    @cached_property
    def settled(self) -> frozenset[str]:
        """Return the phrases that consequences set, which are therefore never decided by memory."""
        return frozenset(
            flag
            for beat in (*self.beats.values(), *self.topics.values())
            for _, consequences, _ in effects_by_cause(beat)
            for flag in consequences
        )

    def decided_flags(self, beat: Beat) -> Iterator[str]:
        """Yield the flags the beat requires, without those that memory may decide."""
        yield from (phrase for _, phrase in state_phrases(beat) if phrase in self.settled)
        yield from expression_flags(beat)

    def certain(self, beat: Beat) -> dict[str, str]:
        """Return the beats that must precede this one, each with the outcome it must have ended in."""
        if beat.id in self._certain:
            return self._certain[beat.id]
        requirements: dict[str, str] = {}
        waiting = [beat]
        while waiting:
            at = waiting.pop()
            if at.id != beat.id and at.id in self.callers:
                continue  # it may have come without its conditions
            for source in self.needs_of(at):
                if source.beat in requirements and (requirements[source.beat] or not source.outcome):
                    continue
                requirements[source.beat] = source.outcome or requirements.get(source.beat, "")
                if (cause := self._look_up(source.beat)) and cause.id != beat.id:
                    waiting.append(cause)
        self._certain[beat.id] = requirements
        return requirements

    def needs_of(self, beat: Beat) -> tuple[Cause, ...]:
        """Return what must directly precede the beat, where only one beat can cause it."""
        if beat.id not in self._needs:
            self._needs[beat.id] = tuple(self._look_up_needs(beat))
        return self._needs[beat.id]

    def _look_up_needs(self, beat: Beat) -> Iterator[Cause]:
        needs = beat.conditions
        if needs.requires_beat:
            yield Cause(needs.requires_beat)
        if len(needs.requires_any_beat) == 1:
            yield Cause(needs.requires_any_beat[0])
        for flag in self.decided_flags(beat):
            setters = self.setters.get(flag, set())
            if len(setters) == 1:
                yield next(iter(setters))
        for node in conjuncts(parse_expression(needs.custom)) if needs.custom else ():
            match node:
                case Contains("told", name):
                    yield Cause(name)
                case Compare(("told", name), "==", str(outcome)):
                    yield Cause(name, outcome)
                case _:
                    pass

    def certain_flags(self, beat: Beat) -> dict[str, str]:
        """Return the flags those beats set, with the beat, except flags that some beat may clear."""
        if beat.id not in self._certain_flags:
            requirements = self.certain(beat)
            self._certain_flags[beat.id] = {
                flag: name
                for name, outcome in requirements.items()
                if (cause := self._look_up(name))
                for source, consequences, effects in effects_by_cause(cause)
                if source.outcome in ("", outcome)
                for flag in (*consequences, *(flag for flag, on in flag_changes(effects.state) if on))
                if flag not in self.clearers
            }
        return self._certain_flags[beat.id]

    def _look_up(self, name: str) -> Beat | None:
        return self.beats.get(name) or self.topics.get(name)


def _topics_as_beats(campaign: Campaign) -> Iterator[Beat]:
    """Yield every topic as a beat that can be told wherever its person may be."""
    for person, profile in campaign.people.items():
        for topic in profile.topics:
            yield Beat(
                id=f"{person}/topic/{topic.id}",
                title=topic.ask,
                description=topic.answer,
                conditions=topic.conditions,
                consequences=topic.consequences,
                effects=topic.effects,
            )


def effects_by_cause(beat: Beat) -> Iterator[tuple[Cause, tuple[str, ...], Effects]]:
    """Yield what a beat causes in any case, and with each of its outcomes."""
    yield Cause(beat.id), beat.consequences, beat.effects
    for outcome in beat.outcomes:
        yield Cause(beat.id, outcome.name), outcome.consequences, outcome.effects


def expression_flags(beat: Beat) -> set[str]:
    """Return the flags without which the beat's expression is false."""
    nodes = conjuncts(parse_expression(beat.conditions.custom)) if beat.conditions.custom else ()
    return {node.value for node in nodes if isinstance(node, Contains) and node.name == "flags"}


def state_phrases(beat: Beat | Topic) -> Iterator[tuple[str, str]]:
    """Yield the states in the beat's conditions, with their pointers in its entry."""
    needs = beat.conditions
    for name, state in (("player_state", needs.player_state), ("world_state", needs.world_state)):
        if isinstance(state, str):
            if state:
                yield f"/conditions/{name}", state
        else:
            yield from ((f"/conditions/{name}/{at}", phrase) for at, phrase in enumerate(state) if phrase)
    for person, condition in needs.npc_state.items():
        if condition.state:
            yield join_pointer(["conditions", "npc_state", person, "state"]), condition.state


def is_offered(beat: Beat) -> bool:
    return bool(beat.conditions.player_choice or beat.conditions.player_choices)


def is_dead_outcome(source: Cause, plot: Plot) -> bool:
    """Return whether a beat can never end with this outcome."""
    outcome = plot.beats[source.beat].outcome(source.outcome) if source.outcome else None
    return outcome is not None and bool(dead_outcome_reason(plot.beats[source.beat], outcome, plot.campaign))


def dead_outcome_reason(beat: Beat, outcome: BeatOutcome, campaign: Campaign) -> str:
    """Return why a beat can never end with this outcome; empty where it can."""
    if outcome.probability == 0 and any(other.probability for other in beat.outcomes):
        return "its probability is 0"
    bands = [band.name for band in campaign.rules.bands]
    if beat.is_risky and outcome.name not in bands:
        return f"no roll ends like that; the rules know {', '.join(bands)}"
    return ""
