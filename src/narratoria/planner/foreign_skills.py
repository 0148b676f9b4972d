"""Scores skills of which only the manifest is known: by likeness, and by reading it with the action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from narratoria.errors import ModelUnavailable
from narratoria.inference.reading_model import PAIR_TASKS, ReadingModel
from narratoria.planner.plan_scripts import sigmoid
from narratoria.planner.word_lists import WORDS
from narratoria.skills.skill import Skill

Vectors = NDArray[np.float32]

BACKGROUND = WORDS.background_actions  # what players say that needs nothing but a storyteller
LIKENESS = 0.42  # to a skill's examples: the cosine from which it may be meant
SAME_WORDS = 0.9  # the cosine from which an example is said almost word for word
SHARE_OF_ABOUT = 0.85  # a description names a subject and an example says what players say
SKILLS_READ = 3  # the likeliest ones, which are read together with the action
TASKS = 4  # of the reading model, as the weights were fitted
FEATURES = ("likeness", "examples", "about", "background", "ahead", *PAIR_TASKS[:TASKS])
# fitted by `python -m evals.foreign_skills fit`; the bias is lower, so that few other actions get a skill
WEIGHTS = (-4.446, 1.52, 7.278, 0.457, 2.261, -0.167, 0.146, 0.073, 0.493)
BIAS = -1.95


@dataclass(frozen=True, slots=True)
class ForeignScore:
    need: float
    why: str


@dataclass(frozen=True, slots=True)
class ForeignSkillScorer:
    """Scores skills with the embedder, and with the reading model where it can be loaded."""

    embed: Callable[[Sequence[str]], Vectors]  # vectors of length one, kept
    encode: Callable[[str], Vectors]
    open_model: Callable[[], ReadingModel]

    def score(self, action: str, skills: Sequence[Skill]) -> dict[str, ForeignScore]:
        """Return how much each skill is needed for an action, and why."""
        try:
            rows = self.measure(action, skills)
        except ModelUnavailable:
            return {
                skill.name: ForeignScore(sigmoid(14 * ahead), _explain(likeness, background))
                for skill, (likeness, _, _, background, ahead) in zip(
                    skills, self._likenesses(action, skills), strict=True
                )
            }
        unread = ForeignScore(0.0, "other skills are likelier")
        return {
            skill.name: ForeignScore(_need(row), _explain(row[0], row[3], is_read=True))
            if (row := rows.get(skill.name)) is not None
            else unread
            for skill in skills
        }

    def measure(self, action: str, skills: Sequence[Skill], also: str = "") -> dict[str, tuple[float, ...]]:
        """Return the features of the likeliest skills, and of one more by its name."""
        model = self.open_model()
        likenesses = self._likenesses(action, skills)
        order = sorted(range(len(skills)), key=lambda at: -likenesses[at][0])
        likeliest = [*order[:SKILLS_READ], *(at for at in order[SKILLS_READ:] if skills[at].name == also)]
        return {
            skills[at].name: (*likenesses[at], *model.score_tasks(action, _describe(skills[at]))[:TASKS])
            for at in likeliest
        }

    def _likenesses(self, action: str, skills: Sequence[Skill]) -> list[tuple[float, ...]]:
        own = self.encode(action)
        background = self._nearest(own, BACKGROUND)
        rows: list[tuple[float, ...]] = []
        for skill in skills:
            examples, about = self._nearest(own, skill.examples), self._nearest(own, _about(skill))
            likeness = max(examples, SHARE_OF_ABOUT * about)
            rows.append((likeness, examples, about, background, likeness - max(LIKENESS, background)))
        return rows

    def _nearest(self, own: Vectors, texts: Iterable[str]) -> float:
        texts_given = [text for text in texts if text.strip()]
        return float((self.embed(texts_given) @ own).max()) if texts_given else 0.0


def _need(row: Sequence[float]) -> float:
    """Return how much a skill is needed by its features; one whose example is said is needed surely."""
    return 1.0 if row[1] >= SAME_WORDS else sigmoid(float(np.dot(row, WEIGHTS)) + BIAS)


def _about(skill: Skill) -> Iterable[str]:
    return (
        skill.description,
        ", ".join(skill.capabilities),
        *(script.description for script in skill.scripts),
    )


def _describe(skill: Skill) -> str:
    """Return what is read of a skill: its description, and what players say, or else what it can do."""
    more = "; ".join(skill.examples) or ", ".join(skill.capabilities)
    return f"{skill.description} {more}." if more else skill.description


def _explain(likeness: float, background: float, *, is_read: bool = False) -> str:
    why = f"{likeness:.2f} like what the skill says of itself, {background:.2f} like what needs no skill"
    return f"{why}, and read together with it" if is_read else why
