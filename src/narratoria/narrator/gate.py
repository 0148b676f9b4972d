"""Checks a text against the ledger of the story, sentence by sentence, and says what contradicts it.

It reads words first: what it refuses can be pointed at. Where words are not enough, what reads meaning is
asked as well, if there is one. Whatever the author or the composer wrote is not asked about; a model's prose
is, and is written again with the reasons, or not used.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.narrator.content import find_excess
from narratoria.narrator.gate_form import LONGEST, find_form_problems
from narratoria.narrator.gate_ledger import ContinuityLedger
from narratoria.narrator.gate_outcome import find_turned_outcome
from narratoria.narrator.gate_plot import find_given_away
from narratoria.narrator.gate_problem import ContinuityProblem, Kind
from narratoria.narrator.gate_scene import find_other_place, find_unrelated
from narratoria.narrator.gate_sentences import find_sentence_problems, sentences, without_speech
from narratoria.narrator.story_knowledge import NO_KNOWLEDGE, StoryKnowledge
from narratoria.skills.host import services

__all__ = [
    "LONGEST",
    "TRIES",
    "CheckedText",
    "ContinuityLedger",
    "ContinuityProblem",
    "Kind",
    "StoryGate",
    "find_problems",
    "sentences",
    "write_checked",
]
TRIES = 3
_WORD = re.compile(r"[a-zà-ÿ'’]+")
_log = logging.getLogger(__name__)


def find_problems(text: str, ledger: ContinuityLedger) -> tuple[ContinuityProblem, ...]:
    """Return everything wrong with a text, in reading order."""
    parts = sentences(text)
    problems = list(find_form_problems(text, parts, without_speech(text)))
    known_words = frozenset(_WORD.findall(ledger.known_text.casefold()))
    named_words = known_words | ledger.open_words
    for sentence in parts:
        problems += find_sentence_problems(sentence, ledger, known_words, named_words)
    problems += find_given_away(parts, ledger.known_text, ledger.knowledge)
    problems += find_turned_outcome(text, parts, ledger)
    problems += find_other_place(text, ledger)
    if not problems:
        problems += find_unrelated(text, ledger)
    return tuple(problems)


# asking again


@dataclass(frozen=True, slots=True)
class CheckedText:
    """The first text without a problem, if any, and what was wrong with the ones before."""

    text: str
    refusals: tuple[tuple[ContinuityProblem, ...], ...] = ()

    @property
    def ok(self) -> bool:
        return bool(self.text)


async def write_checked(
    write: Callable[[tuple[ContinuityProblem, ...]], Awaitable[str]],
    ledger: ContinuityLedger,
    *,
    tries: int = TRIES,
) -> CheckedText:
    """Ask for a text up to `tries` times, each time with what was wrong with the last one."""
    refusals: list[tuple[ContinuityProblem, ...]] = []
    for _ in range(tries):
        text = await write(refusals[-1] if refusals else ())
        problems = find_problems(text, ledger)
        if not problems:
            return CheckedText(text, tuple(refusals))
        refusals.append(problems)
    return CheckedText("", tuple(refusals))


class StoryGate:
    """Implements `services.Gate`: a skill's text is checked against the facts it was given.

    What the story keeps is told it by the engine, for one turn, and goes to nobody else.
    """

    def __init__(self) -> None:
        self._knowledge: Callable[[], StoryKnowledge] = lambda: NO_KNOWLEDGE

    def expect_scene(self, knowledge: Callable[[], StoryKnowledge]) -> None:
        """Take what the story keeps while the next scene is told."""
        self._knowledge = knowledge

    async def check(
        self, caller: services.Caller, paragraphs: Sequence[str], facts: Mapping[str, Any]
    ) -> Sequence[services.NarrationProblem]:
        # a story's texts are taken apart for the first paragraph: that takes longer than a loop may wait
        problems = await asyncio.to_thread(self._find, tuple(paragraphs), facts)
        for one in problems:
            _log.info("%s: paragraph %d is refused: %s", caller.skill, one.paragraph + 1, one.message)
        return problems

    def _find(self, paragraphs: Sequence[str], facts: Mapping[str, Any]) -> list[services.NarrationProblem]:
        ledger, limits = ContinuityLedger.of(facts, self._knowledge()), _limits(facts)
        problems = [
            services.NarrationProblem(paragraph=at, message=message)
            for at, paragraph in enumerate(paragraphs)
            for message in _find_messages(paragraph, ledger, limits)
        ]
        if not problems and len(paragraphs) > 1:  # what only shows in the scene as a whole
            last = len(paragraphs) - 1
            whole = find_problems("\n\n".join(paragraphs), ledger)
            problems = [services.NarrationProblem(paragraph=last, message=str(one)) for one in whole]
        return problems


def _find_messages(text: str, ledger: ContinuityLedger, limits: ContentLimits) -> Iterator[str]:
    yield from map(str, find_problems(text, ledger))
    if kind := find_excess(text, limits):
        yield f"it goes beyond the content limit of {kind}"


def _limits(facts: Mapping[str, Any]) -> ContentLimits:
    try:
        return msgspec.convert(facts.get("limits") or {}, ContentLimits)
    except msgspec.ValidationError:
        return NO_LIMITS
