"""Joins the acts of a line that belong together: one that goes on, or what is said in one breath."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from narratoria.planner.intent import Intent
from narratoria.planner.questions import is_full_question
from narratoria.planner.word_lists import WORDS

_THEN = re.compile(r"\b(?:then|after(?:wards| that))\b", re.IGNORECASE)


def is_same_act(first: Intent, second: Intent) -> bool:
    """Return whether an intent goes on with the act before it, and is done to nothing else."""
    if first.act != second.act:
        return False
    if first.act in WORDS.spoken_acts:
        return not (first.act == "ask" and is_full_question(first.text) and is_full_question(second.text))
    pairs = ((first.thing, second.thing), (first.place, second.place), (first.person, second.person))
    return all(a is None or b is None or (a.id or a.text) == (b.id or b.text) for a, b in pairs)


def join_intents(first: Intent, second: Intent) -> Intent:
    return Intent(
        act=first.act,
        text=_join_words(first.text, second.text),
        person=first.person or second.person,
        thing=first.thing or second.thing,
        place=first.place or second.place,
        topic=f"{first.topic} {second.topic}".strip(),
        kind=first.kind or second.kind,
        matter=second.matter or first.matter,
        confidence=max(first.confidence, second.confidence),
    )


def _join_words(first: str, second: str) -> str:
    """Return two clauses as one line: sentences follow each other, deeds are joined."""
    is_sentence = first.rstrip().endswith((".", "!", "?", "…", ";", ":", ",", "”", '"'))
    return f"{first} {second}" if is_sentence else f"{first} and {second}"


def join_speech(intents: Sequence[Intent], text: str) -> list[Intent]:
    """Return the intents, what is said to somebody in one breath as one: the act that is surest.

    Questions stay apart, and so does what is said after something else was done.
    """
    if _THEN.search(text):
        return list(intents)
    acts: list[Intent] = []
    for intent in intents:
        last = acts[-1] if acts else None
        if last and _is_one_speech(last, intent):
            first, second = (last, intent) if last.confidence >= intent.confidence else (intent, last)
            words = _join_words(last.text, intent.text)
            acts[-1] = msgspec.structs.replace(first, text=words, person=first.person or second.person)
        else:
            acts.append(intent)
    return acts


def _is_one_speech(first: Intent, second: Intent) -> bool:
    """Return whether two acts are said to the same person, and neither asks or offers anything."""
    people = {one.person.id for one in (first, second) if one.person}
    spoken_acts = WORDS.spoken_acts - {"ask", "talk", "bargain"}
    return len(people) <= 1 and first.act in spoken_acts and second.act in spoken_acts
