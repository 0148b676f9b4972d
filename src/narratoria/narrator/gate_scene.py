"""Finds a text that has nothing to do with its scene."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from narratoria.narrator import gate_patterns as words
from narratoria.narrator.gate_ledger import ContinuityLedger
from narratoria.narrator.gate_plot import stems_of
from narratoria.narrator.gate_problem import ContinuityProblem

# the least share of the words that the story knows: in a text that speaks to “you” or of somebody who is
# there, and in any other; with all that the author wrote, and with the facts of the scene alone
LEAST_KNOWN = {(True, True): 0.3, (False, True): 0.5, (True, False): 0.04, (False, False): 0.15}
LEAST_WORDS = 8  # of a text that can be judged
LEAST_ELSEWHERE = 2  # words of adverts, news and recipes that the story does not know
LEAST_OF_PLACE = 5  # words of another place in a paragraph
_BEING_THERE = re.compile(
    r"\b[Yy]ou (?:\w+ly |have |now |then )*"
    r"(?:are|stand|sit|walk|come|stop|shut|climb|step|go|kneel|cross|reach|enter|push)\b"
)
_YOU = re.compile(r"\b[Yy]ou(?:r|rs|rself|['’]\w+)?\b")


def find_other_place(text: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    """Yield a paragraph in which the player is among the things of another place, be it unnamed."""
    known_stems = frozenset(stems_of(ledger.known_text))
    for paragraph in text.split("\n\n"):
        if not _BEING_THERE.search(paragraph):
            continue
        stems = frozenset(stems_of(paragraph)) - known_stems
        for name, place_text in ledger.knowledge.other_places:
            if len(stems & _stems_of_place(place_text)) >= LEAST_OF_PLACE:
                reason = f"this happens at {ledger.place}, not at {name}"
                yield ContinuityProblem("place", paragraph[:80], reason)
                return


@lru_cache(maxsize=64)
def _stems_of_place(place_text: str) -> frozenset[str]:
    return frozenset(stems_of(place_text))


def find_unrelated(text: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    """Yield a problem where a text shares next to no words with its scene."""
    stems = set(stems_of(text))
    known_stems = frozenset(stems_of(ledger.known_text)) | ledger.open_stems
    if len(stems) < LEAST_WORDS or not known_stems:
        return
    share = len(stems & known_stems) / len(stems)
    names = {part for name in ledger.present for part in name.split() if len(part) > 2}
    is_addressed = bool(_YOU.search(text)) or any(name in text for name in names)
    strange = {one.casefold() for one in words.OF_ELSEWHERE.findall(text)} - ledger.open_words
    strange = {one for one in strange if one not in ledger.known_text.casefold()}
    if len(strange) >= LEAST_ELSEWHERE or share < LEAST_KNOWN[is_addressed, bool(ledger.open_stems)]:
        yield ContinuityProblem(
            "unrelated", text.strip()[:80], "nothing of this scene is in it; tell this scene"
        )
