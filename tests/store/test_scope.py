"""Records of a playthrough or a campaign: stored, changed and deleted, all or none."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.errors import ContractViolation, NoSuchRecord, RecordExists
from narratoria.store import Scope, Store


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


async def test_pages_follow_each_other_from_either_end(scope: Scope) -> None:
    await scope.store_all([("memory", {"summary": str(number)}, str(number)) for number in range(7)])
    await scope.update("memory", "2", {"location": "mill"})  # it keeps its place

    async def page(**wanted: Any) -> str:
        return "".join(entry.identifier for entry in await scope.exact_match("memory", **wanted))

    assert await page() == "0123456"
    assert await page(limit=3) + await page(limit=3, offset=3) + await page(limit=3, offset=6) == "0123456"
    assert await page(newest_first=True, limit=2, offset=1) == "54"
