"""`python -m evals.foreign_skills [fit|public|wide]`: prints how well unknown skills are chosen.

All skills of a set are installed at once. `fit` writes the weights of `planner/foreign_skills.py` anew, by
skills and actions that score nothing. `public` has the eighteen skills that are published as examples of
Agent Skills, described in our words, and no example of what players say. `wide` scores seven sets of ten or
eleven skills: actions that name none of a skill's own words, and, among the others, two for each skill that
name its subject and need it not.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from functools import lru_cache

from evals.foreign_skills.case_files import Cases, read_cases, read_ordinary_actions, read_wide_sets
from evals.foreign_skills.fit import SEED, Fitting, make_groups, write_weights
from narratoria.inference.installed_models import find_embedder
from narratoria.planner.foreign_skills import ForeignSkillScorer
from narratoria.planner.skill_scorer import SkillScorer

LEAST = 0.5


def count_choices(scorer: ForeignSkillScorer, cases: Cases) -> tuple[int, int, int, int]:
    """Return how often the right skill is chosen, of how many, and how often any for nothing, of how many."""
    skills, right, wrong = cases.as_skills(), 0, 0
    for one in cases.actions:
        needs = {name: found.need for name, found in scorer.score(one.action, skills).items()}
        best = max(needs, key=lambda name: needs[name])
        if one.skill:
            right += best == one.skill and needs[best] >= LEAST
        else:
            wrong += needs[best] >= LEAST
    meant = sum(bool(one.skill) for one in cases.actions)
    return right, meant, wrong, len(cases.actions) - meant


def fit(scorer: ForeignSkillScorer) -> None:
    cases, ordinary = read_cases("fit"), read_ordinary_actions()
    random.Random(SEED).shuffle(ordinary)
    model, skills = scorer.open_model(), cases.as_skills()
    read = lru_cache(maxsize=None)(model.read_pair)
    by_name = {skill.name: skill for skill in skills}
    write_weights(Fitting(scorer, read, by_name, make_groups(skills)).fit(cases, ordinary))


def main(arguments: Sequence[str]) -> int:
    folder = find_embedder()
    if folder is None:
        sys.stderr.write("no embedding model is installed\n")
        return 1
    scorer = SkillScorer.open(folder).foreign
    if arguments == ["fit"]:
        fit(scorer)
        return 0
    sets = read_wide_sets() if arguments == ["wide"] else [read_cases(arguments[0] if arguments else "score")]
    counts = [count_choices(scorer, cases) for cases in sets]
    right, meant, wrong, others = (sum(one) for one in zip(*counts, strict=True))
    print(f"{right} of {meant} actions get their skill, {wrong} of {others} others get one")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
