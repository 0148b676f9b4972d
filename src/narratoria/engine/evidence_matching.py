"""Reads a question together with the evidence that may answer it, and ranks the evidence anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from narratoria.narrator.evidence import DEPENDENT, Evidence, shared_words, split_sentences

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    from narratoria.inference.text_matcher import TextMatcher

ALIKE, SAME_WORDS = 0.9, 0.96  # of the likeness of a question to the words of a topic
FACT_WEIGHT = 0.65  # of what a topic tells, beside the words in which it is asked
NOTHING_SHARED = 0.6  # of the probability that lore answers which has no word of the question
SAYING_WEIGHT = 0.75  # of a saying, which suits much and answers little
LEAST_ALONE, MARGIN, STANDS_OUT = 0.75, 0.15, 0.6  # of a topic whose words alone are like the question
TOPIC_LEAD = 0.15  # by which what an author wrote as an answer goes before other evidence
OWN_LEAD = 0.08  # by which what somebody can say of themselves and theirs goes before what everybody knows
MOST_MATCHED = 24  # pieces that the matcher looks at, the likeliest by a quicker measure
READ_BY_SENTENCES = frozenset(("profile", "secret", "place"))  # sources that speak of many things
LONGEST_WHOLE = 60  # words of a page of lore that are surely read to the end
MOST_TOPICS_READ, MOST_NOTES_READ = 10, 16  # texts that are read together with a question


def match_evidence(
    question: str, ranked: Sequence[Evidence], matcher: TextMatcher, *, typed: str = ""
) -> list[Evidence]:
    """Return the likeliest evidence by what a trained matcher makes of each of its sentences.

    A topic counts by its words and by its fact; one whose very words are asked is not read. `typed` is the
    question with whom it is put to: so it is read beside notes, as the matcher was trained.
    """
    likely = [*ranked[:MOST_MATCHED], *(one for one in ranked[MOST_MATCHED:] if one.owner)]
    topics = [one for one in likely if one.answer and not one.secret and one.relevance >= ALIKE]
    if len(topics) == 1 and topics[0].relevance >= SAME_WORDS and not topics[0].is_repeat:
        best = msgspec.structs.replace(topics[0], relevance=1.0)
        return [best, *(one for one in likely if one.id != best.id)]
    matches = [0.0] * len(likely)
    topic_numbers = [at for at, one in enumerate(likely) if one.questions]
    note_numbers = [at for at, one in enumerate(likely) if not one.questions]
    for words, numbers, most in (
        (question, topic_numbers, MOST_TOPICS_READ),
        (typed or question, note_numbers, MOST_NOTES_READ),
    ):
        owners, sentences = texts_to_read([likely[at] for at in numbers])
        shared = shared_words(question, sentences)
        scores = matcher.match(words, sentences, shared, "question", most=most)
        for at, score in zip(owners, scores, strict=True):
            matches[numbers[at]] = max(matches[numbers[at]], score)
    shares = shared_words(typed or question, [one.passage for one in likely])
    matches = [
        match * NOTHING_SHARED if one.source == "lore" and not share else match
        for one, match, share in zip(likely, matches, shares, strict=True)
    ]
    alone = _find_topic_alone(likely)
    rescored = [
        msgspec.structs.replace(
            one, relevance=round(max(_weigh_match(one, match), STANDS_OUT * (one.id == alone)), 4)
        )
        for one, match in zip(likely, matches, strict=True)
    ]
    return sorted(rescored, key=lambda one: -one.relevance - _lead_of(one))


def _lead_of(evidence: Evidence) -> float:
    """Return by how much evidence goes before other: an author's answer, and what is somebody's own."""
    if evidence.answer:
        return TOPIC_LEAD
    return OWN_LEAD if evidence.owner and not evidence.secret else 0.0


def _find_topic_alone(evidence: Sequence[Evidence]) -> str:
    """Return the topic whose words are far more like the question than those of every other, or nothing."""
    topics = sorted((one for one in evidence if one.questions), key=lambda one: -one.relevance)
    runner_up = topics[1].relevance if len(topics) > 1 else 0.0
    is_alone = bool(topics) and topics[0].relevance >= max(LEAST_ALONE, runner_up + MARGIN)
    return topics[0].id if is_alone else ""


def _weigh_match(evidence: Evidence, match: float) -> float:
    """Return how probably a piece of evidence answers, by its likeness so far and by being read."""
    if evidence.source == "saying":
        return SAYING_WEIGHT * match
    if not evidence.questions:
        return match
    if evidence.relevance >= SAME_WORDS:
        return 0.5 + 0.5 * match
    return FACT_WEIGHT * match + (1 - FACT_WEIGHT) * evidence.relevance


def _whole_thoughts(text: str) -> list[str]:
    """Return the sentences of a text, each that only goes on about something with the one before it."""
    sentences = split_sentences(text)
    return [
        f"{sentences[at - 1]} {sentence}" if at and DEPENDENT.match(sentence) else sentence
        for at, sentence in enumerate(sentences)
    ]


def texts_to_read(evidence: Sequence[Evidence]) -> tuple[list[int], list[str]]:
    """Return what is read of each piece of evidence, and the number of the evidence that it is of.

    One sentence of somebody's life says more surely whether it answers than all of them together. A page of
    lore is about one matter and is read whole; of a long one, whose end is not read then, the sentences too.
    """
    owners, sentences = list[int](), list[str]()
    for at, one in enumerate(evidence):
        is_of_many = one.source in READ_BY_SENTENCES and bool(one.owner or one.source == "place")
        is_long = one.source == "lore" and len(one.text.split()) > LONGEST_WHOLE
        parts = split_sentences(one.text) if is_of_many else [one.text]
        parts += _whole_thoughts(one.text) if is_long else []
        owners += [at] * len(parts)
        sentences += [f"{one.about}: {part}" if one.about else part for part in parts]
    return owners, sentences
