"""Scores skills of which only the manifest is known: by likeness, and by reading it with the action.

What is read is compared with what is read of ordinary actions with the same manifest: a description that
goes with anything says little. `python -m evals.foreign_skills fit` writes `data/foreign-skills.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np
from numpy.typing import NDArray

from narratoria.errors import ModelUnavailable
from narratoria.inference.reading_model import PAIR_TASKS, ReadingModel
from narratoria.planner.plan_scripts import sigmoid
from narratoria.planner.word_lists import WORDS
from narratoria.skills.skill import Skill

Vectors = NDArray[np.float32]

BACKGROUND = WORDS.background_actions  # what players say that needs nothing but a storyteller
BACKGROUND_READ = BACKGROUND[:12]  # those that are read with a manifest, too
LIKENESS = 0.42  # to a skill's examples: the cosine from which it may be meant
SAME_WORDS = 0.9  # the cosine from which an example is said almost word for word
SHARE_OF_ABOUT = 0.85  # a description names a subject and an example says what players say
SKILLS_READ = 5  # the likeliest ones, which are read together with the action
TASKS = PAIR_TASKS
LIKENESSES = (
    "about",
    "description",
    "examples",
    "has examples",
    "likeness",
    "background",
    "backgrounds",
    "ahead",
    "ahead of backgrounds",
)
EXAMPLES = LIKENESSES.index("examples")
FEATURES = (*LIKENESSES, *TASKS, "meant", "meant more than others", "meant more than any other")


class ForeignSkillWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted weights: of what the middle layer of a reading holds, and of all features."""

    reading: tuple[float, ...]
    reading_bias: float
    features: tuple[float, ...]
    bias: float


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
    _meant_anyway: dict[str, tuple[float, float]] = field(default_factory=dict)  # by what is read of a skill

    def score(self, action: str, skills: Sequence[Skill]) -> dict[str, ForeignScore]:
        """Return how much each skill is needed for an action, and why."""
        own = self.encode(action)
        likenesses = {skill.name: self.compare(own, skill) for skill in skills}
        scores = {name: ForeignScore(0.0, "other skills are likelier") for name in likenesses}
        names_given = [name for name, likeness in likenesses.items() if likeness[EXAMPLES] >= SAME_WORDS]
        if names_given:  # nothing has to be read
            return scores | {name: ForeignScore(1.0, _explain(likenesses[name])) for name in names_given}
        try:
            model = self.open_model()
        except ModelUnavailable:
            return {name: _score_likeness(likeness) for name, likeness in likenesses.items()}
        likeliest = sorted(skills, key=lambda skill: -likenesses[skill.name][4])[:SKILLS_READ]
        for skill in likeliest:
            likeness = likenesses[skill.name]
            row = (*likeness, *self.read(model, action, skill))
            scores[skill.name] = ForeignScore(_need(row), _explain(likeness, is_read=True))
        return scores

    def prepare(self, skills: Iterable[Skill]) -> None:
        """Read ahead what ordinary actions make of these skills, if the model can be loaded."""
        try:
            model = self.open_model()
        except ModelUnavailable:
            return
        for skill in skills:
            self._read_background(model, describe_skill(skill))

    def compare(self, own: Vectors, skill: Skill) -> tuple[float, ...]:
        """Return the features of a skill that need no reading."""
        about = self._similarities(own, describe_views(skill))
        examples = self._similarities(own, skill.examples)
        background = np.sort(self._similarities(own, BACKGROUND))[::-1]
        most, most_about = float(examples.max(initial=0.0)), float(about.max(initial=0.0))
        likeness, usual = max(most, SHARE_OF_ABOUT * most_about), float(background[:5].mean())
        return (
            most_about,
            float(about[0]) if len(about) else 0.0,
            most,
            float(len(examples) > 0),
            likeness,
            float(background[0]),
            usual,
            likeness - float(background[0]),
            max(most, most_about) - usual,
        )

    def read(self, model: ReadingModel, action: str, skill: Skill) -> tuple[float, ...]:
        """Return the features of a skill that is read together with an action."""
        text = describe_skill(skill)
        tasks, middle = model.read_pair(action, text)
        strength = _weigh_reading(middle)
        mean, most = self._read_background(model, text)
        return (*tasks, strength, strength - mean, strength - most)

    def _read_background(self, model: ReadingModel, text: str) -> tuple[float, float]:
        """Return how much ordinary actions mean a skill, on average and at most."""
        if text not in self._meant_anyway:
            others = [_weigh_reading(model.encode_pair(one, text)) for one in BACKGROUND_READ]
            self._meant_anyway[text] = (float(np.mean(others)), max(others))
        return self._meant_anyway[text]

    def _similarities(self, own: Vectors, texts: Iterable[str]) -> Vectors:
        texts_given = [text for text in texts if text.strip()]
        return self.embed(texts_given) @ own if texts_given else np.zeros(0, np.float32)


def describe_views(skill: Skill) -> list[str]:
    """Return what a skill says of itself: the whole, its sentences, and what it can do."""
    sentences = [one.strip(" .") for one in skill.description.replace(";", ".").split(". ")]
    return [
        skill.description,
        *(one for one in sentences if one),
        *filter(None, [", ".join(skill.capabilities)]),
        *(script.description for script in skill.scripts),
    ]


def describe_skill(skill: Skill) -> str:
    """Return what is read of a skill: its description, and what players say, or else what it can do."""
    more = "; ".join(skill.examples) or ", ".join(skill.capabilities)
    return f"{skill.description} {more}." if more else skill.description


@cache
def load_foreign_weights() -> ForeignSkillWeights:
    data = files("narratoria.planner").joinpath("data/foreign-skills.json").read_bytes()
    return msgspec.json.decode(data, type=ForeignSkillWeights)


def _weigh_reading(middle: NDArray[np.float32]) -> float:
    weights = load_foreign_weights()
    return float(middle @ np.array(weights.reading)) + weights.reading_bias


def _need(row: Sequence[float]) -> float:
    """Return how much a skill is needed by its features."""
    weights = load_foreign_weights()
    return sigmoid(float(np.dot(row, weights.features)) + weights.bias)


def _score_likeness(likeness: Sequence[float]) -> ForeignScore:
    """Return the score of a skill that cannot be read."""
    ahead = likeness[4] - max(LIKENESS, likeness[5])
    return ForeignScore(sigmoid(14 * ahead), _explain(likeness))


def _explain(likeness: Sequence[float], *, is_read: bool = False) -> str:
    why = f"{likeness[4]:.2f} like what the skill says of itself, {likeness[5]:.2f} like what needs no skill"
    return f"{why}, and read together with it" if is_read else why
