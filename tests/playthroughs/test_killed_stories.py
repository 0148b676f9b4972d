"""Real programs, killed in the middle of a turn: the story goes on at that turn, and is the same story."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from narratoria import app
from narratoria.engine.scene import Scene
from narratoria.store import StoredRecord

STORY = "comet-tea-room"
# plays one turn after another, and is killed by itself when an event of this kind comes in this turn
PLAYER = """
import asyncio, os, pathlib, signal, sys
from narratoria import app

home, story, turn, kind = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]

def on_event(event):
    if event.turn == turn and type(event).__name__ == kind:
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with app.open_isolated_library(home) as library:
        if story:
            telling = await library.open(story)
        else:
            telling = await library.begin("comet-tea-room", {"name": "Ada"}, seed=11)
            print(telling.story.id, flush=True)
        with telling.log.listening(on_event, after=telling.log.last):
            if telling.scene is None or telling.interrupted_input:
                await telling.resume()
            while telling.snapshot.progress.scene < 5:
                await telling.choose(telling.snapshot.progress.scene % 2)

asyncio.run(main())
"""
KILLS = [(1, "TurnStarted"), (2, "PlanMade"), (3, "ToolBegan"), (4, "SceneReady"), (5, "NarrationDelta")]


def bare(scene: Scene) -> Scene:
    """Without what lies in a home and is named after it."""
    return msgspec.structs.replace(scene, assets=(), portraits={})


def play(home: Path, story: str, turn: int, kind: str) -> tuple[str, int]:
    played = subprocess.run(
        [sys.executable, "-c", PLAYER, str(home), story, str(turn), kind],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        env={**os.environ, "NARRATORIA_HOME": str(home)},
        check=False,
    )
    assert played.returncode in (0, -signal.SIGKILL), played.stderr
    return played.stdout.strip() or story, played.returncode


def summary(entry: StoredRecord) -> Any:
    return msgspec.to_builtins(entry.record)["summary"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL there")
async def test_a_story_killed_in_every_turn_is_the_story_that_was_never_killed(tmp_path: Path) -> None:
    straight, code = play(tmp_path / "straight", "", 0, "")
    assert code == 0
    killed, kills = "", 0
    for turn, kind in KILLS:
        killed, code = play(tmp_path / "killed", killed, turn, kind)
        kills += code != 0
    assert kills >= 4
    play(tmp_path / "killed", killed, 0, "")
    async with app.open_isolated_library(tmp_path / "straight") as library:
        wanted = await library.open(straight)
        session = wanted.snapshot
        memories = await (await wanted.memory.scope()).exact_match("memory", {}, limit=100)
    async with app.open_isolated_library(tmp_path / "killed") as library:
        again = await library.open(killed)
        assert [bare(scene) for scene in again.snapshot.scenes] == [bare(scene) for scene in session.scenes]
        assert again.snapshot.state == session.state
        kept = await (await again.memory.scope()).exact_match("memory", {}, limit=100)
        assert (await library.replay(killed)).exact
    assert [summary(entry) for entry in kept] == [summary(entry) for entry in memories]
    assert len({entry.identifier for entry in kept}) == len(kept)
