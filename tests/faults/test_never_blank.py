"""Whatever goes wrong, every turn has prose and choices, and none is lost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from narratoria import app, paths
from narratoria.engine.autoplay import Run
from narratoria.engine.events import ModelStatus, NarrationDelta, StoryEvent, ToolBegan
from narratoria.engine.faults import Faults
from narratoria.engine.story_session import StorySession
from narratoria.inference.exam import ModelExam, save_exam
from narratoria.inference.installed_models import InstalledModel

CAMPAIGNS = sorted(folder.name for folder in paths.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir())


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("campaign", CAMPAIGNS)
async def test_a_hundred_turns_of_a_campaign_with_faults_everywhere(campaign: str, tmp_path: Path) -> None:
    faults = Faults(0.3, seed=9)
    run = Run(campaign, 100, "chaos", 9, lambda wrong: app.open_isolated_library(tmp_path, wrong), faults)
    report = await run.play()
    assert report.turns == 100
    assert report.problems == []
    assert report.never_blank
    assert sum(report.faults.values()) > 100, "faults did happen"
    assert {"store", "tool", "planner", "model"} <= set(report.faults)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_sixty_typed_turns_with_faults_in_everything_that_reads_them(tmp_path: Path) -> None:
    faults = Faults(0.3, seed=5)
    run = Run(
        "comet-tea-room", 62, "typed", 5, lambda wrong: app.open_isolated_library(tmp_path, wrong), faults
    )
    report = await run.play()
    assert report.typed >= 55
    assert report.problems == []
    assert report.never_blank
    assert {"store", "tool", "planner", "model", "reader", "embedder", "matcher"} <= set(report.faults)


async def played(home: Path) -> list[str]:
    scenes: list[str] = []
    run = Run(
        "comet-tea-room",
        6,
        "random",
        4,
        lambda wrong: app.open_isolated_library(home, wrong),
        on_scene=lambda scene: scenes.append(scene.text),
    )
    await run.play()
    return scenes


async def test_the_same_seed_plays_the_same_story(tmp_path: Path) -> None:
    told = await played(tmp_path / "a")
    assert len(told) == 6
    assert await played(tmp_path / "b") == told


# the real model, in its real process


def native() -> Iterator[int]:
    """The processes of ours in which a model runs."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            about = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(about[1]) == os.getpid() and b"inference/worker.py" in command:
            yield int(folder.name)


async def with_model_ready(session: StorySession) -> None:
    async for event in session.log.subscribe(after=0):
        if isinstance(event, ModelStatus) and event.state in ("ready", "failed"):
            assert event.state == "ready"
            return


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
async def test_the_scene_comes_when_the_models_process_is(
    blow: signal.Signals, embedded: InstalledModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    save_exam(embedded, ModelExam("narrates", 1, 1, 1, 100, 50, 10, 1, 100, 10))
    struck: set[int] = set()

    def strike(event: StoryEvent) -> None:
        telling_now = isinstance(event, ToolBegan) and event.tool_id == "narrate"
        if not struck and (telling_now or isinstance(event, NarrationDelta)):
            struck.update(native())
            for process in struck:
                os.kill(process, blow)

    try:
        async with app.open_library() as library:
            session = await library.begin("tomorrows-post", seed=7)
            await session.resume()
            await asyncio.wait_for(with_model_ready(session), 120)
            with session.log.listening(strike, after=session.log.last):
                scenes = [await session.choose(0), await session.choose(0)]
            story = session.story.id
            for process in struck:
                end(process)
    finally:
        for process in struck:
            end(process)
    assert struck, "there was a model to strike"
    assert [scene.number for scene in scenes] == [2, 3]
    for scene in scenes:
        assert len(scene.paragraphs) >= 2
        assert len(scene.choices) >= 3
    async with app.open_library() as library:
        assert [told.output.scene for told in await library.turns(story)][1:] == scenes


def end(process: int) -> None:
    """One that is stopped ends by nothing else."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
