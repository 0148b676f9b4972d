"""Plays thirty turns of each bundled campaign for people to read.

`python -m evals.answers.transcript [CAMPAIGN …]`: half of the turns are picked by a seed among the choices,
half are typed: the words of `cases/played-words.jsonl`, in their order. What is written to
`docs/transcripts/` is what a player reads, with nothing taken out.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tempfile
import textwrap
from pathlib import Path

from narratoria import app
from narratoria.engine.memory import recall, save
from narratoria.engine.scene import Choice, Scene

HERE = Path(__file__).parent
FOLDER = Path("docs/transcripts")
CAMPAIGNS = {  # and the seed of each
    "harrowmere": 7,
    "tomorrows-post": 2,
    "comet-tea-room": 4,
    "faithful-likeness": 5,
    "one-case-over": 8,
}
TURNS, WIDTH = 30, 100
TIMEOUT_S = 60.0  # for a memory: a busy machine tells the same story


async def play_transcript(campaign: str, seed: int, folder: Path) -> str:
    """Return the pages of a story, every second turn of which is typed."""
    dice, words = random.Random(seed), _typed_words(campaign)
    pages = [
        f"# {campaign}\n\nThirty turns as a player reads them, every second one in the player's own words, "
        f"the others picked by chance. Written by `python -m evals.answers.transcript {campaign}`.\n"
    ]
    async with app.open_isolated_library(folder) as library:
        session = await library.begin(campaign, None, seed=seed)
        scene = await session.resume()
        turns = 0
        while turns < TURNS and not session.snapshot.progress.ending:
            if turns % 2 and words:
                typed = words.pop(0)
                pages.append(_page(scene, f"» {typed}"))
                before, scene = scene, await session.say(typed)
                if scene is before:
                    pages.append("*(The story asks what is meant. No turn is spent.)*\n")
                    continue
            else:
                chosen = dice.choice([one for one in scene.choices if one.kind != "continue"])
                pages.append(_page(scene, "", chosen))
                scene = await session.choose(chosen)
            turns += 1
        pages.append(_page(scene, ""))
    return "\n".join(pages)


def _typed_words(campaign: str) -> list[str]:
    lines = (HERE / "cases" / "played-words.jsonl").read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines)
    return [row["words"] for row in rows if row["campaign"] == campaign]


def _page(scene: Scene, typed: str, chosen: Choice | None = None) -> str:
    rolled = f" ({scene.roll.formula}: {scene.roll.total}, {scene.roll.outcome})" if scene.roll else ""
    lines = [f"## {scene.number}. {scene.action}{rolled}", ""]
    for paragraph in scene.paragraphs:
        lines += [*textwrap.wrap(paragraph, WIDTH), ""]
    lines += [f"- **{one.text}**" if one is chosen else f"- {one.text}" for one in scene.choices]
    return "\n".join([*lines, *(["", f"**{typed}**"] if typed else []), ""])


async def main() -> None:
    recall.STORE_TIMEOUT_S = save.STORE_TIMEOUT_S = TIMEOUT_S
    for campaign in sys.argv[1:] or CAMPAIGNS:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["NARRATORIA_HOME"] = folder
            text = await play_transcript(campaign, CAMPAIGNS.get(campaign, 1), Path(folder))
        (FOLDER / f"{campaign}.md").write_text(text, encoding="utf-8")
        print(FOLDER / f"{campaign}.md")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    asyncio.run(main())
