"""Records come back as they were handed in, with every field of their kind; others are refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria.contracts import load
from narratoria.errors import ContractViolation, NoSuchRecord, RecordExists
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


async def test_a_memory_carries_where_it_belongs(scope: Scope, story: Playthrough, store: Store) -> None:
    await store.turns.begin(story.id, {"text": "look"})
    kept = await scope.store("memory", {"summary": "Rain."})
    assert (kept.record.playthrough_id, kept.record.session_id) == (story.id, "evening")
    assert (kept.record.turn, kept.turn) == (1, 1)
    assert kept.record.timestamp == kept.stored_at


async def test_who_took_part_knows_of_it_unless_it_is_said_who_does(scope: Scope) -> None:
    plain = await scope.store("memory", {"summary": "A secret.", "characterIds": ["ada"]})
    kept = await scope.store("memory", {"summary": "A secret.", "characterIds": ["ada"], "witnesses": []})
    assert plain.record.witnesses == ("ada",)
    assert kept.record.witnesses == ()


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


async def test_of_several_records_all_are_kept_or_none(scope: Scope) -> None:
    await scope.store("memory", {"summary": "First."}, "first")
    with pytest.raises(RecordExists):
        await scope.store_all(
            [
                ("memory", {"summary": "Second."}),
                ("reputation", {"factionId": "guild", "change": 5}),
                ("memory", {"summary": "Again."}, "first"),
            ]
        )
    assert [entry.identifier for entry in await scope.exact_match()] == ["first"]


async def test_a_name_can_be_used_once_at_a_time(scope: Scope) -> None:
    await scope.store("memory", {"summary": "One."}, "it")
    with pytest.raises(RecordExists, match="there is already a memory record 'it'"):
        await scope.store("memory", {"summary": "Two."}, "it")
    with pytest.raises(RecordExists):
        await scope.store_all([("memory", {"summary": "a"}, "b"), ("memory", {"summary": "b"}, "b")])
    assert await scope.delete("memory", "it")
    await scope.store("memory", {"summary": "Three."}, "it")
    assert [e.record.summary for e in await scope.exact_match("memory")] == ["Three."]


async def test_an_update_merges_and_a_null_removes(scope: Scope) -> None:
    before = await scope.store("memory", {"summary": "Snow.", "location": "mill", "gameTime": 5}, "it")
    after = await scope.update("memory", "it", {"location": None, "significance": "low"})
    assert (after.record.location, after.record.significance) == ("", "low")
    assert after.record.summary == "Snow."
    assert (after.record.timestamp, after.record.game_time) == (before.record.timestamp, 5)
    assert (after.stored_at, after.identifier) == (before.stored_at, "it")
    assert after.updated_at >= before.updated_at
    assert await scope.exact_match("memory") == (after,)


async def test_what_is_not_there_cannot_be_updated_and_need_not_be_deleted(scope: Scope) -> None:
    with pytest.raises(NoSuchRecord, match="there is no memory record 'it'"):
        await scope.update("memory", "it", {"location": "mill"})
    with pytest.raises(NoSuchRecord):
        await scope.update("perception", "ada", {"change": 1})
    assert not await scope.delete("memory", "it")
    assert not await scope.delete("perception", "ada")


async def test_an_update_that_breaks_the_contract_changes_nothing(scope: Scope) -> None:
    before = await scope.store("memory", {"summary": "Snow."}, "it")
    with pytest.raises(ContractViolation, match="significance"):
        await scope.update("memory", "it", {"significance": "huge"})
    assert await scope.get("memory", "it") == before


async def test_a_campaign_keeps_lore_for_all_its_playthroughs_and_for_no_other_campaign(store: Store) -> None:
    chunk = {
        "filePath": "lore/mill.md",
        "chunkIndex": 0,
        "paragraphId": 0,
        "content": "Old.",
        "tokenCount": 2,
    }
    kept = await store.campaign("mill").store("lore", chunk)
    one, two = [await store.playthroughs.create("mill") for _ in range(2)]
    other = await store.playthroughs.create("forge")
    assert await store.at(one.id).exact_match("lore") == await store.at(two.id).exact_match("lore") == (kept,)
    assert await store.at(other.id).exact_match("lore") == ()
    await store.campaign("mill").update("lore", kept.identifier, {"content": "New."})
    (seen,) = await store.at(one.id).exact_match("lore", {"filePath": "lore/mill.md", "chunkIndex": 0})
    assert seen.record.content == "New."
    assert await store.campaign("mill").delete("lore", kept.identifier)
    assert await store.at(one.id).exact_match("lore") == ()


async def test_a_campaign_keeps_nothing_that_belongs_to_a_story(store: Store) -> None:
    with pytest.raises(ContractViolation, match="a memory record belongs to a playthrough"):
        await store.campaign("mill").store("memory", {"summary": "a"})


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1), tags=st.lists(st.text(min_size=1, max_size=20), unique=True, max_size=4))
async def test_any_text_and_any_tags_come_back_and_are_found(
    scope: Scope, text: str, tags: list[str]
) -> None:
    kept = await scope.store("memory", {"summary": text, "semanticTags": tags})
    assert kept.record.summary == text
    for tag in tags:
        assert kept in await scope.exact_match("memory", {"tags": tag})
