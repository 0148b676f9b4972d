"""The store as a whole: what it holds, where it is, and how it tidies itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.telling import WordCounts, play

from narratoria.errors import StoreUnavailable
from narratoria.store import Playthrough, RetentionPolicy, Scope, Store
from narratoria.store.store import file_of


async def test_tidying_waits_until_nobody_asks(store: Store, scope: Scope) -> None:
    await scope.store_all(
        [("memory", {"summary": f"Day {day}.", "episodic": day == 0}, str(day)) for day in range(10)]
    )
    gone = await store.tidy_when_idle(RetentionPolicy(max_records=2), idle_seconds=0.05)
    assert len(gone) == 7
    assert "".join(entry.identifier for entry in await scope.exact_match("memory")) == "089"


async def test_tidying_gives_vectors_to_what_stays_and_goes_on_without_a_model(
    store: Store, scope: Scope, words: WordCounts
) -> None:
    words.available = False
    await scope.store_all([("memory", {"summary": f"Day {day}."}, str(day)) for day in range(4)])
    assert len(await store.tidy_when_idle(RetentionPolicy(max_records=3), idle_seconds=0)) == 1
    assert (await store.inventory()).pending == 3
    words.available = True
    assert await store.tidy_when_idle(RetentionPolicy(max_records=3), idle_seconds=0) == ()
    assert (await store.inventory()).pending == 0


async def test_an_inventory_counts_what_there_is(store: Store, story: Playthrough, scope: Scope) -> None:
    await scope.store_all([("memory", {"summary": "a"}), ("memory", {"summary": "b"})])
    await scope.store("perception", {"npcId": "ada", "change": 1})
    await play(store, story.id)
    await store.playthroughs.delete((await store.playthroughs.create("mill")).id)
    held = await store.inventory()
    assert (held.records["memory"], held.records["perception"]) == (2, 1)
    assert (held.playthroughs, held.turns, held.pending, held.model) == (1, 1, 0, "words-1")


async def test_a_scope_without_a_playthrough_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="'' is not a playthrough"):
        store.at("")


@pytest.mark.parametrize(
    ("place", "file"),
    [
        (Path("/a/b.db"), "/a/b.db"),
        ("/a/b.db", "/a/b.db"),
        ("sqlite:////a/b.db", "/a/b.db"),
        ("sqlite+pysqlite:///b.db", "b.db"),
    ],
)
def test_a_path_or_an_address_names_a_file(place: str | Path, file: str) -> None:
    assert file_of(place) == Path(file)


@pytest.mark.parametrize("place", ["mysql:///b", "sqlite://", "sqlite:///", "http://example/b.db"])
def test_a_kind_of_database_that_is_not_known_is_refused(place: str) -> None:
    with pytest.raises(StoreUnavailable, match="no such kind of database"):
        file_of(place)
