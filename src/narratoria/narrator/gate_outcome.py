"""Finds an outcome that is turned round: a failure told as a success, or the reverse.

Prose can turn an outcome round in any words, and no model that ships reads that: plain signs are counted,
and whoever wrote the text is held to what they say of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from narratoria.narrator import gate_patterns as words
from narratoria.narrator.gate_ledger import ContinuityLedger
from narratoria.narrator.gate_problem import ContinuityProblem

SUCCESS, FAILURE = "success", "failure"
CERTAIN = 2  # more signs of the other outcome than of the one that was rolled; one alone proves nothing


def find_turned_outcome(
    text: str, sentences: Sequence[str], ledger: ContinuityLedger
) -> Iterator[ContinuityProblem]:
    """Yield a problem where the signs of the other outcome outweigh those of the one that was rolled."""
    if ledger.outcome not in (SUCCESS, FAILURE) or not sentences:
        return
    if ledger.told_outcome and ledger.told_outcome != ledger.outcome:
        reason = f"the dice said {ledger.outcome}, and you say that it ended in {ledger.told_outcome}"
        yield ContinuityProblem("outcome", sentences[-1], reason)
        return
    score = score_outcome(text)
    if ledger.outcome == FAILURE and score >= CERTAIN:
        yield ContinuityProblem("outcome", sentences[-1], "the dice said failure: tell how it goes wrong")
    if ledger.outcome == SUCCESS and score <= -CERTAIN:
        yield ContinuityProblem("outcome", sentences[-1], "the dice said success: tell how it works")


def score_outcome(text: str) -> int:
    """Return how many more signs of success than of failure a text has."""
    return len(words.SUCCEEDS.findall(text)) - len(words.FAILS.findall(text))
