"""Finds what is no story at all: markup, instructions, refusals, a text that goes round in circles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from narratoria.narrator import gate_patterns as words
from narratoria.narrator.gate_plot import stems_of
from narratoria.narrator.gate_problem import ContinuityProblem

LONGEST = 4000  # characters of a scene
LEAST_REPEATED = 4  # words of a sentence that may not come twice
NEARLY_THE_SAME, THE_SAME = 0.5, 0.75  # share of their words that two sentences have in common
SAME_WORDS, MOST_ALIKE = 0.6, 2  # share of all words, small ones too, and pairs that may be so alike
# stretches of so many words may come up to so often
_STRETCHES = ((6, 2), (4, 3), (3, 4))


def find_form_problems(text: str, sentences: Sequence[str], prose: str) -> Iterator[ContinuityProblem]:
    """Yield what no narrator would say; `prose` is the text without what people say in it."""
    if not text.strip():
        yield ContinuityProblem("form", "", "there is no text")
    if len(text) > LONGEST:
        yield ContinuityProblem("form", text[:60] + "…", f"a scene has at most {LONGEST} characters")
    for match in words.NOT_PROSE.finditer(text):
        yield ContinuityProblem("form", match[0].strip(), "this is not part of a story; send prose alone")
    for match in words.TALK_OF_MODEL.finditer(text):
        yield ContinuityProblem(
            "model", match[0].strip(), "tell the story itself, and nothing about yourself or the task"
        )
    if talk := words.TALK_TO_USER.search(prose):
        yield ContinuityProblem("model", talk[0].strip(), "speak to nobody outside the story; tell it")
    yield from _find_loops(text, sentences)


def _find_loops(text: str, sentences: Sequence[str]) -> Iterator[ContinuityProblem]:
    """Yield a sentence that comes twice, or a stretch of words that comes again and again."""
    counts = Counter(
        key for sentence in sentences if len((key := _words(sentence)).split()) >= LEAST_REPEATED
    )
    for key, many in counts.items():
        if many > 1:
            sentence = next(one for one in sentences if _words(one) == key)
            yield ContinuityProblem("loop", sentence, "it is said twice; say it once and go on")
            return
    if again := _find_said_again(sentences):
        yield ContinuityProblem("loop", again, "it says the same in other words; say it once and go on")
        return
    spoken = _words(text).split()
    for length, most in _STRETCHES:
        stretches = Counter(tuple(spoken[at : at + length]) for at in range(len(spoken) - length + 1))
        stretch, many = max(stretches.items(), key=lambda one: one[1], default=((), 0))
        if many > most:
            yield ContinuityProblem("loop", " ".join(stretch), "the text goes round in circles; go on")
            return


def _find_said_again(sentences: Sequence[str]) -> str:
    """Return a sentence that says what another one says, or two others nearly; empty where none does."""
    sets = [(sentence, frozenset(stems_of(sentence))) for sentence in sentences]
    sets = [(sentence, stems) for sentence, stems in sets if len(stems) >= LEAST_REPEATED]
    near = [
        (len(one & other) / len(one | other), sentence)
        for at, (_, one) in enumerate(sets)
        for sentence, other in sets[at + 1 :]
    ]
    near = sorted(pair for pair in near if pair[0] >= NEARLY_THE_SAME)
    if near and (near[-1][0] >= THE_SAME or len(near) > 1):
        return near[-1][1]
    return _find_turned_about(sentences)


def _find_turned_about(sentences: Sequence[str]) -> str:
    """Return a sentence of several that turn the same few words about; empty where there are none."""
    sets = [(sentence, frozenset(_words(sentence).split())) for sentence in sentences]
    sets = [(sentence, spoken) for sentence, spoken in sets if len(spoken) >= LEAST_REPEATED]
    alike = [
        sentence
        for at, (_, one) in enumerate(sets)
        for sentence, other in sets[at + 1 :]
        if len(one & other) / len(one | other) >= SAME_WORDS
    ]
    return alike[-1] if len(alike) > MOST_ALIKE else ""


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
