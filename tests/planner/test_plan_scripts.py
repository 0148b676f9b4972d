"""Scripts are offered unless disabled or just failed, and chosen where that is likelier right than not."""

from __future__ import annotations

import pytest
from evals.planning.offered import open_catalogue

from narratoria.planner.plan_scripts import (
    BEFORE,
    NARRATE,
    ORDER,
    ROLL,
    STEPS,
    Score,
    SkillScores,
    find_offers,
    logit,
    sigmoid,
    stage_of,
    step_id,
)
from narratoria.planning.plan import PlanRequest

CATALOGUE = open_catalogue()


def test_what_is_disabled_is_not_offered() -> None:
    request = PlanRequest("I roll", CATALOGUE.skills, disabled_skills=frozenset({"dice-roller"}))
    offers = find_offers(request)
    assert NARRATE in offers
    assert ROLL not in offers


def test_a_script_nobody_knows_runs_among_the_others_under_its_own_label() -> None:
    assert stage_of("weather/forecast") == "other"
    assert step_id("weather/forecast") == "weather/forecast"
    assert step_id(ROLL) == "roll"


def test_no_stage_waits_for_one_that_comes_after_it() -> None:
    assert set(BEFORE) == set(ORDER) >= {stage for _, stage in STEPS.values()}
    for stage, earlier in BEFORE.items():
        assert all(ORDER.index(one) < ORDER.index(stage) for one in earlier)


@pytest.mark.parametrize(
    ("needed", "harmless", "is_chosen"), [(0.6, 0.6, True), (0.3, 0.3, False), (0.05, 1.0, False)]
)
def test_a_script_is_chosen_where_it_is_likelier_right_than_left_out(
    needed: float, harmless: float, is_chosen: bool
) -> None:
    score = Score(ROLL, needed, harmless, "so")
    assert score.is_chosen is is_chosen
    assert SkillScores((score,), "travel").chosen_labels == ({ROLL} if is_chosen else set())


def test_a_probability_survives_its_logit() -> None:
    assert sigmoid(logit(0.3)) == pytest.approx(0.3)
    assert 0.0 < sigmoid(-1e9) < sigmoid(1e9) <= 1.0
