"""A store that refuses any one of its calls, or does as it was told and is not heard, or not yet: no turn is
lost, and none is doubled."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import pytest

from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.events import TurnCancelled
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.persistence.library import Library
from narratoria.engine.persistence.unsaved_turns import UnsavedTurn, UnsavedTurnLog, unsaved_folders
from narratoria.engine.story_session import StorySession
from narratoria.engine.turn import TurnDependencies
from narratoria.errors import Busy, NoSuchRecord, StoreUnavailable, TurnGivenUp
from narratoria.planning import plan_log

if TYPE_CHECKING:
    from narratoria.store import Store

STORY = "comet-tea-room"
MOST = 40  # calls that one thing may take
How: TypeAlias = Literal["refused", "unheard", "late"]
HOW = pytest.mark.parametrize("how", get_args(How))


Refused: TypeAlias = Callable[[], AbstractAsyncContextManager[tuple[Library, StorySession, "Breaking"]]]


@dataclass
class Breaking:
    """Breaks a store off at one call, or from there on."""

    how: How
    at: int | None = None  # how many calls are still answered; nothing breaks while it is None
    rest: bool = False  # of the calls, too
    broke: int = 0
    under_way: set[asyncio.Task[Any]] = field(default_factory=set)

    def on_store(self, store: Store) -> Store:
        database: Any = store.database
        database.read, database.write = self._breaking(database.read), self._breaking(database.write)
        return store

    def _breaking(self, ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
        async def asked(work: Any) -> Any:
            if self.at is None:
                return await ask(work)
            self.at -= 1
            if self.at >= 0 or (self.at < -1 and not self.rest):
                return await ask(work)
            self.broke += 1
            if self.how == "late":
                self.under_way.add(asyncio.create_task(ask(partial(slowly, work))))
                await asyncio.sleep(0)
                raise TimeoutError
            if self.how == "unheard":
                await ask(work)
            raise StoreUnavailable("the cable was pulled; put it back and try again")

        return asked


def slowly(work: Callable[[Any], Any], link: Any) -> Any:
    time.sleep(0.03)
    return work(link)


async def slowed_down(library: Library) -> asyncio.Event:
    """From now on the store takes a while to write; set when it first begins to."""
    database: Any = (await library.memory_provider.store()).database
    write, begun = database.write, asyncio.Event()

    async def writing(work: Any) -> Any:
        begun.set()
        return await write(partial(slowly, work))

    database.write = writing
    return begun


campaign_of, tools = cache(app.open_campaign), cache(app.open_tools)


@contextlib.asynccontextmanager
async def opened(home: Path, fault: Breaking | None = None) -> AsyncIterator[Library]:
    """The stories of a home, told without skills and memories: what is kept of them is looked at."""
    from narratoria.store import Store

    async def store(_: object) -> Store:
        found = await Store.open(home / "narratoria.db", None, logs=home / "logs")
        return fault.on_store(found) if fault else found

    async def nobody() -> None:
        return None

    def stage(campaign: Campaign, memory: StoryMemory) -> TurnDependencies:
        stage = app.build_dependencies(campaign, tools(), memory)
        return replace(stage, skills=[], recall=None, assets=home)

    library = Library(MemoryProvider(store, nobody, retry_after=0.0), campaign_of, stage, home)
    try:
        yield library
    finally:
        await library.close()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with a story of three scenes."""
    home = tmp_path_factory.mktemp("first") / "home"

    async def begun() -> str:
        async with opened(home) as library:
            return (await told(library, 2)).story.id

    return home, asyncio.run(begun())


@pytest.fixture
def story(first: tuple[Path, str]) -> str:
    return first[1]


@pytest.fixture
def home(first: tuple[Path, str], tmp_path: Path) -> Path:
    """The home with the story, for one test."""
    return shutil.copytree(first[0], tmp_path / "home")


@pytest.fixture
def refused(home: Path, story: str) -> Refused:
    """The story, opened with a store that refuses everything from then on."""

    @contextlib.asynccontextmanager
    async def told() -> AsyncIterator[tuple[Library, StorySession, Breaking]]:
        fault = Breaking("refused", rest=True)
        async with opened(home, fault) as library:
            session = await library.open(story)
            fault.at = 0
            yield library, session, fault

    return told


async def told(library: Library, turns: int) -> StorySession:
    session = await library.begin(STORY, {"name": "Ada"}, seed=7)
    await session.resume()
    for number in range(turns):
        await session.choose(number % 2)
    return session


async def go_on(library: Library, story: str) -> StorySession:
    session = await library.open(story)
    await session.choose(0)
    return session


ResolvedAction = Callable[[Library, StorySession], Awaitable[object]]


async def cancelled(_: Library, session: StorySession) -> None:
    turn = asyncio.create_task(session.choose(1))
    while not session.busy:
        await asyncio.sleep(0)
    await asyncio.sleep(0.005)
    await session.cancel()
    with contextlib.suppress(TurnGivenUp):
        await turn


async def undone_twice(_: Library, session: StorySession) -> None:
    await session.undo()
    await session.undo()


async def undone_and_on(_: Library, session: StorySession) -> None:
    await session.choose(1)
    await session.undo()
    await session.choose(0)
    await session.undo()
    await session.choose(1)


async def undone_when_opened(library: Library, session: StorySession) -> None:
    await session.close()
    await (await library.open(session.story.id)).undo()


async def closed(library: Library, session: StorySession) -> None:
    await session.choose(1)
    await session.close()
    await library.open(session.story.id)


async def branched(library: Library, session: StorySession) -> None:
    await session.undo()
    await library.delete((await session.branch(2)).id)


DEEDS: dict[str, ResolvedAction] = {
    "choose": lambda _, session: session.choose(1),
    "undo": lambda _, session: session.undo(),
    "undo twice": undone_twice,
    "undo and go on": undone_and_on,
    "undo when just opened": undone_when_opened,
    "branch after an undo": branched,
    "tell anew": lambda _, session: session.retry(),
    "cancel": cancelled,
    "close and open": closed,
    "rename": lambda library, session: library.rename(session.story.id, "Otherwise"),
    "export": lambda library, session: library.export(session.story.id, "json"),
}


@HOW
@pytest.mark.parametrize("deed", DEEDS)
async def test_whatever_call_breaks_off_the_story_is_the_one_that_was_shown(
    deed: str, how: How, first: tuple[Path, str], tmp_path: Path
) -> None:
    for at in range(MOST):
        home, story = shutil.copytree(first[0], tmp_path / str(at)), first[1]
        fault = Breaking(how)
        async with opened(home, fault) as library:
            session = await go_on(library, story)
            fault.at = at
            with contextlib.suppress(StoreUnavailable, TimeoutError):
                await DEEDS[deed](library, session)
            fault.at = None
            await asyncio.gather(*fault.under_way, return_exceptions=True)
            session = await go_on(library, story)
            shown, state = session.snapshot.scenes, session.snapshot.state
        async with opened(home) as library:
            again = await library.open(story)
            assert again.snapshot.scenes == shown, f"call {at}"
            assert again.snapshot.state == state
            assert again.interrupted_input is None
            if deed != "branch after an undo":
                assert [each.id for each in await library.stories()] == [story], "and no other"
            if not fault.broke:
                assert (await library.replay(story)).exact
                return
    pytest.fail("it takes more calls than it should")


@HOW
@pytest.mark.parametrize("deed", ["choose", "undo", "undo and go on", "tell anew", "cancel"])
async def test_a_story_that_is_killed_while_the_store_is_away_is_the_one_that_was_shown(
    deed: str, how: How, first: tuple[Path, str], tmp_path: Path
) -> None:
    for at in range(MOST):
        home, story = shutil.copytree(first[0], tmp_path / str(at)), first[1]
        after, fault = tmp_path / f"after-{at}", Breaking(how, rest=True)
        async with opened(home, fault) as library:
            session = await go_on(library, story)
            fault.at = at
            with contextlib.suppress(StoreUnavailable, TimeoutError):
                await DEEDS[deed](library, session)
            shown = session.snapshot.scenes
            await asyncio.gather(*fault.under_way, return_exceptions=True)
            shutil.copytree(home, after, ignore=shutil.ignore_patterns("*.lock"))
        async with opened(after) as library:
            again = await library.open(story)
            assert again.snapshot.scenes == shown, f"call {at}"
            assert again.interrupted_input is None, f"call {at}"
            assert [each.id for each in await library.stories()] == [story]
        if not fault.broke:
            return
    pytest.fail("it takes more calls than it should")


@HOW
async def test_a_choice_that_is_given_up_while_a_slow_disk_still_takes_it_is_not_told_by_the_next_start(
    how: How, home: Path, story: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    add = UnsavedTurnLog.append

    def slow(spill: UnsavedTurnLog, kept: UnsavedTurn) -> bool:
        time.sleep(0.05 if kept.input else 0)
        return add(spill, kept)

    monkeypatch.setattr(UnsavedTurnLog, "append", slow)
    fault = Breaking(how, rest=True)
    async with opened(home, fault) as library:
        session = await library.open(story)
        fault.at = 0
        await cancelled(library, session)
        shown = session.snapshot.scenes
        await asyncio.gather(*fault.under_way, return_exceptions=True)
        after = shutil.copytree(home, tmp_path / "after", ignore=shutil.ignore_patterns("*.lock"))
    async with opened(after) as library:
        again = await library.open(story)
        assert (again.snapshot.scenes, again.interrupted_input) == (shown, None)


async def test_an_undoing_after_turns_that_came_through_late_leaves_the_story_that_was_shown(
    first: tuple[Path, str], tmp_path: Path
) -> None:
    for at in range(2, 8):
        home, story = shutil.copytree(first[0], tmp_path / str(at)), first[1]
        fault = Breaking("late", rest=True)
        async with opened(home, fault) as library:
            session = await library.open(story)
            fault.at = at
            await session.choose(0)
            await session.choose(1)
            fault.at = None
            await asyncio.gather(*fault.under_way, return_exceptions=True)
            await session.undo()
            await session.choose(0)
            shown = session.snapshot.scenes
            assert (session.turn_log.unsaved, len(shown)) == (0, 5), f"call {at}"
        async with opened(home) as library:
            assert (await library.open(story)).snapshot.scenes == shown, f"call {at}"


async def test_what_no_disk_took_goes_to_the_first_that_does_before_what_is_told_then(
    home: Path, story: str, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "unsaved").touch()
    monkeypatch.setattr("tempfile.tempdir", str(home / "unsaved" / "nowhere"))
    async with refused() as (_, session, _):
        await session.choose(0)
        assert session.turn_log.in_memory_only == 1
        (home / "unsaved").unlink()
        await session.choose(1)
        assert (session.turn_log.unsaved, session.turn_log.in_memory_only) == (2, 0)
        shown = session.snapshot.scenes
        after = shutil.copytree(home, tmp_path / "after", ignore=shutil.ignore_patterns("*.lock"))
    async with opened(after) as library:
        assert (await library.open(story)).snapshot.scenes == shown


@pytest.fixture
async def put_aside(
    home: Path, story: str, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, list[bytes]]:
    """A home after a kill, with a story of which two turns lie in a file; and the lines of the file: the
    heading, and a choice and a scene of either turn."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    async with refused() as (_, session, _):
        await session.choose(0)
        await session.choose(1)
        after = shutil.copytree(home, tmp_path / "after", ignore=shutil.ignore_patterns("*.lock"))
    lines = [line for line in (after / "unsaved" / f"{story}.jsonl").read_bytes().split(b"\n") if line]
    assert len(lines) == 5
    return after, lines


async def test_turns_that_lie_in_two_places_are_brought_in_in_their_order(
    put_aside: tuple[Path, list[bytes]], story: str
) -> None:
    after, (heading, *lines) = put_aside
    here, elsewhere = (place / f"{story}.jsonl" for place in unsaved_folders(after))
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_bytes(b"\n".join([heading, *lines[:2]]))
    here.write_bytes(b"\n".join([heading, *lines[2:]]))
    async with opened(after) as library:
        assert len((await library.open(story)).snapshot.scenes) == 5
    assert not any(file.exists() for file in (here, elsewhere))


async def test_turns_that_have_lost_the_one_before_them_are_set_apart_and_the_story_goes_on(
    put_aside: tuple[Path, list[bytes]], story: str
) -> None:
    after, (heading, *lines) = put_aside
    file = after / "unsaved" / f"{story}.jsonl"
    file.write_bytes(b"\n".join([heading, *lines[2:]]))
    for _ in range(2):
        async with opened(after) as library:
            assert len((await library.open(story)).snapshot.scenes) == 3
    (apart,) = file.parent.iterdir()
    assert apart.read_bytes() == b"\n".join([heading, *lines[2:]]), "whoever looks for them finds them there"


@pytest.fixture
async def apart(put_aside: tuple[Path, list[bytes]], story: str) -> tuple[Path, Path, list[bytes]]:
    """The home after a start that found the second of the two turns alone; its file, and all the lines."""
    after, lines = put_aside
    file = after / "unsaved" / f"{story}.jsonl"
    file.write_bytes(b"\n".join([lines[0], *lines[3:]]))
    async with opened(after) as library:
        assert len((await library.open(story)).snapshot.scenes) == 3
    return after, file.with_suffix(".apart-1"), lines


async def test_turns_that_were_set_apart_are_brought_in_once_the_one_before_them_has_come(
    apart: tuple[Path, Path, list[bytes]], story: str
) -> None:
    after, file, lines = apart
    (after / "unsaved" / f"{story}.jsonl").write_bytes(b"\n".join(lines[:3]))
    for _ in range(2):
        async with opened(after) as library:
            assert len((await library.open(story)).snapshot.scenes) == 5
            assert (await library.replay(story)).exact
        assert not file.exists()


@pytest.mark.parametrize("how", ["refused", "unheard"])
async def test_whatever_call_breaks_off_turns_that_were_set_apart_come_back_once_and_before_the_story_is_open(
    apart: tuple[Path, Path, list[bytes]], story: str, how: How, tmp_path: Path
) -> None:
    after, _, lines = apart
    (after / "unsaved" / f"{story}.jsonl").write_bytes(b"\n".join(lines[:3]))
    for calls in range(MOST):
        home = shutil.copytree(after, tmp_path / str(calls), ignore=shutil.ignore_patterns("*.lock"))
        fault = Breaking(how, at=calls)
        async with opened(home, fault) as library:
            try:
                session = await library.open(story)
            except StoreUnavailable:
                session = await library.open(story)
            broke, fault.at = fault.broke, None
            assert len(session.snapshot.scenes) == 5, calls
            await session.choose(0)
            shown = session.snapshot.scenes
        async with opened(home) as library:
            assert (await library.open(story)).snapshot.scenes == shown
        if not broke:
            break
    assert calls < MOST - 1


async def test_turns_that_were_set_apart_follow_no_other_turn_than_the_one_they_followed(
    apart: tuple[Path, Path, list[bytes]], story: str
) -> None:
    after, file, lines = apart
    kept = file.read_bytes()
    async with opened(after) as library:
        session = await library.open(story)
        await session.choose(1)  # it was choice 0 that they came after
        shown = session.snapshot.scenes
    missing = after / "unsaved" / f"{story}.jsonl"
    missing.write_bytes(b"\n".join(lines[:3]))
    for _ in range(2):
        async with opened(after) as library:
            assert (await library.open(story)).snapshot.scenes == shown
    assert file.read_bytes() == kept
    assert file.with_suffix(".apart-2").read_bytes() == b"\n".join(lines[:3]), "nor is that one lost"
    assert not missing.exists()


async def test_turns_that_do_not_say_what_they_follow_stay_apart(
    apart: tuple[Path, Path, list[bytes]], story: str
) -> None:
    after, file, lines = apart
    file.write_bytes(re.sub(rb'"after":"[0-9a-f]+",', b"", kept := file.read_bytes()))
    assert file.read_bytes() != kept
    (after / "unsaved" / f"{story}.jsonl").write_bytes(b"\n".join(lines[:3]))
    async with opened(after) as library:
        assert len((await library.open(story)).snapshot.scenes) == 4
    assert file.exists()


async def test_turns_that_were_put_aside_follow_no_other_turn_either(
    put_aside: tuple[Path, list[bytes]], story: str
) -> None:
    after, lines = put_aside
    file = after / "unsaved" / f"{story}.jsonl"
    file.unlink()
    async with opened(after) as library:
        session = await library.open(story)
        await session.choose(1)
        shown = session.snapshot.scenes
    file.write_bytes(b"\n".join([lines[0], *lines[3:]]))
    async with opened(after) as library:
        assert (await library.open(story)).snapshot.scenes == shown
    assert file.with_suffix(".apart-1").exists()


async def test_a_choice_that_waits_to_be_told_is_not_given_up_for_turns_that_were_set_apart(
    apart: tuple[Path, Path, list[bytes]], story: str
) -> None:
    after, file, lines = apart
    elsewhere = file.rename(after / "elsewhere")
    (file.parent / f"{story}.jsonl").write_bytes(b"\n".join(lines[:3]))
    async with opened(after) as library:
        assert len((await library.open(story)).snapshot.scenes) == 4
        store = await library.memory_provider.store()
        await store.turns.begin(story, {"choice": {"text": "I wait"}})
    elsewhere.rename(file)
    async with opened(after) as library:
        session = await library.open(story)
        assert session.interrupted_input is not None
        assert session.interrupted_input.choice.text == "I wait"
    assert file.exists()


async def test_with_a_story_that_is_deleted_goes_what_was_set_apart_of_it(
    apart: tuple[Path, Path, list[bytes]], story: str
) -> None:
    after, file, _ = apart
    async with opened(after) as library:
        await library.delete(story)
        assert not file.exists()
    async with opened(after) as library:
        assert await library.stories() == ()


async def test_what_was_put_aside_is_brought_in_whole_though_whoever_asked_for_it_has_gone(
    home: Path, story: str, refused: Refused, tmp_path: Path
) -> None:
    async with refused() as (_, session, _):
        await session.choose(0)
        await session.choose(1)
        shown = session.snapshot.scenes
        after = shutil.copytree(home, tmp_path / "after", ignore=shutil.ignore_patterns("*.lock"))
    async with opened(after) as library:
        store = await library.memory_provider.store()
        asking = asyncio.create_task(library.stories())
        while (await store.playthroughs.get(story)).turn < 4:
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled(), "it was not done yet"
        assert (await library.open(story)).snapshot.scenes == shown


async def test_a_bug_of_the_store_costs_no_turn_that_was_told(home: Path, story: str) -> None:

    async def broken(_: object) -> None:
        raise RuntimeError("nobody has thought of this")

    async with opened(home) as library:
        session = await library.open(story)
        turn_log: Any = session.turn_log
        database: Any = (await library.memory_provider.store()).database
        finish, write = turn_log.finish, database.write

        async def finishing(*about: Any) -> None:
            database.write = broken
            await finish(*about)

        turn_log.finish = finishing
        scene = await session.choose(0)
        assert (scene.number, turn_log.unsaved, turn_log.in_memory_only) == (4, 1, 0)
        await session.undo()
        turn_log.finish, database.write = finish, write
        await session.choose(1)
        shown = session.snapshot.scenes
        assert (len(shown), turn_log.unsaved) == (4, 0)
    async with opened(home) as library:
        assert (await library.open(story)).snapshot.scenes == shown


async def test_a_story_is_opened_by_its_own_name_alone_and_told_by_one(home: Path, story: str) -> None:
    async with opened(home) as library:
        session = await library.open(story)
        await session.undo()
        with pytest.raises(NoSuchRecord):
            await library.open(session.turn_log.branch)
        await session.close()
        with pytest.raises(Busy):
            await session.choose(0)
        assert (await (await library.open(story)).choose(0)).number == 3


async def test_a_beginning_that_is_stopped_forgets_neither_who_plays_nor_where_the_campaign_lies(
    tmp_path: Path,
) -> None:
    home, folder = tmp_path / "home", campaign_of(STORY).folder
    async with opened(home) as library:
        session = await library.begin(STORY, {"name": "Ada"}, seed=7)
        for _ in range(2):
            before, turn = session.log.last, asyncio.create_task(session.resume())
            while session.log.last == before:  # it has begun
                await asyncio.sleep(0)
            await session.cancel()
            with pytest.raises(TurnGivenUp):
                await turn
    async with opened(home) as library:
        again = await library.open(session.story.id)
        await again.resume()
        (told,) = await library.turns(session.story.id)
        assert (told.input.persona, told.input.folder) == ({"name": "Ada"}, str(folder))


async def test_a_turn_that_breaks_over_a_bug_is_taken_back_and_whoever_listens_is_told(
    home: Path, story: str
) -> None:
    async with opened(home) as library:
        session: Any = await library.open(story)
        build_dependencies, store = session._build_dependencies, await library.memory_provider.store()

        def broken() -> TurnDependencies:
            raise RuntimeError("nobody has thought of this")

        session._build_dependencies = broken
        with pytest.raises(RuntimeError):
            await session.choose(1)
        assert isinstance(session.log.since(0)[-1], TurnCancelled)
        assert await store.turns.unfinished(session.turn_log.branch) is None
        session._build_dependencies = build_dependencies
        assert (await session.choose(0)).number == 4


async def test_a_turn_that_is_stopped_too_late_is_told_and_can_be_undone(home: Path, story: str) -> None:
    async with opened(home) as library:
        session = await library.open(story)
        before = session.snapshot
        turn_log: Any = session.turn_log
        finish = turn_log.finish

        async def finishing(*about: Any) -> None:
            stopping.append(asyncio.create_task(session.cancel()))
            await asyncio.sleep(0.01)
            await finish(*about)

        stopping: list[asyncio.Task[None]] = []
        turn_log.finish = finishing
        scene = await session.choose(0)
        await stopping[0]
        assert (scene.number, session.scene) == (4, scene)
        turn_log.finish = finish
        await session.undo()
        assert session.snapshot.scenes == before.scenes


async def test_a_story_that_is_opened_twice_at_once_is_one(home: Path, story: str) -> None:
    async with opened(home) as library:
        one, other = await asyncio.gather(library.open(story), library.open(story))
        assert one is other


async def test_an_undoing_is_finished_when_nobody_waits_for_it(home: Path, story: str) -> None:
    async with opened(home) as library:
        session = await library.open(story)
        undoing = asyncio.create_task(session.undo())
        while not session.busy:
            await asyncio.sleep(0)
        undoing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await undoing
        for _ in range(1000):
            if session.busy:
                await asyncio.sleep(0.01)
        await session.choose(1)
        shown = session.snapshot.scenes
    assert len(shown) == 3
    async with opened(home) as library:
        assert (await library.open(story)).snapshot.scenes == shown


async def test_a_story_that_is_deleted_does_not_come_back_with_what_was_not_written(
    home: Path, story: str, refused: Refused
) -> None:
    async with refused() as (library, session, fault):
        await session.choose(0)
        with pytest.raises(StoreUnavailable):
            await library.delete(story)
        assert await library.open(story) is session, "it is there as long as it is not deleted"
        assert session.turn_log.unsaved == 1
        fault.at = None
        await library.delete(story)
    async with opened(home) as library:
        assert await library.stories() == ()


@HOW
async def test_an_import_that_breaks_off_leaves_nothing_behind(how: How, home: Path, story: str) -> None:
    fault = Breaking(how)
    async with opened(home, fault) as library:
        save = await library.export(story, "json")
        for at in range(MOST):
            fault.at = at
            with contextlib.suppress(StoreUnavailable, TimeoutError):
                await library.import_save(save)
            fault.at = None
            await asyncio.gather(*fault.under_way, return_exceptions=True)
            scenes = sorted(each.scenes for each in await library.stories())
            assert set(scenes) == {3}, f"call {at}"
            if not fault.broke:
                break
            fault.broke = 0


async def closed_untold(_: Library, session: StorySession) -> None:
    await session.close()


SINCE = DEEDS | {"close and open": closed_untold}


@pytest.mark.parametrize("since", ["rename", "close and open", "undo", "choose"])
async def test_a_choice_that_was_given_up_is_told_by_nobody_whatever_is_done_once_the_store_is_back(
    since: str, home: Path, story: str
) -> None:
    fault = Breaking("late")
    async with opened(home, fault) as library:
        session = await library.open(story)
        fault.at = 0
        turn = asyncio.create_task(session.choose(1))
        while not fault.broke:
            await asyncio.sleep(0)
        fault.how, fault.rest = "refused", True  # the choice comes through, and its taking back does not
        await session.cancel()
        with pytest.raises(TurnGivenUp):
            await turn
        await asyncio.gather(*fault.under_way, return_exceptions=True)
        fault.at = None
        await SINCE[since](library, session)
        session = await library.open(story)
        assert session.interrupted_input is None
        shown = session.snapshot.scenes
    async with opened(home) as library:
        again = await library.open(story)
        assert (again.snapshot.scenes, again.interrupted_input) == (shown, None)


async def test_whoever_gives_up_telling_a_turn_anew_is_told_when_the_story_stands_still(
    home: Path, story: str
) -> None:
    async with opened(home) as library:
        session = await library.open(story)
        await slowed_down(library)
        turn = asyncio.create_task(session.retry())
        while not session.busy:
            await asyncio.sleep(0)
        turn.cancel()
        await asyncio.wait([turn])
        shown = session.scene
        assert turn.cancelled()
        assert not session.busy
        assert (await session.choose(0)).number == len(session.snapshot.scenes) == 3
        assert shown == session.snapshot.scenes[-2]


async def test_a_closing_that_is_stopped_is_gone_on_with_by_the_next(
    home: Path, story: str, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "unsaved").touch()
    monkeypatch.setattr("tempfile.tempdir", str(home / "unsaved" / "nowhere"))
    async with refused() as (_, session, fault):
        await session.choose(0)
        shown = session.snapshot.scenes
        closing = asyncio.create_task(session.close())
        while not session.is_closed:
            await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait([closing])
        assert session.turn_log.in_memory_only == 1
        fault.at = None
    async with opened(home) as library:
        assert (await library.open(story)).snapshot.scenes == shown


async def test_a_beginning_that_is_stopped_while_the_story_is_made_forgets_nothing_either(
    tmp_path: Path,
) -> None:
    home, folder = tmp_path / "home", campaign_of(STORY).folder
    async with opened(home) as library:
        begun = await slowed_down(library)
        beginning = asyncio.create_task(library.begin(STORY, {"name": "Ada"}, seed=7))
        await begun.wait()
        beginning.cancel()
        await asyncio.wait([beginning])
        assert beginning.cancelled()
    async with opened(home) as library:
        (story,) = await library.stories()
        again = await library.open(story.id)
        assert again.interrupted_input is not None
        assert (again.interrupted_input.persona, again.interrupted_input.folder) == (
            {"name": "Ada"},
            str(folder),
        )


async def test_a_deletion_that_is_stopped_leaves_nothing_of_the_story(home: Path, story: str) -> None:
    async with opened(home) as library:
        begun = await slowed_down(library)
        assert (home / story).is_dir()
        deleting = asyncio.create_task(library.delete(story))
        await begun.wait()
        deleting.cancel()
        await asyncio.wait([deleting])
        assert deleting.cancelled()
        assert not (home / story).exists()
        assert await library.stories() == ()


async def test_two_stories_that_are_deleted_at_once_are_both_taken_out_of_the_journal(
    home: Path, story: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, is_about = home / "logs", plan_log._is_about

    def slow(line: bytes, name: str) -> bool:
        time.sleep(0.03)
        return is_about(line, name)

    async with opened(home) as library:
        other = (await library.branch(story, 2)).id
        (logs / plan_log.NAME).write_text(
            "".join(f'{{"story":"{name}"}}\n' for name in (story, other, "third"))
        )
        monkeypatch.setattr(plan_log, "_is_about", slow)
        library._forget = partial(plan_log.delete_story_records, logs)
        await asyncio.gather(library.delete(story), library.delete(other))
    assert (logs / plan_log.NAME).read_text() == '{"story":"third"}\n'


async def test_a_turn_that_is_to_be_told_anew_can_be_given_up_while_it_is_still_being_taken_back(
    home: Path, story: str
) -> None:
    async with opened(home) as library:
        session = await library.open(story)
        await slowed_down(library)
        turn = asyncio.create_task(session.retry())
        while not session.busy:
            await asyncio.sleep(0)
        await session.cancel()
        with pytest.raises(TurnGivenUp):
            await turn
        assert len(session.snapshot.scenes) == 2
