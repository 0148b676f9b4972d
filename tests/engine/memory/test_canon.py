"""What a model adds to a story is marked, and is gone for good once the player strikes it out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from narratoria import app
from narratoria.engine.faults import Faults
from narratoria.engine.memory.canon import find_canon, list_canon
from narratoria.engine.persistence.library import Library
from narratoria.engine.revise import edit_paragraph, mark_memory
from narratoria.engine.scene import Choice, Passage, Scene
from narratoria.engine.story_session import StorySession
from narratoria.errors import ContractViolation
from narratoria.skills.host.services import Caller, Generation, HostModelStatus, TextPiece

ADDED = "A brass weathervane shaped like a heron creaks above the copper gutter."
TOLD = f"You wait, and the tea room goes on without you. {ADDED}"
WAIT = Choice(text="Wait", kind="wait")


class ScriptedModel:
    """A model that tells every scene in the same words, as a server on this machine would."""

    def __init__(self, _faults: Faults) -> None:
        pass

    def about(self) -> HostModelStatus:
        return HostModelStatus(name="heron-3b", tier="narrates", state="ready")

    async def generate(self, _caller: Caller, _generation: Generation) -> AsyncGenerator[TextPiece, None]:
        yield TextPiece(TOLD, "stop")


@pytest.fixture(autouse=True)
def scripted_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "FaultyModel", ScriptedModel)
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))


@asynccontextmanager
async def open_story(folder: Path) -> AsyncIterator[tuple[Library, StorySession]]:
    async with app.open_isolated_library(folder, Faults(0.0)) as library:
        session = await library.begin("comet-tea-room", None, seed=3)
        await session.resume()
        await session.choose(WAIT)
        yield library, session


async def recalled(session: StorySession) -> set[str]:
    scope = await session.memory.scope()
    hits = await scope.semantic_search("the heron weathervane on the gutter", "memory", 10, min_relevance=0.0)
    return {hit.record.summary for hit in hits if hasattr(hit.record, "summary")}


async def test_a_sentence_that_a_model_added_is_kept_with_the_model_as_its_source(tmp_path: Path) -> None:
    async with open_story(tmp_path) as (_, session):
        assert session.snapshot.scenes[-1].passages[0].by == "model"
        (fact,) = await list_canon(session.memory)
        assert (fact.text, fact.model, fact.scene) == (ADDED, "heron-3b", 2)
        assert ADDED in await recalled(session)


async def test_what_is_struck_out_is_no_memory_and_comes_back_by_no_undo(tmp_path: Path) -> None:
    async with open_story(tmp_path) as (library, session):
        (fact,) = await list_canon(session.memory)
        await session.choose(Choice(text="Look around", kind="look"))
        await mark_memory(session, fact.id, "struck")
        assert fact.id not in {one.id for one in await list_canon(session.memory)}
        await session.undo()
        assert await list_canon(session.memory) == []
        assert ADDED not in await recalled(session)
        told = [record.output.scene for record in await library.turns(session.story.id)]
        assert told[-1] == session.snapshot.scenes[-1]  # what was told stays told


async def test_a_story_replays_byte_for_byte_although_something_was_struck_out(tmp_path: Path) -> None:
    async with open_story(tmp_path) as (library, session):
        await session.say("I look at the heron weathervane above the gutter")
        for fact in await list_canon(session.memory):
            await mark_memory(session, fact.id, "struck")
        await session.choose(WAIT)
        assert (await library.replay(session.story.id)).exact


async def test_a_branch_made_before_keeps_it_and_a_later_one_does_not(tmp_path: Path) -> None:
    async with open_story(tmp_path) as (library, session):
        (fact,) = await list_canon(session.memory)
        earlier = await session.branch(2, "earlier")
        await mark_memory(session, fact.id, "struck")
        later = await session.branch(2, "later")
        kept = await library.open(earlier.id)
        assert [one.text for one in await list_canon(kept.memory)] == [ADDED]
        await mark_memory(kept, fact.id, "struck")
        assert await list_canon(kept.memory) == []
        assert await list_canon((await library.open(later.id)).memory) == []


async def test_what_nobody_remembers_cannot_be_struck_out(tmp_path: Path) -> None:
    async with open_story(tmp_path) as (_, session):
        with pytest.raises(ContractViolation, match="nothing is remembered as"):
            await mark_memory(session, "scene-99", "struck")


async def test_a_sentence_of_a_model_that_is_edited_away_is_no_canon_until_it_is_put_back(
    tmp_path: Path,
) -> None:
    async with open_story(tmp_path) as (library, session):
        await edit_paragraph(session, 2, 0, "You wait, and a kettle sings behind the counter.")
        assert await list_canon(session.memory) == []
        assert ADDED not in await recalled(session)
        await edit_paragraph(session, 2, 0, None)
        assert [one.text for one in await list_canon(session.memory)] == [ADDED]
        assert (await library.replay(session.story.id)).exact


def scene_of(*paragraphs: tuple[str, Any]) -> Scene:
    return Scene(
        number=2,
        action="Wait",
        place="x",
        paragraphs=tuple(text for text, _ in paragraphs),
        passages=tuple(Passage(by=by, model="m" if by == "model" else "") for _, by in paragraphs),
        choices=(),
    )


def test_speech_the_players_own_doings_and_what_was_known_are_no_canon() -> None:
    assert find_canon(scene_of((ADDED, "composer")), ()) is None
    assert find_canon(scene_of((ADDED, "model")), [ADDED]) is None
    assert find_canon(scene_of(("“The brass heron creaks above the gutter,” she says.", "model")), ()) is None
    assert find_canon(scene_of(("You climb the copper gutter to the brass heron.", "model")), ()) is None
    assert find_canon(scene_of((TOLD, "model")), ()) == (ADDED, "m")
