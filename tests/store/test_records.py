"""Records come back as they were handed in, with every field of their kind; others are refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from narratoria.contracts import load
from narratoria.errors import ContractViolation
from narratoria.store import Playthrough, Scope, Store, records
from narratoria.store.validation import DATA_TYPES

TYPES = {
    "memory": records.MemoryEvent,
    "lore": records.LoreChunk,
    "reputation": records.FactionReputation,
    "perception": records.NpcPerception,
    "portrait": records.CharacterPortrait,
    "session": records.PlaythroughSession,
    "asset": records.Asset,
}
ADDED = {"id", "playthroughId", "sessionId", "turn"}  # by the store
OF_A_LEDGER = {"change", "reason", "scale", "gameTime"}  # handed in, and kept as a line of its own
ANSWERED = {"lastUpdated", "lastInteraction", "eventHistory", "sentiment"}

WHOLE: dict[str, dict[str, Any]] = {
    "memory": {
        "summary": "The miller lent her his coat.",
        "timestamp": "2026-03-01T10:00:00.000000Z",
        "characterIds": ["player", "miller"],
        "actionType": "gift",
        "semanticTags": ["kindness", "winter"],
        "location": "mill",
        "significance": "high",
        "witnesses": ["miller", "crow"],
        "episodic": True,
        "outcome": "triumph",
        "gameTime": 90.5,
    },
    "portrait": {
        "characterId": "miller",
        "imagePath": "portraits/miller.svg",
        "descriptionHash": "abc",
        "generatedAt": "2026-03-01T10:00:00.000000Z",
        "description": "An old man, white with flour",
    },
    "session": {
        "startTime": "2026-03-01T10:00:00.000000Z",
        "endTime": "2026-03-01T12:00:00.000000Z",
        "currentLocation": "mill",
    },
    "asset": {
        "path": "art/mill.png",
        "type": "image",
        "keywords": ["mill", "water"],
        "generated": False,
        "checksum": "sha256:abcdef",
        "created_at": "2026-03-01T10:00:00.000000Z",
        "data": "…",
        "relationships": {"references": ["a"], "referenced_by": ["b"], "entity_links": ["miller"]},
        "format": "png",
        "width": 64,
        "height": 48,
        "alt_text": "A mill by a river",
    },
}


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_the_contract_and_the_type_of_a_record_have_the_same_fields(data_type: str) -> None:
    schema = load("store-records")["$defs"][data_type]
    fields = {field.encode_name for field in msgspec.structs.fields(TYPES[data_type])}
    assert fields - ADDED - ANSWERED == set(schema["properties"]) - (OF_A_LEDGER - fields)
    assert all(field["description"].endswith(".") for field in schema["properties"].values())


@pytest.mark.parametrize("data_type", WHOLE)
async def test_a_whole_record_comes_back_as_it_was_handed_in(
    store: Store, scope: Scope, story: Playthrough, data_type: str
) -> None:
    await scope.store(data_type, WHOLE[data_type], "it")
    record = msgspec.json.decode(msgspec.json.encode((await scope.get(data_type, "it")).record))
    assert {name: record[name] for name in WHOLE[data_type]} == WHOLE[data_type]
    if "playthroughId" in record:
        assert record["playthroughId"] == story.id


@pytest.mark.parametrize(
    ("data_type", "record", "problem"),
    [
        ("memory", {}, "summary"),
        ("memory", {"summary": ""}, "/summary"),
        ("memory", {"summary": "a", "sumary": "b"}, "/sumary"),
        ("memory", {"summary": "a", "significance": "huge"}, "'huge' is not a significance"),
        ("memory", {"summary": "a", "timestamp": "noon"}, "/timestamp: 'noon' is not a date and time"),
        ("memory", {"summary": "a", "playthroughId": "other"}, "/playthroughId: is set by the store"),
        ("memory", {"summary": "a", "turn": 3}, "/turn: is set by the store"),
        ("memory", {"summary": "a", "gameTime": float("nan")}, "nan"),
        ("reputation", {"factionId": "guild"}, "nothing changes"),
        ("reputation", {"factionId": "guild", "change": 1, "currentScore": 2}, "not both"),
        ("reputation", {"factionId": "guild", "change": 1, "decayRate": 1.5}, "/decayRate"),
        ("reputation", {"factionId": "guild", "change": 1, "scale": {"min": 1, "max": 1}}, "/scale/min"),
        ("perception", {"npcId": "ada", "perceptionScore": 101}, "/perceptionScore"),
        ("portrait", {"characterId": "ada"}, "imagePath"),
        ("lore", {"content": "x"}, "lore belongs to the campaign"),
        ("memmory", {"summary": "a"}, "did you mean 'memory'?"),
    ],
)
async def test_a_record_that_is_not_as_its_contract_says_is_refused(
    scope: Scope, data_type: str, record: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ContractViolation) as refused:
        await scope.store(data_type, record)
    assert problem in str(refused.value)
    assert await scope.exact_match() == ()
