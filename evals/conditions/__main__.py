"""`python -m evals.conditions [fit]`: prints how well is told whether an event makes a condition true.

Each condition is judged twice among the memories of its world, once with those that make it so and once with
those that only speak of the same thing. `fit` writes the weights anew; worlds for scoring fit nothing.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence

from evals.conditions.fit import fit_statements, fitting_rows, write_weights
from evals.conditions.situations import Found, Situation, find_situations, read_pairs
from narratoria.engine.memory.recall import MEMORIES_PER_CONDITION, MIN_SCORE, is_borne_out
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.reading_model import open_reading_model
from narratoria.inference.statement_model import open_statement_model
from narratoria.store.search.ranking import THRESHOLD

MOST_FOUND = 5  # memories of other conditions that are fitted on as well


def count_judgements(
    situations: Iterable[Situation], judge: Callable[[Situation], bool]
) -> tuple[int, int, int, int]:
    """Return how many are judged so of those that are, and of those that are not, each with their number."""
    judged = [(situation.so, judge(situation)) for situation in situations]
    true = [result for so, result in judged if so]
    false = [result for so, result in judged if not so]
    return sum(true), len(true), sum(false), len(false)


def judge_by_relevance(situation: Situation) -> bool:
    return situation.found[0].relevance >= THRESHOLD


async def find_score_situations(embedder: Embedder) -> list[Situation]:
    return await find_situations(read_pairs("score"), embedder, MEMORIES_PER_CONDITION)


async def main(arguments: Sequence[str]) -> int:
    folder = find_embedder()
    if folder is None:
        sys.stderr.write("no embedding model is installed\n")
        return 1
    embedder = Embedder(folder)
    try:
        if arguments == ["fit"]:
            pairs = read_pairs("fit")
            rows = fitting_rows(pairs, await find_situations(pairs, embedder, MOST_FOUND))
            print(write_weights(*fit_statements(open_reading_model(folder), rows)), len(rows), "pairs")
            return 0
        situations = await find_score_situations(embedder)
    finally:
        await embedder.close()
    probability = open_statement_model(folder).probability

    def read_together(situation: Situation) -> bool:
        found: list[Found] = [one for one in situation.found if one.score >= MIN_SCORE]
        return is_borne_out(situation.phrase, [one.memory for one in found], probability)

    ways = {f"relevance of {THRESHOLD}": judge_by_relevance, "read together": read_together}
    for title, judge in ways.items():
        right, true, wrong, false = count_judgements(situations, judge)
        print(f"{title}: {right} of {true} that are so, {wrong} of {false} that are not")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
