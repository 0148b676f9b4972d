"""An MCP client plays: a real client of the SDK, and `narratoria mcp` as the process it starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.mcp_server.conftest import Refused


async def test_a_client_begins_reads_chooses_says_undoes_and_looks(open_client: Any) -> None:
    async with open_client() as call:
        first = await call("begin_story", campaign="tomorrows-post", seed=7)
        story = first["story"]
        assert first["scene"] == 1
        assert first["text"]
        assert [choice["number"] for choice in first["choices"]] == list(range(1, len(first["choices"]) + 1))

        second = await call("choose", story=story, choice=1, scene=1)
        assert second["scene"] == 2
        assert second["action"] == first["choices"][0]["text"]
        with pytest.raises(Refused, match="the story has gone on: it is at scene 2"):
            await call("choose", story=story, choice=1, scene=1)
        with pytest.raises(Refused, match="scene 2 has the choices 1 to"):
            await call("choose", story=story, choice=99)

        third = await call("say", story=story, words="I look around")
        assert (third["scene"], third["action"]) == (3, "I look around")
        asked = await call("say", story=story, words="asdf qwer zxcv")
        assert asked["scene"] == 3
        assert asked["askedBack"]["question"]

        remembered = await call("search_memory", story=story, query=first["choices"][0]["text"])
        assert remembered["memories"]
        state = await call("show_state", story=story)
        assert "playerChoices" not in state["state"]
        assert set(state) == {"state", "changed", "standings"}

        back = await call("undo", story=story)
        assert (back["scene"], back["text"]) == (2, second["text"])
        assert (await call("read_scene", story=story, scene=1))["text"] == first["text"]
        with pytest.raises(Refused, match="there is no scene 9; the story has scenes 1 to 2"):
            await call("read_scene", story=story, scene=9)

    async with open_client() as call:  # another process, the same home
        listed = await call("list_stories")
        assert [one["id"] for one in listed["stories"]] == [story]
        assert (await call("read_scene", story=story))["text"] == second["text"]


async def test_what_is_refused_is_said_in_words_for_the_client(open_client: Any) -> None:
    async with open_client() as call:
        with pytest.raises(Refused, match="there is no story 'nowhere'; list_stories has those there are"):
            await call("read_scene", story="nowhere")
        with pytest.raises(Refused, match="There is no campaign called 'nowhere'"):
            await call("begin_story", campaign="nowhere")
        with pytest.raises(Refused, match="choice"):
            await call("choose", story="nowhere", choice="the first")


async def test_a_home_that_another_narratoria_uses_is_named_as_the_reason(
    open_client: Any, tmp_path: Path
) -> None:
    async with open_client() as first:
        await first("list_stories")
        async with open_client() as second:
            with pytest.raises(Refused, match="is in use by"):
                await second("list_stories")
            assert (await second("list_campaigns"))["campaigns"]
