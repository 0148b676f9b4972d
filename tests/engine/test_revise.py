"""What the player changes besides playing: edited paragraphs, bookmarks, notes, marked memories, redo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.engine.conftest import OpenLibrary
from tests.engine.played_story import begin_story

from narratoria.engine.events import SceneReady, StoryRevised
from narratoria.engine.memory.follow import record_body
from narratoria.engine.persistence.turn_record import list_scenes
from narratoria.engine.revise import add_note, edit_paragraph, mark_memory, remove_note, set_bookmark
from narratoria.engine.scene import Choice
from narratoria.engine.story_session import StorySession
from narratoria.errors import ContractViolation
from narratoria.planner.patterns import PatternPlanner
from narratoria.planning.plan import Plan, PlanRequest

WAIT = Choice(text="Wait", kind="wait")
ASK = "I ask Tolly about the comet"
MINE = "A postman on stilts hands you a green telegram."


async def remembered(session: StorySession) -> dict[str, str]:
    entries = await (await session.memory.scope()).exact_match("memory")
    return {one.identifier: record_body(one)["summary"] for one in entries}


async def test_an_edited_paragraph_is_marked_and_is_there_when_the_story_is_opened_again(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        told = session.snapshot.scenes[1]
        scene = await edit_paragraph(session, 2, 0, f"  {MINE}\n")
        assert scene.paragraphs == (MINE, *told.paragraphs[1:])
        assert scene.passages[0].by == "player"
        assert scene.original is not None
        assert scene.original.paragraphs == told.paragraphs
        assert isinstance(session.log.since(0)[-1], StoryRevised)
        story = session.story.id
    async with open_library() as library:
        again = await library.open(story)
        assert again.snapshot.scenes[1] == scene
        assert MINE in (await library.export(story, "markdown")).decode()
        assert MINE in (await library.export(story, "html", 2)).decode()
        await again.choose(WAIT)
        assert (await library.replay(story)).exact
        assert list_scenes(await library.turns(story))[1] == scene


async def test_what_is_edited_away_is_not_remembered_and_what_was_written_instead_is(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library)
        await session.say(ASK)
        before, number = await remembered(session), session.snapshot.progress.scene
        scene = session.snapshot.scenes[-1]
        for paragraph in range(len(scene.paragraphs)):
            await edit_paragraph(session, number, paragraph, MINE if paragraph == 0 else "Nobody answers.")
        after = await remembered(session)
        assert before[f"scene-{number}"] != after[f"scene-{number}"]
        assert MINE in after[f"scene-{number}"]
        assert session.snapshot.progress.history.recent[-1].text == after[f"scene-{number}"]
        await session.say("I look around")
        assert (await library.replay(session.story.id)).exact


async def test_putting_the_told_words_back_puts_back_what_was_remembered(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library)
        await session.say(ASK)
        before, scene, number = (
            await remembered(session),
            session.snapshot.scenes[-1],
            session.snapshot.progress.scene,
        )
        await edit_paragraph(session, number, 0, MINE)
        assert await edit_paragraph(session, number, 0, None) == scene
        assert await remembered(session) == before
        assert (await library.replay(session.story.id)).exact


async def test_an_edit_outlives_an_undo_and_a_branch_unless_its_own_scene_is_taken_back(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        await session.choose(WAIT)
        await session.choose(WAIT)
        await edit_paragraph(session, 2, 0, MINE)
        await edit_paragraph(session, 4, 0, "Gone with its scene.")
        branch = await library.open((await session.branch(3)).id)
        assert branch.snapshot.scenes[1].paragraphs[0] == MINE
        assert MINE in (await remembered(branch))["scene-2"]
        await session.undo()
        assert session.snapshot.scenes[1].paragraphs[0] == MINE
        await session.choose(WAIT)
        assert session.snapshot.scenes[3].original is None
        assert (await library.replay(session.story.id)).exact
        assert (await library.replay(branch.story.id)).exact
        story = session.story.id
    async with open_library() as library:
        again = await library.open(story)
        assert again.snapshot.scenes[1].paragraphs[0] == MINE
        assert MINE in (await remembered(again))["scene-2"]


async def test_an_edit_of_nothing_or_of_no_scene_is_refused(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library)
        for scene, paragraph, text in ((1, 0, "  "), (1, 99, MINE), (7, 0, MINE), (1, 0, "x" * 5000)):
            with pytest.raises(ContractViolation):
                await edit_paragraph(session, scene, paragraph, text)
        assert session.snapshot.revisions == ()


async def test_redo_brings_the_undone_turns_back_byte_for_byte(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        await session.choose(WAIT)
        scenes, kept, branch = session.snapshot, await remembered(session), session.turn_log.branch
        assert not await session.can_redo()
        await session.undo()
        await session.undo()
        assert await session.can_redo()
        await session.redo()
        assert (await session.redo()) == scenes.scene
        assert isinstance(session.log.since(0)[-1], SceneReady)
        assert (session.snapshot.scenes, session.snapshot.progress) == (scenes.scenes, scenes.progress)
        assert (await remembered(session), session.turn_log.branch) == (kept, branch)
        assert not await session.can_redo()
        with pytest.raises(ContractViolation, match="nothing to redo"):
            await session.redo()
        assert [one.id for one in await library.stories()] == [session.story.id]
        await session.choose(WAIT)
        assert (await library.replay(session.story.id)).exact


async def test_redo_waits_for_a_later_start_and_is_gone_after_another_turn(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        undone = session.scene
        await session.undo()
        note = await add_note(session, "Shorter, please", standing=True)
        story = session.story.id
    async with open_library() as library:
        session = await library.open(story)
        assert await session.redo() == undone
        assert session.snapshot.progress.notes == (note,)  # made in between, and kept
        await session.undo()
        await session.choose(WAIT)
        assert not await session.can_redo()
        assert (await library.replay(story)).exact


class Listening(PatternPlanner):
    """A planner that keeps the notes it is told with each turn."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    async def generate(self, request: PlanRequest) -> Plan:
        self.notes = request.context["notes"]
        return await super().generate(request)


def planned_by(planner: PatternPlanner, session: Any) -> None:
    build_dependencies = session._build_dependencies
    session._build_dependencies = lambda: replace(build_dependencies(), planner=planner)


async def test_a_note_reaches_every_turn_or_the_next_one_alone(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session, planner = await begin_story(library), Listening()
        planned_by(planner, session)
        standing = await add_note(session, "Keep it  gloomy", standing=True)
        await add_note(session, "A storm comes up", standing=False)
        heard = []
        for turn in (lambda: session.choose(WAIT), session.retry, lambda: session.choose(WAIT)):
            await turn()
            heard.append(planner.notes)
        await remove_note(session, standing.id)
        await session.choose(WAIT)
        both = ["Keep it gloomy", "A storm comes up"]
        assert [*heard, planner.notes] == [both, both, ["Keep it gloomy"], []]
        assert (await library.replay(session.story.id)).exact
        with pytest.raises(ContractViolation):
            await remove_note(session, standing.id)


async def test_notes_are_there_again_after_a_restart_and_go_with_the_branch(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        early = await library.open((await session.branch(1)).id)
        note = await add_note(session, "In the past tense", standing=True)
        late = await library.open((await session.branch(2)).id)
        assert early.snapshot.progress.notes == ()
        assert late.snapshot.progress.notes == (note,)
        saved = await library.export(session.story.id, "json")
        story = session.story.id
    async with open_library() as library:
        assert (await library.open(story)).snapshot.progress.notes == (note,)
        copy = await library.import_save(saved)
        assert (await library.open(copy.id)).snapshot.progress.notes == (note,)


async def test_a_bookmark_outlives_an_undo_a_restart_and_an_export_but_not_its_scene(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library, 0)
        await session.choose(WAIT)
        last = session.snapshot.progress.scene
        assert await set_bookmark(session, last, is_set=True) == (last,)
        assert await set_bookmark(session, 1, is_set=True) == (1, last)
        assert await set_bookmark(session, 1, is_set=True) == (1, last)
        with pytest.raises(ContractViolation):
            await set_bookmark(session, last + 1, is_set=True)
        saved = await library.export(session.story.id, "json")
        await session.undo()
        assert session.snapshot.progress.bookmarks == (1,)
        assert (await library.replay(session.story.id)).exact
        story = session.story.id
    async with open_library() as library:
        again = await library.open(story)
        assert again.snapshot.progress.bookmarks == (1,)
        assert await set_bookmark(again, 1, is_set=False) == ()
        copy = await library.import_save(saved)
        assert (await library.open(copy.id)).snapshot.progress.bookmarks == (1, last)


async def recalled(session: StorySession, words: str) -> list[str]:
    recall = session._build_dependencies().recall
    assert recall is not None
    result = await recall(Choice(text=words), session.snapshot)
    return [one.id for one in result.memories]


async def test_a_pinned_memory_is_recalled_whatever_is_asked(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library)
        await session.say(ASK)
        pinned = f"scene-{session.snapshot.progress.scene}"
        await session.choose(WAIT)
        assert pinned not in await recalled(session, "zebras")
        await mark_memory(session, pinned, "pinned")
        assert (await recalled(session, "zebras"))[0] == pinned
        await session.choose(WAIT)
        assert (await recalled(session, "zebras"))[0] == pinned
        await mark_memory(session, pinned, "none")
        assert pinned not in await recalled(session, "zebras")
        assert (await library.replay(session.story.id)).exact


async def test_a_struck_out_memory_is_gone_from_the_journal_too_until_it_is_put_back(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await begin_story(library)
        await session.say(ASK)
        number = session.snapshot.progress.scene
        before, text = await remembered(session), (await remembered(session))[f"scene-{number}"]
        await mark_memory(session, f"scene-{number}", "struck")
        assert f"scene-{number}" not in await recalled(session, ASK)
        assert text not in (await remembered(session)).values()
        assert text not in {one.text for one in session.snapshot.progress.history.recent}
        await session.choose(WAIT)
        await session.undo()
        assert text not in (await remembered(session)).values()
        await mark_memory(session, f"scene-{number}", "none")
        assert await remembered(session) == before
        assert text in {one.text for one in session.snapshot.progress.history.recent}
        await session.choose(WAIT)
        assert (await library.replay(session.story.id)).exact
