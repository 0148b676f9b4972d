"""Asks a model that was trained to choose, and mixes its answer into the scores.

The answer is one token: of each letter the model says how likely it would be, beside one that stands for
nothing. It was trained several times over, and each training errs about other actions: their mean is better
than any. Every one is a reading of the whole question, so there are as many as there is time for; who is
there they can read before the player has said anything.
"""

from __future__ import annotations

import math
import string
import time
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any, Protocol

from narratoria.errors import ModelUnavailable
from narratoria.planner.plan_scripts import (
    OPINION,
    PORTRAITS,
    RECALL,
    REOPINION,
    RESTAND,
    ROLL,
    SCENE_TYPES,
    STANDING,
    STORE,
    SceneType,
    Score,
    SkillScores,
    logit,
    sigmoid,
)
from narratoria.planner.player_action import MAX_READ_CHARS, get_list

LABELS = (ROLL, RECALL, STORE, STANDING, RESTAND, OPINION, REOPINION, PORTRAITS)
# whether each label is needed, whether it does no harm, and what kind of scene it makes
LETTERS = tuple(f" {letter}" for letter in string.ascii_uppercase[: 2 * len(LABELS) + len(SCENE_TYPES)])
NOTHING = " Z"
VOTE_WEIGHT = 0.8  # beside the scorer, which errs more often, and about other actions
MOST_LOGIT = 12.0  # either way; more is no better an answer
LONGEST_NAME, LONGEST_ABOUT = 80, 32
MOST_PEOPLE, MOST_GROUPS = 6, 4
NEXT_READING_FACTOR = 1.3  # of the time the last reading took must be left for the next


class TrainedModel(Protocol):
    @property
    def adapters(self) -> Sized: ...

    async def score(
        self, prompt: str, labels: Sequence[str], *, within: float = ..., adapter: int | None = ...
    ) -> dict[str, float]: ...

    async def read_ahead(self, prompt: str, adapter: int, *, within: float = ...) -> object: ...


@dataclass(frozen=True, slots=True)
class TrainedVote:
    """The logits of a trained model's answer."""

    needed: Mapping[str, float]
    harmless: Mapping[str, float]
    scene: SceneType


def build_question(action: str, context: Mapping[str, Any]) -> str:
    """Return the whole prompt: a few lines, as the model was trained on."""
    return f"{build_question_start(context)}Player: {_line(action, MAX_READ_CHARS)}\nAnswer:"


def build_question_start(context: Mapping[str, Any]) -> str:
    """Return the part of the prompt that is known before the player acts: who is there."""
    people = [person for person in get_list(context, "people") if isinstance(person, Mapping)][:MOST_PEOPLE]
    known_people = [_person(person) for person in people if person.get("met", True)]
    new_people = [_person(person) for person in people if not person.get("met", True)]
    others = [_line(other) for other in get_list(context, "others")][:MOST_PEOPLE]
    groups = [
        _line(group.get("name") if isinstance(group, Mapping) else group)
        for group in get_list(context, "factions")
    ][:MOST_GROUPS]
    sections = {"Known": known_people, "New": new_people, "Others": others, "Groups": groups}
    return "".join(f"{what}: {'; '.join(names)}\n" for what, names in sections.items() if names)


async def ask_model(
    model: TrainedModel, action: str, context: Mapping[str, Any], within: float
) -> TrainedVote:
    """Return the mean answer of the adapters heard in time; raise ModelUnavailable without the first."""
    prompt, until = build_question(action, context), time.monotonic() + within
    answers: list[list[float]] = []
    for number in range(len(model.adapters)):
        began = time.monotonic()
        try:
            answers.append(await _ask_adapter(model, prompt, number, until - began))
        except ModelUnavailable:
            if not answers:
                raise
            break
        if until - time.monotonic() < NEXT_READING_FACTOR * (time.monotonic() - began):
            break
    mean_logits = [sum(each) / len(answers) for each in zip(*answers, strict=True)]
    count = len(LABELS)
    likeliest = max(range(len(SCENE_TYPES)), key=lambda i: mean_logits[2 * count + i])
    return TrainedVote(
        dict(zip(LABELS, mean_logits, strict=False)),
        dict(zip(LABELS, mean_logits[count:], strict=False)),
        SCENE_TYPES[likeliest],
    )


async def _ask_adapter(model: TrainedModel, prompt: str, adapter: int, within: float) -> list[float]:
    scores = await model.score(prompt, (*LETTERS, NOTHING), within=within, adapter=adapter)
    if not all(math.isfinite(value) for value in scores.values()):
        raise ModelUnavailable("the model's weights are no numbers")
    return [max(-MOST_LOGIT, min(MOST_LOGIT, scores[letter] - scores[NOTHING])) for letter in LETTERS]


def apply_vote(skill_scores: SkillScores, vote: TrainedVote) -> SkillScores:
    """Return the scores with the model's vote mixed in."""
    return SkillScores(tuple(_mix_score(score, vote) for score in skill_scores.scores), vote.scene)


def _mix_score(score: Score, vote: TrainedVote) -> Score:
    label = PORTRAITS if score.label.startswith(f"{PORTRAITS}/") else score.label
    if label not in vote.needed:
        return score
    needed = _mix_chance(score.needed, vote.needed[label])
    harmless = _mix_chance(score.harmless, vote.harmless[label])
    return replace(
        score,
        needed=needed,
        harmless=max(needed, harmless),
        level=1.0,
        why=f"{score.why} ({score.needed:.2f}); the model says {sigmoid(vote.needed[label]):.2f}",
    )


def _mix_chance(chance: float, vote_logit: float) -> float:
    return sigmoid((1 - VOTE_WEIGHT) * logit(chance) + VOTE_WEIGHT * vote_logit)


def _person(person: Mapping[str, Any]) -> str:
    name, about = _line(person.get("name")), _line(person.get("appearance"))
    if len(about) > LONGEST_ABOUT:
        about = about[:LONGEST_ABOUT].rpartition(" ")[0]
    return f"{name} ({about})" if about else name


def _line(text: object, longest: int = LONGEST_NAME) -> str:
    return " ".join(str(text or "").split())[:longest]
