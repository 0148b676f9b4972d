"""The cases about choices are sound, and the figures stay up."""

from __future__ import annotations

import asyncio
import re

import pytest
from evals.choices.__main__ import report
from evals.choices.ask import Asked, ask_scenario, ask_setting, opened
from evals.choices.cases import cases_of, read_settings
from evals.choices.metrics import Share, measure
from evals.choices.scenarios import scenarios

from narratoria import paths

SETTINGS = read_settings()
FLOORS = {"SC-013": 0.95, "SC-014": 0.7, "SC-034": 0.75, "SC-038": 1.0}


def test_there_are_three_settings_with_many_decision_points() -> None:
    assert len(SETTINGS) >= 3
    assert sum(1 for setting in SETTINGS for _ in cases_of(setting)) >= 50


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.setting)
def test_everything_a_setting_names_is_there(setting) -> None:
    known = {*setting.people, *setting.places}
    ids = [memory.id for history in setting.histories for memory in history.memories]
    assert len(ids) == len(set(ids))
    for history in setting.histories:
        assert set(history.perception) == set(setting.people)
        for memory in history.memories:
            assert {*memory.fits, memory.location, *memory.characters} <= {*known, "player"}
    for scene in setting.scenes:
        assert {scene.place, *scene.present, *scene.ways} <= known
    for variant in setting.variants:
        assert set(variant.salient) <= set(variant.stats) == set(setting.keywords)


def test_the_prompt_of_the_skill_has_a_place_for_the_stats() -> None:
    prompt = (paths.BUNDLED_SKILLS / "player-choices" / "prompt.md").read_text(encoding="utf-8")
    assert "{player_stats}" in prompt


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    async def ask() -> list[Asked]:
        async with opened() as keeping:
            return await ask_setting(SETTINGS[0], keeping)

    return asyncio.run(ask())


def test_choices_refer_to_the_past_fit_the_stats_and_bring_back_what_was_major(
    asked: list[Asked],
) -> None:
    shares = {share.criterion: share for share in measure(asked) if share.criterion}
    assert {name: shares[name].value >= floor for name, floor in FLOORS.items()} == dict.fromkeys(
        FLOORS, True
    )
    named = {share.name: share for share in measure(asked)}
    assert named["about somebody or something that is there"].value == 1
    assert named["sets of choices that differ in what they are about"].value == 1
    assert named["receipts of the past that a reader accepts"].value >= 0.95


async def test_opinion_and_standing_count_together() -> None:
    """SC-021, and the rules of the specification."""
    wanted = [one for one in scenarios() if re.match(r"Sister Ode|the guild|Stealth|Charisma", one.name)]
    assert len(wanted) >= 15
    async with opened() as keeping:
        wrong = [one.name for one in wanted if not await ask_scenario(one, keeping)]
    assert wrong == []


def test_a_report_names_what_is_wrong(asked: list[Asked]) -> None:
    scenario = next(iter(scenarios()))
    text = report(asked, [(scenario, False)])
    assert f"wrong: {scenario.name}" in text
    assert "| refer to the past, by receipts a reader accepts | SC-034 |" in text


def test_a_share_below_its_target_does_not_pass() -> None:
    assert not Share("x", "", 7, 10, 0.8).passes
    assert Share("x", "", 8, 10, 0.8).passes
