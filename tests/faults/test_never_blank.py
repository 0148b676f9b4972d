"""Whatever goes wrong, every turn has prose and choices, and none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria import app, places
from narratoria.engine.autoplay import Run
from narratoria.engine.faults import Faults

CAMPAIGNS = sorted(folder.name for folder in places.BUNDLED_CAMPAIGNS.iterdir() if folder.is_dir())


@pytest.mark.slow
@pytest.mark.parametrize("campaign", CAMPAIGNS)
async def test_forty_turns_of_a_campaign_with_faults_everywhere(campaign: str, tmp_path: Path) -> None:
    faults = Faults(0.3, seed=9)
    run = Run(campaign, 40, "chaos", 9, lambda wrong: app.open_playground(tmp_path, wrong), faults)
    report = await run.play()
    assert report.turns == 40
    assert report.problems == []
    assert report.never_blank
    assert sum(report.faults.values()) > 40, "faults did happen"
    assert {"store", "tool", "planner"} <= set(report.faults)


async def played(home: Path) -> list[str]:
    scenes: list[str] = []
    run = Run(
        "comet-tea-room",
        6,
        "random",
        4,
        lambda wrong: app.open_playground(home, wrong),
        on_scene=lambda scene: scenes.append(scene.text),
    )
    await run.play()
    return scenes


async def test_the_same_seed_plays_the_same_story(tmp_path: Path) -> None:
    told = await played(tmp_path / "a")
    assert len(told) == 6
    assert await played(tmp_path / "b") == told
