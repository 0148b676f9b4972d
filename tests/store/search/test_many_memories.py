"""A long story: every memory is there after a restart as it was told, and is found by what it is about."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from tests.store.telling import WordCounts

from narratoria.store import NewRecord, Store

MEMORIES = 1200
SEARCHED = 40
WHO = ("Aldric", "Brenna", "Caspar", "Dunja", "Edda", "Falk", "Gesa", "Hanno", "Imke", "Jorun")
DID = ("mended", "stole", "buried", "sang of", "sold", "drowned", "painted", "found", "feared", "forgave")
WHAT = ("the anvil", "a silver bell", "the raven", "a letter", "the millstone", "a lantern", "the old oath")
WHERE = ("mill", "ford", "lighthouse", "chapel", "market")


def told() -> Iterator[dict[str, Any]]:
    dice = random.Random(5)
    for number in range(MEMORIES):
        who, whom = dice.sample(WHO, 2)
        yield {
            "summary": f"{who} {dice.choice(DID)} {dice.choice(WHAT)} before {whom}, on night n{number}",
            "timestamp": f"2026-01-{number % 28 + 1:02}T10:00:{number % 60:02}.000000Z",
            "characterIds": [who, whom],
            "actionType": dice.choice(["deed", "talk"]),
            "semanticTags": [f"tag{number % 7}", "ünïcode ❄"],
            "location": dice.choice(WHERE),
            "significance": dice.choice(["low", "medium", "high", "critical"]),
            "witnesses": [who],
            "episodic": number % 50 == 0,
            "outcome": dice.choice([None, "triumph", "failure"]),
            "gameTime": float(number),
        }


async def test_a_thousand_memories_come_back_as_they_were_and_are_found(
    place: str | Path, words: WordCounts
) -> None:
    memories = list(told())
    store = await Store.open(place, words)
    await store.playthroughs.create("mill", identifier="mill-1")
    items = [NewRecord("memory", memory, f"m{number}") for number, memory in enumerate(memories)]
    await store.at("mill-1", "evening").store_all(items)
    await store.close()

    store = await Store.open(place, words)
    scope = store.at("mill-1")
    entries = await scope.exact_match("memory")
    kept = {entry.identifier: msgspec.json.decode(msgspec.json.encode(entry.record)) for entry in entries}
    assert len(kept) == MEMORIES
    for number, memory in enumerate(memories):
        assert {name: kept[f"m{number}"][name] for name in memory} == memory
    found = 0
    for number in random.Random(6).sample(range(MEMORIES), SEARCHED):
        hits = await scope.semantic_search(memories[number]["summary"], "memory", 3)
        found += any(hit.identifier == f"m{number}" for hit in hits)
    await store.close()
    assert found >= 0.99 * SEARCHED
