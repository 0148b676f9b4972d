"""`python -m evals.foreign_skills [fit|wide]`: prints how well unknown skills are chosen by their manifests.

All skills of a set are installed at once. `fit` prints the weights of `planner/foreign_skills.py` anew, by
skills and actions that score nothing. `wide` scores seven sets of ten or eleven skills: actions that name
none of a skill's own words, and, among the others, two for each skill that name its subject and need it not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from evals.retrieval.fit import fit_model
from narratoria.inference.installed_models import find_embedder
from narratoria.planner.foreign_skills import FEATURES, ForeignSkillScorer
from narratoria.planner.skill_scorer import SkillScorer
from narratoria.skills.skill import Skill

FOLDER = Path(__file__).parent / "cases"
LEAST = 0.5


class Described(msgspec.Struct, frozen=True):
    name: str
    description: str
    capabilities: tuple[str, ...]
    examples: tuple[str, ...]


class Action(msgspec.Struct, frozen=True):
    action: str
    skill: str  # the one that it needs; empty for none


class Cases(msgspec.Struct, frozen=True):
    skills: tuple[Described, ...]
    actions: tuple[Action, ...]

    def as_skills(self) -> list[Skill]:
        return [
            Skill(
                name=one.name,
                version="1.0.0",
                description=one.description,
                folder=FOLDER,
                display_name=one.name,
                capabilities=one.capabilities,
                examples=one.examples,
            )
            for one in self.skills
        ]


def read_cases(name: str) -> Cases:
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Cases)


def read_wide_sets() -> list[Cases]:
    return msgspec.json.decode((FOLDER / "wide.json").read_bytes(), type=list[Cases])


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


def fit(scorer: ForeignSkillScorer, cases: Cases) -> None:
    values, meant, skills = [], [], cases.as_skills()
    for one in cases.actions:
        rows = scorer.measure(one.action, skills, also=one.skill)
        values += list(rows.values())
        meant += [name == one.skill for name in rows]
    model = fit_model(FEATURES, np.array(values), np.array(meant))
    weights = np.array(model.weights) / np.array(model.deviations)
    print(f"WEIGHTS = {tuple(round(float(one), 3) for one in weights)}")
    print(f"BIAS = {model.intercept - float(weights @ np.array(model.means)):.3f}")


def main(arguments: Sequence[str]) -> int:
    folder = find_embedder()
    if folder is None:
        sys.stderr.write("no embedding model is installed\n")
        return 1
    scorer = SkillScorer.open(folder).foreign
    if arguments == ["fit"]:
        fit(scorer, read_cases("fit"))
        return 0
    sets = read_wide_sets() if arguments == ["wide"] else [read_cases("score")]
    counts = [count_choices(scorer, cases) for cases in sets]
    right, meant, wrong, others = (sum(one) for one in zip(*counts, strict=True))
    print(f"{right} of {meant} actions get their skill, {wrong} of {others} others get one")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
