"""Vectors are made when a record is stored, later where no model was at hand, and anew for a new model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from tests.store.telling import WordCounts

from narratoria.errors import ModelUnavailable
from narratoria.store import Playthrough, Scope, Store
from narratoria.store.search.vectors import BATCH

SUMMARIES = [f"The {thing} was {deed}." for thing in ("mill", "bridge", "inn") for deed in ("built", "burnt")]


async def best(scope: Scope, query: str) -> str:
    return (await scope.semantic_search(query, "memory", 1, min_relevance=0))[0].record.summary


async def test_a_record_has_a_vector_when_it_is_stored(scope: Scope, words: WordCounts) -> None:
    await scope.store("memory", {"summary": "The bridge was burnt."}, "it")
    (vector,) = await scope.vectors("memory", "it")
    (expected,) = await words.embed(["The bridge was burnt."])
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert vector == pytest.approx(expected / np.linalg.norm(expected))


async def test_a_long_text_has_a_vector_for_each_window_and_its_best_one_counts(scope: Scope) -> None:
    filler = " ".join(f"word{number}" for number in range(60))
    await scope.store("memory", {"summary": f"{filler} a hidden treasure of rubies"}, "long")
    await scope.store("memory", {"summary": "somebody said word1 and left with rubies of no worth"}, "short")
    assert len(await scope.vectors("memory", "long")) > 3
    assert (await best(scope, "a hidden treasure of rubies")).startswith("word0")


async def test_two_that_fill_in_vectors_at_once_give_each_record_its_own_once(
    store: Store, scope: Scope, words: WordCounts
) -> None:
    words.available = False
    await scope.store_all([("memory", {"summary": summary}, summary) for summary in SUMMARIES])
    words.available = True
    assert sorted(await asyncio.gather(store.reembed_pending(), store.reembed_pending())) == [
        0,
        len(SUMMARIES),
    ]
    assert [len(await scope.vectors("memory", summary)) for summary in SUMMARIES] == [1] * len(SUMMARIES)


async def test_without_a_model_records_are_kept_and_get_their_vectors_later(
    store: Store, scope: Scope, words: WordCounts
) -> None:
    words.available = False
    await scope.store_all([("memory", {"summary": summary}) for summary in SUMMARIES])
    assert len(await scope.exact_match("memory")) == len(SUMMARIES)
    assert (await store.inventory()).pending == len(SUMMARIES)
    with pytest.raises(ModelUnavailable):
        await store.reembed_pending()
    words.available = True
    assert await store.reembed_pending() == len(SUMMARIES)
    assert (await store.inventory()).pending == 0
    assert await best(scope, "bridge burnt") == "The bridge was burnt."


async def test_an_updated_text_has_a_vector_of_its_own(scope: Scope) -> None:
    await scope.store("memory", {"summary": "The bridge stands."}, "bridge")
    await scope.store("memory", {"summary": "The inn stands."}, "inn")
    await scope.update("memory", "inn", {"summary": "A flood came."})
    assert await best(scope, "a flood") == "A flood came."


async def test_going_over_to_another_model_changes_nothing_until_it_is_complete(
    store: Store, scope: Scope, words: WordCounts
) -> None:
    told = [f"{number} {SUMMARIES[number % 6]}" for number in range(80)]
    await scope.store_all([("memory", {"summary": summary}, summary) for summary in told])
    new = WordCounts("words-2")
    new.fails_after = 40
    with pytest.raises(ModelUnavailable):
        await store.reembed(new)
    assert store.embeddings.embedder is words
    assert (await best(scope, "17 inn burnt")).startswith("17 ")
    done = len(new.seen)
    assert 0 < done < 80
    new.fails_after = None
    asked = asyncio.create_task(best(scope, "17 inn burnt"))
    assert await store.reembed(new) == 80 - done  # it goes on where it was interrupted
    assert (await asked).startswith("17 ")
    assert store.embeddings.embedder is new
    assert len(new.seen) == 80
    assert (await best(scope, "17 inn burnt")).startswith("17 ")
    (vector,) = await scope.vectors("memory", told[0])
    (expected,) = await new.embed([told[0]])
    assert vector == pytest.approx(expected / np.linalg.norm(expected))


async def test_a_store_opened_with_another_model_keeps_the_old_vectors_until_all_are_new(
    store: Store, story: Playthrough, scope: Scope, place: str | Path, words: WordCounts
) -> None:
    await scope.store_all([("memory", {"summary": summary}) for summary in SUMMARIES])
    await store.close()
    again = await Store.open(place, WordCounts("words-2"))
    assert (await again.inventory()).pending == len(SUMMARIES)
    await again.close()
    back = await Store.open(place, words)  # nothing was lost by having looked
    assert (await back.inventory()).pending == 0
    assert await best(back.at(story.id), "bridge burnt") == "The bridge was burnt."
    await back.close()
    for_good = await Store.open(place, WordCounts("words-2"))
    assert await for_good.reembed_pending() == len(SUMMARIES)
    assert await best(for_good.at(story.id), "bridge burnt") == "The bridge was burnt."
    await for_good.close()
    late = await Store.open(place, words)
    assert (await late.inventory()).pending == len(SUMMARIES)
    await late.close()


async def test_a_question_waits_for_a_few_texts_and_not_for_all_that_lack_a_vector(
    store: Store, scope: Scope, words: WordCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    words.available = False
    many = [f"{number} {SUMMARIES[number % 6]}" for number in range(3 * BATCH)]
    await scope.store_all([("memory", {"summary": summary}) for summary in many])
    words.available, asked, embed = True, [], words.embed
    monkeypatch.setattr(words, "embed", lambda texts: asked.append(len(texts)) or embed(texts))
    await store.reembed_pending()
    assert sum(asked) == len(many)
    assert max(asked) <= BATCH
