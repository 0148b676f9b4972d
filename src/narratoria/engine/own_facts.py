"""Finds the sentence about somebody that a plain personal question asks for: family, love, origin, fears.

The reading model misses such a sentence where it speaks of the matter in passing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from narratoria.narrator.evidence import Evidence, split_sentences
from narratoria.planner.intent import Intent
from narratoria.planner.mentions import WORD, singular

CERTAIN = 1.0  # the relevance of somebody's age where they are asked for it
ENOUGH = 0.6  # the relevance of such a sentence: it answers, and something surer may be told with it
_OF_LISTENER = re.compile(r"\b(?:you|your|yours|u|ur|ya)\b", re.IGNORECASE)


class _Group(msgspec.Struct, frozen=True):
    question: frozenset[str]
    answer: frozenset[str]


class _Signs(msgspec.Struct, frozen=True):
    groups: tuple[_Group, ...]
    kinds: dict[str, frozenset[str]]


def raise_own_fact(
    intent: Intent, ranked: Sequence[Evidence], candidates: Sequence[Evidence]
) -> tuple[Evidence, ...]:
    """Return the evidence again, first the listener's own sentence that has the signs of an answer.

    What surely answers stays first, and so does a secret that would: it is held back, and not replaced.
    """
    person = intent.person.id if intent.person else ""
    is_answered = bool(ranked) and bool(ranked[0].answer) and ranked[0].relevance >= ENOUGH
    if intent.kind == "ask/age" and _OF_LISTENER.search(intent.text) and not is_answered:
        age = [one for one in candidates if one.id == f"{person}/age"]
        rest = [one for one in ranked if one.id != f"{person}/age"]
        return (*(msgspec.structs.replace(one, relevance=CERTAIN) for one in age), *rest)
    signs = _signs_for(intent)
    if not signs or (ranked and ranked[0].relevance >= ENOUGH and ranked[0].owner in ("", person)):
        return tuple(ranked)
    relevance = {one.id: one.relevance for one in ranked}
    own = [
        (hits, relevance.get(one.id, 0.0), sentence)
        for one in candidates
        if one.owner == person and one.source == "profile" and not one.secret
        for sentence in _sentences_of(one)
        if (hits := len(signs & _words_of(sentence.text)))
    ]
    if not own:
        return tuple(ranked)
    best = max(own, key=lambda one: one[:2])[2]
    return (
        msgspec.structs.replace(best, relevance=ENOUGH),
        *(one for one in ranked if one.id != best.id),
    )


def with_own_secret(
    intent: Intent, ranked: Sequence[Evidence], candidates: Sequence[Evidence]
) -> tuple[Evidence, ...]:
    """Return the evidence with a secret of whom something is got out of: who gives in may tell it."""
    person = intent.person.id if intent.person else ""
    own_secrets = [one for one in candidates if one.owner == person and one.source == "secret"]
    if any(one.owner == person and one.source == "secret" for one in ranked):
        return tuple(ranked)
    return (*ranked, *(msgspec.structs.replace(one, relevance=0.0) for one in own_secrets[:1]))


def _signs_for(intent: Intent) -> frozenset[str]:
    """Return the words of what answers a question about whoever is asked; none for other questions."""
    if intent.act != "ask" or not _OF_LISTENER.search(intent.text):
        return frozenset()
    words = _words_of(intent.text)
    group = next((one for one in _load_signs().groups if words & one.question), None)
    kind_signs = _load_signs().kinds.get(intent.kind, frozenset())
    return group.answer if group and kind_signs else kind_signs


def _sentences_of(evidence: Evidence) -> list[Evidence]:
    """Return each sentence of a passage with how its owner says it."""
    notes, speeches = split_sentences(evidence.text), split_sentences(evidence.spoken)
    if len(notes) != len(speeches):
        return [evidence]
    return [
        msgspec.structs.replace(evidence, text=note, spoken=speech)
        for note, speech in zip(notes, speeches, strict=True)
    ]


def _words_of(text: str) -> frozenset[str]:
    words = [word.casefold() for word in WORD.findall(text)]
    return frozenset(words) | {singular(word) for word in words}


@cache
def _load_signs() -> _Signs:
    data = files("narratoria.engine").joinpath("data/question-signs.json").read_bytes()
    return msgspec.json.decode(data, type=_Signs)
