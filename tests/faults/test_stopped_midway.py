"""A server that is stopped while a turn does not end: what was told is there afterwards, in every story."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from narratoria import app
from narratoria.web.app_state import AppState

# two stories of which a turn was told that neither the store nor a disk took; in the second, another turn is
# told that never ends. A disk takes files again when the server is stopped.
SERVER_PROGRAM = """
import asyncio, json, pathlib, sys
from dataclasses import replace
from narratoria import app
from narratoria.engine.persistence import library
from narratoria.errors import StoreUnavailable
from narratoria.web import app_state

class Never:
    async def generate(self, request):
        await asyncio.Event().wait()

async def refuse(_):
    raise StoreUnavailable("the cable was pulled; put it back and try again")

async def main(home):
    app_state.TURN_TIMEOUT_S = 0.1
    here = app_state.AppState(home, lambda: app.open_isolated_library(home))
    async with here.run():
        sessions = [await here.library.begin("comet-tea-room", {"name": "Ada"}, seed=seed) for seed in (7, 8)]
        for session in sessions:
            await session.resume()
        store = await here.library.memory_provider.store()
        assert await sessions[0].turn_log.catch_up() and await sessions[1].turn_log.catch_up()
        store.database.write = store.database.read = refuse
        (home / "unsaved").touch()
        for session in sessions:
            await session.choose(0)
            assert session.turn_log.in_memory_only == 1
        busy = sessions[1]
        stage = busy._build_dependencies()
        busy._build_dependencies = lambda: replace(stage, planner=Never())
        turn, log = here.run_turn(busy.choose(1)), busy.log.last
        while busy.log.last == log:
            await asyncio.sleep(0.01)
        told = [(session.story.id, [scene.text for scene in session.snapshot.scenes]) for session in sessions]
        print(json.dumps({"told": told, "chosen": busy.scene.choices[1].text}), flush=True)
        (home / "unsaved").unlink()
    print("the server was stopped in order", flush=True)

library.unsaved_folders = lambda folder: (folder / "unsaved",)
asyncio.run(main(pathlib.Path(sys.argv[1])))
"""


async def test_what_no_disk_took_is_put_aside_before_a_turn_is_broken_off(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-c", SERVER_PROGRAM, str(home)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (said,) = done.stdout.splitlines()
    last = json.loads(said)
    async with app.open_isolated_library(home) as library:
        for story, scenes in last["told"]:
            session = await library.open(story)
            assert [scene.text for scene in session.snapshot.scenes] == scenes
        assert session.interrupted_input is not None
        assert session.interrupted_input.choice.text == last["chosen"], (
            "and the choice is told by the next start"
        )
        assert not list((home / "unsaved").iterdir())


def test_a_story_that_is_still_being_opened_when_the_house_closes_loses_no_choice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    chosen = {"choice": {"text": "I wait for the comet"}}

    async def interrupted() -> str:
        async with app.open_isolated_library(home) as library:
            session = await library.begin("comet-tea-room", {"name": "Ada"}, seed=7)
            await session.resume()
            assert await session.turn_log.catch_up()
            await (await library.memory_provider.store()).turns.begin(session.turn_log.branch, chosen)
            return session.story.id

    async def stopped(story: str) -> None:
        app_state, opening, closed = (
            AppState(home, lambda: app.open_isolated_library(home)),
            asyncio.Event(),
            asyncio.Event(),
        )

        async def read_a_large_campaign(_: object) -> None:
            opening.set()
            await closed.wait()

        async with app_state.run():
            app_state.library._prepare = read_a_large_campaign
            asking = asyncio.create_task(app_state.open_story(story))
            await opening.wait()
            asking.cancel()  # the server waits no longer for those who ask
        closed.set()
        for _ in range(100):  # there is more to be closed than the app_state
            await asyncio.sleep(0.005)

    async def waits(story: str) -> str:
        async with app.open_isolated_library(home) as library:
            session = await library.open(story)
            return session.interrupted_input.choice.text if session.interrupted_input else "nothing"

    story = asyncio.run(interrupted())
    asyncio.run(stopped(story))
    assert asyncio.run(waits(story)) == "I wait for the comet"
