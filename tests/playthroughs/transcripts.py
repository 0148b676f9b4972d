"""Twenty turns of each bundled story as a reader sees them; `make golden` writes them anew.

Played by the real planner, the real skills and the real store, without a model, with choices made at random
by a seed. What differs from machine to machine (how long something takes, the names of records) is not in a
transcript.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import textwrap
from pathlib import Path

from narratoria import app
from narratoria.engine.memory import recall, save
from narratoria.engine.scene import Choice, Scene

FOLDER = Path(__file__).parent / "golden"
TURNS = 20
STORIES = {"harrowmere": 3, "tomorrows-post": 5, "comet-tea-room": 4}  # and the seed of each
PATIENCE = 60.0  # seconds for a memory: a busy machine tells the same story
WIDTH = 100


async def transcript(campaign: str, seed: int, folder: Path) -> str:
    dice = random.Random(seed)
    lines = [f"# {campaign}, seed {seed}", ""]
    async with app.open_isolated_library(folder) as library:
        telling = await library.begin(campaign, None, seed=seed)
        scene = await telling.resume()
        for _ in range(TURNS):
            chosen = dice.choice(scene.choices)
            lines += _page(scene, chosen)
            scene = await telling.choose(chosen)
        lines += _page(scene, None)
    return "\n".join(lines).rstrip() + "\n"


def _page(scene: Scene, chosen: Choice | None) -> list[str]:
    rolled = scene.roll
    lines = [f"## {scene.number}. {scene.action}", ""]
    if rolled:
        lines += [f"[{rolled.formula}: {' + '.join(map(str, rolled.rolls))}, {rolled.outcome}]", ""]
    for paragraph in scene.paragraphs:
        lines += [*textwrap.wrap(paragraph, WIDTH), ""]
    for choice in scene.choices:
        sign = f"  ({choice.hint})" if choice.hint else ""
        lines.append(f"{'>' if choice is chosen else '-'} {choice.text}{sign}")
    return [*lines, ""]


async def write_all() -> None:
    recall.STORE_TIMEOUT_S = save.STORE_TIMEOUT_S = PATIENCE
    for campaign, seed in STORIES.items():
        with tempfile.TemporaryDirectory() as folder:
            os.environ["NARRATORIA_HOME"] = folder  # with no campaign that was filled up at another time
            text = await transcript(campaign, seed, Path(folder))
        (FOLDER / f"{campaign}.md").write_text(text, encoding="utf-8")
        sys.stdout.write(f"{FOLDER / campaign}.md\n")


if __name__ == "__main__":
    asyncio.run(write_all())
