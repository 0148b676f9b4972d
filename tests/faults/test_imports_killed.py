"""A story that is brought in, by a program that dies in the middle: it is there whole, or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from narratoria import app
from narratoria.engine.persistence.save import Save, read_save

SEED = Path(__file__).parents[1] / "fuzz" / "seeds" / "save.json"
TURNS = 60
ROUNDS = 3

# brings one story in again and again, and says of each when it begins and when it is there
IMPORTER = """
import asyncio, pathlib, sys
from narratoria import app

async def main(home, save):
    async with app.open_isolated_library(home) as library:
        await library.stories()  # the store is open
        while True:
            print("begun", flush=True)
            print((await library.import_save(save)).id, flush=True)

asyncio.run(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_bytes()))
"""


def long_save() -> Save:
    """The last turn of a short story, over and over, with what is remembered of it."""
    short = read_save(SEED.read_bytes())
    last, memory = short.turns[-1], short.records[-1]
    turns, records = [], []
    for number in range(1, TURNS + 1):
        scene = msgspec.structs.replace(last.output.scene, number=number)
        ended = msgspec.structs.replace(last.output, scene=scene)
        turns.append(msgspec.structs.replace(last, number=number, output=ended))
        records.append(msgspec.structs.replace(memory, turn=number, identifier=f"scene-{number}"))
    return msgspec.structs.replace(short, turns=tuple(turns), records=tuple(records))


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
async def test_an_import_that_is_killed_midway_leaves_the_whole_story_or_nothing(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "save.json"
    file.write_bytes(msgspec.json.encode(long_save()))
    taken: set[str] = set()
    for number in range(ROUNDS):
        command = [sys.executable, "-c", IMPORTER, str(home), str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            heard = process.stdout.readline()
            time.sleep(0.1 * number)  # at another moment each time
            os.kill(process.pid, signal.SIGKILL)
            lines = [heard, *process.stdout.readlines()]
        assert lines[0] == "begun\n"
        taken |= {line.strip() for line in lines if line.endswith("\n") and line != "begun\n"}
    async with app.open_isolated_library(home) as library:
        found = {story.id: story.scenes for story in await library.stories()}
        assert set(found.values()) <= {TURNS}
        assert taken <= set(found)
        store = await library.memory_provider.store()
        for story in found:
            assert len(await store.at(story).exact_match("memory")) == TURNS
        inventory = await store.inventory()
        assert inventory.turns == inventory.records.get("memory", 0) == TURNS * len(found), (
            "and no other rows"
        )
