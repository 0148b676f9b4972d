"""What an MCP server says counts in a story as what any skill says, and its faults end no scene."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from narratoria import app
from narratoria.engine.events import Notice
from narratoria.engine.scene import Choice
from narratoria.engine.story_session import StorySession
from narratoria.skills.discovery import Catalogue, read_skill
from narratoria.skills.mcp.server import is_sdk_installed
from narratoria.skills.skill import Skill

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_sdk_installed(), reason="the MCP SDK is not installed"),
]
SERVERS = Path(__file__).parents[1] / "tools" / "mcp"
TIDE = {
    "name": "tell_tide",
    "description": "Tells how high the water will stand.",
    "input": {"type": "object", "properties": {"action": {"type": "string"}}, "required": ["action"]},
}


@asynccontextmanager
async def begin(folder: Path, *skills: Skill) -> AsyncIterator[StorySession]:
    """A story in which these skills are there beside the bundled ones."""
    catalogue = Catalogue((*app.open_skills().skills, *skills))
    async with app.open_isolated_library(folder / "home", skills=catalogue) as library:
        session = await library.begin("tomorrows-post", seed=7)
        await session.resume()
        yield session


def write_skill(folder: Path, name: str, server: str, tool: dict[str, Any], *args: str) -> Skill:
    place = folder / "skills" / name
    place.mkdir(parents=True)
    shutil.copy(SERVERS / server, place)
    manifest = {
        "name": name,
        "version": "1.0.0",
        "description": "Knows the water.",
        "mcp": {"command": server, "args": args, "tools": [tool]},
        "retryPolicy": {"maxRetries": 0},
    }
    (place / "skill.json").write_text(json.dumps(manifest))
    return read_skill(place)


async def test_what_a_server_says_is_told_kept_and_offered_and_answers_later(tmp_path: Path) -> None:
    said = "The water will stand at the fourth step by noon."
    async with begin(tmp_path, write_skill(tmp_path, "water", "almanac.py", TIDE)) as session:
        scene = await session.choose(Choice(text="I look at the water", skill="water/tell_tide"))
        assert said in scene.text
        assert [(one.source, one.text, one.about) for one in session.snapshot.progress.findings] == [
            ("water/tell_tide", said, "tide")
        ]
        assert "Wait for the ebb" in [choice.text for choice in scene.choices]
        later = await session.say("I think back on the tide")
        assert "fourth step" in later.text


async def test_whatever_a_server_does_the_player_gets_a_scene(tmp_path: Path) -> None:
    ways = ("dies", "garbage", "deaf", "changed", "data")
    tool = {**TIDE, "name": "ask", "timeout": 4000}
    async with begin(
        tmp_path, *(write_skill(tmp_path, way, "faulty.py", tool, way) for way in ways)
    ) as session:
        for number, way in enumerate(ways, 2):
            scene = await session.choose(Choice(text="I look at the water", skill=f"{way}/ask"))
            assert scene.number == number
            assert scene.text
            assert scene.choices
        notices = [event.skill for event in session.log.since(0) if isinstance(event, Notice)]
        assert set(ways) <= set(notices)
        assert session.snapshot.progress.findings == ()
