"""One server at a time tells a story; a write that follows another scene than it thinks is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from tests.store.server import Server
from tests.store.telling import WordCounts, play

from narratoria.errors import Busy, StoryConflict
from narratoria.store import Playthrough, Position, Store
from narratoria.store.stories import scene_mark

SCENE = {"text": "It creaks."}


async def begin(store: Store, story: str, follows: Position | None = None, session: str = "one", **more: int):
    return await store.turns.begin(story, {"text": "open"}, session_id=session, follows=follows, **more)


async def test_a_turn_that_follows_the_last_scene_is_taken(store: Store, story: Playthrough) -> None:
    begun = await begin(store, story.id, Position(story.id))
    await store.turns.finish(begun, SCENE, {}, game_time=0)
    position = Position(story.id, 1, scene_mark(SCENE))
    assert (await store.stories.get(story.id)).position == position
    assert (await begin(store, story.id, position)).number == 2


@pytest.mark.parametrize(
    "follows",
    [
        Position("mill-1", 2, "x"),
        Position("mill-1", 1, "other"),
        Position("mill-1"),
        Position("elsewhere", 1),
    ],
)
async def test_a_turn_that_follows_another_scene_is_a_conflict_and_changes_nothing(
    store: Store, follows: Position
) -> None:
    await store.playthroughs.create("mill", identifier="mill-1")
    await play(store, "mill-1")
    before = await store.stories.get("mill-1")
    with pytest.raises(StoryConflict, match="it is at scene 1 now"):
        await begin(store, "mill-1", follows)
    for change in (store.playthroughs.undo, store.playthroughs.redo):
        with pytest.raises(StoryConflict):
            await change("mill-1", follows=follows)
    with pytest.raises(StoryConflict):
        await store.turns.revise("mill-1", 1, {}, follows=follows)
    assert await store.stories.get("mill-1") == before
    assert await store.turns.unfinished("mill-1") is None


async def test_a_choice_that_waits_is_told_before_another_one(store: Store, story: Playthrough) -> None:
    position = Position(story.id)
    waiting = await begin(store, story.id, position, "one")
    with pytest.raises(StoryConflict, match="another choice was made before"):
        await begin(store, story.id, position, "two")
    resumed = await begin(store, story.id, position, "two", resumes=waiting.seq)
    assert resumed.fence == (waiting.fence or 0) + 1
    assert await store.turns.abandon(story.id, session_id="one") is False
    assert await store.turns.unfinished(story.id) == resumed
    assert await store.turns.abandon(story.id, session_id="two") is True
    with pytest.raises(StoryConflict, match="was taken back"):
        await begin(store, story.id, position, "two", resumes=waiting.seq)


async def test_whoever_was_only_asleep_writes_nothing_more(store: Store, story: Playthrough) -> None:
    asleep = await begin(store, story.id, Position(story.id), "one")
    memory = store.at(story.id, "one", 1, fence=asleep.fence)
    await memory.store("memory", {"summary": "She slept."})
    awake = await begin(store, story.id, Position(story.id), "two", resumes=asleep.seq)
    with pytest.raises(StoryConflict, match="another server goes on"):
        await memory.store("memory", {"summary": "She dreamt."})
    with pytest.raises(StoryConflict, match="another server goes on"):
        await store.turns.finish(asleep, {"text": "Told twice."}, {}, game_time=0)
    await store.turns.finish(awake, SCENE, {}, game_time=0)
    assert [turn.scene for turn in await store.turns.history(story.id)] == [SCENE]
    assert await store.at(story.id).exact_match("memory") == ()


async def test_an_undo_takes_the_story_from_whoever_tells_it(store: Store, story: Playthrough) -> None:
    await play(store, story.id)
    begun = await begin(store, story.id)
    await store.playthroughs.undo(story.id)
    with pytest.raises(StoryConflict):
        await store.turns.finish(begun, SCENE, {}, game_time=0)


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    with server.database() as address:
        yield address


@pytest.fixture
async def pair(address: str, words: WordCounts) -> AsyncIterator[tuple[Store, Store]]:
    stores = [await Store.open(address, words) for _ in range(2)]
    for store in stores:
        store.presence.lease_s = 1.0
    await stores[0].playthroughs.create("mill", identifier="it")
    yield stores[0], stores[1]
    for store in stores:
        await store.close()


@pytest.mark.slow
async def test_another_server_waits_while_a_turn_is_told_and_goes_on_after_it(
    pair: tuple[Store, Store],
) -> None:
    one, other = pair
    begun = await begin(one, "it", Position("it"))
    await asyncio.sleep(1.5)  # longer than a lease: it gives signs
    for attempt in (
        begin(other, "it", Position("it"), "two", resumes=begun.seq),
        other.playthroughs.delete("it"),
    ):
        with pytest.raises(Busy, match="another server"):
            await attempt
    await one.turns.finish(begun, SCENE, {}, game_time=0)
    assert await play(other, "it") == 2
    assert await play(one, "it") == 3


@pytest.mark.slow
async def test_the_turn_of_a_server_that_is_gone_is_told_by_another(pair: tuple[Store, Store]) -> None:
    gone, other = pair
    begun = await begin(gone, "it", Position("it"))
    assert gone.presence._signs is not None
    gone.presence._signs.cancel()  # as a kill does
    async with asyncio.timeout(60):
        while True:
            try:
                taken = await begin(other, "it", Position("it"), "two", resumes=begun.seq)
                break
            except Busy:
                await asyncio.sleep(0.1)
    await other.turns.finish(taken, SCENE, {}, game_time=0)
    with pytest.raises(StoryConflict):
        await gone.turns.finish(begun, {"text": "Told twice."}, {}, game_time=0)


@pytest.mark.slow
async def test_a_story_that_is_given_up_is_free_for_others_with_the_next_sign(
    pair: tuple[Store, Store],
) -> None:
    one, other = pair
    begun = await begin(one, "it", Position("it"))
    one.presence.give_up("it")
    async with asyncio.timeout(30):
        while (await other.stories.get("it")).holder:
            await asyncio.sleep(0.1)
    taken = await begin(other, "it", Position("it"), "two", resumes=begun.seq)
    one.presence.give_up("it")  # another server's now
    await asyncio.sleep(1)
    assert (await one.stories.get("it")).holder == other.presence.id
    await other.turns.finish(taken, SCENE, {}, game_time=0)


@pytest.mark.slow
async def test_a_story_that_is_taken_again_is_not_given_back(pair: tuple[Store, Store]) -> None:
    one, _ = pair
    one.presence.give_up("it")
    await begin(one, "it", Position("it"))
    await asyncio.sleep(1)
    assert (await one.stories.get("it")).holder == one.presence.id


@pytest.mark.slow
async def test_a_server_that_is_stopped_gives_its_stories_back(pair: tuple[Store, Store]) -> None:
    one, other = pair
    one.presence.lease_s = other.presence.lease_s = 600
    begun = await begin(one, "it", Position("it"))
    await one.close()
    assert (await begin(other, "it", Position("it"), "two", resumes=begun.seq)).number == 1


@pytest.mark.slow
async def test_two_servers_embed_what_waits_without_a_collision(
    address: str, words: WordCounts, pair: tuple[Store, Store]
) -> None:
    words.available = False
    await pair[0].at("it").store_all([("memory", {"summary": f"Day {day}."}) for day in range(30)])
    words.available = True
    done = await asyncio.gather(*(store.reembed_pending() for store in pair))
    assert max(done) > 0
    assert (await pair[1].inventory()).pending == 0


@pytest.mark.slow
async def test_background_work_is_claimed_by_one_server_until_it_is_released_or_gone(
    pair: tuple[Store, Store],
) -> None:
    one, other = (store.presence for store in pair)
    assert await one.claim("embedding")
    assert await one.claim("embedding"), "its own claim is kept up"
    assert not await other.claim("embedding")
    assert await other.claim("tidying")
    await one.release("embedding")
    assert await other.claim("embedding")
    await asyncio.sleep(1.1)  # a lease, without a sign
    assert await one.claim("embedding")


@pytest.mark.slow
async def test_what_one_server_embeds_no_other_embeds_too(
    words: WordCounts, pair: tuple[Store, Store]
) -> None:
    one, other = pair
    words.available = False
    await one.at("it").store_all([("memory", {"summary": f"Day {day}."}) for day in range(3)])
    words.available = True
    assert await one.presence.claim("embedding")
    assert await other.reembed_pending() == 0
    await one.presence.release("embedding")
    assert await other.reembed_pending() == 3


@pytest.mark.slow
async def test_many_writes_of_two_servers_are_all_there(pair: tuple[Store, Store]) -> None:
    for number, store in enumerate(pair):
        await store.playthroughs.create("mill", identifier=f"own-{number}")

    async def tell(store: Store, story: str) -> None:
        for _ in range(10):
            await play(store, story)

    await asyncio.gather(*(tell(store, f"own-{number}") for number, store in enumerate(pair)))
    assert [(await pair[0].stories.get(f"own-{number}")).turn for number in range(2)] == [10, 10]
