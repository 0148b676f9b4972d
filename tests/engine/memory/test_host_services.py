"""What skills share in a story: the real store and embedder behind the host channel, and a story without."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.store import filled, together

from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.errors import HostRefusal, ModelUnavailable, RecordExists, StoreUnavailable
from narratoria.protocol.command import command_for
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.process import run
from narratoria.skills.host.services import Caller, Host, RecordToStore
from narratoria.skills.host.transport import open_channel
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import InvocationRequest
from narratoria.store import Store

REMEMBER = Path(__file__).parents[3] / "examples" / "tools" / "remember.py"
STORY = "mill-1"
ME = Caller("memory", "mill-1")


class Letters:
    """An embedder that counts letters: quick, and near for texts of the same words."""

    model_id = "letters"

    def __init__(self) -> None:
        self.closed = False

    def windows(self, text: str) -> list[str]:
        return [text]

    async def embed(self, texts: Sequence[str]) -> Any:
        return np.array([[text.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts], "f4")

    async def close(self) -> None:
        self.closed = True


@asynccontextmanager
async def remembering(file: Path, story: str = STORY, embedder: Any = None) -> AsyncIterator[StoryMemory]:
    async def find() -> Any:
        if isinstance(embedder, Exception):
            raise embedder
        return embedder or Letters()

    memory_provider = MemoryProvider(lambda found: Store.open(file, found), find)
    memory = StoryMemory(story, memory_provider, branch=story)
    with suppress(StoreUnavailable, RecordExists):
        await (await memory_provider.store()).playthroughs.create("mill", identifier=story)
    try:
        yield memory
    finally:
        notes[story] = memory_provider.notes()
        await memory_provider.close()


notes: dict[str, tuple[str, ...]] = {}  # what each story was told about its store


async def tell(memory: StoryMemory, playthrough: str = "mill-1", **given: str) -> dict[str, Any]:
    """What a tool in a process of its own made of this, asking the host."""
    request = InvocationRequest("remember", given, {"playthroughId": playthrough, "sessionId": "s1"})
    allowed = Permissions.parse(["store:read", "store:write"])
    host = Host(memory, memory)
    async with open_channel(
        command_for(REMEMBER), request, skill="memory", permissions=allowed, host=host
    ) as command:
        body = encode_request(request_id="r", tool="remember", operation="remember", input=given)
        outcome = await run(command, body, NARRATORIA_V0)
    return outcome.output if outcome.ok else {"refused": outcome.failure.code if outcome.failure else ""}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "narratoria.db"


async def test_what_a_tool_stores_is_recalled_by_the_next_one_and_after_a_restart(file: Path) -> None:
    async with remembering(file) as memory:
        assert await tell(memory, note="Aldric's anvil is cracked") == {
            "recalled": ["Aldric's anvil is cracked"]
        }
    async with remembering(file) as memory:
        assert await tell(memory, about="Aldric's cracked anvil") == {
            "recalled": ["Aldric's anvil is cracked"]
        }


async def test_a_story_cannot_be_reached_from_another(file: Path) -> None:
    async with remembering(file) as memory:
        await tell(memory, note="The miller lies")
        assert await tell(memory, playthrough="mill-2", about="the miller lies") == {"refused": "NOT_FOUND"}
    async with remembering(file, "mill-2") as memory:
        assert await tell(memory, playthrough="mill-2", about="the miller lies") == {"recalled": []}


async def test_records_say_who_stored_them_in_which_sitting(file: Path) -> None:
    async with remembering(file) as memory:
        kept = await memory.store(ME, "memory", {"summary": "A bell rang", "location": "mill"}, "bell")
        again = await memory.store(ME, "memory", {"summary": "It rang again"}, None)
        named = await memory.store(Caller("memory", "mill-1", "s7"), "memory", {"summary": "Silence"}, None)
    assert (kept.identifier, kept.data_type, kept.skill) == ("bell", "memory", "memory")
    assert kept.record["location"] == "mill"
    assert kept.record["playthroughId"] == "mill-1"
    assert kept.session_id == again.session_id != ""
    assert named.session_id == "s7"


async def test_a_search_tells_the_relevance_and_the_raw_similarity(file: Path) -> None:
    async with remembering(file) as memory:
        await memory.store(ME, "memory", {"summary": "A bell rang in the mill"}, None)
        (found,) = await memory.semantic_search(
            ME, "a bell rang in the mill", data_type="memory", limit=3, filters={}, min_relevance=0.0
        )
    assert 0 < found.relevance <= 1
    assert found.similarity == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("reason", "ask"),
    [
        ("INVALID_PARAMS", lambda memory: memory.store(ME, "memory", {"text": "no summary"}, None)),
        ("INVALID_PARAMS", lambda memory: memory.store(ME, "note", {"summary": "a"}, None)),
        ("INVALID_PARAMS", lambda memory: memory.store(ME, "lore", {"content": "not a skill's"}, None)),
        ("ALREADY_EXISTS", lambda memory: memory.store(ME, "memory", {"summary": "again"}, "bell")),
        ("NOT_FOUND", lambda memory: memory.update(ME, "memory", "nothing", {"summary": "b"})),
        ("NOT_FOUND", lambda memory: memory.delete(Caller("memory", "mill-2"), "memory", "bell")),
    ],
)
async def test_what_cannot_be_done_is_told_in_the_channels_words(file: Path, reason: str, ask: Any) -> None:
    async with remembering(file) as memory:
        await memory.store(ME, "memory", {"summary": "A bell rang"}, "bell")
        with pytest.raises(HostRefusal) as refused:
            await ask(memory)
    assert refused.value.reason == reason
    assert refused.value.message


async def test_changes_made_together_happen_together_and_are_told_with_their_reasons(file: Path) -> None:
    def change(faction: str, points: float, name: str) -> RecordToStore:
        body = {"factionId": faction, "change": points, "reason": "robbed a stall"}
        return RecordToStore(data_type="reputation", record=body, identifier=name)

    async with remembering(file) as memory:
        kept = await memory.store_all(ME, [change("merchants", -20, "a"), change("thieves", 10, "b")])
        assert [entry.record["currentScore"] for entry in kept] == [-20, 10]
        with pytest.raises(HostRefusal):
            await memory.store_all(ME, [change("thieves", 50, "c"), change("merchants", 50, "a")])
        (told,) = await memory.history(ME, "reputation", "thieves")
    assert (told.change, told.score_after, told.reason) == (10, 10, "robbed a stall")


async def test_updates_and_deletes_reach_the_store(file: Path) -> None:
    async with remembering(file) as memory:
        await memory.store(ME, "memory", {"summary": "A bell rang", "location": "mill"}, "bell")
        assert (await memory.update(ME, "memory", "bell", {"location": "tower"})).record[
            "location"
        ] == "tower"
        assert await memory.delete(ME, "memory", "bell") is True
        wanted = {"data_type": None, "filters": {}, "limit": 9, "offset": 0, "newest_first": False}
        assert list(await memory.exact_match(ME, **wanted)) == []


async def test_a_database_that_cannot_be_used_is_noted_and_refused_to_skills(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("not a database, but a letter home\n" * 100)
    before = file.read_bytes()
    async with remembering(file) as memory:
        assert await tell(memory, note="Nobody will know") == {"refused": "NOT_AVAILABLE"}
    (note,) = notes[STORY]
    assert str(file) in note
    assert "goes on without its memory" in note
    assert file.read_bytes() == before


async def test_without_its_model_a_story_still_remembers(file: Path) -> None:
    async with remembering(file, embedder=ModelUnavailable("it is broken")) as memory:
        await memory.store(ME, "memory", {"summary": "A bell rang"}, "bell")
        with pytest.raises(HostRefusal) as refused:
            await memory.embed(ME, ["a bell"])
    (note,) = notes[STORY]
    assert refused.value.reason == "NOT_AVAILABLE"
    assert "it is broken" in note


async def test_texts_are_embedded_by_the_same_model(file: Path) -> None:
    async with remembering(file) as memory:
        told = await memory.embed(ME, ["a bell", "a mill"])
    assert (told.model, told.dimensions, len(told.vectors)) == ("letters", 26, 2)


async def test_one_caller_who_gives_up_stops_nothing_for_the_others(file: Path) -> None:
    async with remembering(file) as memory:
        impatient = asyncio.create_task(memory.store(ME, "memory", {"summary": "Never mind"}, None))
        patient = asyncio.create_task(memory.store(ME, "memory", {"summary": "A bell rang"}, None))
        await asyncio.sleep(0)
        impatient.cancel()
        assert (await patient).record["summary"] == "A bell rang"


async def test_what_was_opened_is_closed_and_what_was_not_is_not_opened(file: Path) -> None:
    model = Letters()
    async with remembering(file, embedder=model):
        pass
    assert model.closed
    reopened = await Store.open(file, None)  # nobody holds its lock
    await reopened.close()
    await MemoryProvider(
        lambda found: Store.open(file.parent / "other.db", found), lambda: asyncio.sleep(0)
    ).close()
    assert not (file.parent / "other.db").exists()


async def test_a_story_that_is_not_in_the_store_yet_is_refused_to_skills(file: Path) -> None:
    async with remembering(file) as memory:
        memory.branch = None
        with pytest.raises(HostRefusal) as refused:
            await memory.store(ME, "memory", {"summary": "A bell rang"}, None)
    assert refused.value.reason == "NOT_AVAILABLE"


async def test_eight_processes_read_while_two_write_and_every_call_is_answered(tmp_path: Path) -> None:
    async with filled(tmp_path, 200) as store:
        seen = await together(store, readers=8, writers=2, calls=5)
    assert len(seen.reads) == 40
    assert len(seen.writes) == 10
    assert seen.found >= 40, "every search finds the memory it is about"
    assert seen.kept == 10


async def test_a_skill_does_not_find_what_another_stores_in_the_same_turn_and_finds_its_own(
    file: Path,
) -> None:
    other = Caller("player-choices", "mill-1")
    async with remembering(file) as memory:
        memory.turn = 1
        await memory.store(ME, "memory", {"summary": "The bell rang before"}, "before")
        memory.turn = 2
        for at in range(3):
            await memory.store(ME, "memory", {"summary": f"The bell rang {at}"}, f"now-{at}")

        async def find(caller: Caller, **options: Any) -> list[str]:
            records = await memory.exact_match(
                caller,
                data_type="memory",
                filters={},
                **{"limit": 10, "offset": 0, "newest_first": True, **options},
            )
            hits = await memory.semantic_search(
                caller, "the bell rang", data_type="memory", limit=10, filters={}, min_relevance=0.0
            )
            if not options:
                assert {hit.identifier for hit in hits} == {record.identifier for record in records}
            return [record.identifier for record in records]

        assert await find(other) == ["before"]
        assert await find(other, limit=1) == ["before"]
        assert await find(other, offset=1) == []
        assert await find(ME) == ["now-2", "now-1", "now-0", "before"]
        assert await find(ME, limit=2, offset=1) == ["now-1", "now-0"]
        memory.turn = 3
        assert await find(other) == ["now-2", "now-1", "now-0", "before"]
