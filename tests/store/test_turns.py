"""A choice is on the disk before anything is done about it, and a scene before it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from tests.store.telling import WordCounts, play

from narratoria.errors import ContractViolation, NoSuchRecord
from narratoria.store import Playthrough, Scope, Store


async def test_a_turn_is_what_was_chosen_and_what_came_of_it(store: Store, story: Playthrough) -> None:
    begun = await store.turns.begin(story.id, {"text": "Open the door"}, session_id="evening")
    assert (begun.number, begun.scene) == (1, None)
    done = await store.turns.finish(begun, {"text": "It creaks."}, {"door": "open"}, game_time=15)
    assert await store.turns.history(story.id) == (done,)
    assert (done.choice, done.scene, done.state) == (
        {"text": "Open the door"},
        {"text": "It creaks."},
        {"door": "open"},
    )
    assert (await store.playthroughs.get(story.id)).turn == 1
    assert await store.turns.get(story.id, 1) == done
    with pytest.raises(NoSuchRecord, match="no finished turn 2"):
        await store.turns.get(story.id, 2)


async def test_a_turn_under_way_is_found_again_after_reopening(
    store: Store, story: Playthrough, place: str | Path, words: WordCounts
) -> None:
    await play(store, story.id)
    begun = await store.turns.begin(story.id, {"text": "Jump"}, session_id="evening")
    await store.close()
    again = await Store.open(place, words)
    assert await again.turns.unfinished(story.id) == begun
    done = await again.turns.finish(begun, {"text": "Splash."}, {}, game_time=3)
    assert await again.turns.unfinished(story.id) is None
    assert (await again.turns.history(story.id))[-1] == done
    await again.close()


async def test_a_turn_that_is_begun_anew_leaves_nothing_of_its_first_beginning(
    store: Store, story: Playthrough, scope: Scope
) -> None:
    await store.turns.begin(story.id, {"text": "Jump"})
    await scope.store("memory", {"summary": "She jumped."})
    await scope.store("perception", {"npcId": "ada", "change": 5})
    assert len(await scope.exact_match()) == 2
    begun = await store.turns.begin(story.id, {"text": "Stay"})
    assert await scope.exact_match() == ()
    await scope.store("memory", {"summary": "She stayed."}, "it")
    await store.turns.finish(begun, {}, {}, game_time=0)
    (turn,) = await store.turns.history(story.id)
    assert (turn.number, turn.choice) == (1, {"text": "Stay"})
    assert [entry.identifier for entry in await scope.exact_match()] == ["it"]


async def test_a_turn_is_finished_once(store: Store, story: Playthrough) -> None:
    begun = await store.turns.begin(story.id, {})
    await store.turns.finish(begun, {}, {}, game_time=0)
    with pytest.raises(ContractViolation, match=r"turn 1 of .* is not under way"):
        await store.turns.finish(begun, {}, {}, game_time=0)


@pytest.mark.parametrize("table", ["turn", "scene", "record", "change"])
async def test_what_was_written_cannot_be_changed(
    store: Store, story: Playthrough, scope: Scope, table: str
) -> None:
    await play(store, story.id)
    await scope.store_all(
        [("memory", {"summary": "Rain."}), ("reputation", {"factionId": "guild", "change": 1})]
    )
    with pytest.raises(DBAPIError, match=f"{table} is append-only"):
        await store.database.write(
            lambda writing: writing.connection.execute(text(f"UPDATE {table} SET turn = 7"))
        )
