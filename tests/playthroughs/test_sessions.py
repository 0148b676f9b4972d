"""A story that is left and taken up another day: what was done then is spoken of now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from narratoria import app
from narratoria.engine.scene import Scene

# one sitting, in a program of its own: as many choices as it is told to make, then the end;
# what the story offers comes before a way on, and a way on before talk
SITTING = """
import asyncio, pathlib, sys
from narratoria import app

KINDS = ("beat", "go")

def rank(choice):
    return KINDS.index(choice.kind) if choice.kind in KINDS else len(KINDS)

async def main(home, story, turns):
    async with app.open_isolated_library(home) as library:
        if story:
            telling = await library.open(story)
        else:
            telling = await library.begin("tomorrows-post", seed=3)
            await telling.resume()
        for _ in range(turns):
            await telling.choose(min(telling.scene.choices, key=rank))
        print(telling.story.id)

asyncio.run(main(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
"""


def sit(home: Path, story: str, turns: int) -> str:
    command = [sys.executable, "-c", SITTING, str(home), story, str(turns)]
    return subprocess.run(command, capture_output=True, text=True, timeout=110, check=True).stdout.strip()


async def test_a_deed_of_the_first_session_is_named_in_the_second(tmp_path: Path) -> None:
    story = sit(tmp_path, "", 4)
    sit(tmp_path, story, 8)
    async with app.open_isolated_library(tmp_path) as library:
        turns = await library.turns(story)
        campaign = app.open_campaign("tomorrows-post")
    assert len(turns) == 13
    done = {beat: campaign.beat(beat) for told in turns[:5] for beat in told.output.scene.beats}
    assert done, "something came of the first session"
    later = [told.output.scene for told in turns[5:]]
    assert {receipt for scene in later for receipt in because(scene)} & set(done), "as a reason"


def because(scene: Scene) -> set[str]:
    """The beats that something here is told or offered because of."""
    receipts = [
        *(receipt for passage in scene.passages for receipt in passage.because),
        *(receipt for choice in scene.choices for receipt in choice.because),
    ]
    return {receipt.id for receipt in receipts if receipt.kind == "beat"}


async def test_what_was_remembered_in_the_first_session_is_found_in_the_second(tmp_path: Path) -> None:
    story = sit(tmp_path, "", 2)
    async with app.open_isolated_library(tmp_path) as library:
        telling = await library.open(story)
        scope = await telling.memory.scope()
        before = {entry.identifier for entry in await scope.exact_match("memory")}
        sittings = {entry.session_id for entry in await scope.exact_match("memory")}
        await telling.choose(0)
        after = await (await telling.memory.scope()).exact_match("memory")
    assert before == {"scene-2", "scene-3"}
    assert before < {entry.identifier for entry in after}
    assert len({entry.session_id for entry in after} - sittings) == 1, "the second sitting is another one"
