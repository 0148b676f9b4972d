"""Reads the labelled conditions, and puts each among the memories of a story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from narratoria.inference.embedder import Embedder
from narratoria.store.search.ranking import Candidate, rank

FOLDER = Path(__file__).parent / "cases"


class Pair(msgspec.Struct, frozen=True):
    """Is a condition, something that happened, and whether the one is so once the other has happened."""

    world: str
    phrase: str
    memory: str
    so: bool


@dataclass(frozen=True, slots=True)
class Found:
    """Is a memory as a search finds it for a condition."""

    memory: str
    relevance: float
    score: float  # by which the engine takes it for likely enough to be read


@dataclass(frozen=True, slots=True)
class Situation:
    """Is a condition in a story in which it is so, or in which the same thing was only spoken of."""

    world: str
    phrase: str
    so: bool
    found: tuple[Found, ...]  # the likeliest memories of that story


def read_pairs(name: str) -> list[Pair]:
    return msgspec.json.Decoder(Pair).decode_lines((FOLDER / f"{name}.jsonl").read_bytes())


async def find_situations(pairs: Sequence[Pair], embedder: Embedder, limit: int) -> list[Situation]:
    """Return each condition among the memories of its world, once with what makes it so, once without."""
    memories = [pair.memory for pair in pairs]
    phrases = list(dict.fromkeys((pair.world, pair.phrase) for pair in pairs))
    events = await embedder.embed(memories)
    vectors = await embedder.embed([phrase for _, phrase in phrases])
    situations = []
    for (world, phrase), vector in zip(phrases, vectors, strict=True):
        for so in (True, False):
            candidates = [
                Candidate(at, pair.memory, float(events[at] @ vector), order=at)
                for at, pair in enumerate(pairs)
                if pair.world == world and (pair.phrase != phrase or pair.so is so)
            ]
            ranked = rank(phrase, candidates, limit=limit, threshold=0.0)
            found = tuple(Found(memories[one.id], one.relevance, one.score) for one in ranked)
            situations.append(Situation(world, phrase, so, found))
    return situations
