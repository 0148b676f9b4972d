"""Skills of which only the manifest is known are chosen by it."""

from __future__ import annotations

from evals.foreign_skills.__main__ import count_choices, read_cases, read_wide_sets

from narratoria.inference.installed_models import find_embedder
from narratoria.planner.skill_scorer import SkillScorer


def test_no_skill_and_no_action_fits_and_scores() -> None:
    fit = read_cases("fit")
    for score in (read_cases("score"), *read_wide_sets()):
        assert not {skill.name for skill in fit.skills} & {skill.name for skill in score.skills}
        assert not {one.action for one in fit.actions} & {one.action for one in score.actions}


def test_half_of_the_actions_get_their_skill_and_few_others_get_one() -> None:
    folder = find_embedder()
    assert folder is not None
    right, meant, wrong, others = count_choices(SkillScorer.open(folder).foreign, read_cases("score"))
    assert right / meant > 0.48
    assert wrong / others <= 0.05
