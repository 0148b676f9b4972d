"""Says what a question is answered out of: evidence, a secret that is kept, one's own head, or nothing."""

from __future__ import annotations

import re

from narratoria.narrator.answer_request import AnswerRequest
from narratoria.narrator.evidence import Evidence

QUESTIONS = frozenset(("ask", "talk"))
OUT_OF_ONES_HEAD = frozenset(  # kinds of questions to which anybody has an answer of their own
    (
        "ask/absurd",
        "ask/advice",
        "ask/are-you-lying",
        "ask/belief",
        "ask/favourite",
        "ask/fears",
        "ask/feeling-today",
        "ask/in-my-place",
        "ask/opinion-of-affair",
        "ask/opinion-of-me",
        "ask/opinion-of-person",
        "ask/permission",
        "ask/remember-me",
    )
)
GUESSED = frozenset(("ask/figures", "ask/future", "ask/price", "ask/what-time"))  # where nobody knows better
PERSONAL = frozenset(  # kinds that no lore answers in which whoever is asked is not named
    (
        "ask/absurd",
        "ask/age",
        "ask/doing-now",
        "ask/dreams",
        "ask/family",
        "ask/favourite",
        "ask/fears",
        "ask/feeling-today",
        "ask/in-my-place",
        "ask/love",
        "ask/opinion-of-me",
        "ask/permission",
        "ask/remember-me",
    )
)
OWN_MATTER = re.compile(  # nobody is ignorant of it
    r"\b(?:are|do|did|have|were|will|would|can|could|r)(?:n['’]?t)? (?:you|u)\b|"
    r"\b(?:you|u)(?:['’]?(?:re|ve)| are| have| got)\b|\byourself\b|"
    r"\b(?:is|are|was|were|what|who|how|where|about|of|got|have)(?:['’]?s|['’]?re)? (?:your|ur)\b",
    re.IGNORECASE,
)
REPORTED_OWN_MATTER = re.compile(  # "ask Ada how she slept", "ask her about her work"
    r"\bask(?:s|ing)?\b.*?\b(?:about|how|if|what|when|where|whether|who|why)(?: \w+)? "
    r"(?:he|she|they|his|her|their)\b(?! (?:think|know|see|saw|hear|say|said|tell|told|suppose|remember))",
    re.IGNORECASE,
)
UNKNOWING = re.compile(
    r"\b(?:you|u)(?:'ve)? (?:know|think|reckon|heard|hear|seen|see|tell|say|got any idea|suppose|remember)\b"
    r"|\b(?:have|did|can|could|would) you (?:ever )?(?:seen|see|heard|hear|tell|say)\b",
    re.IGNORECASE,
)


def find_basis(request: AnswerRequest, passage: Evidence | None, *, is_withheld: bool) -> str:
    """Return what a question is answered out of, as units call it; empty for every other act."""
    if request.act not in QUESTIONS:
        return ""
    if passage:
        return "again" if passage.is_repeat else "given"
    if is_withheld:
        return "withheld"
    return "own" if is_own_matter(request) else "none"


def is_own_matter(request: AnswerRequest) -> bool:
    """Return whether a question is about whoever is asked, so that they know what to say to it."""
    is_of_them = OWN_MATTER.search(request.words) and not UNKNOWING.search(request.words)
    is_reported = REPORTED_OWN_MATTER.search(request.words)
    return request.kind in OUT_OF_ONES_HEAD or bool(is_of_them or is_reported)


def is_beside_the_point(request: AnswerRequest, evidence: Evidence, name: str) -> bool:
    """Return whether a question is about whoever is asked, and a piece of lore tells of something else."""
    is_personal = request.kind in PERSONAL and request.act in QUESTIONS and is_own_matter(request)
    return is_personal and evidence.source == "lore" and name.casefold() not in evidence.passage.casefold()
