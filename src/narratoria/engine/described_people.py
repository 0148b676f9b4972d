"""Finds whom a player describes instead of naming: "the tall fella who pushes the trolleys"."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import msgspec

from narratoria.campaign.campaign import Profile
from narratoria.engine.conditions import StorySituation
from narratoria.engine.people import people_at, place_of
from narratoria.narrator.evidence import shared_words
from narratoria.planner.intent import Alias, Intent
from narratoria.planner.late_pattern import compile_late
from narratoria.planner.mentions import ALL_KINDS, content_words
from narratoria.planner.word_lists import WORDS

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher

WHO_ARE_YOU = "who are you?"
LEAST = 0.4  # of the probability that a description is somebody's
NEAR = 0.05  # by which somebody who is here may fit less than somebody who is not
_NO_KINDS = frozenset(("thing", "machine", "mr", "mrs", "miss", "ms"))  # words for more than people
_KINDS = "|".join(sorted((*ALL_KINDS - _NO_KINDS, *WORDS.words_for_people)))
_DESCRIPTION = compile_late(
    rf"\b(?:(?:the|that|this|those)\s+(?:[\w'’-]+\s+){{0,3}}?(?:{_KINDS}|one|ones)\b"
    r"(?:,?\s+(?:the\s+one\s+)?"
    r"(?:who(?:['’]s)?|with|in|at|on|from|by|that|wearing|carrying|holding|behind|up|down|over)"
    r"\s+[^,.?!;:]{2,60}|\s+\w{2,}ing\b[^,.?!;:]{0,50})?|(?:whoever|(?:somebody|someone)\s+who)\s+[^,.?!;:]{2,40})",
    re.IGNORECASE,
)
_WHO_IS = compile_late(r"\bwho(?:['’]?s|\s+is|\s+are|\s+r)\s+$", re.IGNORECASE)
_AFTER_IT = compile_late(r"\s+like$", re.IGNORECASE)  # of "what is the kid who does the lamps like"


async def find_aliases(
    text: str, situation: StorySituation, matcher: TextMatcher | None
) -> tuple[Alias, ...]:
    """Return the descriptions of people in a player's words, each with whom it fits best."""
    if matcher is None or not (descriptions := find_descriptions(text)):
        return ()
    campaign, progress = situation.campaign, situation.progress
    people = {name: one for name, one in campaign.people.items() if name not in progress.dead}
    if not people:
        return ()
    portraits = [_portray(name, profile, situation) for name, profile in people.items()]
    present = people_at(progress.place, campaign, progress)
    aliases = []
    for description in descriptions:
        question = f"Who is {description}?"
        scores = await asyncio.to_thread(
            matcher.match, question, portraits, shared_words(question, portraits), "question"
        )
        best = max(zip(scores, people, strict=True), key=lambda one: one[0] + NEAR * (one[1] in present))
        if best[0] >= LEAST:
            aliases.append(Alias(description, best[1]))
    return tuple(aliases)


def as_introduction(intent: Intent, aliases: tuple[Alias, ...]) -> Intent:
    """Return “who is that girl lying there?” put to the girl herself as a question who she is."""
    if intent.act != "ask" or intent.person is None:
        return intent
    for alias in aliases:
        before, phrase, _ = intent.text.partition(alias.text)
        if phrase and alias.person == intent.person.id and _WHO_IS.search(before):
            return msgspec.structs.replace(intent, text=WHO_ARE_YOU, topic=WHO_ARE_YOU, kind="")
    return intent


def find_descriptions(text: str) -> list[str]:
    """Return the phrases that describe somebody by more than what kind of person it is."""
    phrases = (_AFTER_IT.sub("", match[0].strip()) for match in _DESCRIPTION.finditer(text))
    return [one for one in phrases if len(set(content_words(one)) - ALL_KINDS - {"one", "old", "young"}) > 0]


def _portray(name: str, profile: Profile, situation: StorySituation) -> str:
    at = situation.campaign.places.get(place_of(name, situation.campaign, situation.progress))
    where = f", at {at.in_a_sentence}" if at else ""
    return f"{profile.name}, {profile.role.rstrip('.')}{where}. {profile.appearance}"
