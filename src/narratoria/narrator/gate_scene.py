"""Finds a text that has nothing to do with its scene."""

from __future__ import annotations

import re
from collections.abc import Iterator

from narratoria.narrator.gate_ledger import ContinuityLedger
from narratoria.narrator.gate_plot import stems_of
from narratoria.narrator.gate_problem import ContinuityProblem

LEAST_KNOWN = 0.22  # share of the words that the story knows, in a text that is about it
LEAST_KNOWN_TO_YOU = 0.1  # the same where it speaks to “you” or of somebody who is there
LEAST_WORDS = 12  # of a text that can be judged
_YOU = re.compile(r"\b[Yy]ou(?:r|rs|rself|['’]\w+)?\b")


def find_unrelated(text: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    """Yield a problem where a text shares next to no words with its scene."""
    stems = set(stems_of(text))
    known = frozenset(stems_of(ledger.known_text)) | ledger.open_stems
    if len(stems) < LEAST_WORDS or not known:
        return
    share = len(stems & known) / len(stems)
    names = {part for name in ledger.present for part in name.split() if len(part) > 2}
    is_addressed = bool(_YOU.search(text)) or any(name in text for name in names)
    if share < (LEAST_KNOWN_TO_YOU if is_addressed else LEAST_KNOWN):
        sentence = text.strip()[:80]
        yield ContinuityProblem("unrelated", sentence, "nothing of this scene is in it; tell this scene")
