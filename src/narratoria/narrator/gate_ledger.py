"""Defines the ledger of a scene: the facts that prose must not contradict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from narratoria.narrator.gate_plot import stems_of
from narratoria.narrator.story_knowledge import NO_KNOWLEDGE, StoryKnowledge


@dataclass(frozen=True, slots=True)
class ContinuityLedger:
    """The facts of a scene that prose must not contradict."""

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    place: str = ""
    places: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    known_text: str = ""  # every word the scene rests on: names, places, what was written and done
    action: str = ""  # what the player chose
    outcome: str = ""  # how the dice ended, where there were any
    told_outcome: str = ""  # how whoever wrote the text says that it ends in it
    knowledge: StoryKnowledge = NO_KNOWLEDGE  # what the story knows beyond the facts

    @property
    def open_words(self) -> frozenset[str]:
        """Return every word that the author wrote in the open."""
        return find_open_words(self.knowledge)

    @property
    def open_stems(self) -> frozenset[str]:
        return find_open_stems(self.knowledge)

    @classmethod
    def of(cls, facts: Mapping[str, Any], knowledge: StoryKnowledge = NO_KNOWLEDGE) -> ContinuityLedger:
        ledger = _mapping(facts.get("ledger"))
        return cls(
            present=_texts(ledger.get("present")),
            absent=_texts(ledger.get("absent")),
            dead=_texts(ledger.get("dead")),
            items=_texts(ledger.get("items")),
            place=str(ledger.get("place") or ""),
            places=_texts(ledger.get("places")),
            constraints=_texts(ledger.get("constraints")),
            # words that go beyond the limits are named there, and known by nobody
            known_text=" ".join(_all_texts({key: one for key, one in facts.items() if key != "limits"})),
            action=str(_mapping(facts.get("action")).get("text") or ""),
            outcome=str(_mapping(facts.get("roll")).get("outcome") or ""),
            told_outcome=str(_mapping(facts.get("told")).get("outcome") or ""),
            knowledge=knowledge,
        )


_WORD = re.compile(r"[a-zà-ÿ'’]+")


@lru_cache(maxsize=8)
def find_open_words(knowledge: StoryKnowledge) -> frozenset[str]:
    return frozenset(word for text in knowledge.open_texts for word in _WORD.findall(text.casefold()))


@lru_cache(maxsize=8)
def find_open_stems(knowledge: StoryKnowledge) -> frozenset[str]:
    return frozenset(stem for text in knowledge.open_texts for stem in stems_of(text))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def _all_texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield every text in the facts, drafts among them: the words the scene rests on."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth < 8:
        for key, item in value.items():
            yield str(key)
            yield from _all_texts(item, depth + 1)
    elif isinstance(value, list | tuple) and depth < 8:
        for item in value:
            yield from _all_texts(item, depth + 1)
