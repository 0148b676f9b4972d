"""Keeps what a model added to a story as canon that is marked.

A model that tells a scene may say more than the engine knew: the gate let it pass, and from then on it is so.
The sentence that adds most is remembered, with the model as its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.scene import Scene
from narratoria.narrator.evidence import key_words, split_sentences

MODEL_SOURCE = "model:"
WRITTEN_BY = "written by "  # how a storyteller names its model
LEAST_WORDS, MOST_WORDS = 5, 40  # of a sentence that is kept
LEAST_NEW = 3  # words that nothing else in the scene has
_ASIDE = re.compile(r"[“”\"?!…]|^You\b")  # speech and what the player does are kept elsewhere


class CanonFact(msgspec.Struct, frozen=True):
    """A sentence that a model added, the model's name, and the scene that told it."""

    id: str
    text: str
    model: str
    scene: int


def find_canon(scene: Scene, known_texts: Iterable[str]) -> tuple[str, str] | None:
    """Return what a model says is true now, or the sentence that adds most, and the model's name."""
    known_words = {word for text in (*known_texts, *_told_by_others(scene)) for word in key_words(text)}
    best: tuple[int, str, str] | None = None
    if scene.fact:
        names = (one.model.removeprefix(WRITTEN_BY) for one in scene.passages if one.by == "model")
        return scene.fact, next(names, "")
    for paragraph, passage in zip(scene.paragraphs, scene.passages, strict=False):
        for sentence in split_sentences(paragraph) if passage.by == "model" else ():
            new = len(set(key_words(sentence)) - known_words)
            if new >= LEAST_NEW and _is_statement(sentence) and (best is None or new > best[0]):
                best = new, sentence, passage.model.removeprefix(WRITTEN_BY)
    return best[1:] if best else None


def _told_by_others(scene: Scene) -> Iterator[str]:
    for paragraph, passage in zip(scene.paragraphs, scene.passages, strict=False):
        if passage.by != "model":
            yield paragraph


def _is_statement(sentence: str) -> bool:
    return LEAST_WORDS <= len(sentence.split()) <= MOST_WORDS and not _ASIDE.search(sentence)


async def list_canon(memory: StoryMemory) -> list[CanonFact]:
    """Return what models have added to a story and the player has not struck out, the latest first."""
    from narratoria.store.records import MemoryEvent

    entries = await (await memory.scope()).exact_match("memory", newest_first=True)
    return [
        CanonFact(one.identifier, one.record.summary, model_of(one.record.source), one.record.turn)
        for one in entries
        if isinstance(one.record, MemoryEvent) and model_of(one.record.source)
    ]


def model_of(source: str) -> str:
    """Return the name of the model that a memory comes from; empty for any other source."""
    return source.removeprefix(MODEL_SOURCE) if source.startswith(MODEL_SOURCE) else ""
