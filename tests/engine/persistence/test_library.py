"""Stories that are begun, left, taken up, undone, branched, compared, exported and brought in."""

from __future__ import annotations

import asyncio
import contextlib
import io
import zipfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from narratoria.engine.events import PlanMade, SceneReady, StoryEvent, TurnCancelled, TurnUndone
from narratoria.engine.persistence.library import Library
from narratoria.engine.story_session import StorySession
from narratoria.errors import Busy, ContractViolation, NoSuchRecord, StoreUnavailable, TurnGivenUp
from narratoria.planner.patterns import PatternPlanner
from narratoria.planner.plan import add_groups
from narratoria.planner.trained_vote import build_question_start
from narratoria.planning.plan import Plan
from narratoria.planning.plan_request import Planner, PlanRequest

OpenLibrary = Callable[[], AbstractAsyncContextManager[Library]]
STORY = "comet-tea-room"


async def begun(library: Library, *choices: int, seed: int = 7) -> StorySession:
    session = await library.begin(STORY, {"name": "Ada"}, seed=seed)
    await session.resume()
    for choice in choices:
        await session.choose(choice)
    return session


async def test_a_story_goes_on_where_it_was_left_with_who_the_player_is(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        left = await begun(library, 0, 1)
        snapshot, story = left.snapshot, left.story
    async with open_library() as library:
        again = await library.open(story.id)
        assert again.snapshot.scenes == snapshot.scenes
        assert again.snapshot.state == snapshot.state
        assert again.snapshot.progress == snapshot.progress
        assert again.snapshot.state.get("persona.name") == "Ada"
        assert (await library.story(story.id)).scenes == 3
        assert await library.open(story.id) is again


async def test_a_choice_that_was_made_is_told_after_a_kill_and_nothing_is_doubled(
    open_library: OpenLibrary, as_after_kill: Callable[[Path], OpenLibrary], tmp_path: Path
) -> None:
    copies: dict[str, OpenLibrary] = {}

    def copy(event: StoryEvent) -> None:
        name = f"{event.id}-{type(event).__name__}"
        if event.turn == 3 and len(copies) < 6:
            copies[name] = as_after_kill(tmp_path / name)

    async with open_library() as library:
        session = await begun(library, 0)
        with session.log.listening(copy, after=session.log.last):
            await session.choose(1)
        story, straight = session.story.id, session.snapshot
    assert len(copies) == 6
    for name, revived in copies.items():
        async with revived() as library:
            again = await library.open(story)
            assert len(again.snapshot.scenes) == 2, name
            assert again.interrupted is not None
            await again.resume()
            assert again.snapshot.scenes == straight.scenes, name
            assert again.snapshot.state == straight.state, name
            kept = await (await again.memory.scope()).exact_match("memory", {}, limit=100)
            assert len({entry.identifier for entry in kept}) == len(kept)


async def test_undoing_goes_back_with_its_memory_and_keeps_the_storys_name(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begun(library, 0)
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
        session = await begun(library, 0)
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
        left, heard = await begun(library, 0), await begun(library, seed=8)
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
        session = await begun(library, 0, 0)
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


async def test_one_turn_at_a_time_and_a_cancelled_one_leaves_nothing(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begun(library)
        turn = asyncio.create_task(session.choose(0))
        while not session.busy:
            await asyncio.sleep(0.001)
        with pytest.raises(Busy):
            await session.choose(1)
        await session.cancel()
        with pytest.raises(TurnGivenUp):
            await turn
        assert len(session.snapshot.scenes) == 1
        assert isinstance(session.log.since(0)[-1], TurnCancelled)
        story = session.story.id
    async with open_library() as library:
        again = await library.open(story)
        assert again.interrupted is None
        assert (await again.choose(0)).number == 2


async def test_a_turn_told_anew_keeps_its_dice_and_its_number(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begun(library)
        assert session.scene is not None
        own = next(choice for choice in session.scene.choices if choice.kind in ("look", "wait", "go"))
        first = await session.choose(own)  # told in the composer's words more than in the author's
        again = await session.retry()
        assert (again.number, again.action, again.roll) == (first.number, first.action, first.roll)
        assert again.text != first.text
        assert (await library.replay(session.story.id)).exact
        turns = await library.turns(session.story.id)
        assert [told.input.take for told in turns] == [0, 1]


async def test_dice_that_were_seen_stay_as_they_fell_and_others_may_fall_anew(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session = await library.begin("tomorrows-post", seed=3)
        await session.resume()
        for words in ("Go to the telegraph hut", "Ask Pell Oddy", "Climb the pole"):
            assert session.scene is not None
            wanted = next(choice for choice in session.scene.choices if choice.text.startswith(words))
            await session.choose(wanted)
        assert session.scene is not None
        rolled = session.scene.roll
        assert rolled is not None
        assert [(await session.retry()).roll for _ in range(2)] == [rolled, rolled]
        turns = await library.turns(session.story.id)
        assert (turns[-1].input.take, turns[-1].input.luck) == (2, 0)


async def test_a_plan_says_who_made_it_and_why_nobody_better_did(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begun(library, 0)
        await session.say("I juggle three teacups")
        plans = [event for event in session.log.since(0) if isinstance(event, PlanMade)]
        assert [plan.planner for plan in plans[:2]] == ["patterns", "patterns"]
        assert plans[-1].planner in ("scorer", "model") or plans[-1].reasons


class Foreseeing(PatternPlanner):
    """Says what it was told before the player acted, and what it was asked then."""

    def __init__(self, *, reads_ahead: bool = True, broken: bool = False) -> None:
        self.reads_ahead, self.broken = reads_ahead, broken
        self.expected: list[str] = []
        self.asked: list[str] = []

    async def expect(self, request: PlanRequest) -> None:
        self.expected.append(build_question_start(add_groups(request).context))
        if self.broken:
            raise RuntimeError("nobody has thought of this")

    async def generate(self, request: PlanRequest) -> Plan:
        self.asked.append(build_question_start(add_groups(request).context))
        return await super().generate(request)


def planned_by(planner: Planner, session: Any) -> None:
    build_dependencies = session._build_dependencies
    session._build_dependencies = lambda: replace(build_dependencies(), planner=planner)


async def test_while_the_player_reads_the_planner_is_told_who_will_be_there(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session, planner = await begun(library), Foreseeing()
        planned_by(planner, session)
        for words in ("I juggle three teacups", "I ask who the cups belong to", "I sit down"):
            await session.say(words)
            await asyncio.sleep(0.01)
    assert planner.expected[:2] == planner.asked[1:]
    assert all(planner.expected)


async def test_a_story_that_is_closed_while_a_scene_is_kept_reads_nothing_ahead(
    open_library: OpenLibrary,
) -> None:
    async with open_library() as library:
        session, planner = await begun(library), Foreseeing()
        planned_by(planner, session)
        turn_log: Any = session.turn_log
        finish = turn_log.finish

        async def finishing(*about: Any) -> None:
            closing.append(asyncio.create_task(session.close()))
            await asyncio.sleep(0.01)
            await finish(*about)

        closing: list[asyncio.Task[None]] = []
        turn_log.finish = finishing
        await session.say("I juggle three teacups")
        await closing[0]
        await asyncio.sleep(0.01)
    assert (len(session.snapshot.scenes), planner.expected) == (2, [])


@pytest.mark.parametrize("planner", [Foreseeing(reads_ahead=False), Foreseeing(broken=True)])
async def test_no_turn_suffers_from_a_planner_that_reads_nothing_ahead_or_breaks_over_it(
    open_library: OpenLibrary, planner: Foreseeing
) -> None:
    async with open_library() as library:
        session = await begun(library)
        planned_by(planner, session)
        for number in (2, 3):
            assert (await session.say("I juggle three teacups")).number == number
            await asyncio.sleep(0.01)
    assert len(planner.expected) == (2 if planner.broken else 0)


@pytest.mark.parametrize("choice", [-1, 17])
async def test_a_choice_that_is_not_there_is_refused(open_library: OpenLibrary, choice: int) -> None:
    async with open_library() as library:
        session = await begun(library)
        with pytest.raises(ContractViolation, match=f"no choice {choice}"):
            await session.choose(choice)


async def test_a_restarted_program_replays_its_events(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begun(library, 0)
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
        session = await begun(library, 0, 1, 0)
        assert (await library.replay(session.story.id)).exact
        save = msgspec.json.decode(await library.export(session.story.id, "json"))
        save["turns"][2]["ended"]["scene"]["paragraphs"][0] = "Somebody else wrote this."
        forged = await library.import_save(msgspec.json.encode(save))
        replayed = await library.replay(forged.id)
        assert (replayed.turns, replayed.same) == (4, 3)
        (difference,) = replayed.differences
        assert (difference.turn, difference.pointer) == (3, "/paragraphs/0")


async def test_a_story_can_be_taken_to_another_machine_and_played_on(
    open_library: OpenLibrary, tmp_path: Path
) -> None:
    from narratoria import app

    async with open_library() as library:
        session = await begun(library, 0)
        save = await library.export(session.story.id, "json")
        straight = await session.choose(0)
    assert str(Path(__file__).parents[3]).encode() not in save, "no place of this machine is in it"
    async with app.open_isolated_library(tmp_path / "elsewhere") as library:
        story = await library.import_save(save)
        again = await library.open(story.id)
        assert (await again.choose(0)).text == straight.text


async def remembered(session: StorySession) -> list[object]:
    scope = await session.memory.scope()
    found = [
        (entry.data_type, entry.turn, msgspec.to_builtins(entry.record))
        for kind in ("memory", "perception", "reputation")
        for entry in await scope.exact_match(kind)
    ]
    own = ("playthroughId", "sessionId", "lastInteraction", "lastUpdated")
    return [(kind, turn, {k: v for k, v in body.items() if k not in own}) for kind, turn, body in found]


async def test_a_story_that_was_taken_elsewhere_remembers_and_is_thought_of_as_before(
    open_library: OpenLibrary, tmp_path: Path
) -> None:
    from narratoria import app

    async with open_library() as library:
        session = await begun(library, 0, 1, 0)
        scope = await session.memory.scope()
        for change in (12, -5):
            await scope.store(
                "perception", {"npcId": "mira", "change": change, "reason": f"a tip of {change}"}
            )
        await scope.store("reputation", {"factionId": "dockers", "change": 7, "reason": "a round of tea"})
        here, save = await remembered(session), await library.export(session.story.id, "json")
    async with app.open_isolated_library(tmp_path / "elsewhere") as library:
        story = await library.import_save(save)
        session = await library.open(story.id)
        there = await remembered(session)
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


async def test_every_form_holds_every_word_and_says_who_wrote_it(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begun(library, 0)
        await library.rename(session.story.id, "Tea & <Comets>")
        forms = {form: await library.export(session.story.id, form) for form in ("markdown", "html", "epub")}
        assert forms["epub"] == await library.export(session.story.id, "epub")
        words = session.snapshot.scenes[-1].paragraphs[0].split()[0]
    assert words.encode() in forms["markdown"]
    assert b"<!-- by: player -->" in forms["markdown"]
    assert b"Tea &amp; &lt;Comets&gt;" in forms["html"]
    assert b'data-by="player"' in forms["html"]
    with zipfile.ZipFile(io.BytesIO(forms["epub"])) as book:
        assert book.namelist()[0] == "mimetype"
        assert book.infolist()[0].compress_type == zipfile.ZIP_STORED
        for name in book.namelist():
            if name.endswith(("xhtml", "opf", "xml")):
                ET.fromstring(book.read(name))
        assert words in book.read("OEBPS/scene-0002.xhtml").decode()
