"""A server that is stopped while a turn does not end: what was told is there afterwards, in every story."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from narratoria import app

# two stories of which a turn was told that neither the store nor a disk took; in the second, another turn is
# told that never ends. A disk takes files again when the house is closed.
HOUSE = """
import asyncio, json, pathlib, sys
from dataclasses import replace
from narratoria import app
from narratoria.engine import library
from narratoria.errors import StoreUnavailable
from narratoria.web import house

class Never:
    async def generate(self, request):
        await asyncio.Event().wait()

async def refuse(_):
    raise StoreUnavailable("the cable was pulled; put it back and try again")

async def main(home):
    house.PATIENCE = 0.1
    here = house.House(home, lambda: app.open_playground(home))
    async with here.opened():
        tellings = [await here.library.begin("comet-tea-room", {"name": "Ada"}, seed=seed) for seed in (7, 8)]
        for telling in tellings:
            await telling.resume()
        store = await here.library.keeping.store()
        assert await tellings[0].diary.catch_up() and await tellings[1].diary.catch_up()
        store.database.write = store.database.read = refuse
        (home / "unsaved").touch()
        for telling in tellings:
            await telling.choose(0)
            assert telling.diary.homeless == 1
        busy = tellings[1]
        stage = busy._set_stage()
        busy._set_stage = lambda: replace(stage, planner=Never())
        turn, log = here.play(busy.choose(1)), busy.log.last
        while busy.log.last == log:
            await asyncio.sleep(0.01)
        told = [(telling.story.id, [scene.text for scene in telling.session.scenes]) for telling in tellings]
        print(json.dumps({"told": told, "chosen": busy.scene.choices[1].text}), flush=True)
        (home / "unsaved").unlink()
    print("the house was closed in order", flush=True)

library.places_for = lambda folder: (folder / "unsaved",)
asyncio.run(main(pathlib.Path(sys.argv[1])))
"""


async def test_what_no_disk_took_is_put_aside_before_a_turn_is_broken_off(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = subprocess.run(
        [sys.executable, "-c", HOUSE, str(home)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    (said,) = done.stdout.splitlines()
    last = json.loads(said)
    async with app.open_playground(home) as library:
        for story, scenes in last["told"]:
            telling = await library.open(story)
            assert [scene.text for scene in telling.session.scenes] == scenes
        assert telling.interrupted is not None
        assert telling.interrupted.choice.text == last["chosen"], "and the choice is told by the next start"
        assert not list((home / "unsaved").iterdir())
