"""Reads what a model that told a scene says besides its prose: the fact that is true now, and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.brief import OPTIONS
from narratoria.engine.scene import Choice, Receipt
from narratoria.engine.stand_in_choices import list_stand_ins
from narratoria.narrator.gate import ContinuityLedger, find_problems
from narratoria.planner.mentions import content_words

LONGEST_FACT, LONGEST_CHOICE = 300, 120  # characters
MOST_TOLD = 4  # choices of a model
LEAST = 3  # choices, where a player has not asked for fewer
# problems that only what happens can have
OF_A_SCENE = frozenset(("dead", "absent", "item", "place", "player", "outcome", "unrelated"))
OPENED = Receipt("evidence", "told", "the scene has opened it")


def read_fact(narration: Mapping[str, Any], facts: SceneFacts) -> str:
    """Return the sentence that is true now, or nothing where it is no sentence or contradicts the story."""
    fact = narration.get("fact")
    text = " ".join(fact.split()) if isinstance(fact, str) else ""
    return text if len(text) <= LONGEST_FACT and _may_stand(text, _ledger_of(facts)) else ""


def told_choices(narration: Mapping[str, Any], facts: SceneFacts, outcome: str) -> tuple[Choice, ...]:
    """Return the model's choices: what the engine offers in its words, or something small of its own."""
    options, ledger = list_stand_ins(facts, outcome)[:OPTIONS], _ledger_of(facts)
    choices: dict[str, Choice] = {}
    entries = narration.get("choices")
    for entry in entries if isinstance(entries, list) else ():
        text = entry.get("text") if isinstance(entry, dict) else None
        if not isinstance(text, str) or not 2 < len(text.strip()) <= LONGEST_CHOICE:
            continue
        number = entry.get("option")
        text = " ".join(text.split())
        if not _may_stand(text, ledger):
            continue
        if isinstance(number, int) and 1 <= number <= len(options) and _is_meant(text, number, options):
            choice = msgspec.structs.replace(options[number - 1], text=text)
        else:
            choice = Choice(text=text, because=(OPENED,))
        choices.setdefault(text.casefold(), choice)
    return tuple(choices.values())[:MOST_TOLD]


def _ledger_of(facts: SceneFacts) -> ContinuityLedger:
    return ContinuityLedger.of(facts.to_json_values())


def _may_stand(text: str, ledger: ContinuityLedger) -> bool:
    """Return whether a fact or a choice can be shown; both may speak of who and what is elsewhere."""
    return all(problem.kind in OF_A_SCENE for problem in find_problems(text, ledger))


def _is_meant(text: str, number: int, options: Sequence[Choice]) -> bool:
    """Return whether words are for the option of this number: a model may number them wrongly."""
    words = set(content_words(text))
    shared = [len(words & set(content_words(option.text))) for option in options]
    return bool(shared[number - 1]) or not any(shared)


def add_told_choices(own: Sequence[Choice], others: Sequence[Choice]) -> list[Choice]:
    """Return the model's choices with one that the author offers, then the rest, as many as are wanted."""
    if not own:
        return list(others)
    most = max(len(others), min(len(own) + 1, MOST_TOLD + 1)) if len(others) >= LEAST else len(others)
    aims = {_aim(choice) for choice in own} - {()}
    rest = [choice for choice in others if _aim(choice) not in aims]
    has_beat = any(choice.kind == "beat" for choice in own)
    authored = [] if has_beat else [choice for choice in rest if choice.kind == "beat"][:1]
    first = [*own[: most - len(authored)], *authored]
    return [*first, *(choice for choice in rest if choice not in first)][:most]


def _aim(choice: Choice) -> tuple[str, ...]:
    """Return what a choice leads to, the same in whatever words; empty where only its words say it."""
    parts = (choice.beat, choice.target, choice.topic, choice.thing)
    return (choice.kind, *parts) if any(parts) else ()
