"""A search sees what its view shows, weighs meaning and words, and goes by words where there is no model."""

from __future__ import annotations

from pathlib import Path

from tests.store.telling import WordCounts

from narratoria.store import Playthrough, Scope, Store
from narratoria.store.search.ranking import POOL


async def found(scope: Scope, query: str, limit: int = 3) -> list[str]:
    entries = await scope.semantic_search(query, "memory", limit, min_relevance=0)
    return [entry.record.summary for entry in entries]


async def test_the_raw_measures_stand_beside_the_relevance(scope: Scope) -> None:
    await scope.store("memory", {"summary": "The bridge was burnt."})
    (entry,) = await scope.semantic_search("Who burnt the bridge?", "memory", min_relevance=0)
    assert 0 <= entry.relevance <= 1
    assert entry.raw_scores["cosine"] > 0
    assert entry.raw_scores["fullText"] > 0


async def test_without_a_model_words_decide(scope: Scope, words: WordCounts) -> None:
    words.available = False
    await scope.store_all(
        [("memory", {"summary": f"The {what} was burnt."}) for what in ("mill", "inn", "bridge")]
    )
    (first, *_) = await scope.semantic_search("bridge", "memory", min_relevance=0)
    assert first.record.summary == "The bridge was burnt."
    assert "cosine" not in first.raw_scores


async def test_a_store_without_an_embedder_is_searched_by_words(place: str | Path) -> None:
    store = await Store.open(place, None)
    story = await store.playthroughs.create("mill")
    await store.at(story.id).store("memory", {"summary": "The bridge was burnt."})
    assert await found(store.at(story.id), "burnt bridge") == ["The bridge was burnt."]
    await store.close()


async def test_among_very_many_a_rare_word_and_a_pinned_memory_are_not_lost(
    scope: Scope, words: WordCounts
) -> None:
    words.available = False  # so that nothing is near by its vector
    await scope.store("memory", {"summary": "An ocarina was found in the well."})
    await scope.store("memory", {"summary": "The king was crowned.", "episodic": True})
    await scope.store_all([("memory", {"summary": f"It rained on day {n}."}) for n in range(POOL + 100)])
    assert (await found(scope, "the ocarina"))[0] == "An ocarina was found in the well."
    assert (await found(scope, "crowned"))[0] == "The king was crowned."


async def test_what_is_stored_changed_or_deleted_is_found_or_not_at_once(scope: Scope) -> None:
    await scope.store("memory", {"summary": "The bridge stands."}, "bridge")
    assert await found(scope, "bridge") == ["The bridge stands."]
    await scope.store("memory", {"summary": "A flood came."})
    assert (await found(scope, "flood"))[0] == "A flood came."
    await scope.update("memory", "bridge", {"summary": "The bridge fell."})
    assert (await found(scope, "bridge"))[0] == "The bridge fell."
    await scope.delete("memory", "bridge")
    assert await found(scope, "bridge") == ["A flood came."]


async def test_a_branch_finds_the_past_it_shares_and_not_what_came_after(
    store: Store, story: Playthrough, scope: Scope
) -> None:
    begun = await store.turns.begin(story.id, {})
    await scope.store("memory", {"summary": "The bridge stands."}, "bridge")
    await store.turns.finish(begun, {}, {}, game_time=0)
    branch = store.at((await store.playthroughs.branch(story.id, 1)).id)
    await scope.update("memory", "bridge", {"summary": "The bridge fell."})
    await branch.store("memory", {"summary": "The bridge was painted."})
    assert await found(scope, "bridge") == ["The bridge fell."]
    assert sorted(await found(branch, "bridge")) == ["The bridge stands.", "The bridge was painted."]


async def test_lore_portraits_and_assets_are_searched_too(
    store: Store, story: Playthrough, scope: Scope
) -> None:
    chunk = {
        "filePath": "a.md",
        "chunkIndex": 0,
        "paragraphId": 0,
        "content": "The ferry is old.",
        "tokenCount": 4,
    }
    await store.campaign("mill").store("lore", chunk)
    portrait = {
        "characterId": "ada",
        "imagePath": "a.svg",
        "descriptionHash": "x",
        "description": "A ferry woman",
    }
    await scope.store("portrait", portrait)
    await store.campaign("mill").store("asset", {"path": "f.png", "type": "image", "keywords": ["ferry"]})
    entries = await scope.semantic_search("ferry", min_relevance=0)
    assert {entry.data_type for entry in entries} == {"lore", "portrait", "asset"}
