"""Steps that can be done again undo, create and save once, and nothing of another session."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narratoria.engine.persistence.store_steps import (
    create_story,
    mark_scene,
    require_own_turn,
    save_records,
    undo_to,
)
from narratoria.engine.persistence.unsaved_turns import UnsavedTurnsHeader
from narratoria.errors import StoryConflict
from narratoria.store import Position, Store
from narratoria.store.records import NewRecord

HEADER = UnsavedTurnsHeader(branch="it", campaign="mill", title="The Mill", seed=7)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "narratoria.db", None)
    await create_story(opened, HEADER)
    yield opened
    await opened.close()


async def tell(store: Store, branch: str, words: str, session: str) -> Position:
    begun = await store.turns.begin(branch, {"text": words}, session_id=session)
    done = await store.turns.finish(begun, {"text": words}, {}, game_time=0)
    return Position(branch, done.number, mark_scene({"text": words}))


async def test_a_story_is_created_once(store: Store) -> None:
    await create_story(store, HEADER)
    assert [one.title for one in await store.stories.page()] == ["The Mill"]


async def test_own_turns_are_undone_that_came_through_unheard(store: Store) -> None:
    known = await tell(store, "it", "one", "own")
    await tell(store, "it", "two", "own")  # of which this session has not heard
    assert (await undo_to(store, "it", 0, follows=known, session_id="own")).turn == 0


async def test_turns_of_another_session_are_not_undone(store: Store) -> None:
    known = await tell(store, "it", "one", "own")
    await tell(store, "it", "two", "other")
    with pytest.raises(StoryConflict):
        await undo_to(store, "it", 0, follows=known, session_id="own")
    with pytest.raises(StoryConflict):  # nor where the scene that was seen is another one
        await undo_to(store, "it", 0, follows=Position("it", 1, "elsewhere"), session_id="own")
    assert (await store.stories.get("it")).turn == 2


async def test_an_undo_that_came_through_is_not_done_again_and_what_was_told_since_stays(
    store: Store,
) -> None:
    await tell(store, "it", "one", "own")
    known = await tell(store, "it", "two", "own")
    branch = await undo_to(store, "it", 1, follows=known, session_id="own")
    assert await undo_to(store, "it", 1, follows=known, session_id="own") == branch
    await tell(store, branch.id, "otherwise", "other")
    with pytest.raises(StoryConflict):
        await undo_to(store, "it", 1, follows=known, session_id="own")
    assert (await store.stories.get("it")).turn == 2


async def test_a_turn_is_own_if_this_session_told_this_very_scene(store: Store) -> None:
    told = await tell(store, "it", "one", "own")
    await require_own_turn(store, told, "own")
    for position, session in ((told, "other"), (Position("it", 1, "elsewhere"), "own")):
        with pytest.raises(StoryConflict):
            await require_own_turn(store, position, session)


async def test_a_record_that_is_refused_keeps_no_turn_and_one_with_an_old_fence_does(store: Store) -> None:
    begun = await store.turns.begin("it", {"text": "one"}, session_id="own")
    await save_records(store, "it", "own", 1, [NewRecord("memory", {"no": "summary"})], fence=begun.fence)
    assert await store.at("it").exact_match("memory") == ()
    await store.turns.begin("it", {"text": "one"}, session_id="other")
    records = [NewRecord("memory", {"summary": "Rain."})]
    with pytest.raises(StoryConflict):
        await save_records(store, "it", "own", 1, records, fence=begun.fence)
