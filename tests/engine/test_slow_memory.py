"""A memory that answers late: slow is not broken, and the story offers more than to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.engine.conftest import OpenLibrary
from tests.engine.small_story import begin, story

from narratoria.engine.events import Notice
from narratoria.engine.memory import recall
from narratoria.engine.memory.recall import LateRecall, make_recaller
from narratoria.engine.scene import GENERIC_CHOICES, Choice
from narratoria.engine.story_session import StorySession
from narratoria.skills.health import SessionHealth, SkillHealth
from narratoria.store.records import MemoryEvent
from narratoria.store.scope import Scope

WAIT = Choice(text="Wait", kind="wait")


@pytest.fixture
def slow_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search of the store takes longer than a skill may run."""

    async def search(*_: Any, **__: Any) -> Sequence[Any]:
        await asyncio.sleep(10)
        return ()

    monkeypatch.setattr(Scope, "semantic_search", search)
    monkeypatch.setattr(recall, "STORE_TIMEOUT_S", 0.05)


@pytest.mark.usefixtures("slow_search")
async def test_a_search_that_is_late_costs_the_memories_and_no_skill(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        telling = await library.begin("comet-tea-room", seed=4)
        await telling.resume()
        scene = await telling.choose(0)
        assert telling.snapshot.health.disabled == frozenset()
        assert telling.snapshot.health.of("player-choices") == SkillHealth()
        assert {choice.text for choice in scene.choices} != {choice.text for choice in GENERIC_CHOICES}


async def test_try_again_gives_a_skill_that_was_given_up_another_chance(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        telling = await library.begin("comet-tea-room", seed=4)
        await telling.resume()
        given_up = SessionHealth({"player-choices": SkillHealth("permanentFailure")})
        telling.snapshot = msgspec.structs.replace(telling.snapshot, health=given_up)
        scene = await telling.choose(0)
        assert telling.snapshot.health.disabled == {"player-choices"}
        assert notices_of(telling) == ["player-choices"], "it says so where the story is told"
        assert {choice.kind for choice in scene.choices} - {"continue", "look", "wait"}
        assert all(choice.because for choice in scene.choices)
        await telling.retry()
        assert telling.snapshot.health.disabled == frozenset()
        assert notices_of(telling) == ["player-choices"], "and not once more"


def notices_of(session: StorySession) -> list[str | None]:
    """Return the skills of which a session has said that they are off."""
    notices = [event for event in session.log.since(0) if isinstance(event, Notice)]
    return [notice.skill for notice in notices if notice.details == {"state": "off"}]


class LateScope:
    """A scope whose searches answer once they may."""

    def __init__(self) -> None:
        self.answers = asyncio.Event()

    async def semantic_search(self, _query: str, data_type: str, *_: Any, **__: Any) -> Sequence[Any]:
        await self.answers.wait()
        record = MemoryEvent(id="m1", summary="You mended the wheel.", timestamp="", turn=1)
        return (_Entry("m1", record),) if data_type == "memory" else ()


class _Entry(msgspec.Struct):
    identifier: str
    record: MemoryEvent
    relevance: float = 0.9
    score: float = 0.9


async def test_what_is_found_late_is_told_with_the_next_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "STORE_TIMEOUT_S", 0.02)
    campaign, late, scope = story(), LateRecall(), LateScope()
    session = begin(campaign)

    async def open_scope() -> Any:
        return scope

    first = await make_recaller(open_scope, campaign, late)(WAIT, session)
    assert first.memories == ()
    assert "not looked up within" in first.notes[0]
    scope.answers.set()
    await asyncio.sleep(0.05)
    scope.answers.clear()
    second = await make_recaller(open_scope, campaign, late)(WAIT, session)
    assert [memory.id for memory in second.memories] == ["m1"]
    late.discard()


async def test_what_is_found_late_is_forgotten_when_its_scene_was_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recall, "STORE_TIMEOUT_S", 0.02)
    campaign, late, scope = story(), LateRecall(), LateScope()
    session = begin(campaign)

    async def open_scope() -> Any:
        return scope

    await make_recaller(open_scope, campaign, late)(WAIT, session)
    scope.answers.set()
    await asyncio.sleep(0.05)
    before = msgspec.structs.replace(session, progress=msgspec.structs.replace(session.progress, scene=0))
    assert late.take(before).memories == ()
