"""What the player typed is answered although whatever reads it fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narratoria import app
from narratoria.engine.faults import Faults
from narratoria.engine.turn import read_or_give_up
from narratoria.planner.patterns import PatternPlanner
from narratoria.planning.plan import Plan, PlanRequest


async def fail() -> str | None:
    raise RuntimeError("out of memory")


async def hang() -> str | None:
    await asyncio.sleep(60)
    return "late"


async def read() -> str | None:
    return "ask"


async def test_a_reader_that_fails_or_hangs_costs_the_reading_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert await read_or_give_up(read(), 5) == "ask"
    assert await read_or_give_up(fail(), 5) is None
    assert "out of memory" in caplog.text
    assert await read_or_give_up(hang(), 0.01) is None
    assert "TimeoutError" in caplog.text


async def test_a_cancelled_turn_is_cancelled_while_it_is_read() -> None:
    reading = asyncio.create_task(read_or_give_up(hang(), 60))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_typed_words_are_told_by_their_words_where_the_reader_always_fails(tmp_path: Path) -> None:
    class BrokenReading(Faults):
        def strike(self, what: str, share: float = 1.0) -> bool:
            return what in ("reader", "embedder", "matcher") and not self.is_lifted

    async with app.open_isolated_library(tmp_path, BrokenReading(1.0)) as library:
        session = await library.begin("comet-tea-room", None, seed=3)
        await session.resume()
        scene = await session.say("Wait and listen")
    assert scene.number == 2
    assert any(paragraph.strip() for paragraph in scene.paragraphs)


class SlowlyLoadedPlanner(PatternPlanner):
    """Plans by patterns, and takes down what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def wait_until_loaded(self) -> None:
        await asyncio.sleep(0.05)
        self.asked.append("loaded")

    async def generate(self, request: PlanRequest) -> Plan:
        self.asked.append("planned")
        return await super().generate(request)


async def test_typed_words_are_planned_once_everything_is_loaded_and_a_choice_at_once(tmp_path: Path) -> None:
    planner = SlowlyLoadedPlanner()
    async with app.open_isolated_library(tmp_path, planner=planner) as library:
        session = await library.begin("comet-tea-room", None, seed=3)
        await session.resume()
        assert planner.asked == ["planned"]
        planner.asked.clear()
        await session.say("I look at the comet through the window")
    assert planner.asked == ["loaded", "planned"]
