"""`python -m evals.portraits [--show]`."""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections.abc import Sequence

from evals.portraits.ask import Figures, people, strangers, tell

WITHIN = 15.0  # seconds


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.portraits", description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    show = parser.parse_args(arguments).show
    figures = asyncio.run(tell(people(), strangers()))
    print(report(figures))
    if show:
        for rows in (figures.reappeared, figures.meant, figures.strangers, figures.later):
            print(*(f"wrong: {text}" for text, right in rows if not right), sep="\n")


def shares(figures: Figures) -> list[tuple[str, str, float, float]]:
    """What is asked, the criterion, how often it holds, and how often it must."""
    return [
        (f"drawn within {WITHIN:g} s", "SC-015", _share([each < WITHIN for each in figures.seconds]), 0.9),
        ("the same picture when somebody reappears", "SC-016", _right(figures.reappeared), 0.95),
        ("the same picture in another sitting", "SC-022", _right(figures.later), 1.0),
        ("found by a few words", "SC-030", _right(figures.meant), 0.9),
        ("nobody found for who was never drawn", "", _right(figures.strangers), 0.9),
    ]


def report(figures: Figures) -> str:
    lines = [f"## {len(figures.later)} people, {len(figures.meant)} questions for them", ""]
    lines += ["| | criterion | share | target |", "| --- | --- | ---: | ---: |"]
    lines += [
        f"| {name} | {which} | {share:.0%} | {target:.0%} |" for name, which, share, target in shares(figures)
    ]
    middle, slowest = statistics.median(figures.seconds), max(figures.seconds)
    return "\n".join(
        [*lines, "", f"A portrait takes {middle:.2f} s (at most {slowest:.2f} s), its box included."]
    )


def _right(rows: Sequence[tuple[str, bool]]) -> float:
    return _share([right for _, right in rows])


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held)


if __name__ == "__main__":
    main()
