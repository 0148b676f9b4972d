"""`python -m evals.narrator [CAMPAIGN …] [--show]`: plays the recorded evenings, and says how they went."""

from __future__ import annotations

import asyncio
import sys
from itertools import pairwise, takewhile

import msgspec

from evals.narrator.evening import RECORDINGS, PlayedTurn, RecordedTurn, open_evening, play, read_recording
from evals.narrator.server import hash_brief, serve


class Measured(msgspec.Struct, frozen=True):
    """What came of one evening."""

    campaign: str
    turns: int
    answers: int  # turns for which an answer is recorded
    asked: int  # turns in which the narrator was asked
    told: int  # of those, the scenes it told
    refused: int  # answers that the gate refused
    stale: int  # answers to briefs that have changed since
    facts: int  # told scenes with a fact of their own
    choices: float  # of the choices after told scenes, the part in the narrator's words
    read_again: float  # of the prompts after the first, the part that no cache of the one before could hold
    lacking: int  # answers whose writer missed something in the brief


async def measure(campaign: str, turns: int | None = None) -> tuple[Measured, list[PlayedTurn]]:
    """Play an evening, or its first turns, each answered with what is recorded for it."""
    recording = read_recording(campaign)[:turns]
    prompts: list[str] = []
    asked: set[int] = set()
    now = 0

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        asked.add(now)
        return recording[now].answer

    played: list[PlayedTurn] = []
    with serve(answer) as url:
        async with open_evening(campaign, url) as story:
            for now, turn in enumerate(recording):  # noqa: B007  the server reads it
                played.append(await play(story, turn.action))
    told = [one for one in played if any(passage.by == "model" for passage in one.scene.passages)]
    offered = [choice for one in told for choice in one.scene.choices]
    own_words = "\n".join(turn.answer for turn in recording)
    marks = {hash_brief(prompt) for prompt in prompts}
    return Measured(
        campaign=campaign,
        turns=len(played),
        answers=sum(bool(turn.answer) for turn in recording),
        asked=len(asked),
        told=len(told),
        refused=sum(len(one.refusals) for one in played),
        stale=sum(1 for turn in recording if turn.brief and turn.brief not in marks),
        facts=sum(bool(one.scene.fact) for one in told),
        choices=sum(choice.text in own_words for choice in offered) / max(1, len(offered)),
        read_again=_read_again(prompts),
        lacking=sum(bool(turn.missing) for turn in recording),
    ), played


def _read_again(prompts: list[str]) -> float:
    """Return how much of each prompt was not the beginning of the one before."""
    pairs = list(pairwise(prompts))
    new = sum(len(later) - _shared_beginning(earlier, later) for earlier, later in pairs)
    return new / max(1, sum(len(later) for _, later in pairs))


def _shared_beginning(earlier: str, later: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(earlier, later, strict=False)))


def list_recordings() -> list[str]:
    return sorted(file.stem for file in RECORDINGS.glob("*.jsonl"))


def describe(row: Measured) -> str:
    return (
        f"{row.campaign:18} {row.turns:3} turns, asked in {row.asked:3}, told {row.told:3}, "
        f"refused {row.refused:2}, stale {row.stale:2}, facts {row.facts:3}, "
        f"choices in its words {row.choices:4.0%}, read again {row.read_again:4.0%}, lacking {row.lacking}"
    )


def main() -> None:
    names = [one for one in sys.argv[1:] if not one.startswith("--")] or list_recordings()
    for name in names:
        row, played = asyncio.run(measure(name))
        print(describe(row))
        for turn in played if "--show" in sys.argv else ():
            print(f"\n> {turn.action}\n\n{turn.scene.text}\n")
            print("\n".join([f"  - {choice.text}" for choice in turn.scene.choices]))
            print("\n".join(f"  [{reason}]" for reason in turn.refusals))


__all__ = ["Measured", "RecordedTurn", "list_recordings", "measure"]

if __name__ == "__main__":
    main()
