"""A story can be read from its log of events when the database cannot be read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from narratoria import app
from narratoria.cli.commands import narratoria
from narratoria.engine.persistence.event_log import read_logged_scenes
from narratoria.engine.persistence.library import EVENTS


async def play(home: Path) -> str:
    """Play three scenes, take the last back, and return the story's id."""
    async with app.open_library() as library:
        session = await library.begin("comet-tea-room", {}, seed=5)
        await session.resume()
        for _ in range(2):
            await session.choose(0)
        await session.undo()
        told = session.snapshot.scenes
    logged = read_logged_scenes(home / "playthroughs" / session.story.id / EVENTS)
    assert [scene.text for scene in logged] == [scene.text for scene in told]
    return session.story.id


async def test_what_was_told_and_not_taken_back_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    await play(tmp_path)


def test_a_damaged_database_leaves_the_stories_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    story = asyncio.run(play(tmp_path))
    scenes = read_logged_scenes(tmp_path / "playthroughs" / story / EVENTS)
    (tmp_path / "narratoria.db").write_bytes(b"SQLite format 3\0" + bytes(5000))
    listed = CliRunner().invoke(narratoria, ["stories", "list"])
    assert f"{story}  2 scenes in its log" in listed.output
    shown = CliRunner().invoke(narratoria, ["stories", "show", story, "2"])
    assert scenes[1].paragraphs[0] in shown.output
    assert scenes[0].paragraphs[0] not in shown.output
    for result in (listed, shown):
        assert result.exit_code == 2
        assert "is damaged" in result.output


def test_a_log_that_is_not_there_holds_no_scene(tmp_path: Path) -> None:
    assert read_logged_scenes(tmp_path / EVENTS) == ()
