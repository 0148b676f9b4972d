"""A story as one document: taken elsewhere with its memories, and refused whole where it is none."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.engine.conftest import OpenLibrary
from tests.engine.played_story import begin_story

from narratoria import app
from narratoria.engine.story_session import StorySession
from narratoria.errors import ContractViolation


async def test_a_story_can_be_taken_to_another_machine_and_played_on(
    open_library: OpenLibrary, tmp_path: Path
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        save = await library.export(session.story.id, "json")
        straight = await session.choose(0)
    assert str(Path(__file__).parents[3]).encode() not in save, "no place of this machine is in it"
    async with app.open_isolated_library(tmp_path / "elsewhere") as library:
        story = await library.import_save(save)
        again = await library.open(story.id)
        assert (await again.choose(0)).text == straight.text


async def records_of(session: StorySession) -> list[object]:
    scope = await session.memory.scope()
    records = [
        (entry.data_type, entry.turn, msgspec.to_builtins(entry.record))
        for kind in ("memory", "perception", "reputation")
        for entry in await scope.exact_match(kind)
    ]
    own = ("playthroughId", "sessionId", "lastInteraction", "lastUpdated")
    return [(kind, turn, {k: v for k, v in body.items() if k not in own}) for kind, turn, body in records]


async def test_a_story_that_was_taken_elsewhere_remembers_and_is_thought_of_as_before(
    open_library: OpenLibrary, tmp_path: Path
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0, 1, 0)
        scope = await session.memory.scope()
        for change in (12, -5):
            await scope.store(
                "perception", {"npcId": "mira", "change": change, "reason": f"a tip of {change}"}
            )
        await scope.store("reputation", {"factionId": "dockers", "change": 7, "reason": "a round of tea"})
        here, save = await records_of(session), await library.export(session.story.id, "json")
    async with app.open_isolated_library(tmp_path / "elsewhere") as library:
        story = await library.import_save(save)
        session = await library.open(story.id)
        there = await records_of(session)
        history = await (await session.memory.scope()).history("perception", "mira")
        assert there == here
        assert len(here) >= 5
        assert [change.reason for change in history] == ["a tip of 12", "a tip of -5"]
        spoilt = msgspec.json.decode(save)
        spoilt["remembered"][0]["record"]["summary"] = 7
        with pytest.raises(ContractViolation):
            await library.import_save(msgspec.json.encode(spoilt))
        spoilt["remembered"][0]["turn"] = 99
        with pytest.raises(ContractViolation, match="no turn 99"):
            await library.import_save(msgspec.json.encode(spoilt))
        assert [each.id for each in await library.stories()] == [story.id], "nothing of it was left behind"


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"{}",
        b"[1]",
        b'{"format": "narratoria-story", "version": 2, "story": {}, "turns": []}',
        b'{"format": "narratoria-story", "version": 1, "turns": [], '
        b'"story": {"id": "x", "title": "x", "campaign": " "}}',
    ],
)
async def test_what_is_no_story_is_refused(open_library: OpenLibrary, document: bytes) -> None:
    async with open_library() as library:
        with pytest.raises(ContractViolation):
            await library.import_save(document)
        assert await library.stories() == ()
