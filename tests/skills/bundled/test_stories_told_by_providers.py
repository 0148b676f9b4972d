"""A player sets up a hosted storyteller and plays: what the scene, the events and the notices say."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.provider_servers import Provider, served

from narratoria import app, paths
from narratoria.engine.events import NarrationDelta, NarrationDiscarded, Notice, StoryEvent, ToolLog
from narratoria.engine.scene import Scene
from narratoria.skills.config import change_config, config_file
from narratoria.skills.decisions import change_decisions
from narratoria.skills.discovery import discover

KEY = "sk-a-key-for-tests-0123"
MARK = "Everything waits."


class Teller(Provider):
    """Tells every scene in the same two paragraphs, with a fact and a choice."""

    def lines(self) -> Any:
        self.pieces = (
            f"A door goes somewhere above. {MARK}\n\n",
            f"Then the light is as it was before. {MARK}\n\n",
            "TRUE NOW: A door has been shut above you.\nNEXT:\nnew: Listen for the door\n",
        )
        return super().lines()


@dataclass
class Turn:
    scene: Scene
    events: list[StoryEvent]

    def of(self, kind: type[StoryEvent]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def streamed(self) -> str:
        return "".join(event.text for event in self.of(NarrationDelta))


def set_up(provider: Provider, *, granted: bool = True, **settings: Any) -> None:
    (skill,) = [one for one in discover([paths.BUNDLED_SKILLS]).skills if one.name == "storyteller"]
    told = {"provider": provider.kind, "apiKey": KEY, "baseUrl": provider.url, "patienceSeconds": 2}
    change_config(skill, paths.home(), {**told, **settings})
    if granted:
        change_decisions(paths.home(), lambda before: before.with_granted("storyteller", ["network"]))


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))

    @asynccontextmanager
    async def played() -> AsyncIterator[Turn]:
        """The second scene of a story, told with what is set up."""
        async with app.open_isolated_library(tmp_path / "stories") as library:
            telling = await library.begin("tomorrows-post", {"name": "Ada"}, seed=7)
            await telling.resume()
            before = telling.log.last
            scene = await telling.say("I stand quite still and listen")
            yield Turn(scene, list(telling.log.since(before)))

    return played


async def test_a_configured_provider_tells_the_story_and_the_key_is_kept_apart(
    play: Callable[[], Any],
) -> None:
    with served(Teller("claude")) as provider:
        set_up(provider, model="a-model")
        kept = json.loads(config_file(paths.home(), "storyteller").read_text())
        async with play() as turn:
            assert kept["provider"] == "claude"
            told = [text for text in turn.scene.paragraphs if text.endswith(MARK)]
            by_model = [passage for passage in turn.scene.passages if passage.by == "model"]
            assert len(told) == len(by_model) == 2
            assert turn.scene.fact == "A door has been shut above you."
            assert "Listen for the door" in [choice.text for choice in turn.scene.choices]
            assert turn.streamed.split() == turn.scene.text.split()
            assert turn.of(Notice) == []
            assert KEY not in str(turn.events)
    assert {asked.headers["x-api-key"] for asked in provider.asked} == {KEY}


async def test_a_provider_that_breaks_off_leaves_what_was_shown_and_the_player_is_told(
    play: Callable[[], Any],
) -> None:
    with served(Teller("openai", "cut", after=1)) as provider:
        set_up(provider)
        async with play() as turn:
            first, *others = turn.scene.paragraphs
            assert first.endswith(MARK)
            assert others
            assert not any(MARK in paragraph for paragraph in others)
            assert turn.scene.fact == ""
            assert turn.streamed.split() == turn.scene.text.split()
            assert turn.of(NarrationDiscarded) == []
            (notice,) = turn.of(Notice)
            assert (notice.kind, notice.skill) == ("network", "storyteller")
            assert "broke off" in notice.message
            assert any(log.level == "warn" and "broke off" in log.message for log in turn.of(ToolLog))


@pytest.mark.parametrize(("fault", "told"), [("401", "refuses the API key"), ("hang", "")])
async def test_a_wrong_key_or_a_silent_provider_costs_a_notice_and_never_the_scene(
    play: Callable[[], Any], fault: str, told: str
) -> None:
    with served(Teller("claude", fault)) as provider:
        set_up(provider, patienceSeconds=1)
        async with play() as turn:
            assert 2 <= len(turn.scene.paragraphs) <= 3
            assert MARK not in turn.scene.text
            assert 3 <= len(turn.scene.choices) <= 4
            (notice,) = turn.of(Notice)
            assert told in notice.message
            assert KEY not in str(turn.events)


async def test_without_consent_nothing_is_sent_and_the_player_is_told_how_to_give_it(
    play: Callable[[], Any],
) -> None:
    with served(Teller("openai")) as provider:
        set_up(provider, granted=False)
        async with play() as turn:
            (notice,) = turn.of(Notice)
            assert "narratoria skills grant storyteller network" in notice.message
            assert turn.scene.paragraphs
    assert provider.asked == []
