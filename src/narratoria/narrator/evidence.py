"""Defines evidence, what campaign and story say that may answer an action, and chooses what answers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from narratoria.inference.logistic import LogisticChooser, load_logistic_chooser
from narratoria.inference.stop_words import QUESTION_STOP_WORDS

if TYPE_CHECKING:  # numpy takes longer to import than a first scene may wait for
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

EvidenceSource: TypeAlias = Literal[
    "topic",
    "profile",
    "relationship",
    "goal",
    "saying",
    "secret",
    "lore",
    "place",
    "thing",
    "memory",
    "journal",
    "skill",
]
SAME_QUESTION, SLOPE, SHARED_WEIGHT = 0.7, 12.0, 0.25  # likeness at which two questions are one
LONGEST_QUOTE = 60  # words that somebody says in one go
BRIEF = 34  # words that somebody says of themselves, where it is known which sentence answers
_WORD = re.compile(r"[^\W\d_]+")
DEPENDENT = re.compile(
    r"(?:It|He|She|They|This|That|These|Those|His|Her|Its|Their|There|Then|But|And|So|Even|Since then)\b"
)
_SENTENCE = re.compile(
    r"(?<!\bMrs\.)(?<!\bMr\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMs\.)(?<!\b[A-Z]\.)(?:(?<=[.!?…])|(?<=[.!?…][”\"'’]))\s+(?=[A-Z“\"‘])"
)


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A passage that may answer, and where it comes from."""

    id: str
    text: str
    source: EvidenceSource
    owner: str = ""  # the person whose knowledge or profile it is
    about: str = ""  # a heading, or whom or what it speaks of
    spoken: str = ""  # as its owner says it, in the first person
    secret: bool = False  # said only with trust, or after a success
    questions: tuple[str, ...] = ()  # of a topic: the words in which it is asked
    kind: str = ""  # of a topic: the kind of question that it answers in whatever words
    answer: str = ""  # of a topic: the answer as the author tells it
    fact: str = ""  # of a topic: the sentence that is true afterwards
    focus: str = ""  # the sentence that bears most on the question
    is_repeat: bool = False  # it was answered with before
    relevance: float = 0.0  # the probability that it answers

    @property
    def passage(self) -> str:
        """Return it as it is compared with a question: what it is about, and what it says."""
        return f"{self.about}: {self.text}" if self.about else self.text

    @property
    def is_arrival(self) -> bool:
        """Return whether it is what a place shows at the first glance, told when the player comes there."""
        return self.source == "place" and self.id.endswith("/0")

    @property
    def is_only_asked(self) -> bool:
        """Return whether somebody says it only where they are asked for it: who or how old they are."""
        return self.id.endswith(("/role", "/age"))

    @property
    def is_closer_look(self) -> bool:
        """Return whether an author wrote it for a look at one thing, for one of the senses, or for a deed."""
        return self.source == "place" and self.id.startswith(("look/", "deed/"))

    @property
    def is_place_deed(self) -> bool:
        """Return whether an author wrote what comes of something that is done at a place."""
        return self.source == "place" and self.id.startswith("deed/")


@cache
def load_evidence_chooser() -> LogisticChooser:
    """Return the chooser that ships, fitted by `python -m evals.answers fit`."""
    return load_logistic_chooser("narratoria.narrator", "data/evidence-chooser.json")


def rank_evidence(
    question: str,
    candidates: Sequence[Evidence],
    *,
    question_vector: Vectors | None,
    vectors: Sequence[Vectors | None],
    chooser: LogisticChooser,
    wording_vectors: Mapping[str, Vectors] = MappingProxyType({}),
) -> list[Evidence]:
    """Return the candidates with how probably each answers the question, best first.

    A topic is also compared with the words in which it is asked, whose vectors are `wording_vectors`.
    """
    shares = shared_words(question, [f"{one.about} {one.text}" for one in candidates])
    scored_evidence = []
    for candidate, vector, shared in zip(candidates, vectors, shares, strict=True):
        measures = measure_pair(
            question, candidate, shared=shared, question_vector=question_vector, vector=vector
        )
        relevance = chooser.probability(measures)
        if candidate.questions:
            relevance = max(
                relevance, _topic_relevance(question, candidate.questions, question_vector, wording_vectors)
            )
        scored_evidence.append(msgspec.structs.replace(candidate, relevance=round(relevance, 4)))
    return sorted(scored_evidence, key=lambda one: -one.relevance)


def shared_words(question: str, texts: Sequence[str]) -> list[float]:
    """Return the share of a question's words, by their rarity among the texts, that each text has."""
    words = [set(key_words(text)) for text in texts]
    frequency = Counter(word for one in words for word in one)
    question_words = set(key_words(question))
    weight = {word: math.log(1 + len(texts) / (1 + frequency.get(word, 0))) for word in question_words}
    whole = sum(weight.values()) or 1.0
    return [sum(weight[word] for word in question_words & one) / whole for one in words]


def _topic_relevance(
    question: str,
    wordings: Sequence[str],
    question_vector: Vectors | None,
    wording_vectors: Mapping[str, Vectors],
) -> float:
    """Return how probably a question is one of the wordings of a topic, by its nearest one."""
    words = set(key_words(question))
    best = 0.0
    for wording in wordings:
        own = set(key_words(wording))
        shared = len(words & own) / (len(words | own) or 1)
        vector = wording_vectors.get(wording)
        cosine = float(question_vector @ vector) if question_vector is not None and vector is not None else 0
        best = max(best, cosine + SHARED_WEIGHT * shared if cosine else shared)
    return 1 / (1 + math.exp(-SLOPE * (best - SAME_QUESTION)))


def measure_pair(
    question: str,
    candidate: Evidence,
    *,
    shared: float,
    question_vector: Vectors | None,
    vector: Vectors | None,
) -> dict[str, float]:
    """Return the measures the chooser weighs: likeness of meaning, shared rare words, kind of source."""
    question_words = set(key_words(question))
    about = set(key_words(candidate.about))
    cosine = float(question_vector @ vector) if question_vector is not None and vector is not None else 0.0
    return {
        "cosine": cosine,
        "shared": shared,
        "sharedAbout": len(about & question_words) / (len(about) or 1) if about else 0.0,
        "asksWhy": float(bool(re.match(r"\W*why|.*\bwhy\b", question, re.IGNORECASE))),
        "prior": candidate.relevance,
        "isLore": float(candidate.source == "lore"),
        "isMemory": float(candidate.source in ("memory", "journal", "skill")),
        "isOwn": float(candidate.source in ("profile", "relationship", "goal", "saying")),
        "isSecret": float(candidate.secret),
        "isPlace": float(candidate.source in ("place", "thing")),
        "length": min(1.0, len(candidate.text.split()) / 60),
    }


def key_words(text: str) -> list[str]:
    """Return the words that carry the meaning of a text, cut to their stems."""
    return [
        _stem(word)
        for word in (match.casefold() for match in _WORD.findall(text))
        if word not in QUESTION_STOP_WORDS
    ]


def _stem(word: str) -> str:
    for end in ("ing", "ies", "ed", "es", "s", "ly"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word[: -len(end)]
            break
    return word[:7]


def split_sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(" ".join(text.split())) if part.strip()]


def told_window(question: str, evidence: Evidence, most_words: int = 0) -> str:
    """Return what is told of a passage: the sentence that answers with those around it, within a length."""
    text = evidence.spoken or evidence.text
    sentences = split_sentences(text)
    most_words = most_words or _longest_quote(evidence)
    if evidence.focus not in sentences:
        return best_window(question, text)
    return _window_around(sentences.index(evidence.focus), sentences, most_words)


def is_told_whole(evidence: Evidence) -> bool:
    """Return whether a passage is told as it is, whichever of its sentences answers."""
    most_words = _longest_quote(evidence)
    return most_words > BRIEF and len((evidence.spoken or evidence.text).split()) <= most_words


def _longest_quote(evidence: Evidence) -> int:
    return BRIEF if evidence.source == "profile" else LONGEST_QUOTE


def best_window(question: str, text: str, most_words: int = LONGEST_QUOTE) -> str:
    """Return the neighbouring sentences of a passage that bear most on the question, within a length."""
    sentences = split_sentences(text)
    if len(text.split()) <= most_words or len(sentences) < 2:
        return " ".join(sentences)
    question_words = set(key_words(question))
    scores = [
        len(question_words & set(key_words(sentence))) + 0.01 * (len(sentences) - at)
        for at, sentence in enumerate(sentences)
    ]
    start = end = max(range(len(sentences)), key=lambda at: scores[at])
    words = len(sentences[start].split())
    while True:
        after = scores[end + 1] if end + 1 < len(sentences) else -1.0
        before = scores[start - 1] if start > 0 else -1.0
        if after < 0 and before < 0:
            break
        step = end + 1 if after >= before else start - 1
        words += len(sentences[step].split())
        if words > most_words:
            break
        start, end = min(start, step), max(end, step)
    return " ".join(sentences[start : end + 1])


def _window_around(at: int, sentences: Sequence[str], most_words: int) -> str:
    """Return the sentence that answers, what it leans on before it, and what follows, within a length."""
    start = at - 1 if at and (most_words > BRIEF or DEPENDENT.match(sentences[at])) else at
    words, end = sum(len(one.split()) for one in sentences[start : at + 1]), at + 1
    while end < len(sentences) and words + len(sentences[end].split()) <= most_words:
        words += len(sentences[end].split())
        end += 1
    while start and words + len(sentences[start - 1].split()) <= most_words and most_words > BRIEF:
        start -= 1
        words += len(sentences[start].split())
    while start and DEPENDENT.match(sentences[start]):
        start -= 1
    return " ".join(sentences[start:end])
