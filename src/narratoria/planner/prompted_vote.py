"""What a language model thinks an action needs: one question, and how likely each of a few words answers it.

The instructions come first and never change while the same skills are offered, so that they are read once;
of each action the model then reads one or two lines. What it says to
every action alike is not held for an answer, and it is heard beside the scorer, never alone.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from narratoria.errors import ModelUnavailable
from narratoria.planner.steps import (
    DRAW,
    FAMILIAR,
    OPINION,
    PORTRAITS,
    RECALL,
    REOPINION,
    RESTAND,
    ROLL,
    STANDING,
    STORE,
    Offer,
    Score,
    logit,
    sigmoid,
)

NONE = ""  # nothing but prose and choices
WEIGHT = 0.3  # of what a model says beside the scorer: on rows left out of fitting, 0.2 to 0.4 did best
MOST_LEAN = 1.0  # either way: it may tip what is in doubt, and not what is certain
UNDECIDED = "…"  # an action that says nothing: what a model answers to it, it answers to anything
LONGEST_ACTION = 400  # characters that are worth a model's time
LONGEST_ABOUT = 160

MEANINGS: Mapping[str, str] = {
    ROLL: "it may fail and failing costs something: a fight, stealth, a climb, a lie, a lock, a wager, "
    "winning over somebody unwilling",
    RECALL: "it asks about or leans on something that happened earlier in the story",
    STORE: "people will bring it up later: a promise, a gift that matters, a betrayal, a killing, a secret "
    "told, something destroyed; or the player wants it noted",
    STANDING: "it asks a whole group for something, or how that group sees the player",
    RESTAND: "a whole group is helped, paid, robbed, attacked, insulted or betrayed",
    OPINION: "one particular person is asked, persuaded, lied to or confronted and their goodwill decides",
    REOPINION: "it gives one particular person a reason to like the player more or less: a gift, help, "
    "thanks, an insult, a blow, a threat, a refusal",
    DRAW: "somebody new is looked at, or the player asks to see a face",
    NONE: "none of these: going, looking at things, waiting, small talk, work, wondering, not doing it",
}
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("I jump from the cart onto the running horse", ROLL),
    ("I sit down under the oak and eat an apple", NONE),
    ("Didn't the ferryman warn us about this bend?", RECALL),
    ("I hand Ilse my warm coat", REOPINION),
    ("Could I get over that wall, I wonder?", NONE),
    ("Ilse, would you let me stay until Monday?", OPINION),
    ("I swear on my father's grave that I will come back", STORE),
    ("I ask the Weavers to lend us their barge", STANDING),
    ("Nobody is looking at the keys on the hook. My hand is quicker than my conscience", ROLL),
    ("Who is the woman in the doorway? I take a good look at her", DRAW),
    ("I set the Weavers' storehouse on fire", RESTAND),
    ("I walk up to the mill", NONE),
    ("I tell Ilse her singing is worse than her cooking", REOPINION),
    ("What was the name on the locket again?", RECALL),
    ("I don't draw my knife. I wait", NONE),
    ("The dogs have my scent. Over the fence!", ROLL),
    ("What do the Weavers say of me these days?", STANDING),
    ("I write the number down so as not to forget it", STORE),
    ("Does Ilse still trust me?", OPINION),
    ("I pay the Weavers what my brother owed them", RESTAND),
    ("I say good evening to the man at the bar", NONE),
    ("My card says doctor. I am no doctor. I knock", ROLL),
    ("I look at the picture over the fireplace", NONE),
    ("I study the newcomer's scarred face", DRAW),
)


# one token each in the vocabularies of the usual models; a word says more to a small one than a letter
WORD_OF_LABEL: Mapping[str, str] = {
    ROLL: "risk",
    RECALL: "past",
    STORE: "keep",
    STANDING: "standing",
    RESTAND: "group",
    OPINION: "ask",
    REOPINION: "feeling",
    DRAW: "face",
    NONE: "nothing",
}


class ScoringModel(Protocol):
    """What is wanted of a language model that has a say."""

    async def score(self, prompt: str, labels: Sequence[str], *, within: float = ...) -> dict[str, float]: ...


def label_words(offered: Mapping[str, Offer]) -> dict[str, str]:
    """The labels that are asked about, and NONE, by the word that stands for each."""
    strange = [label for label in offered if label.partition("/")[0] not in FAMILIAR]
    lettered = dict(zip(string.ascii_uppercase, strange, strict=False))
    return {WORD_OF_LABEL[label]: label for label in MEANINGS if label in offered or label == NONE} | lettered


def build_instructions(offered: Mapping[str, Offer]) -> str:
    """What every question begins with."""
    by_word = label_words(offered)
    word_of = {label: word for word, label in by_word.items()}
    lines = ["A player says what they do in a story. Which word fits?", ""]
    lines += [f"{word}: {_about(label, offered)}" for word, label in by_word.items()]
    for action, label in [*EXAMPLES, *_skill_examples(by_word.values(), offered)]:
        if label in word_of:
            lines += ["", f"Action: {action}", f"Word: {word_of[label]}"]
    return "\n".join(lines) + "\n"


def build_question(action: str, offered: Mapping[str, Offer]) -> str:
    """The whole prompt; its end is all that differs from one action to the next."""
    said = " ".join(action.split())[:LONGEST_ACTION]
    return f"{build_instructions(offered)}\nAction: {said}\nWord:"


async def ask_model(
    model: ScoringModel, action: str, offered: Mapping[str, Offer], within: float
) -> dict[str, float]:
    """The log-probability of each label, and of NONE; ModelUnavailable when it does not answer."""
    by_word = label_words(offered)
    said = await model.score(build_question(action, offered), [f" {word}" for word in by_word], within=within)
    if not all(math.isfinite(value) for value in said.values()):
        raise ModelUnavailable("the model's weights are no numbers")
    return {label: said[f" {word}"] for word, label in by_word.items()}


def apply_vote(
    scores: Sequence[Score], said: Mapping[str, float], base: Mapping[str, float]
) -> tuple[Score, ...]:
    """The scores, moved by what the model says of this action more than of any."""
    return tuple(_move_score(score, said, base) for score in scores)


def _move_score(score: Score, said: Mapping[str, float], base: Mapping[str, float]) -> Score:
    label = DRAW if score.label.startswith(f"{PORTRAITS}/") else score.label
    if label not in said or label not in base:
        return score
    lean = min(MOST_LEAN, max(-MOST_LEAN, WEIGHT * (said[label] - base[label])))
    needed, harmless = (sigmoid(logit(value) + lean) for value in (score.needed, score.harmless))
    return replace(
        score,
        needed=needed,
        harmless=max(needed, harmless),
        why=f"{score.why}; the model leans {lean:+.1f}",
    )


def _about(label: str, offered: Mapping[str, Offer]) -> str:
    if label in MEANINGS:
        return MEANINGS[label]
    offer = offered[label]
    return " ".join((offer.script.description or offer.skill.description).split())[:LONGEST_ABOUT]


def _skill_examples(labels: Iterable[str], offered: Mapping[str, Offer]) -> Iterable[tuple[str, str]]:
    for label in labels:
        if label and label not in MEANINGS:
            for example in offered[label].skill.examples[:2]:
                yield " ".join(example.split())[:LONGEST_ABOUT], label
