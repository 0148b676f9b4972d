"""Reads what a model that told a scene says besides its prose: the fact that is true now, and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from narratoria.contracts.scene_facts import SceneFacts
from narratoria.engine.brief import OPTIONS
from narratoria.engine.scene import Choice, Receipt
from narratoria.engine.stand_in_choices import list_stand_ins
from narratoria.planner.mentions import content_words

LONGEST_FACT, LONGEST_CHOICE = 300, 120  # characters
MOST_TOLD = 4  # choices of a model
MOST_AUTHORED, LEAST = 2, 3  # of a set: what the author offers beside them, and all together
OPENED = Receipt("evidence", "told", "the scene has opened it")


def read_fact(narration: Mapping[str, Any]) -> str:
    """Return the sentence that is true now, or nothing where it is no sentence."""
    fact = narration.get("fact")
    text = " ".join(fact.split()) if isinstance(fact, str) else ""
    return text if len(text) <= LONGEST_FACT else ""


def told_choices(narration: Mapping[str, Any], facts: SceneFacts, outcome: str) -> tuple[Choice, ...]:
    """Return the model's choices: what the engine offers in its words, or something small of its own."""
    options = list_stand_ins(facts, outcome)[:OPTIONS]
    found: dict[str, Choice] = {}
    entries = narration.get("choices")
    for entry in entries if isinstance(entries, list) else ():
        text = entry.get("text") if isinstance(entry, dict) else None
        if not isinstance(text, str) or not 2 < len(text.strip()) <= LONGEST_CHOICE:
            continue
        number = entry.get("option")
        text = " ".join(text.split())
        if isinstance(number, int) and 1 <= number <= len(options) and _is_same(text, options[number - 1]):
            choice = msgspec.structs.replace(options[number - 1], text=text)
        else:
            choice = Choice(text=text, because=(OPENED,))
        found.setdefault(text.casefold(), choice)
    return tuple(found.values())[:MOST_TOLD]


def _is_same(text: str, option: Choice) -> bool:
    """Return whether words still speak of what an option does; a model may number them wrongly."""
    return bool(set(content_words(text)) & set(content_words(option.text)))


def add_told_choices(told: Sequence[Choice], others: Sequence[Choice]) -> list[Choice]:
    """Return as many choices as there were: what the author offers, the model's, then the rest."""
    aims = {_aim(choice) for choice in told} - {()}
    rest = [choice for choice in others if _aim(choice) not in aims]
    authored = [choice for choice in rest if choice.kind == "beat"][:MOST_AUTHORED]
    chosen = [*authored, *told[: max(0, max(len(others), LEAST) - len(authored))]] if told else []
    return [*chosen, *(choice for choice in rest if choice not in chosen)][: max(len(others), LEAST)]


def _aim(choice: Choice) -> tuple[str, ...]:
    """Return what a choice leads to, the same in whatever words; empty where only its words say it."""
    parts = (choice.beat, choice.target, choice.topic, choice.thing)
    return (choice.kind, *parts) if any(parts) else ()
