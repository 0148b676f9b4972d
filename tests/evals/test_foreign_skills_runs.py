"""Skills of which only the manifest is known are chosen by it."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from evals.foreign_skills.__main__ import count_choices
from evals.foreign_skills.case_files import read_cases, read_wide_sets
from evals.foreign_skills.fit import FILE, fit_line, make_groups

from narratoria.inference.installed_models import find_embedder
from narratoria.planner.foreign_skills import FEATURES, ForeignSkillScorer, ForeignSkillWeights
from narratoria.planner.skill_scorer import SkillScorer


@pytest.fixture(scope="module")
def scorer() -> ForeignSkillScorer:
    folder = find_embedder()
    assert folder is not None
    return SkillScorer.open(folder).foreign


def test_no_skill_and_no_action_fits_and_scores() -> None:
    fit = read_cases("fit")
    for score in (read_cases("score"), read_cases("public"), *read_wide_sets()):
        assert not {skill.name for skill in fit.skills} & {skill.name for skill in score.skills}
        assert not {one.action for one in fit.actions} & {one.action for one in score.actions}


def test_every_action_is_about_a_skill_that_is_there() -> None:
    for cases in (read_cases("fit"), read_cases("score"), read_cases("public"), *read_wide_sets()):
        names = {skill.name for skill in cases.skills}
        assert {one.skill or one.near for one in cases.actions} - {""} <= names


def test_four_of_five_actions_get_one_of_the_public_skills_and_few_others_do(scorer) -> None:
    cases = read_cases("public")
    assert len(cases.skills) == 18
    right, meant, wrong, others = count_choices(scorer, cases)
    assert (meant, others) == (40, 60)
    assert right / meant >= 0.8
    assert wrong / others <= 0.05


def test_most_actions_get_their_skill_among_others_that_name_its_subject(scorer) -> None:
    right, meant, wrong, others = count_choices(scorer, read_cases("score"))
    assert right / meant >= 0.7
    assert wrong / others <= 0.2  # a third of these others name what a skill is about, and need it not


def test_a_model_that_is_fitted_tells_apart_what_can_be_told_apart() -> None:
    dice = np.random.default_rng(1)
    values = dice.normal(size=(300, 4))
    meant = (values[:, 0] > 0.3).astype(float)
    line = fit_line(values, meant, restraint=1.0)
    assert np.mean((line(values) > 0) == (meant > 0)) > 0.95
    assert abs(line.weights[0]) > 5 * np.abs(line.weights[1:]).max()


def test_every_skill_for_fitting_is_in_one_group() -> None:
    skills = read_cases("fit").as_skills()
    groups = make_groups(skills)
    assert sorted(name for group in groups for name in group) == sorted(skill.name for skill in skills)


def test_the_weights_that_ship_are_as_many_as_there_are_features() -> None:
    weights = msgspec.json.decode(FILE.read_bytes(), type=ForeignSkillWeights)
    assert len(weights.features) == len(FEATURES)
