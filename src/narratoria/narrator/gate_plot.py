"""Finds what gives the plot away: words that only a text stands in which the story keeps for later."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from narratoria.inference.stop_words import MENTION_STOP_WORDS
from narratoria.narrator.evidence import split_sentences
from narratoria.narrator.gate_problem import ContinuityProblem
from narratoria.narrator.story_knowledge import KeptText, StoryKnowledge

RUN = 6  # words in a row that give a text away, where they stand nowhere in the open
GIVEN_AWAY = 1.0  # of a score
LEAST_SHARED = 3  # words of their own that two sentences share
REASON = "it gives away what the story keeps for later; leave that out"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class KeptSentence:
    """A sentence of a kept text by its words, and how much each of them tells."""

    id: str
    text: str
    weights: dict[str, float]

    def share_of(self, stems: frozenset[str]) -> float:
        total = sum(self.weights.values())
        return sum(weight for stem, weight in self.weights.items() if stem in stems) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class KeptIndex:
    """The kept sentences of a story, the runs of words that give them away, and what stands in the open."""

    sentences: tuple[KeptSentence, ...]
    runs: frozenset[str]
    open_sentences: tuple[frozenset[str], ...]


@lru_cache(maxsize=8)
def index_knowledge(knowledge: StoryKnowledge) -> KeptIndex:
    """Return the kept texts of a story, taken apart once for all paragraphs of a scene."""
    open_sentences = tuple(
        frozenset(stems_of(sentence)) for text in knowledge.open_texts for sentence in split_sentences(text)
    )
    open_runs = {run for text in knowledge.open_texts for run in _runs(text)}
    counts = Counter(stem for stems in open_sentences for stem in stems)
    kept_runs: set[str] = set()
    sentences = []
    for kept_text in knowledge.kept_texts:
        kept_runs |= {run for text in (kept_text.text, kept_text.spoken) for run in _runs(text)}
        sentences += list(_sentences_of(kept_text, counts, len(open_sentences)))
    return KeptIndex(tuple(sentences), frozenset(kept_runs - open_runs), open_sentences)


def _sentences_of(kept_text: KeptText, counts: Counter[str], total: int) -> Iterator[KeptSentence]:
    for sentence in split_sentences(kept_text.text):
        weights = {stem: math.log((total + 1) / (counts[stem] + 0.5)) for stem in set(stems_of(sentence))}
        if len(weights) >= LEAST_SHARED:
            yield KeptSentence(kept_text.id, sentence, weights)


def find_given_away(
    sentences: Sequence[str], known_text: str, knowledge: StoryKnowledge
) -> Iterator[ContinuityProblem]:
    """Yield the sentences that tell what is kept and that the facts of the scene do not tell."""
    if not knowledge.kept_texts:
        return
    index, known_stems = index_knowledge(knowledge), frozenset(stems_of(known_text))
    known_runs = frozenset(_runs(known_text))
    for sentence in sentences:
        is_copied = any(run in index.runs for run in _runs(sentence) if run not in known_runs)
        if is_copied or score_giving_away(sentence, known_stems, index) >= GIVEN_AWAY:
            yield ContinuityProblem("plot", sentence, REASON)


def score_giving_away(sentence: str, known_stems: frozenset[str], index: KeptIndex) -> float:
    """Return how far a sentence tells a kept one; `GIVEN_AWAY` or more gives it away."""
    stems = frozenset(stems_of(sentence))
    best = 0.0
    for kept_text in index.sentences:
        shared = stems & kept_text.weights.keys()
        if len(shared) < LEAST_SHARED:
            continue
        own = shared - known_stems
        weight = sum(kept_text.weights[stem] for stem in own)
        in_the_open = max((len(shared & one) for one in index.open_sentences), default=0) / len(shared)
        best = max(best, (weight / 9 + kept_text.share_of(stems) / 0.6) / 2 * (1.15 - 0.5 * in_the_open))
    return best


def stems_of(text: str) -> list[str]:
    """Return the content words of a text without their endings."""
    spoken = (re.sub(r"['’]s?$", "", word.casefold()) for word in _WORD.findall(text))
    return [_stem(word) for word in spoken if len(word) > 2 and word not in MENTION_STOP_WORDS]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _runs(text: str) -> Iterator[str]:
    spoken = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    for at in range(len(spoken) - RUN + 1):
        yield " ".join(spoken[at : at + RUN])
