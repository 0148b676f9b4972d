"""A disk that is full before the first story begins: it is told, said so, and there once there is room."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import fill_disk
from tests.web.serving import Server

from narratoria import app


@pytest.mark.parametrize("small_disk", ["1m"], indirect=True)
async def test_a_story_begins_and_goes_on_where_no_byte_can_be_written(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(small_disk / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))  # nor can they be put elsewhere
    filler = fill_disk(small_disk)
    async with app.open_library() as library:
        session = await library.begin("tomorrows-post", {}, seed=3)
        await session.resume()
        scene = await session.choose(0)
        assert scene.number == 2
        assert scene.paragraphs
        assert scene.choices
        assert "full" in session.turn_log.trouble
        filler.unlink()
        await session.choose(0)
        story = session.story.id
    async with app.open_library() as library:
        assert [turn.number for turn in await library.turns(story)] == [1, 2, 3]


@pytest.mark.parametrize("small_disk", ["1m"], indirect=True)
def test_the_page_comes_up_and_tells_a_story_where_no_byte_can_be_written(small_disk: Path) -> None:
    fill_disk(small_disk)
    server = Server(small_disk / "home").start()
    try:
        story = server.begin()
        assert server.choose(story)["scenes"][-1]["paragraphs"]
    finally:
        server.stop()
