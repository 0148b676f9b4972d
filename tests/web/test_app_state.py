"""The state that all requests share: open stories, the turns under way, and their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narratoria import app
from narratoria.errors import Busy, NoSuchRecord, StoreUnavailable
from narratoria.web.app_state import AppState


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[AppState]:
    home = tmp_path / "home"
    here = AppState(home, lambda: app.open_isolated_library(home))
    async with here.run():
        yield here


async def begin(state: AppState) -> str:
    """A story at its first scene, closed again."""
    session = await state.library.begin("comet-tea-room", {"name": "Ada"}, seed=7)
    await session.resume()
    story = session.story.id
    await session.close()
    return story


async def test_all_tabs_of_a_story_share_it(state: AppState) -> None:
    story = await begin(state)
    first, second = await asyncio.gather(state.open_story(story), state.open_story(story))
    assert first is second
    assert len(list(state.skill_healths())) == 1


async def test_a_story_that_was_closed_is_opened_anew(state: AppState) -> None:
    story = await begin(state)
    first = await state.open_story(story)
    await state.close_story(story)
    await state.close_story(story)  # closed already
    assert first.is_closed
    second = await state.open_story(story)
    assert second is not first
    assert not second.is_closed


async def test_a_tab_that_goes_away_while_a_story_opens_leaves_it_to_the_others(state: AppState) -> None:
    story = await begin(state)
    leaving = asyncio.create_task(state.open_story(story))
    await asyncio.sleep(0)
    staying = asyncio.create_task(state.open_story(story))
    await asyncio.sleep(0)
    leaving.cancel()
    assert not (await staying).is_closed
    assert leaving.cancelled()


async def test_a_story_that_is_not_there_is_asked_for_again_in_vain(state: AppState) -> None:
    for _ in range(2):
        with pytest.raises(NoSuchRecord):
            await state.open_story("nothing")
    await state.close_story("nothing")
    assert list(state.skill_healths()) == []


async def test_without_a_store_the_open_stories_are_listed(
    state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_, closed = await begin(state), await begin(state)
    await state.open_story(open_)
    assert {story.id for story in await state.stories(limit=60)} == {open_, closed}

    async def refuse(_: object) -> None:
        raise StoreUnavailable("the cable was pulled")

    store = await state.library.memory_provider.store()
    monkeypatch.setattr(store.database, "read", refuse)
    listed = [story.id for story in await state.stories(limit=60)]
    monkeypatch.undo()
    assert listed == [open_]


async def test_a_turn_that_breaks_off_is_logged_and_one_that_is_refused_is_not(
    state: AppState, caplog: pytest.LogCaptureFixture
) -> None:
    async def refused() -> None:
        raise Busy("a turn is under way")

    async def broken() -> None:
        raise ZeroDivisionError("a fault of the program")

    await asyncio.wait({state.run_turn(refused()), state.run_turn(broken())})
    await asyncio.sleep(0)
    assert "a fault of the program" in caplog.text
    assert "a turn is under way" not in caplog.text


async def test_a_server_that_stops_waits_for_its_turns(tmp_path: Path) -> None:
    ended: list[str] = []

    async def turn() -> None:
        await asyncio.sleep(0.05)
        ended.append("turn")

    here = AppState(tmp_path, lambda: app.open_isolated_library(tmp_path))
    async with here.run():
        here.run_turn(turn())
    assert ended == ["turn"]


def test_there_is_no_library_before_the_server_runs(tmp_path: Path) -> None:
    here = AppState(tmp_path, lambda: app.open_isolated_library(tmp_path))
    with pytest.raises(AssertionError, match="not running"):
        _ = here.library
