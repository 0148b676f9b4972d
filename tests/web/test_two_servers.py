"""Two servers on one database: any goes on with a story, and none from a scene that is not the last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from tests.faults.story_servers import StoryServer
from tests.store.server import Server

from narratoria.engine.events import StoryMoved
from narratoria.engine.persistence.turn_record import TurnInput
from narratoria.errors import Busy, StoreUnavailable, StoryConflict
from narratoria.store import Store, Turn
from narratoria.web.app_state import AppState
from narratoria.web.operation import ApiError, to_api_error
from narratoria.web.stories import Choosing, Retelling, StoryPage, cancel, choose, retry, show_story, undo

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server.started() as started:
        yield started


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    with server.database() as address:
        yield address


@pytest.fixture
async def pair(address: str, tmp_path: Path) -> AsyncIterator[tuple[AppState, AppState]]:
    states = [
        AppState(tmp_path / name, StoryServer(address, tmp_path / name, 1).open_library) for name in "ab"
    ]
    async with AsyncExitStack() as running:
        for state in states:
            await running.enter_async_context(state.run())
        yield states[0], states[1]


async def begin(state: AppState) -> str:
    session = await state.library.begin("comet-tea-room", {"name": "Ada"}, seed=7)
    await session.resume()
    return session.story.id


async def settle(state: AppState, story: str) -> StoryPage:
    """The story once nobody tells it."""
    async with asyncio.timeout(60):
        while (page := await show_story(state, story)).busy:
            await asyncio.sleep(0.05)
    return page


async def pick(state: AppState, story: str, page: StoryPage, choice: int = 0) -> StoryPage:
    await choose(state, story, Choosing(choice=choice, scene=page.scenes[-1].number, mark=page.mark))
    return await settle(state, story)


async def test_each_goes_on_where_the_other_stopped(pair: tuple[AppState, AppState]) -> None:
    one, other = pair
    story = await begin(one)
    page = await settle(other, story)
    for state in (other, one, other, one):
        page = await pick(state, story, page)
    assert [scene.number for scene in page.scenes] == [1, 2, 3, 4, 5]
    assert (await settle(other, story)).scenes == page.scenes


async def test_what_follows_another_scene_is_refused_with_409(pair: tuple[AppState, AppState]) -> None:
    one, other = pair
    story = await begin(one)
    first = await settle(one, story)
    second = await pick(one, story, first)
    await undo(one, story, mark=second.mark)
    retold = await pick(one, story, first, 1)
    assert (retold.scenes[-1].number, retold.mark) != (2, second.mark)
    for late in (
        choose(other, story, Choosing(choice=0, scene=1, mark=first.mark)),
        choose(other, story, Choosing(choice=0, scene=2, mark=second.mark)),
        undo(other, story, mark=second.mark),
        retry(other, story, Retelling(mark=second.mark)),
    ):
        with pytest.raises(ApiError, match="The story has gone on") as refused:
            await late
        assert (refused.value.status, refused.value.body.code) == (409, "stale_scene")
    assert (await settle(other, story)).scenes == retold.scenes


async def test_a_server_that_is_a_moment_late_says_that_the_story_has_moved(
    pair: tuple[AppState, AppState],
) -> None:
    one, other = pair
    story = await begin(one)
    page = await settle(other, story)
    late = await other.open_story(story)
    told = await pick(one, story, page)
    with pytest.raises(StoryConflict) as refused:
        await late.choose(1)
    assert to_api_error(refused.value).status == 409
    assert to_api_error(refused.value).body.code == "story_moved"
    assert isinstance(late.log.since(0)[-1], StoryMoved)
    for again in (late.undo(), late.choose(0)):  # it is of no use any more
        with pytest.raises(StoryConflict):
            await again
    assert (await settle(other, story)).scenes == told.scenes


async def test_an_undo_on_one_server_is_seen_on_the_other(pair: tuple[AppState, AppState]) -> None:
    one, other = pair
    story = await begin(one)
    page = await pick(one, story, await settle(one, story))
    assert (await settle(other, story)).scenes == page.scenes
    await undo(other, story, mark=page.mark)
    back = await settle(one, story)
    assert len(back.scenes) == 1
    assert len((await pick(one, story, back)).scenes) == 2


async def test_without_the_database_nothing_is_told(
    pair: tuple[AppState, AppState], server: Server, address: str
) -> None:
    one, other = pair
    story = await begin(one)
    page = await settle(one, story)
    name = address.split("/")[3].partition("?")[0]
    server.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    with pytest.raises(StoreUnavailable):
        await pick(one, story, page)
    server.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert len((await pick(other, story, await settle(other, story))).scenes) == 2


async def accept_and_die(state: AppState, address: str, story: str, page: StoryPage) -> str:
    """Let a server write a choice down and be gone before it tells it; return the choice."""
    store = await state.library.memory_provider.store()
    summary, choice = await store.stories.get(story), page.scenes[-1].choices[1]
    turn_input = msgspec.to_builtins(TurnInput(choice=choice))
    await store.turns.begin(summary.line, turn_input, session_id="gone", follows=summary.position)
    with psycopg.connect(address) as link:
        link.execute("UPDATE story SET holder = 'gone'")
    return choice.text


def lose_answers(monkeypatch: pytest.MonkeyPatch, store: Store, times: int) -> None:
    """Let the store write what begins a turn, and fail all the same, as after a timeout."""
    begin_turn, left = store.turns.begin, [None] * times

    async def begin(*given: Any, **named: Any) -> Turn:
        begun = await begin_turn(*given, **named)
        if left:
            left.pop()
            raise StoreUnavailable("the store has not answered in 10 s")
        return begun

    monkeypatch.setattr(store.turns, "begin", begin)


async def test_an_accepted_choice_outlives_a_server_that_cannot_take_it_up(
    pair: tuple[AppState, AppState], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    story = await begin(one)
    text = await accept_and_die(one, address, story, await settle(one, story))
    lose_answers(monkeypatch, await other.library.memory_provider.store(), 1)
    async with asyncio.timeout(60):
        while len((page := await show_story(other, story)).scenes) < 2:
            await asyncio.sleep(0.1)
    assert page.scenes[-1].action == text


async def test_no_undo_takes_an_accepted_choice_along(pair: tuple[AppState, AppState], address: str) -> None:
    one, other = pair
    story = await begin(one)
    page = await pick(one, story, await settle(one, story))
    session = await other.open_story(story)
    text = await accept_and_die(one, address, story, page)
    with pytest.raises(StoryConflict, match="it is told first"):
        await session.undo()
    assert (await settle(other, story)).scenes[-1].action == text


async def test_who_cancels_is_told_that_another_server_tells_the_turn(
    pair: tuple[AppState, AppState], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    story = await begin(one)
    page = await settle(one, story)
    store = await one.library.memory_provider.store()
    finish, may_finish = store.turns.finish, asyncio.Event()

    async def finish_later(*given: Any, **named: Any) -> Turn:
        await may_finish.wait()
        return await finish(*given, **named)

    monkeypatch.setattr(store.turns, "finish", finish_later)
    await choose(one, story, Choosing(choice=0, scene=1, mark=page.mark))
    async with asyncio.timeout(60):
        while not (await other.open_story(story)).is_told_elsewhere:
            await asyncio.sleep(0.05)
    with pytest.raises(Busy, match="another server"):
        await cancel(other, story)
    may_finish.set()
    assert len((await settle(other, story)).scenes) == 2


async def test_no_other_choice_takes_the_place_of_one_that_a_server_could_not_take_up(
    pair: tuple[AppState, AppState], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    story = await begin(one)
    page = await pick(one, story, await settle(one, story))
    text = await accept_and_die(one, address, story, page)
    lose_answers(monkeypatch, await other.library.memory_provider.store(), 1)
    session = await other.library.open(story)
    with pytest.raises(StoreUnavailable):
        await session.resume()
    with pytest.raises(StoryConflict, match="it is told first"):
        await session.undo()
    await session.close()
    session = await other.library.open(story)
    lose_answers(monkeypatch, await other.library.memory_provider.store(), 1)
    with pytest.raises(StoreUnavailable):
        await session.resume()
    with pytest.raises(StoryConflict, match="it is told first"):
        await session.choose(2)
    assert (await settle(other, story)).scenes[-1].action == text
