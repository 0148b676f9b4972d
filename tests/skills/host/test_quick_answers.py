"""A player who does not want to wait for a model takes the quick answer, and the scene is told without it."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.provider_servers import Provider, served
from tests.web.serving import PATIENCE, Server

from narratoria.skills.host.quick_answers import QuickAnswers


async def test_it_holds_for_the_story_and_for_the_turn() -> None:
    quick_answers = QuickAnswers()
    waiting = asyncio.create_task(quick_answers.wait("a"))
    quick_answers.take("b")
    assert (quick_answers.is_taken("a"), quick_answers.is_taken("b")) == (False, True)
    quick_answers.take("a")
    await asyncio.wait_for(waiting, 10)
    quick_answers.begin_turn("a")
    assert not quick_answers.is_taken("a")


def until(condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("kind", ["openai", "claude"])
def test_a_provider_that_keeps_the_player_waiting_is_left_and_the_scene_is_told(
    kind: str, tmp_path: Path
) -> None:
    with served(Provider(kind, "hang")) as provider:
        server = Server(tmp_path / "home").start()
        try:
            story = server.begin()
            body = {"provider": kind, "baseUrl": provider.url, "model": "m", "apiKey": "k", "consent": True}
            server.post("/api/providers/use", body)
            config = {"values": {"patienceSeconds": 600}}
            assert server.ask("PUT", "/api/skills/storyteller/config", config).status == 200
            idle = server.ask("POST", f"/api/stories/{story}/quick", {})
            assert (idle.status, idle.code) == (409, "idle")
            server.post(f"/api/stories/{story}/say", {"text": "I look around", "scene": 1}, 202)
            until(lambda: provider.asked)
            assert server.get(f"/api/stories/{story}")["busy"], "it waits for the provider"
            server.ask("POST", f"/api/stories/{story}/quick", {})
            page = server.wait(story, 2)
            scene = page["scenes"][-1]
            assert scene["passages"]
            assert "written by" not in json.dumps(scene["passages"])
            assert "m at 127.0.0.1" in server.get("/api/teller")["sentence"]
            assert server.get("/api/teller")["state"] == "tells"
            assert not [skill for skill in server.get("/api/skills") if skill["health"] != "healthy"]
        finally:
            server.stop()
