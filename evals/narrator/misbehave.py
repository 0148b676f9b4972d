"""`python -m evals.narrator.misbehave [--show]`: plays a story told by a misbehaving model, over HTTP.

Every answer in `misbehaving/answers.jsonl` is all that the service says in one turn, however often it is
asked. None may reach the player, and none may cost the scene: it is told, with choices, by somebody else.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from evals.narrator.evening import PlayedTurn, open_evening, play
from evals.narrator.server import serve

FILE = Path(__file__).parent / "misbehaving" / "answers.jsonl"
CAMPAIGN = "kettle-station"
ACTIONS = ("I stand quite still and listen", "I rub my hands together", "I breathe out and watch my breath")
LEAST_WORDS, LEAST_CHOICES = 4, 3  # in a row that give an answer away, and of a scene that is whole
MOST_TURNS = 3  # for one answer: where an author tells a turn, no model is asked


class Misbehaviour(msgspec.Struct, frozen=True):
    kind: str = msgspec.field(name="class")
    answer: str


class MisbehavedTurn(msgspec.Struct, frozen=True):
    """What came of one answer."""

    kind: str
    answer: str
    asked: int  # how often the service was asked
    reached: tuple[str, ...]  # what the player was shown of it
    is_whole: bool  # the scene has prose and choices

    @property
    def is_right(self) -> bool:
        return bool(self.asked) and not self.reached and self.is_whole


def read_misbehaviour() -> list[Misbehaviour]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Misbehaviour) for line in lines if line.strip()]


async def measure(rows: Sequence[Misbehaviour]) -> list[MisbehavedTurn]:
    """Play one story, a turn for each answer, or another where the model was not asked."""
    answer, asked, turns = "", 0, 0

    def reply(_: str) -> str:
        nonlocal asked
        asked += 1
        return answer

    results = []
    with serve(reply) as url:
        async with open_evening(CAMPAIGN, url) as story:
            for row in rows:
                answer, asked = row.answer, 0
                for _ in range(MOST_TURNS):
                    turn = await play(story, ACTIONS[turns % len(ACTIONS)])
                    turns += 1
                    if asked:
                        break
                results.append(_judge(row, turn, asked))
    return results


def _judge(row: Misbehaviour, turn: PlayedTurn, asked: int) -> MisbehavedTurn:
    scene = turn.scene
    shown = [scene.text, scene.fact or "", *(choice.text for choice in scene.choices)]
    shown_words = " | ".join(" ".join(_words(text)) for text in shown)
    said = _words(row.answer)
    runs = [" ".join(said[at : at + LEAST_WORDS]) for at in range(len(said) - LEAST_WORDS + 1)]
    is_whole = bool(scene.text.strip()) and len(scene.choices) >= LEAST_CHOICES
    own = " ".join(_words(turn.action))
    often = 2 if row.kind == "loop" else 1  # what is wrong with a loop is that it comes again
    reached = [run for run in runs if shown_words.count(run) >= often and run not in own]
    return MisbehavedTurn(row.kind, row.answer, asked, tuple(reached), is_whole)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def describe(turns: Sequence[MisbehavedTurn]) -> list[str]:
    """Return a table by class: answers, how many reached the player, and how many cost the scene."""
    lines = ["class                 answers  asked  reached the player  cost the scene"]
    for kind in dict.fromkeys(turn.kind for turn in turns):
        rows = [turn for turn in turns if turn.kind == kind]
        asked, reached = sum(bool(one.asked) for one in rows), sum(bool(one.reached) for one in rows)
        lost = sum(not one.is_whole for one in rows)
        lines.append(f"{kind:<21} {len(rows):>7} {asked:>6} {reached:>19} {lost:>15}")
    return lines


def main() -> None:
    turns = asyncio.run(measure(read_misbehaviour()))
    print(*describe(turns), sep="\n")
    for turn in turns if "--show" in sys.argv else ():
        if not turn.is_right:
            print(f"\n{turn.kind}: {turn.answer!r}")
            print(f"  asked {turn.asked}, reached {turn.reached}, whole {turn.is_whole}")


if __name__ == "__main__":
    main()
