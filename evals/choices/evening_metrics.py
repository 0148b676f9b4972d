"""Measures played evenings: what is offered, what picking it leads to, and what is told again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from evals.choices.evening_play import PlayedTurn
from narratoria.engine.scene import Choice
from narratoria.narrator.answer import LOOKS
from narratoria.narrator.composer_lines import find_lines
from narratoria.narrator.phrase_memory import sentences
from narratoria.planner.intent import ReadingContext
from narratoria.planner.read import read_by_words

PLAIN_KINDS = frozenset(("go", "look", "wait", "continue"))
PLAIN_ACTS = LOOKS | {"go", "follow", "wait", "sleep", "think_back", "ask_narrator"}
RUNNING = 3  # scenes in which the same is offered
OPENING_WORDS = 4
LEAST_WORDS = 2  # of a line without its slots
MOST_TELLINGS = 2  # of one unit or joining line in a story
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Offered:
    """Counts the choices that were offered over some turns."""

    choices: int
    plain: int  # go, look or wait, by what they do
    without_receipt: int
    running: int  # offered a third scene running, or longer, without a reason
    sets: int
    distinct_sets: int  # in which no two do the same thing to the same person or thing
    acts: float  # different acts in a set, on average

    @property
    def plain_share(self) -> float:
        return self.plain / (self.choices or 1)


@dataclass(frozen=True, slots=True)
class Picked:
    """Counts the picked choices, and what they led to."""

    turns: int
    new: int  # to a source or an effect that the story did not have before
    new_of_story: int  # the same without units of the repertoire

    @property
    def new_share(self) -> float:
        return self.new / (self.turns or 1)


@dataclass(frozen=True, slots=True)
class Repetition:
    """Counts what one story told again."""

    sentences: int
    repeated: int
    openings: int
    distinct_openings: int
    worn_units: tuple[tuple[str, int], ...]  # told more than twice
    worn_lines: tuple[tuple[str, int], ...]


def measure_offered(turns: Sequence[PlayedTurn]) -> Offered:
    sets = [turn.offered for turn in turns if not turn.ended]
    choices = [choice for offered in sets for choice in offered]
    acts = [len({act_of(choice) if not choice.beat else choice.beat for choice in one}) for one in sets]
    return Offered(
        choices=len(choices),
        plain=sum(map(is_plain, choices)),
        without_receipt=sum(not choice.because for choice in choices),
        running=sum(1 for _ in find_running(turns)),
        sets=len(sets),
        distinct_sets=sum(is_distinct(one) for one in sets),
        acts=sum(acts) / (len(acts) or 1),
    )


def is_plain(choice: Choice) -> bool:
    """Return whether a choice only goes, looks or waits, whatever it is called."""
    is_with_somebody = choice.kind == "talk" and bool(choice.target)
    return choice.kind in PLAIN_KINDS or (
        not choice.beat and not is_with_somebody and act_of(choice) in PLAIN_ACTS
    )


def act_of(choice: Choice) -> str:
    """Return what a choice does: the act it names, or the one that its words are read as."""
    if choice.beat:
        return "beat"
    if choice.kind in PLAIN_KINDS:
        return choice.kind
    return choice.act or ("talk" if choice.kind == "talk" else _read_act(choice.text))


@cache
def _read_act(text: str) -> str:
    intents = read_by_words().read_now(text, ReadingContext()).intents
    return intents[0].act if intents else ""


def is_distinct(choices: Sequence[Choice]) -> bool:
    """Return whether no two of a set do the same to the same: two questions to one person do."""
    deeds = [
        (act_of(one), one.beat or one.target or one.thing or _read_act(one.text))
        for one in choices
        if one.kind != "look"
    ]
    return len(set(deeds)) == len(deeds)


def find_running(turns: Sequence[PlayedTurn]) -> Iterator[tuple[PlayedTurn, Choice]]:
    """Yield what is offered a third scene running although nothing calls for it.

    A beat that the story cannot do without is a reason, and so is a way where it is the only way on.
    """
    for _, story in groupby(turns, key=lambda turn: (turn.campaign, turn.policy, turn.seed, turn.story)):
        runs: Counter[str] = Counter()
        for turn in story:
            texts = {choice.text for choice in turn.offered}
            runs = Counter({text: runs[text] + 1 for text in texts})
            if turn.ended:
                continue
            for choice in turn.offered:
                if runs[choice.text] >= RUNNING and not _has_reason(choice, turn):
                    yield turn, choice


def _has_reason(choice: Choice, turn: PlayedTurn) -> bool:
    is_only_way = choice.kind == "go" and not any(
        other.kind in ("go", "beat") for other in turn.offered if other is not choice
    )
    return choice.beat in turn.critical or is_only_way


def measure_picked(turns: Sequence[PlayedTurn]) -> Picked:
    picks = [turn for turn in turns if turn.picked is not None]
    return Picked(
        turns=len(picks),
        new=sum(bool(turn.new) for turn in picks),
        new_of_story=sum(any(not one.startswith("unit:") for one in turn.new) for turn in picks),
    )


def measure_repetition(turns: Sequence[PlayedTurn]) -> Repetition:
    """Return what the turns of one story told again."""
    seen: set[str] = set()
    total = repeated = 0
    units: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for turn in turns:
        units.update({one for one in turn.sources if one.startswith("unit:")})
        for paragraph in turn.paragraphs:
            lines.update(line for line in find_lines(paragraph) if _is_known_by_words(line))
            for sentence in sentences(paragraph):
                key = " ".join(_WORD.findall(sentence.casefold()))
                total, repeated = total + 1, repeated + (key in seen)
                seen.add(key)
    openings = [
        " ".join(_WORD.findall(turn.paragraphs[0].casefold())[:OPENING_WORDS])
        for turn in turns
        if turn.paragraphs
    ]
    return Repetition(
        sentences=total,
        repeated=repeated,
        openings=len(openings),
        distinct_openings=len(set(openings)),
        worn_units=_worn(units),
        worn_lines=_worn(lines),
    )


def _is_known_by_words(line: str) -> bool:
    """Return whether a line is a sentence with words of its own: “You go {route}.” is the author's route."""
    return line[-1] in ".!?”" and len(_WORD.findall(re.sub(r"\{\w+\}", "", line))) > LEAST_WORDS


def _worn(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple((name, count) for name, count in counts.most_common() if count > MOST_TELLINGS)
