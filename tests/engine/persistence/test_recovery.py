"""Unsaved turns are written once the store can be; where servers share it, they undo nobody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.store.server import Server

from narratoria.engine.persistence.recovery import write_unsaved_turns
from narratoria.engine.persistence.store_steps import create_story
from narratoria.engine.persistence.unsaved_turns import UnsavedTurn, UnsavedTurns, UnsavedTurnsHeader
from narratoria.errors import StoryConflict
from narratoria.store import Store

pytestmark = pytest.mark.slow
HEADER = UnsavedTurnsHeader(branch="it", campaign="mill", title="The Mill", seed=7, session_id="own")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server.started() as started:
        yield started


@pytest.fixture
async def store(server: Server, tmp_path: Path) -> AsyncIterator[Store]:
    with server.database() as address:
        opened = await Store.open(address, None, logs=tmp_path)
        await create_story(opened, HEADER)
        yield opened
        await opened.close()


async def tell(store: Store, words: str, session: str) -> None:
    line = (await store.stories.get("it")).line
    begun = await store.turns.begin(line, {"text": words}, session_id=session)
    await store.turns.finish(begun, {"text": words}, {}, game_time=0)


async def texts(store: Store) -> list[str]:
    line = (await store.stories.get("it")).line
    return [str((turn.scene or {})["text"]) for turn in await store.turns.history(line)]


def undoing(tmp_path: Path, number: int) -> UnsavedTurns:
    """A file in which the session took a turn back while the store was away."""
    file = tmp_path / "it.jsonl"
    file.write_bytes(b"")
    return UnsavedTurns(file, HEADER, (UnsavedTurn(number=number),))


async def test_an_undo_of_one_s_own_turn_is_done_after_an_outage(store: Store, tmp_path: Path) -> None:
    await tell(store, "one", "own")
    await tell(store, "two", "own")
    file = undoing(tmp_path, 2)
    assert await write_unsaved_turns(file, store)
    assert await texts(store) == ["one"]
    assert not file.file.exists()


async def test_a_turn_that_another_server_told_meanwhile_is_not_undone(store: Store, tmp_path: Path) -> None:
    await tell(store, "one", "own")
    await tell(store, "two", "other")
    file = undoing(tmp_path, 2)
    with pytest.raises(StoryConflict, match="told on another server"):
        await write_unsaved_turns(file, store)
    assert await texts(store) == ["one", "two"]
    assert file.file.exists()


async def test_a_turn_after_one_s_own_is_not_undone_with_it(store: Store, tmp_path: Path) -> None:
    await tell(store, "one", "own")
    await tell(store, "two", "own")
    await tell(store, "three", "other")
    with pytest.raises(StoryConflict):
        await write_unsaved_turns(undoing(tmp_path, 2), store)
    assert await texts(store) == ["one", "two", "three"]


async def test_what_was_told_after_the_same_undo_elsewhere_stays(store: Store, tmp_path: Path) -> None:
    await tell(store, "one", "own")
    await tell(store, "two", "own")
    await store.playthroughs.undo("it")
    await tell(store, "another two", "other")
    with pytest.raises(StoryConflict):
        await write_unsaved_turns(undoing(tmp_path, 2), store)
    assert await texts(store) == ["one", "another two"]
