"""Checks the conditions of a beat: whether they hold, and whether they can ever hold again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Conditions, NpcState, Window
from narratoria.campaign.expressions import (
    LONGEST,
    NAMES,
    compile_expression,
    expression_problem,
    names_in,
)
from narratoria.campaign.remaining import participants
from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.engine.people import bring_company, place_of
from narratoria.engine.snapshot import Progress


@dataclass(frozen=True, slots=True)
class StorySituation:
    """Holds everything that conditions are judged by."""

    campaign: Campaign
    progress: Progress
    flags: AbstractSet[str]
    state: Mapping[str, Any] = field(default_factory=dict)
    borne_out: AbstractSet[str] = frozenset()  # prose that a memory bears out
    limits: ContentLimits = NO_LIMITS

    def is_so(self, phrase: str) -> bool:
        return phrase in self.flags or phrase in self.borne_out

    def move_to(self, place: str) -> StorySituation:
        """Return the same situation with the player at another place; unchanged without one."""
        if place in ("", self.progress.place):
            return self
        progress = bring_company(self.progress, place)
        return replace(self, progress=msgspec.structs.replace(progress, place=place))


# everything that the evaluator raises for an expression, a missing key among them
_REFUSALS = (ValueError, RuntimeError, TypeError, LookupError, ArithmeticError)


class BadExpression(Exception):
    """A `custom` condition that cannot be evaluated; the message says why."""


def hold(beat: Beat, situation: StorySituation) -> bool:
    """Return whether everything but the place and the player's choice allows the beat."""
    return next(failing(beat.conditions, situation), None) is None


def failing(needs: Conditions, situation: StorySituation) -> Iterator[str]:
    """Yield what is not so, in the author's terms, cheapest first."""
    progress, latest = situation.progress, needs.scene_count.max
    if progress.age < needs.scene_count.min:
        yield f"scene {needs.scene_count.min} has not come"
    if latest is not None and progress.age > latest:
        yield f"scene {latest} is over"
    if needs.requires_beat and needs.requires_beat not in progress.beat_outcomes:
        yield f"{needs.requires_beat} has not happened"
    if needs.requires_any_beat and not any(
        beat in progress.beat_outcomes for beat in needs.requires_any_beat
    ):
        yield f"none of {', '.join(needs.requires_any_beat)} has happened"
    for phrase in (*phrases(needs.player_state), *phrases(needs.world_state)):
        if not situation.is_so(phrase):
            yield f"“{phrase}” is not so"
    for person, condition in needs.npc_state.items():
        yield from _failing_person(person, condition, situation)
    if needs.custom:
        try:
            if not evaluate(needs.custom, situation):
                yield f"{needs.custom} is not true"
        except BadExpression as error:
            yield str(error)


def _failing_person(person: str, condition: NpcState, situation: StorySituation) -> Iterator[str]:
    progress = situation.progress
    if condition.met is not None and (person in progress.met_people) is not condition.met:
        yield f"{person} was {'never' if condition.met else 'already'} met"
    if condition.alive is not None and (person not in progress.dead) is not condition.alive:
        yield f"{person} is {'dead' if condition.alive else 'alive'}"
    if condition.present is not None:
        here = place_of(person, situation.campaign, progress) == progress.place != ""
        if here is not condition.present:
            yield f"{person} is {'not ' if condition.present else ''}here"
    if condition.perception is not None:
        score = earned_opinion(person, situation.state)
        if not _within(score, condition.perception):
            yield f"{person} thinks {score:+g} of the player"
    if condition.state and not situation.is_so(condition.state):
        yield f"“{condition.state}” is not so"


def _within(value: float, window: Window) -> bool:
    return window.min <= value and (window.max is None or value <= window.max)


def perception_of(person: str, state: Mapping[str, Any]) -> float:
    """Return what a person thinks of the player, from -100 to +100; nothing known is 0."""
    return _score_in("perception", person, state)


def earned_opinion(person: str, state: Mapping[str, Any]) -> int:
    """Return what a person thinks of what the player did, in whole points: without looks and luck.

    An author can foresee what beats add, and what a faction thinks, but no first impression.
    """
    return round(perception_of(person, state) - _score_in("impressions", person, state))


def _score_in(ledger: str, person: str, state: Mapping[str, Any]) -> float:
    opinions = state.get(ledger)
    score = opinions.get(person) if isinstance(opinions, Mapping) else None
    if isinstance(score, Mapping):  # a skill may keep more beside it
        score = score.get("score")
    return float(score) if isinstance(score, int | float) and not isinstance(score, bool) else 0.0


def evaluate(expression: str, situation: StorySituation) -> bool:
    """Evaluate a CEL expression; raise BadExpression when it does not come to true or false."""
    if len(expression) > LONGEST:
        raise BadExpression(f"custom: an expression has at most {LONGEST} characters")
    try:
        value = compile_expression(expression).execute(_variables(situation, names_in(expression)))
    except _REFUSALS as error:
        reason = (str(error).splitlines() or ["cannot be evaluated"])[0]
        raise BadExpression(f"custom: {expression}: {reason}") from None
    if not isinstance(value, bool):
        raise BadExpression(f"custom: {expression}: is neither true nor false but {value!r}")
    return value


def _variables(situation: StorySituation, names: AbstractSet[str]) -> dict[str, Any]:
    """Return what these names stand for: the evaluator copies all it is given, and a state is large."""
    return {name: _VALUES[name](situation) for name in names if name in _VALUES}


def _persona(situation: StorySituation) -> Mapping[str, Any]:
    persona = situation.state.get("persona")
    return persona if isinstance(persona, Mapping) else {}


def _opinions(situation: StorySituation) -> dict[str, float]:
    people, state = situation.campaign.people, situation.state
    return {person: float(earned_opinion(person, state)) for person in people}


def _numbers(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        return {}
    return {name: float(score) for name, score in value.items() if isinstance(score, int | float)}


def items_of(state: Mapping[str, Any]) -> list[str]:
    persona = state.get("persona")
    items = persona.get("items") if isinstance(persona, Mapping) else None
    return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []


_VALUES: Mapping[str, Callable[[StorySituation], Any]] = dict(
    zip(
        NAMES,
        (
            lambda situation: sorted(situation.flags),
            lambda situation: situation.progress.age,
            lambda situation: dict(situation.progress.beat_outcomes),
            lambda situation: situation.progress.place,
            _persona,
            lambda situation: _persona(situation).get("stats") or {},
            lambda situation: items_of(situation.state),
            _opinions,
            lambda situation: _numbers(situation.state.get("reputation")),
            lambda situation: dict(situation.state),
            lambda situation: list(situation.progress.met_people),
        ),
        strict=True,
    )
)


def never_again(beat: Beat, situation: StorySituation) -> str:
    """Return why a beat that was not told cannot happen any more; empty while it can."""
    return next(_impossible(beat, situation), "")


def _impossible(beat: Beat, situation: StorySituation) -> Iterator[str]:
    needs, progress = beat.conditions, situation.progress
    latest = needs.scene_count.max
    if beat.skippable and latest is not None and progress.age > latest:
        yield f"scene {latest} is over"
    if needs.requires_beat in progress.skipped_beats:
        yield f"{needs.requires_beat} was skipped"
    if needs.requires_any_beat and all(
        earlier in progress.skipped_beats for earlier in needs.requires_any_beat
    ):
        yield f"{', '.join(needs.requires_any_beat)} were skipped"
    for person, condition in needs.npc_state.items():
        if person in progress.dead and (condition.alive or condition.present):
            yield f"{person} is dead"
    for person in sorted(missing_participants(beat, situation)):
        yield f"{person} is dead"
    if beat.location and beat.location not in situation.campaign.places:
        yield f"there is no place {beat.location}"
    if needs.custom and (problem := expression_problem(needs.custom)):
        yield f"custom: {problem}"


def killed_people(situation: StorySituation) -> frozenset[str]:
    """Return the dead whom no beat let die: the plot still counts on them."""
    progress = situation.progress
    if not progress.dead:
        return frozenset()
    told_beats = [beat for beat in situation.campaign.beats if beat.id in progress.beat_outcomes]
    foreseen = {
        person
        for beat in told_beats
        for effects in (beat.effects, *(outcome.effects for outcome in beat.outcomes))
        for person in effects.dies
    }
    return frozenset(progress.dead) - foreseen


def missing_participants(beat: Beat, situation: StorySituation) -> frozenset[str]:
    """Return the people without whom a beat cannot happen and who are dead against the plot."""
    return participants(beat) & killed_people(situation) if situation.progress.dead else frozenset()


def phrases(state: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(phrase for phrase in ((state,) if isinstance(state, str) else state) if phrase)


def prose_conditions(campaign: Campaign, progress: Progress, flags: AbstractSet[str]) -> tuple[str, ...]:
    """Return what a memory may decide: states of beats to come that no beat or topic brings about by itself.

    Where the author says what brings a thing about, that decides it and no likeness of words.
    """
    authored_flags = {
        flag
        for beat in campaign.beats
        for flag in (*beat.consequences, *(each for end in beat.outcomes for each in end.consequences))
    }
    authored_flags |= {
        flag for person in campaign.people.values() for topic in person.topics for flag in topic.consequences
    }
    candidates = (
        phrase
        for beat in campaign.beats
        if beat.id not in progress.beat_outcomes and beat.id not in progress.skipped_beats
        for phrase in (
            *phrases(beat.conditions.player_state),
            *phrases(beat.conditions.world_state),
            *(person.state for person in beat.conditions.npc_state.values() if person.state),
        )
    )
    return tuple(
        dict.fromkeys(phrase for phrase in candidates if phrase not in authored_flags and phrase not in flags)
    )
