"""Stories that are begun, left, taken up, undone, branched, compared, exported and brought in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.engine.conftest import OpenLibrary
from tests.engine.played_story import begin_story

from narratoria.engine.events import SceneReady, StoryEvent, TurnUndone
from narratoria.errors import NoSuchRecord, StoreUnavailable


async def test_a_story_goes_on_where_it_was_left_with_who_the_player_is(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        left = await begin_story(library, 0, 1)
        snapshot, story = left.snapshot, left.story
    async with open_library() as library:
        again = await library.open(story.id)
        assert again.snapshot.scenes == snapshot.scenes
        assert again.snapshot.state == snapshot.state
        assert again.snapshot.progress == snapshot.progress
        assert again.snapshot.state.get("persona.name") == "Ada"
        assert (await library.story(story.id)).scenes == 3
        assert await library.open(story.id) is again


async def test_who_plays_nobody_in_particular_has_what_everybody_begins_with(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await library.begin("harrowmere", None, seed=1)
        assert session.snapshot.state.get("persona.items") == ["founder's rule", "letter of engagement"]


async def test_a_choice_that_was_made_is_told_after_a_kill_and_nothing_is_doubled(
    open_library: OpenLibrary, as_after_kill: Callable[[Path], OpenLibrary], tmp_path: Path
) -> None:
    copies: dict[str, OpenLibrary] = {}

    def copy(event: StoryEvent) -> None:
        name = f"{event.id}-{type(event).__name__}"
        if event.turn == 3 and len(copies) < 6:
            copies[name] = as_after_kill(tmp_path / name)

    async with open_library() as library:
        session = await begin_story(library, 0)
        with session.log.listening(copy, after=session.log.last):
            await session.choose(1)
        story, straight = session.story.id, session.snapshot
    assert len(copies) == 6
    for name, revived in copies.items():
        async with revived() as library:
            again = await library.open(story)
            assert len(again.snapshot.scenes) == 2, name
            assert again.interrupted_input is not None
            await again.resume()
            assert again.snapshot.scenes == straight.scenes, name
            assert again.snapshot.state == straight.state, name
            kept = await (await again.memory.scope()).exact_match("memory", {}, limit=100)
            assert len({entry.identifier for entry in kept}) == len(kept)


async def test_undoing_goes_back_with_its_memory_and_keeps_the_storys_name(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        before = session.snapshot
        await session.choose(1)
        await session.undo()
        assert session.snapshot.scenes == before.scenes
        assert session.snapshot.state == before.state
        assert isinstance(session.log.since(0)[-1], TurnUndone)
        story = session.story
        await session.choose(1)
    async with open_library() as library:
        assert [each.id for each in await library.stories()] == [story.id]
        assert len((await library.open(story.id)).snapshot.scenes) == 3


@pytest.mark.parametrize("refused", range(3))
async def test_an_undoing_the_store_breaks_off_changes_nothing_and_the_story_goes_on(
    refused: int, open_library: OpenLibrary
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        database: Any = (await library.memory_provider.store()).database
        asked = 0

        def refusing(ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
            async def answered(work: Any) -> Any:
                nonlocal asked
                asked += 1
                if asked == refused + 1:
                    raise StoreUnavailable("another program keeps it locked; close that one and try again")
                return await ask(work)

            return answered

        reading, writing = database.read, database.write
        database.read, database.write = refusing(reading), refusing(writing)
        with contextlib.suppress(StoreUnavailable):
            await session.undo()
        database.read, database.write = reading, writing
        await session.choose(0)
        shown, story = session.snapshot.scenes, session.story.id
    async with open_library() as library:
        assert (await library.open(story)).snapshot.scenes == shown


async def test_a_story_that_nobody_wants_anything_of_is_closed_and_opened_again_as_it_was(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        left, heard = await begin_story(library, 0), await begin_story(library, seed=8)
        shown, story = left.snapshot.scenes, left.story.id
        assert await library.close_idle(3600) == ()
        with heard.log.listening(lambda _: None, after=heard.log.last):
            assert await library.close_idle(0) == (story,)
        assert (left.is_closed, heard.is_closed) == (True, False)
        again = await library.open(story)
        assert again is not left
        assert again.snapshot.scenes == shown
        assert (await again.choose(1)).number == 3


async def test_a_branch_shares_the_beginning_and_neither_changes_the_other(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0, 0)
        branch = await session.branch(2, "Otherwise")
        other = await library.open(branch.id)
        assert (branch.parent, branch.branched_at, branch.title) == (session.story.id, 2, "Otherwise")
        await other.choose(len(other.snapshot.scenes[-1].choices) - 1)
        compared = await library.compare(session.story.id, branch.id)
        assert compared.common == 2
        assert [scene.number for scene in compared.left] == [scene.number for scene in compared.right] == [3]
        assert {each.id for each in await library.branches(branch.id)} == {session.story.id, branch.id}
        await library.delete(session.story.id)
        assert len((await library.open(branch.id)).snapshot.scenes) == 3
        with pytest.raises(NoSuchRecord, match="narratoria stories list"):
            await library.open(session.story.id)


async def test_a_restarted_program_replays_its_events(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        told = session.log.since(0)
        story = session.story.id
    async with open_library() as library:
        again = await library.open(story)
        assert again.log.since(0) == told
        heard = []
        async for event in again.log.subscribe(after=told[3].id):
            heard.append(event)
            if event.id == told[-1].id:
                break
        assert heard == list(told[4:])
    scenes = [event.scene.number for event in told if isinstance(event, SceneReady)]
    assert scenes == [1, 2]
    assert [event.id for event in told] == list(range(1, len(told) + 1))


async def test_a_story_replays_byte_for_byte_from_its_log_and_a_forgery_is_found(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0, 1, 0)
        assert (await library.replay(session.story.id)).exact
        save = msgspec.json.decode(await library.export(session.story.id, "json"))
        save["turns"][2]["ended"]["scene"]["paragraphs"][0] = "Somebody else wrote this."
        forged = await library.import_save(msgspec.json.encode(save))
        replayed = await library.replay(forged.id)
        assert (replayed.turns, replayed.same) == (4, 3)
        (difference,) = replayed.differences
        assert (difference.turn, difference.pointer) == (3, "/paragraphs/0")
