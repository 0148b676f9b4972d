"""`python -m evals.under_load [--turns N] [--per-core N]`: the share of turns with real choices."""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evals.under_load.load import busy_machine
from evals.under_load.play import PlayedTurn, play_sittings
from narratoria.inference.installed_models import chosen_model, find_embedder

TURNS, GOAL = 100, 0.99


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.under_load", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument(
        "--per-core", type=int, default=1, help="busy processes on each core; 0 for none at all"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["NARRATORIA_HOME"] = str(folder / "home")
        if not given.per_core:
            turns = asyncio.run(play_sittings(given.turns, given.seed))
            print(report(turns, 0))
            sys.exit(share_of(turns) < GOAL)
        model = chosen_model()
        with busy_machine(
            folder,
            model=find_embedder(),
            language_model=model.path if model else None,
            per_core=given.per_core,
        ) as processes:
            turns = asyncio.run(play_sittings(given.turns, given.seed))
    print(report(turns, processes))
    sys.exit(share_of(turns) < GOAL)


def share_of(turns: Sequence[PlayedTurn]) -> float:
    """Return the share of turns after which there is something real to do, each choice with its receipt."""
    return sum(turn.has_real_choices for turn in turns) / max(1, len(turns))


def report(turns: Sequence[PlayedTurn], processes: int) -> str:
    seconds = sorted(turn.seconds for turn in turns)
    off = sorted({skill for turn in turns for skill in turn.skills_off})
    lines = [
        f"{len(turns)} turns beside {processes} busy processes on {os.cpu_count()} cores "
        f"(load average {os.getloadavg()[0]:.1f})",
        f"real choices, each with its receipt: {share_of(turns):.1%} (goal {GOAL:.0%})",
        f"of these by the skill: {sum(turn.by_skill for turn in turns) / max(1, len(turns)):.1%}; "
        "the others by the engine",
        f"skills that were given up: {', '.join(off) or 'none'}",
        f"seconds for a turn: {statistics.median(seconds):.1f} in the median, {seconds[-1]:.1f} at most",
        *(
            f"  without: {turn.campaign}, scene {turn.number}: {turn.choices}"
            for turn in turns
            if not turn.has_real_choices
        ),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
