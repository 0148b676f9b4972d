"""One open story: a turn at a time, cancelled, told anew, and prepared while the player reads."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.engine.conftest import OpenLibrary
from tests.engine.played_story import begin_story

from narratoria.engine.events import TurnCancelled
from narratoria.engine.scene import Choice
from narratoria.errors import Busy, ContractViolation, TurnGivenUp
from narratoria.planner.patterns import PatternPlanner
from narratoria.planner.plan import add_groups
from narratoria.planner.trained_vote import build_question_start
from narratoria.planning.plan import Plan, Planner, PlanRequest


async def test_one_turn_at_a_time_and_a_cancelled_one_leaves_nothing(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library)
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
        assert again.interrupted_input is None
        assert (await again.choose(0)).number == 2


async def test_a_turn_told_anew_keeps_its_dice_and_its_number(open_library: OpenLibrary) -> None:
    async with open_library() as library:
        session = await begin_story(library)
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
        await session.choose(Choice(text="Go to the telegraph hut", kind="go", target="telegraph-hut"))
        for beat in ("ask-pell", "splice-wire"):
            assert session.scene is not None
            await session.choose(next(choice for choice in session.scene.choices if choice.beat == beat))
        assert session.scene is not None
        rolled = session.scene.roll
        assert rolled is not None
        assert [(await session.retry()).roll for _ in range(2)] == [rolled, rolled]
        turns = await library.turns(session.story.id)
        assert (turns[-1].input.take, turns[-1].input.luck) == (2, 0)


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
        session, planner = await begin_story(library), Foreseeing()
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
        session, planner = await begin_story(library), Foreseeing()
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
        session = await begin_story(library)
        planned_by(planner, session)
        for number in (2, 3):
            assert (await session.say("I juggle three teacups")).number == number
            await asyncio.sleep(0.01)
    assert len(planner.expected) == (2 if planner.broken else 0)


@pytest.mark.parametrize("choice", [-1, 17])
async def test_a_choice_that_is_not_there_is_refused(open_library: OpenLibrary, choice: int) -> None:
    async with open_library() as library:
        session = await begin_story(library)
        with pytest.raises(ContractViolation, match=f"no choice {choice}"):
            await session.choose(choice)
