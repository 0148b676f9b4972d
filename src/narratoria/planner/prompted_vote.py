"""Asks a language model without training which of a few words fits an action, and weighs the scores by it.

The instructions come first and never change while the same skills are offered, so that they are read once;
of each action the model then reads one or two lines. What it says to
every action alike is not held for an answer, and it is heard beside the scorer, never alone.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Protocol

import msgspec

from narratoria.errors import ModelUnavailable
from narratoria.planner.plan_scripts import (
    DRAW,
    FAMILIAR,
    PORTRAITS,
    Score,
    ScriptOffer,
    logit,
    sigmoid,
)
from narratoria.planner.player_action import MAX_PROMPT_CHARS

NONE = ""  # nothing but prose and choices
WEIGHT = 0.3  # of what a model says beside the scorer: on rows left out of fitting, 0.2 to 0.4 did best
MOST_LEAN = 1.0  # either way: it may tip what is in doubt, and not what is certain
UNDECIDED = "…"  # an action that says nothing: what a model answers to it, it answers to anything
LONGEST_ABOUT = 160


class VoteLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    label: str  # NONE where nothing but prose and choices is needed
    word: str
    meaning: str


class VoteExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    action: str
    word: str


class VoteFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The labels and examples that a model reads before it votes, as `data/vote.json` has them."""

    labels: tuple[VoteLabel, ...]
    examples: tuple[VoteExample, ...]


_FILE = msgspec.json.decode(
    files("narratoria.planner").joinpath("data/vote.json").read_bytes(), type=VoteFile
)
MEANINGS: Mapping[str, str] = {each.label: each.meaning for each in _FILE.labels}
WORD_OF_LABEL: Mapping[str, str] = {each.label: each.word for each in _FILE.labels}
_LABEL_OF_WORD = {each.word: each.label for each in _FILE.labels}
EXAMPLES: tuple[tuple[str, str], ...] = tuple(
    (each.action, _LABEL_OF_WORD[each.word]) for each in _FILE.examples
)


class ScoringModel(Protocol):
    """The part of a language model that a vote uses."""

    async def score(self, prompt: str, labels: Sequence[str], *, within: float = ...) -> dict[str, float]: ...


def label_words(offers: Mapping[str, ScriptOffer]) -> dict[str, str]:
    """Return the labels to ask about, and NONE, by the word that stands for each."""
    strange = [label for label in offers if label.partition("/")[0] not in FAMILIAR]
    lettered = dict(zip(string.ascii_uppercase, strange, strict=False))
    return {WORD_OF_LABEL[label]: label for label in MEANINGS if label in offers or label == NONE} | lettered


def build_instructions(offers: Mapping[str, ScriptOffer]) -> str:
    """Return the beginning that all questions share."""
    by_word = label_words(offers)
    word_of = {label: word for word, label in by_word.items()}
    lines = ["A player says what they do in a story. Which word fits?", ""]
    lines += [f"{word}: {_about(label, offers)}" for word, label in by_word.items()]
    for action, label in [*EXAMPLES, *_skill_examples(by_word.values(), offers)]:
        if label in word_of:
            lines += ["", f"Action: {action}", f"Word: {word_of[label]}"]
    return "\n".join(lines) + "\n"


def build_question(action: str, offers: Mapping[str, ScriptOffer]) -> str:
    """Return the whole prompt; only its end differs from one action to the next."""
    action_text = " ".join(action.split())[:MAX_PROMPT_CHARS]
    return f"{build_instructions(offers)}\nAction: {action_text}\nWord:"


async def ask_model(
    model: ScoringModel, action: str, offers: Mapping[str, ScriptOffer], within: float
) -> dict[str, float]:
    """Return the log-probability of each label and of NONE; raise ModelUnavailable without an answer."""
    by_word = label_words(offers)
    scores = await model.score(
        build_question(action, offers), [f" {word}" for word in by_word], within=within
    )
    if not all(math.isfinite(value) for value in scores.values()):
        raise ModelUnavailable("the model's weights are no numbers")
    return {label: scores[f" {word}"] for word, label in by_word.items()}


def apply_vote(
    scores: Sequence[Score], vote: Mapping[str, float], base: Mapping[str, float]
) -> tuple[Score, ...]:
    """Return the scores, moved by what the model says of this action more than of any other."""
    return tuple(_move_score(score, vote, base) for score in scores)


def _move_score(score: Score, vote: Mapping[str, float], base: Mapping[str, float]) -> Score:
    label = DRAW if score.label.startswith(f"{PORTRAITS}/") else score.label
    if label not in vote or label not in base:
        return score
    lean = min(MOST_LEAN, max(-MOST_LEAN, WEIGHT * (vote[label] - base[label])))
    needed, harmless = (sigmoid(logit(value) + lean) for value in (score.needed, score.harmless))
    return replace(
        score,
        needed=needed,
        harmless=max(needed, harmless),
        why=f"{score.why}; the model leans {lean:+.1f}",
    )


def _about(label: str, offers: Mapping[str, ScriptOffer]) -> str:
    if label in MEANINGS:
        return MEANINGS[label]
    offer = offers[label]
    return " ".join((offer.script.description or offer.skill.description).split())[:LONGEST_ABOUT]


def _skill_examples(labels: Iterable[str], offers: Mapping[str, ScriptOffer]) -> Iterable[tuple[str, str]]:
    for label in labels:
        if label and label not in MEANINGS:
            for example in offers[label].skill.examples[:2]:
                yield " ".join(example.split())[:LONGEST_ABOUT], label
