"""What is set for a skill is what the player sees in a story."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.skills.bundled.story_host import configure

from narratoria import app
from narratoria.campaign.campaign import Rules
from narratoria.engine.rules import band
from narratoria.engine.story_session import StorySession


@pytest.fixture
async def telling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StorySession]:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    async with app.open_isolated_library(tmp_path / "stories") as library:
        begun = await library.begin("harrowmere", None, seed=11)
        await begun.resume()
        yield begun


@pytest.mark.parametrize("many", [2, 6])
async def test_so_many_choices_are_offered_as_the_player_wants(telling: StorySession, many: int) -> None:
    configure("player-choices", minOptions=many, maxOptions=many)
    assert len((await telling.choose(0)).choices) == many


async def test_dice_that_are_not_shown_singly_count_all_the_same(telling: StorySession) -> None:
    configure("dice-roller", showIndividualRolls=False)
    scene = await telling.say("I climb up the wet outer wall of the foundry")
    assert scene.roll is not None
    assert scene.roll.rolls == ()
    assert scene.roll.total > 0
    assert scene.roll.outcome == band(scene.roll.total, Rules())
