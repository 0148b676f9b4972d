"""Dice, bands and what helps or hinders: the campaign's rules, or two dice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

from narratoria.campaign.campaign import Beat, Campaign, Rules
from narratoria.engine import beats, sentiment
from narratoria.engine.conditions import Situation
from narratoria.engine.memory.recall import NOTHING, RecallResult
from narratoria.engine.people import named_in

DICE = "2d6"
OUTCOMES = ("success", "partial success", "failure")
UNDECIDED = "partial success"  # when no dice could be rolled, things go as they mostly do
EASY, RISKY, HARD = 0.85, 0.6, 0.35  # the least chance that it does not fail, for each word
RELATED = 0.3  # of relevance: a triumph or a failure that has to do with what is being done
Difficulty: TypeAlias = Literal["easy", "risky", "hard", "unlikely"]
_DICE = re.compile(r"\s*(\d*)\s*[dD]\s*(\d+)\s*(?:([+\-−])\s*(\d+)\s*)?")
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Modifier:
    """Something that counts towards a roll, with its receipt."""

    value: int
    kind: Literal["memory", "state", "beat", "standing"]
    id: str
    text: str


def modifiers(
    beat: Beat | None, text: str, situation: Situation, known: RecallResult = NOTHING
) -> tuple[Modifier, ...]:
    """All that counts for this action, at most as much as the rules allow together."""
    rules = situation.campaign.rules.modifiers
    found = [
        *_trait(beat, text, situation, rules.trait),
        *_sentiment(beat, text, situation, rules.sentiment),
        *_callback(beat, situation, known, rules.callback),
        *_stat(beat, situation, rules.stat),
    ]
    found = [modifier for modifier in found if modifier.value]
    while abs(sum(modifier.value for modifier in found)) > rules.most and found:
        found = _less(found, rules.most)
    return tuple(found)


def _less(found: list[Modifier], most: int) -> list[Modifier]:
    """The last one that points that way counts for less, or not at all."""
    total = sum(modifier.value for modifier in found)
    sign = 1 if total > 0 else -1
    at = max(i for i, modifier in enumerate(found) if modifier.value * sign > 0)
    over = abs(total) - most
    kept = found[at].value - sign * min(over, abs(found[at].value))
    last = found[at]
    replaced = [Modifier(kept, last.kind, last.id, last.text)] if kept else []
    return [*found[:at], *replaced, *found[at + 1 :]]


def _trait(beat: Beat | None, text: str, situation: Situation, value: int) -> list[Modifier]:
    persona = _persona(situation.state)
    about = f"{text} {beat.title} {beat.stat} {' '.join(beat.tags)}" if beat else text
    words = _stems(about)
    for trait in persona.get("traits") or ():
        if isinstance(trait, str) and _stems(trait) & words:
            return [Modifier(value, "state", f"persona.traits.{trait}", f"you are {trait}")]
    return []


def _sentiment(beat: Beat | None, text: str, situation: Situation, value: int) -> list[Modifier]:
    people = [*(beat.npcs if beat else ()), *named_in(text, situation.campaign)]
    for person in dict.fromkeys(people):
        if helps := sentiment.helps(person, situation.state):
            reason = sentiment.opinion(person, situation.campaign, situation.state)
            return [Modifier(helps * value, "standing", person, reason)]
    return []


def _callback(beat: Beat | None, situation: Situation, known: RecallResult, value: int) -> list[Modifier]:
    if beat and (earlier := callbacks(beat, situation)):
        last = situation.campaign.beat(earlier[-1])
        left = beats.consequences(last, situation.progress.told[last.id]) if last else ()
        return [Modifier(value, "beat", earlier[-1], left[-1] if left else (last.title if last else ""))]
    for memory in known.memories:
        if memory.episodic and memory.relevance >= RELATED:
            return [Modifier(value, "memory", memory.id, memory.summary)]
    return []


def callbacks(beat: Beat, situation: Situation) -> tuple[str, ...]:
    """The beats of before that have to do with this one: what went well, and what one has learned from."""
    return tuple(
        earlier.id
        for earlier in situation.campaign.beats
        if earlier.id in situation.progress.told
        and earlier.id != beat.id
        and set(earlier.tags) & set(beat.tags)
        and beats.offer_of(earlier)
    )


def _stat(beat: Beat | None, situation: Situation, how: str) -> list[Modifier]:
    if beat is None or not beat.stat or how == "none":
        return []
    stats = _persona(situation.state).get("stats")
    value = stats.get(beat.stat) if isinstance(stats, Mapping) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return []
    counted = int(value) if how == "bonus" else int(value / 2)
    return [Modifier(counted, "state", f"persona.stats.{beat.stat}", f"your {beat.stat} is {value:g}")]


def formula(rules: Rules, counted: tuple[Modifier, ...]) -> str:
    """The dice and one number: `2d6+1`."""
    count, sides, fixed = parts(rules.dice)
    total = fixed + sum(modifier.value for modifier in counted)
    return f"{count}d{sides}" + (f"{total:+d}" if total else "")


def parts(dice: str) -> tuple[int, int, int]:
    """Dice, sides and a number; two dice for a formula that cannot be read."""
    found = _DICE.fullmatch(dice)
    if not found:
        return 2, 6, 0
    count, sides = int(found[1] or 1), int(found[2])
    number = int(found[4] or 0) * (-1 if found[3] in ("-", "−") else 1)
    return (count, sides, number) if 1 <= count <= 100 and 2 <= sides <= 1000 else (2, 6, 0)


def band(total: int, rules: Rules) -> str:
    """How a roll ends: the highest band that is reached."""
    reached = [each for each in rules.bands if total >= each.min]
    if not reached:
        return min(rules.bands, key=lambda each: each.min).name if rules.bands else UNDECIDED
    return max(reached, key=lambda each: each.min).name


def outcome_for(beat: Beat, ended: str, rules: Rules) -> str:
    """The outcome of this beat for that band: its own name, or the nearest band that the beat knows of."""
    if not beat.outcomes or beat.outcome(ended):
        return ended
    order = [each.name for each in sorted(rules.bands, key=lambda each: each.min)]
    if ended not in order:
        ended = UNDECIDED if UNDECIDED in order else order[len(order) // 2] if order else ended
    at = order.index(ended) if ended in order else 0
    known = [(abs(i - at), i, name) for i, name in enumerate(order) if beat.outcome(name)]
    return min(known)[2] if known else beat.outcomes[0].name


def difficulty(formula_: str, rules: Rules) -> Difficulty:
    """How likely it is not to fail, in a word."""
    count, sides, number = parts(formula_)
    worst = min(rules.bands, key=lambda each: each.min).name if rules.bands else "failure"
    sums = _sums(count, sides)
    good = sum(ways for total, ways in sums.items() if band(total + number, rules) != worst)
    chance = good / sum(sums.values())
    return (
        "easy" if chance >= EASY else "risky" if chance >= RISKY else "hard" if chance >= HARD else "unlikely"
    )


def _sums(count: int, sides: int) -> dict[int, float]:
    sums: dict[int, float] = {0: 1.0}
    for _ in range(count):
        following: dict[int, float] = {}
        for (total, ways), face in product(sums.items(), range(1, sides + 1)):
            following[total + face] = following.get(total + face, 0.0) + ways / sides
        sums = following
    return sums


def bands_for(beat: Beat | None, campaign: Campaign) -> tuple[str, ...]:
    """Every way in which a roll can end, the best first."""
    bands = sorted(campaign.rules.bands, key=lambda each: -each.min)
    names = tuple(dict.fromkeys(each.name for each in bands)) or OUTCOMES
    own = tuple(outcome.name for outcome in beat.outcomes) if beat else ()
    return tuple(dict.fromkeys((*names, *own)))


def _persona(state: Mapping[str, Any]) -> Mapping[str, Any]:
    persona = state.get("persona")
    return persona if isinstance(persona, Mapping) else {}


def _stems(text: str) -> set[str]:
    return {word.casefold()[:5] for word in _WORD.findall(text)}
