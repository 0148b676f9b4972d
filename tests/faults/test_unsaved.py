"""A store that takes nothing more, as machines bring it about: what was told is there afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from narratoria import app

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, mounts and limits as POSIX has them")

# plays as many turns as it is told to, one number a line, and ends with `close`, `crash` or the input
PLAYER = """
import asyncio, json, os, pathlib, signal, sys
from narratoria import app
from narratoria.errors import StoreUnavailable

async def main(home, story):
    async with app.open_isolated_library(home, store_timeout_s=1.0) as library:
        if story:
            for _ in range(60):
                try:
                    session = await library.open(story)
                    break
                except StoreUnavailable:  # it is still being opened
                    await asyncio.sleep(0.1)
        else:
            session = await library.begin("comet-tea-room", {"name": "Ada"}, seed=11)
            await session.resume()
        for _ in range(100):  # the store opens beside the story
            if sys.argv[3] and not await session.turn_log.catch_up():
                await asyncio.sleep(0.1)
        def report():
            print(json.dumps({
                "story": session.story.id, "scenes": [scene.text for scene in session.snapshot.scenes],
                "unwritten": session.turn_log.unsaved, "homeless": session.turn_log.in_memory_only,
                "file": session.turn_log.unsaved_file, "complaint": session.turn_log.trouble,
            }), flush=True)
        report()
        for line in sys.stdin:
            if line.strip() == "crash":
                os.kill(os.getpid(), signal.SIGKILL)
            await session.choose(int(line))
            report()

asyncio.run(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What the system keeps for a while, in a place of the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    for process in started:
        with process:
            process.kill()
    started.clear()


started: list[subprocess.Popen[str]] = []


class Player:
    """A program that plays."""

    def __init__(
        self, home: Path, story: str = "", *, before: Sequence[str] = (), settle: bool = True, **options: Any
    ) -> None:
        settles = "settle" if settle else ""
        self._process = subprocess.Popen(
            [*before, sys.executable, "-c", PLAYER, str(home), story, settles],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        started.append(self._process)
        self.told = self._next()

    def choose(self, index: int) -> dict[str, Any]:
        self._say(f"{index}\n")
        self.told = self._next()
        return self.told

    def crash(self) -> None:
        self._say("crash\n")
        assert self._process.wait(60) == -signal.SIGKILL
        self._close()

    def leave(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(60) == 0
        self._close()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found


async def kept(home: Path, story: str) -> tuple[list[str], list[str]]:
    """What the next start finds: the scenes, and what is remembered of them."""
    async with app.open_isolated_library(home) as library:
        session = await library.open(story)
        assert (await library.replay(story)).exact
        memories = await (await session.memory.scope()).exact_match("memory", {}, limit=100)
        scenes = [scene.text for scene in session.snapshot.scenes]
        return scenes, [msgspec.to_builtins(entry.record)["summary"] for entry in memories]


@pytest.mark.slow
@pytest.mark.parametrize("end", ["leave", "crash"])
async def test_what_was_told_while_another_program_held_the_store_is_brought_in(
    end: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    playing = Player(home)
    with contextlib.closing(sqlite3.connect(home / "narratoria.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        playing.choose(0)
        told = playing.choose(1)
        assert (told["unwritten"], told["homeless"]) == (2, 0)
        assert Path(told["file"]).parent == home / "unsaved"
        getattr(playing, end)()
        assert Path(told["file"]).exists()
        other.execute("ROLLBACK")
    scenes, memories = await kept(home, told["story"])
    assert scenes == told["scenes"]
    assert len(memories) == 2, "and both are remembered"
    assert not Path(told["file"]).exists()
    assert (await kept(home, told["story"]))[0] == scenes, "once"


async def test_a_lock_that_is_given_up_while_the_story_goes_on_leaves_no_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    playing = Player(home)
    with contextlib.closing(sqlite3.connect(home / "narratoria.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        aside = playing.choose(0)
        other.execute("ROLLBACK")
    assert aside["unwritten"] == 1
    told = aside
    for _ in range(10):  # what was under way when the lock went comes through in its own time
        if told["unwritten"]:
            told = playing.choose(1)
    assert (told["unwritten"], told["file"]) == (0, "")
    assert not Path(aside["file"]).exists()
    playing.crash()
    assert (await kept(home, told["story"]))[0] == told["scenes"]


async def test_a_database_that_may_not_grow_costs_nothing_that_was_told(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = Player(home)
    first.leave()
    most = (home / "narratoria.db").stat().st_size + 8192
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
    # the database's log reaches the limit: its first page alone is written again and again
    playing = Player(home, first.told["story"], settle=False, preexec_fn=limit)
    told = playing.told
    for choice in (0, 1, 0, 1, 0, 1, 0, 1):
        told = playing.choose(choice)
    playing.leave()
    assert (await kept(home, told["story"]))[0] == told["scenes"]


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(bytes(4096)) == 4096:
            pass
    return ballast


@pytest.mark.parametrize("small_disk", ["12m"], indirect=True)
async def test_a_full_disk_sends_the_turns_to_another_one(small_disk: Path, temporary: Path) -> None:
    home = small_disk / "home"
    playing = Player(home)
    ballast = fill(small_disk)
    playing.choose(0)
    told = playing.choose(1)
    assert told["homeless"] == 0
    assert "the disk is full" in told["complaint"]
    assert Path(told["file"]).is_relative_to(temporary)
    playing.crash()
    ballast.unlink()
    assert (await kept(home, told["story"]))[0] == told["scenes"]
    assert not Path(told["file"]).exists()


async def test_a_home_that_may_only_be_read_sends_the_whole_story_elsewhere(
    tmp_path: Path, temporary: Path
) -> None:
    before = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if before and not shutil.which("setpriv"):
        pytest.skip("root here, and setpriv is not installed")
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    playing = Player(home, before=before, settle=False)
    told = playing.choose(0)
    assert (told["unwritten"], told["homeless"]) == (2, 0)
    assert Path(told["file"]).is_relative_to(temporary)
    playing.leave()
    home.chmod(0o755)
    scenes, _ = await kept(home, told["story"])
    assert scenes == told["scenes"]


async def test_a_choice_that_was_made_while_the_store_was_away_is_told_after_a_kill(tmp_path: Path) -> None:
    from narratoria.engine.persistence.turn_record import TurnInput
    from narratoria.engine.persistence.unsaved_turns import (
        UnsavedTurn,
        UnsavedTurnLog,
        UnsavedTurnsHeader,
        unsaved_folders,
    )

    home = tmp_path / "home"
    first = Player(home)
    first.leave()
    async with app.open_isolated_library(home) as library:
        session = await library.open(first.told["story"])
        assert session.scene is not None
        choice = session.scene.choices[1]
        line = session.story.branch
    heading = UnsavedTurnsHeader(branch=line, campaign="comet-tea-room", title="", seed=11)
    spill = UnsavedTurnLog(heading, unsaved_folders(home))
    assert spill.append(UnsavedTurn(number=2, input=TurnInput(choice=choice)))
    spill.close()
    async with app.open_isolated_library(home) as library:
        session = await library.open(first.told["story"])
        assert session.interrupted_input is not None
        assert session.interrupted_input.choice == choice
        assert (await session.resume()).action == choice.text


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\n", b'{"format": "narratoria-unsaved"}\n{"number": 1}'])
async def test_a_file_that_says_nothing_is_left_alone_and_stops_nobody(text: bytes, tmp_path: Path) -> None:
    strange = tmp_path / "unsaved" / "x.jsonl"
    strange.parent.mkdir()
    strange.write_bytes(text)
    async with app.open_isolated_library(tmp_path) as library:
        assert await library.stories() == ()
    assert strange.read_bytes() == text
