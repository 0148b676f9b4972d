"""Fits what `planner/data/foreign-skills.json` holds, on skills and actions that score nothing.

The weights of the middle layer come first, on pairs of an action and a skill. Those of all features come
second, on simulated installations of a dozen skills, each read by weights that never saw its skills.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from evals.foreign_skills.case_files import Action, Cases
from narratoria import planner
from narratoria.planner.foreign_skills import (
    BACKGROUND_READ,
    ForeignSkillScorer,
    ForeignSkillWeights,
    describe_skill,
)
from narratoria.skills.skill import Skill

Matrix = NDArray[np.float64]
Reading = tuple[tuple[float, ...], NDArray[np.float32]]
Read = Callable[[str, str], Reading]

FILE = Path(planner.__file__).parent / "data" / "foreign-skills.json"
SEED, GROUPS, FOLDS = 3, 10, 5
OTHERS, NEAREST, INSTALLED = 5, 2, 6  # skills that an action is read with besides its own
ORDINARY, ORDINARY_IN_GROUP = 350, 12  # actions of other cases that need no foreign skill
RESTRAINT_OF_READING, RESTRAINT = 300.0, 1.0
MOST_ORDINARY = 0.05  # of the actions that need nothing, how many may get a skill
STEPS = 500


@dataclass(frozen=True, slots=True)
class Row:
    action: str
    skill: str
    text: str  # what is read of the skill
    is_meant: bool


@dataclass(frozen=True, slots=True)
class Line:
    """The weights of a logistic model and its bias."""

    weights: Matrix
    bias: float

    def __call__(self, values: Matrix) -> Matrix:
        result: Matrix = values @ self.weights + self.bias
        return result


def fit_line(values: Matrix, meant: Matrix, restraint: float, steps: int = STEPS) -> Line:
    """Return the logistic model under which the labels are most probable, by accelerated descent."""
    means, deviations = values.mean(axis=0), values.std(axis=0) + 1e-6
    scaled = np.column_stack([np.ones(len(values)), (values - means) / deviations])
    direction = np.random.default_rng(0).normal(size=scaled.shape[1])
    for _ in range(12):
        direction = scaled.T @ (scaled @ direction)
        steepest = float(np.linalg.norm(direction))
        direction /= steepest
    rate = 1 / (steepest / 4 + restraint)
    held = np.full(scaled.shape[1], restraint)
    held[0] = 0.0
    weights = ahead = np.zeros(scaled.shape[1])
    momentum = 1.0
    for _ in range(steps):
        probable = 1 / (1 + np.exp(-np.clip(scaled @ ahead, -30, 30)))
        moved = ahead - rate * (scaled.T @ (probable - meant) + held * ahead)
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead, weights, momentum = moved + (momentum - 1) / faster * (moved - weights), moved, faster
    return Line(weights[1:] / deviations, float(weights[0] - (weights[1:] * means / deviations).sum()))


@dataclass(frozen=True, slots=True)
class Fitting:
    """What is fitted on: skills in groups, and what reads and compares them."""

    scorer: ForeignSkillScorer
    read: Read
    skills: dict[str, Skill]
    groups: list[list[str]]

    def fit(self, cases: Cases, ordinary: Sequence[str]) -> ForeignSkillWeights:
        group_of = {name: at for at, group in enumerate(self.groups) for name in group}
        rows = self._list_rows(cases.actions, ordinary[:ORDINARY])
        values = np.array([self.read(row.action, row.text)[1] for row in rows], np.float64)
        meant = np.array([row.is_meant for row in rows], np.float64)
        of_fold = np.array([group_of[row.skill] % FOLDS for row in rows])
        features, labels, for_ordinary = [], [], []
        for fold in range(FOLDS):
            line = fit_line(values[of_fold != fold], meant[of_fold != fold], RESTRAINT_OF_READING)
            for at in range(fold, GROUPS, FOLDS):
                rest = ordinary[ORDINARY + at * ORDINARY_IN_GROUP :][:ORDINARY_IN_GROUP]
                near = {one.action for one in cases.actions if one.near}
                for action, needed, names in self._install(at, cases.actions, rest):
                    measured = [self._measure(action, name, line) for name in names]
                    features += measured
                    labels += [name == needed for name in names]
                    if not needed and action not in near:
                        for_ordinary.append(measured)
        reading = fit_line(values, meant, RESTRAINT_OF_READING)
        whole = fit_line(np.array(features), np.array(labels, np.float64), RESTRAINT)
        likeliest = [float(whole(np.array(one)).max()) for one in for_ordinary]
        level = float(np.quantile(likeliest, 1 - MOST_ORDINARY))
        return ForeignSkillWeights(
            tuple(round(float(one), 4) for one in reading.weights),
            round(reading.bias, 4),
            tuple(round(float(one), 4) for one in whole.weights),
            round(whole.bias - level, 4),
        )

    def _list_rows(self, actions: Sequence[Action], ordinary: Sequence[str]) -> list[Row]:
        """Return the pairs that are read: with its own skill, with some others, and with the nearest."""
        dice, rows = random.Random(SEED), list[Row]()
        for one in (*actions, *(Action(text, "") for text in ordinary)):
            own = one.skill or one.near
            others = [name for name in self.skills if name != own]
            if own:
                rows += [Row(one.action, own, text, bool(one.skill)) for text in self._texts(own)]
            chosen = [
                *self._nearest(one.action, others, NEAREST),
                *dice.sample(others, OTHERS * bool(one.skill)),
            ]
            rows += [Row(one.action, name, dice.choice(self._texts(name)), False) for name in chosen]
        return rows

    def _install(
        self, at: int, actions: Sequence[Action], ordinary: Sequence[str]
    ) -> list[tuple[str, str, list[str]]]:
        """Return the actions for a group of skills, what each needs, and the likeliest skills."""
        group = self.groups[at]
        here = [(one.action, one.skill) for one in actions if (one.skill or one.near) in group]
        loose = [one.action for one in actions if not one.skill and not one.near][at::GROUPS]
        here += [(text, "") for text in (*loose, *ordinary)]
        return [(action, needed, self._nearest(action, group, INSTALLED)) for action, needed in here]

    def _nearest(self, action: str, names: Sequence[str], many: int) -> list[str]:
        own = self.scorer.encode(action)
        likeness = {name: self.scorer.compare(own, self.skills[name])[4] for name in names}
        return sorted(names, key=lambda name: -likeness[name])[:many]

    def _texts(self, name: str) -> list[str]:
        """Return what is read of a skill, as it is and as if less were said of it."""
        skill = self.skills[name]
        fewer = (skill, replace(skill, examples=()), replace(skill, examples=(), capabilities=()))
        return list(dict.fromkeys(map(describe_skill, fewer)))

    def _measure(self, action: str, name: str, line: Line) -> tuple[float, ...]:
        skill = self.skills[name]
        text = describe_skill(skill)
        tasks, middle = self.read(action, text)
        meant = float(line(np.asarray(middle, np.float64)))
        others = [float(line(np.asarray(self.read(one, text)[1], np.float64))) for one in BACKGROUND_READ]
        likeness = self.scorer.compare(self.scorer.encode(action), skill)
        return (*likeness, *tasks, meant, meant - float(np.mean(others)), meant - max(others))


def make_groups(skills: Sequence[Skill]) -> list[list[str]]:
    names = [skill.name for skill in skills]
    random.Random(SEED).shuffle(names)
    return [names[at::GROUPS] for at in range(GROUPS)]


def write_weights(weights: ForeignSkillWeights, file: Path = FILE) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=0) + b"\n")
