"""Makes long conversations of two people, turn by turn, and what is asked about them afterwards.

Memories and lore are few and told once; in a conversation of hundreds of turns the matter comes up again and
again, one of the two only answers, and much is said that says nothing. The sentences are in
`cases/conversation-matters.json`: each matter has what is told with the questions that it answers, what the
other one says to it, and questions that nobody answers. A question about the wrong one of the two is not
answered either.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

import msgspec

from evals.retrieval.corpus import CASES, Corpus, Query, Record, Split, merge, read_cases

FILE = CASES / "conversation-matters.json"
PAIRS = (
    *(("Nora", "Felix"), ("Anton", "Leila"), ("Greta", "Samir"), ("Paula", "Henrik")),
    *(("Mina", "Tobias"), ("Clara", "Yusuf"), ("Ida", "Marek"), ("Rosa", "Emil")),
)
TURNS = (60, 150, 300, 600, 40, 220, 450, 100)
CONVERSATIONS = 8
WRONG_ONE = 0.35  # of the questions: also asked about the one who told nothing of it


class Matter(msgspec.Struct, frozen=True):
    told: tuple[tuple[str, tuple[str, ...]], ...]  # a sentence, and the questions that it answers
    echo: tuple[str, ...]  # what the other one says to it
    unasked: tuple[str, ...]  # questions that nothing answers


class Matters(msgspec.Struct, frozen=True, rename="kebab"):
    fit: tuple[Matter, ...]
    held_out: tuple[Matter, ...]
    small: tuple[str, ...]
    slots: dict[str, tuple[str, ...]]


def make_conversations(split: Split, count: int = CONVERSATIONS) -> list[Corpus]:
    """Return conversations of various lengths; those of the two splits share no matter."""
    matters = msgspec.json.decode(FILE.read_bytes(), type=Matters)
    chosen = matters.fit if split == "fit" else matters.held_out
    return [_Conversation(split, number, matters, chosen).write() for number in range(count)]


def searches_of_many(split: Split) -> list[Corpus]:
    """Return the stories of a split as one, and conversations: what is searched grows with a story."""
    return [merge(f"all {split} stories", read_cases(split)), *make_conversations(split)]


class _Conversation:
    def __init__(self, split: Split, number: int, matters: Matters, chosen: tuple[Matter, ...]) -> None:
        self._name = f"{split}-conversation-{number}"
        self._dice = random.Random(self._name)
        self._pair = PAIRS[number % len(PAIRS)]
        self._turns = TURNS[number % len(TURNS)]
        self._matters = matters
        many = min(len(chosen), max(5, self._turns // 12))
        self._chosen = self._dice.sample(chosen, many)

    def write(self) -> Corpus:
        told: list[tuple[str, str, str, tuple[str, ...]]] = []  # who, the line, its mark, the questions
        queries: list[Query] = []
        for at, matter in enumerate(self._chosen):
            who = self._dice.choice(self._pair)
            other = next(one for one in self._pair if one != who)
            slots = {name: self._dice.choice(values) for name, values in self._matters.slots.items()}
            filled = {**slots, "A": who, "B": other}
            for place, (line, questions) in enumerate(matter.told):
                mark = f"m{at}-{place}"
                told.append((who, _fill(line, filled), mark, ()))
                told += [(other, _fill(self._dice.choice(matter.echo), filled), "", ())] * (
                    self._dice.random() < 0.6
                )
                for question in questions:
                    queries.append(self._ask(question, filled, {f"{self._name}-{mark}": 2}))
                    if self._dice.random() < WRONG_ONE:
                        queries.append(self._ask(question, {**filled, "A": other}, {}))
            queries += [self._ask(question, filled, {}) for question in matter.unasked]
        return Corpus(self._name, self._records(told), tuple(self._number(queries)))

    def _ask(self, question: str, filled: Mapping[str, str], relevant: dict[str, int]) -> Query:
        kind = "conversation" if relevant else "conversation-none"
        return Query(id="", query=_fill(question, filled), relevant=relevant, kind=kind)

    def _number(self, queries: list[Query]) -> list[Query]:
        return [
            msgspec.structs.replace(one, id=f"{self._name}-q{number}")
            for number, one in enumerate(queries, 1)
        ]

    def _records(self, told: list[tuple[str, str, str, tuple[str, ...]]]) -> tuple[Record, ...]:
        """Return what is told in its order, with small talk between, up to the length there is."""
        small = max(0, self._turns - len(told))
        places = sorted(self._dice.choices(range(len(told) + 1), k=small))
        lines: list[tuple[str, str, str]] = []
        for at in range(len(told) + 1):
            lines += [self._small_talk() for _ in range(places.count(at))]
            if at < len(told):
                who, line, mark, _ = told[at]
                more = self._small_talk()[1] if self._dice.random() < 0.3 else ""
                lines.append((who, f"{line} {more}".strip(), mark))
        return tuple(
            Record(id=f"{self._name}-{mark or f't{turn}'}", text=f"{who}: {line}", turn=turn)
            for turn, (who, line, mark) in enumerate(lines)
        )

    def _small_talk(self) -> tuple[str, str, str]:
        who = self._dice.choice(self._pair)
        slots = {name: self._dice.choice(values) for name, values in self._matters.slots.items()}
        other = next(one for one in self._pair if one != who)
        lines = self._dice.sample(self._matters.small, self._dice.choice((1, 1, 2)))
        return who, " ".join(_fill(line, {**slots, "A": who, "B": other}) for line in lines), ""


def _fill(text: str, slots: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: slots[found[1]], text)
