"""Applies the campaign's rules, or two dice: formulas, bands, and what helps or hinders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

from narratoria.campaign.campaign import Beat, Campaign, Rules
from narratoria.engine import beats, sentiment
from narratoria.engine.conditions import StorySituation
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.people import named_in, people_at

DICE = "2d6"
OUTCOMES = ("success", "partial success", "failure")
UNDECIDED = "partial success"  # when no dice could be rolled, things go as they mostly do
EASY, RISKY, HARD = 0.85, 0.6, 0.35  # the least chance that it does not fail, for each word
MIN_RELEVANCE = 0.3  # of relevance: a triumph or a failure that has to do with what is being done
Difficulty: TypeAlias = Literal["easy", "risky", "hard", "unlikely"]
_DICE = re.compile(r"\s*(\d*)\s*[dD]\s*(\d+)\s*(?:([+\-−])\s*(\d+)\s*)?")
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Modifier:
    """Holds something that counts towards a roll, with its receipt."""

    value: int
    kind: Literal["memory", "state", "beat", "standing"]
    id: str
    text: str


def modifiers(
    beat: Beat | None,
    text: str,
    situation: StorySituation,
    recall_result: RecallResult = NOTHING,
    people: Sequence[str] = (),
) -> tuple[Modifier, ...]:
    """Return all that counts for an action on these people, at most as much as the rules allow together."""
    rules = situation.campaign.rules.modifiers
    result = [
        *_trait(beat, text, situation, rules.trait),
        *_sentiment(beat, text, situation, rules.sentiment, people),
        *_callback(beat, situation, recall_result, rules.callback),
        *_stat(beat, situation, rules.stat),
    ]
    result = [modifier for modifier in result if modifier.value]
    while abs(sum(modifier.value for modifier in result)) > rules.most and result:
        result = _less(result, rules.most)
    return tuple(result)


def _less(candidates: list[Modifier], most: int) -> list[Modifier]:
    """Return the modifiers with the last one that points that way reduced, or removed."""
    total = sum(modifier.value for modifier in candidates)
    sign = 1 if total > 0 else -1
    at = max(i for i, modifier in enumerate(candidates) if modifier.value * sign > 0)
    over = abs(total) - most
    value = candidates[at].value - sign * min(over, abs(candidates[at].value))
    last = candidates[at]
    replacement = [Modifier(value, last.kind, last.id, last.text)] if value else []
    return [*candidates[:at], *replacement, *candidates[at + 1 :]]


def _trait(beat: Beat | None, text: str, situation: StorySituation, value: int) -> list[Modifier]:
    persona = _persona(situation.state)
    about = f"{text} {beat.title} {beat.stat} {' '.join(beat.tags)}" if beat else text
    words = _stems(about)
    for trait in persona.get("traits") or ():
        if isinstance(trait, str) and _stems(trait) & words:
            return [Modifier(value, "state", f"persona.traits.{trait}", f"you are {trait}")]
    return []


def _sentiment(
    beat: Beat | None, text: str, situation: StorySituation, value: int, people: Sequence[str]
) -> list[Modifier]:
    """Return what the person who is rolled against thinks, by its tier; else the mood of those present."""
    campaign, state = situation.campaign, situation.state
    targets = tuple(dict.fromkeys([*(beat.npcs if beat else ()), *people, *named_in(text, campaign)]))
    for person in targets:
        if steps := sentiment.tier(person, state):
            return [Modifier(steps * value, "standing", person, sentiment.opinion(person, campaign, state))]
    if targets:
        return []
    place = (beat.location if beat else "") or situation.progress.place
    steps_by_person = {
        person: steps
        for person in people_at(place, campaign, situation.progress)
        if (steps := sentiment.tier(person, state))
    }
    mood = sum(1 if steps > 0 else -1 for steps in steps_by_person.values())
    if not mood:
        return []
    sign = 1 if mood > 0 else -1
    strongest = max(steps_by_person, key=lambda person: sign * steps_by_person[person])
    reason = sentiment.opinion(strongest, campaign, state)
    return [Modifier(sign * value, "standing", strongest, f"{reason}, and is here")]


def _callback(
    beat: Beat | None, situation: StorySituation, recall_result: RecallResult, value: int
) -> list[Modifier]:
    if beat and (earlier := callbacks(beat, situation)):
        last = situation.campaign.beat(earlier[-1])
        consequences = beats.consequences(last, situation.progress.beat_outcomes[last.id]) if last else ()
        return [
            Modifier(
                value, "beat", earlier[-1], consequences[-1] if consequences else (last.title if last else "")
            )
        ]
    for memory in recall_result.memories:
        if memory.episodic and memory.relevance >= MIN_RELEVANCE:
            return [Modifier(value, "memory", memory.id, memory.summary)]
    return []


def callbacks(beat: Beat, situation: StorySituation) -> tuple[str, ...]:
    """Return the earlier beats that have to do with this one, and that the player has learned from."""
    return tuple(
        earlier.id
        for earlier in situation.campaign.beats
        if earlier.id in situation.progress.beat_outcomes
        and earlier.id != beat.id
        and set(earlier.tags) & set(beat.tags)
        and beats.offer_of(earlier)
    )


def _stat(beat: Beat | None, situation: StorySituation, how: str) -> list[Modifier]:
    if beat is None or not beat.stat or how == "none":
        return []
    stats = _persona(situation.state).get("stats")
    value = stats.get(beat.stat) if isinstance(stats, Mapping) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return []
    bonus = int(value) if how == "bonus" else int(value / 2)
    return [Modifier(bonus, "state", f"persona.stats.{beat.stat}", f"your {beat.stat} is {value:g}")]


def formula(rules: Rules, applicable: tuple[Modifier, ...]) -> str:
    """Return the dice and one number: `2d6+1`."""
    count, sides, constant = parts(rules.dice)
    total = constant + sum(modifier.value for modifier in applicable)
    return f"{count}d{sides}" + (f"{total:+d}" if total else "")


def parts(dice: str) -> tuple[int, int, int]:
    """Return dice, sides and a number; those of two dice for a formula that cannot be read."""
    match = _DICE.fullmatch(dice)
    if not match:
        return 2, 6, 0
    count, sides = int(match[1] or 1), int(match[2])
    number = int(match[4] or 0) * (-1 if match[3] in ("-", "−") else 1)
    return (count, sides, number) if 1 <= count <= 100 and 2 <= sides <= 1000 else (2, 6, 0)


def band(total: int, rules: Rules) -> str:
    """Return the highest band that a roll reaches."""
    bands = [each for each in rules.bands if total >= each.min]
    if not bands:
        return min(rules.bands, key=lambda each: each.min).name if rules.bands else UNDECIDED
    return max(bands, key=lambda each: each.min).name


def outcome_for(beat: Beat, band_name: str, rules: Rules) -> str:
    """Return the outcome of a beat for a band: its own name, or the nearest band that the beat knows of."""
    if not beat.outcomes or beat.outcome(band_name):
        return band_name
    order = [each.name for each in sorted(rules.bands, key=lambda each: each.min)]
    if band_name not in order:
        band_name = UNDECIDED if UNDECIDED in order else order[len(order) // 2] if order else band_name
    at = order.index(band_name) if band_name in order else 0
    distances = [(abs(i - at), i, name) for i, name in enumerate(order) if beat.outcome(name)]
    return min(distances)[2] if distances else beat.outcomes[0].name


def difficulty(formula_: str, rules: Rules) -> Difficulty:
    """Return in a word how likely a roll is not to fail."""
    count, sides, number = parts(formula_)
    worst = min(rules.bands, key=lambda each: each.min).name if rules.bands else "failure"
    sums = _sums(count, sides)
    good = sum(weight for total, weight in sums.items() if band(total + number, rules) != worst)
    chance = good / sum(sums.values())
    return (
        "easy" if chance >= EASY else "risky" if chance >= RISKY else "hard" if chance >= HARD else "unlikely"
    )


def _sums(count: int, sides: int) -> dict[int, float]:
    sums: dict[int, float] = {0: 1.0}
    for _ in range(count):
        following: dict[int, float] = {}
        for (total, weight), face in product(sums.items(), range(1, sides + 1)):
            following[total + face] = following.get(total + face, 0.0) + weight / sides
        sums = following
    return sums


def bands_for(beat: Beat | None, campaign: Campaign) -> tuple[str, ...]:
    """Return every way in which a roll can end, the best first."""
    bands = sorted(campaign.rules.bands, key=lambda each: -each.min)
    names = tuple(dict.fromkeys(each.name for each in bands)) or OUTCOMES
    beat_outcomes = tuple(outcome.name for outcome in beat.outcomes) if beat else ()
    return tuple(dict.fromkeys((*names, *beat_outcomes)))


def _persona(state: Mapping[str, Any]) -> Mapping[str, Any]:
    persona = state.get("persona")
    return persona if isinstance(persona, Mapping) else {}


def _stems(text: str) -> set[str]:
    return {word.casefold()[:5] for word in _WORD.findall(text)}
