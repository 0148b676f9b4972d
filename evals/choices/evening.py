"""`python -m evals.choices.evening [--campaign …] [--turns 40] [--long 300] [--keep FOLDER] [--show]`.

Plays evenings by picking offered choices, in every bundled campaign and those of `evals/answers/campaigns`,
and says how many of the choices only go, look or wait, which stay too long, and how many lead to something
new, and how like they are to what is remembered; then plays a long story of each bundled campaign and says
what is told again, and whether the author wrote it or we.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from evals.choices.evening_metrics import (
    Repetition,
    find_running,
    is_plain,
    measure_offered,
    measure_picked,
    measure_repetition,
)
from evals.choices.evening_play import CAMPAIGNS, PlayedTurn, Policy, read_turns
from evals.choices.evening_wording import OURS, Corpus, measure_likeness, measure_wording
from narratoria import app, paths

TURNS, LONG_TURNS = 40, 300
RUNS: tuple[tuple[Policy, int], ...] = (("random", 1), ("curious", 1), ("random", 2), ("greedy", 1))
LONG_POLICIES: tuple[Policy, ...] = ("random", "linger")  # stories that end, and one that is not let end
MOST_PLAIN, LEAST_NEW = 1 / 3, 0.7


def list_campaigns() -> tuple[list[str], list[str]]:
    """Return the bundled campaigns, and those written for the evals."""
    bundled, written = (
        sorted(one.name for one in folder.iterdir() if (one / "manifest.json").exists())
        for folder in (paths.BUNDLED_CAMPAIGNS, CAMPAIGNS)
    )
    return bundled, written


def play(campaign: str, turns: int, policy: Policy, seed: int, folder: Path) -> list[PlayedTurn]:
    """Return the turns of an evening, played in a process of its own or read where they are kept."""
    file = folder / f"{campaign}-{policy}-{seed}-{turns}.jsonl"
    if not file.exists():
        command = (sys.executable, "-m", "evals.choices.evening_play", campaign, turns, policy, seed, file)
        subprocess.run([str(part) for part in command], check=True)
    return read_turns(file)


def report_evening(campaign: str, turns: Sequence[PlayedTurn]) -> str:
    offered, picked = measure_offered(turns), measure_picked(turns)
    shares = [measure_offered(run).plain_share for run in _runs(turns)]
    alike, of = measure_likeness(turns)
    missed = "" if offered.plain_share <= MOST_PLAIN and picked.new_share >= LEAST_NEW else " (!)"
    return (
        f"| {campaign}{missed} | {offered.plain_share:.0%} ({min(shares):.0%} to {max(shares):.0%}) "
        f"| {offered.running} of {offered.choices} | {offered.distinct_sets / (offered.sets or 1):.0%} "
        f"| {offered.acts:.1f} | {offered.without_receipt} | {picked.new_share:.0%} "
        f"| {picked.new_of_story / (picked.turns or 1):.0%} | {alike / (of or 1):.0%} |"
    )


def open_corpus(campaign: str) -> Corpus:
    folder = CAMPAIGNS / campaign
    return Corpus(app.open_campaign(str(folder) if folder.exists() else campaign))


def report_long(campaign: str, turns: Sequence[PlayedTurn], corpus: Corpus) -> str:
    stories = [list(story) for _, story in groupby(turns, key=lambda turn: turn.story)]
    told_again = [measure_repetition(story) for story in stories]
    wordings = [measure_wording(story, corpus) for story in stories]
    worn = sum(len(one.worn(OURS)) for one in wordings)
    worn_of_author = sum(len(one.worn(name)) for one in wordings for name in one.tellings) - worn
    picked, offered = measure_picked(turns), measure_offered(turns)
    repeated = sum(one.repeated for one in told_again) / (sum(one.sentences for one in told_again) or 1)
    distinct = sum(one.distinct_openings for one in told_again) / (
        sum(one.openings for one in told_again) or 1
    )
    return (
        f"| {campaign} | {len(turns)} in {len(stories)} | {_worn_count(told_again, 'worn_units')} "
        f"| {_worn_count(told_again, 'worn_lines')} | {worn} | {worn_of_author} "
        f"| {repeated:.0%} | {distinct:.0%} "
        f"| {offered.plain_share:.0%} | {picked.new_share:.0%} "
        f"| {picked.new_of_story / (picked.turns or 1):.0%} |"
    )


def _worn_count(told_again: Sequence[Repetition], name: str) -> int:
    return sum(len(getattr(one, name)) for one in told_again)


def _runs(turns: Sequence[PlayedTurn]) -> Iterator[list[PlayedTurn]]:
    for _, run in groupby(turns, key=lambda turn: (turn.policy, turn.seed)):
        yield list(run)


def show_worn(campaign: str, turns: Sequence[PlayedTurn], corpus: Corpus) -> Iterator[str]:
    for number, group in groupby(turns, key=lambda turn: turn.story):
        story = list(group)
        told_again = measure_repetition(story)
        for name, count in (*told_again.worn_units, *told_again.worn_lines):
            yield f"{campaign} {number}: told {count} times: {name}"
        wording = measure_wording(story, corpus)
        for origin in sorted(wording.tellings, key=lambda one: one != OURS):
            for sentence, count in wording.worn(origin):
                yield f"{campaign} {number}: {origin}, told {count} times: {sentence}"


def show_offered(turns: Sequence[PlayedTurn]) -> Iterator[str]:
    """Yield every turn as its choices, those that only go, look or wait marked, and what was picked."""
    running = {(id(turn), choice.text) for turn, choice in find_running(turns)}
    for turn in turns:
        picked = turn.picked.text if turn.picked else "Begin"
        new = ", ".join(turn.new) or "nothing new"
        yield f"\n{turn.campaign} {turn.policy}/{turn.seed} {turn.story}.{turn.number} » {picked}  [{new}]"
        for choice in turn.offered:
            marks = ("~" if is_plain(choice) else " ") + ("!" if (id(turn), choice.text) in running else " ")
            yield f"  {marks} {choice.text}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.choices.evening", description=__doc__)
    parser.add_argument("--campaign", action="append", help="only these")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--long", type=int, default=LONG_TURNS, help="turns of a long story; 0: none")
    parser.add_argument("--keep", type=Path, help="a folder for the turns; what is there is not played anew")
    parser.add_argument("--show", action="store_true", help="print every set, and what is told too often")
    options = parser.parse_args(arguments)
    bundled, written = list_campaigns()
    chosen = options.campaign or [*bundled, *written]
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        evenings = {
            name: [turn for policy, seed in RUNS for turn in play(name, options.turns, policy, seed, keep)]
            for name in chosen
        }
        if options.show:
            print("\n".join(line for turns in evenings.values() for line in show_offered(turns)))
        print(f"\n{options.turns} turns of each, {len(RUNS)} times\n")
        print(
            "| campaign | go, look, wait (goal ≤ 33%) | three running | distinct | acts | no receipt "
            "| new (goal ≥ 70%) | without units | like a memory |"
        )
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for name, turns in evenings.items():
            print(report_evening(name, turns))
        long_ones = [name for name in chosen if name in bundled or options.campaign]
        if not options.long:
            return
        long_turns = {
            f"{name}, {policy}": play(name, options.long, policy, 1, keep)
            for name in long_ones
            for policy in LONG_POLICIES
        }
        print(f"\n{options.long} turns\n")
        print(
            "| campaign | turns in stories | units > 2 | lines > 2 | our sentences > 2 | the author's > 2 "
            "| repeated sentences | distinct openings "
            "| go, look, wait | new | without units |"
        )
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        os.environ["NARRATORIA_HOME"] = str(Path(folder) / "home")  # where a sparse campaign is filled up
        corpora = {name: open_corpus(name) for name in long_ones}
        for name, turns in long_turns.items():
            print(report_long(name, turns, corpora[turns[0].campaign]))
        if options.show:
            for name, turns in long_turns.items():
                print("\n".join(show_worn(name, turns, corpora[turns[0].campaign])))


if __name__ == "__main__":
    main()
