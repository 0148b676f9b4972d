"""The stream of a story's events, with a reader that takes nothing and one that takes everything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from narratoria import app
from narratoria.engine.events import AssetMade, NarrationDelta
from narratoria.engine.story_session import StorySession
from narratoria.web.app_state import AppState
from narratoria.web.running_server import claim
from narratoria.web.server import Server
from narratoria.web.stream import frame


@asynccontextmanager
async def served(home: Path) -> AsyncIterator[tuple[Server, StorySession]]:
    """A real server in this very process, and a story that it serves."""
    claimed = claim(home / "web")
    assert claimed is not None
    app_state, ready = AppState(home, app.open_library), asyncio.Event()
    server = Server(app_state, host="127.0.0.1", port=0, claim=claimed)
    serving = asyncio.create_task(server.serve(lambda _: ready.set()))
    try:
        await asyncio.wait_for(ready.wait(), 60)
        telling = await app_state.library.begin("tomorrows-post", seed=7)
        await telling.resume()
        yield server, telling
    finally:
        server.stop()
        await serving
        claimed.release()


@asynccontextmanager
async def following(server: Server, telling: StorySession, after: int, **options: Any) -> AsyncIterator[Any]:
    address = f"ws://127.0.0.1:{server.port}/api/stories/{telling.story.id}/events?after={after}"
    key = {"Authorization": f"Bearer {server.running.token}"}
    async with connect(address, additional_headers=key, close_timeout=1, **options) as socket:
        yield socket


async def take(socket: Any, up_to: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    while not events or events[-1].get("id") != up_to:
        events.append(json.loads(await asyncio.wait_for(socket.recv(), 60)))
    return events


async def test_a_reader_that_takes_nothing_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    async with served(tmp_path) as (server, telling):
        log, first = telling.log, telling.log.last
        async with (
            following(server, telling, first, max_queue=1) as slow,
            following(server, telling, first) as quick,
        ):
            taking = asyncio.create_task(take(quick, first + 1000))
            for number in range(1000):  # some 12 MB: more than any buffer on the way holds
                log.append(NarrationDelta(text=f"{number} " * 2400), turn=1)
                if number % 50 == 0:
                    await asyncio.sleep(0)
            taken = await taking
            assert [event["id"] for event in taken] == list(range(first + 1, first + 1001))
            late = await take(slow, first + 1000)
        assert late == taken


async def test_a_reader_that_comes_too_late_is_told_to_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    async with served(tmp_path) as (server, telling):
        for _ in range(20_000):
            telling.log.append(NarrationDelta(text="and then "), turn=1)
        async with following(server, telling, 5) as socket:
            events = await take(socket, telling.log.last)
    assert events[0] == {"type": "reload"}
    ids = [event["id"] for event in events[1:]]
    assert ids == list(range(ids[0], telling.log.last + 1))


def test_an_announced_file_goes_out_with_its_address() -> None:
    made = AssetMade(asset_id="a b/c", kind="image", media_type="image/png", path="/x.png", tool_id="t")
    assert json.loads(frame(made, "story-1"))["url"] == "/api/stories/story-1/assets/a%20b%2Fc"
