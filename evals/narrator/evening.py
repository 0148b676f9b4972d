"""Plays an evening of a campaign with a narrator behind HTTP, and says of every turn what came of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from narratoria import app, paths
from narratoria.engine.events import ToolLog
from narratoria.engine.scene import Scene
from narratoria.engine.story_session import StorySession
from narratoria.skills.config import change_config
from narratoria.skills.decisions import change_decisions
from narratoria.skills.discovery import discover

SEED = 11
HERE = Path(__file__).parent
RECORDINGS, CAMPAIGNS = HERE / "cases", HERE.parent / "answers" / "campaigns"


class RecordedTurn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn of an evening: what the player did, and what a person answered to its brief."""

    action: str  # as the player typed it, or the words of a choice
    brief: str = ""  # the hash of the prompt; empty where the scene was told without a model
    answer: str = ""
    missing: str = ""  # what whoever answered would have needed, and the brief did not have


class PlayedTurn(msgspec.Struct, frozen=True):
    """A turn as the product told it."""

    action: str
    scene: Scene
    refusals: tuple[str, ...]  # why what the narrator wrote was asked for again, or not used


def read_recording(campaign: str) -> list[RecordedTurn]:
    lines = (RECORDINGS / f"{campaign}.jsonl").read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=RecordedTurn) for line in lines if line.strip()]


@asynccontextmanager
async def open_evening(campaign: str, url: str) -> AsyncIterator[StorySession]:
    """Begin a story in a home of its own, told by the service at this address."""
    home = tempfile.mkdtemp(prefix="narratoria-evening-")
    os.environ["NARRATORIA_HOME"] = home
    (skill,) = [one for one in discover([paths.BUNDLED_SKILLS]).skills if one.name == "storyteller"]
    settings = {"provider": "openai", "apiKey": "sk-recorded-0123", "baseUrl": url, "patienceSeconds": 6}
    settings["answerForm"] = "text"  # as the answers were recorded
    change_config(skill, paths.home(), settings)
    change_decisions(paths.home(), lambda before: before.with_granted("storyteller", ["network"]))
    async with app.open_isolated_library(Path(home) / "stories") as library:
        folder = CAMPAIGNS / campaign
        story = await library.begin(str(folder) if folder.exists() else campaign, None, seed=SEED)
        await story.resume()
        yield story


async def play(story: StorySession, action: str) -> PlayedTurn:
    """Play one turn: the words or the number of a choice pick it, anything else is typed."""
    before = story.log.last
    texts = [choice.text for choice in story.snapshot.scenes[-1].choices]
    picked = int(action) if action.isdecimal() else texts.index(action) if action in texts else None
    scene = await (story.say(action) if picked is None else story.choose(picked))
    events = list(story.log.since(before))
    logs = [event.message for event in events if isinstance(event, ToolLog)]
    refusals = [line for line in logs if "asked again" in line or "does not tell this scene" in line]
    return PlayedTurn(action, scene, tuple(line for line in refusals if not line.startswith("local")))
