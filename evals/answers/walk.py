"""Answers cases one by one, each early in a story, for people to read.

`python -m evals.answers.walk CASES OUT`: CASES is a file of `cases/` such as `own-words-unseen`; OUT gets one
JSON line a case with what was read, where the answer comes from, what is told and the fact that is kept, for
each way the dice can end.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import msgspec

from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import choose, prepare_answers
from narratoria.engine.facts import build_facts
from narratoria.engine.memory.recall import RecallResult
from narratoria.engine.people import people_at
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.understanding import Understander
from narratoria.inference.installed_models import find_embedder

HERE = Path(__file__).parent


async def answer_cases(cases: Iterable[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    """Yield each case with its answer, told for the third scene of a story that has just begun."""
    folder = find_embedder()
    embedder = await app.open_embedder()
    assert folder is not None
    assert embedder is not None
    understander = Understander(*_readers(folder, embedder))
    stories: dict[str, tuple[Campaign, StorySnapshot]] = {}
    try:
        for number, case in enumerate(cases):
            if case["campaign"] not in stories:
                stories[case["campaign"]] = await _begin(case["campaign"])
            campaign, begun = stories[case["campaign"]]
            arrived = Progress(place=case["place"], scene=3)
            present = people_at(case["place"], campaign, arrived)  # who was described on arrival
            story = StorySnapshot(
                id="eval",
                campaign=campaign.name,
                seed=number + 1,
                progress=msgspec.structs.replace(arrived, met_people=tuple(present)),
                state=begun.state,
            )
            yield {"n": number, **case, **await _answer(case["words"], story, campaign, understander)}
    finally:
        await embedder.close()


async def _answer(
    words: str, story: StorySnapshot, campaign: Campaign, understander: Understander
) -> dict[str, Any]:
    choice = Choice(text=words)
    meaning = await understander.understand_choice(choice, story, campaign, RecallResult())
    assert meaning is not None
    if meaning.question is not None:
        return {"source": "asks back", "told": {"": [meaning.question.text]}, "facts": {}}
    recalled = RecallResult(understanding=meaning)
    action = prepare_answers(choose(choice, story, campaign, recalled), story, campaign, recalled)
    first = next(iter(action.answers.values()), None)
    drafts = build_facts(action, story, campaign, recalled).drafts
    return {
        "acts": [intent.act for intent in meaning.intents],
        "source": first.source if first else "beat" if action.beat else action.choice.kind,
        "told": {end: list(text) for end, text in drafts.items()},
        "facts": {end: answer.fact for end, answer in action.answers.items()},
        "attempts": [end for end, answer in action.answers.items() if answer.is_attempt],
        "effects": {
            end: [effect.kind for effect in answer.effects] for end, answer in action.answers.items()
        },
    }


def _readers(folder: Path, embedder: Any) -> tuple[Any, Any, Any, Any]:
    reader, matcher, unit_matcher = app._load_readers(folder)
    return reader, embedder.embed, matcher, unit_matcher


async def _begin(name: str) -> tuple[Campaign, StorySnapshot]:
    """Return a campaign, of the evals or bundled, and a story of it as it begins."""
    folder = HERE / "campaigns" / name
    campaign = app.open_campaign(str(folder) if folder.exists() else name)
    home = os.environ.get("NARRATORIA_HOME")
    with tempfile.TemporaryDirectory() as place:
        os.environ["NARRATORIA_HOME"] = place
        try:
            async with app.open_isolated_library(Path(place)) as library:
                session = await library.begin(str(folder) if folder.exists() else name, None, seed=1)
                return campaign, session.snapshot
        finally:
            if home is None:
                del os.environ["NARRATORIA_HOME"]
            else:
                os.environ["NARRATORIA_HOME"] = home


def read_cases(name: str) -> list[dict[str, Any]]:
    lines = (HERE / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def answer_file(name: str) -> list[dict[str, Any]]:
    return [row async for row in answer_cases(read_cases(name))]


def main() -> None:
    name, target = sys.argv[1:3]
    rows = asyncio.run(answer_file(name))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path(target).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
