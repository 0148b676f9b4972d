"""Says what somebody tells who was talked, bribed or frightened into telling it."""

from __future__ import annotations

import re

from narratoria.narrator.answer_request import AnswerRequest, Listener
from narratoria.narrator.evidence import Evidence

# acts that get an answer out of somebody once they succeed
PRISING = frozenset(("persuade", "threaten", "lie", "bargain", "flirt", "beg", "accuse"))
ASKED_FOR = frozenset(("persuade", "threaten", "bargain", "beg"))  # of these: that want something by name
TALK = re.compile(  # what somebody is to be brought to
    r"\b(?:tell|talk|speak|spill|confess|own up|come clean|open your mouth|truth|what you know|say|admit|"
    r"answer|who|where|what|why)\b",
    re.IGNORECASE,
)
REPORTED = re.compile(  # the player's own telling, in "tell Ines that I counted it"
    r"^\W*(?:i\s+)?(?:tell|warn|inform|assure|say\s+to)\s+\w+", re.IGNORECASE
)
ASKING = re.compile(r"\?|\b(?:who|where|what|why|when|how)\b", re.IGNORECASE)  # to be told something
HIDDEN = re.compile(
    r"\b(?:hiding|hide|hid|secrets?|truth|keeping (?:back|from)|what you know|confess|own up)\b",
    re.IGNORECASE,
)
NOT_OWED = frozenset(("saying", "goal", "thing"))  # sources of what nobody has to be talked into telling
LEAST_OF_OWN = 0.3  # of a relevance: what somebody who gives in tells of what they know themselves
SURE = 0.7  # of a relevance: what somebody is talked into telling


def find_owed(request: AnswerRequest, listener: Listener, passage: Evidence | None) -> Evidence | None:
    """Return what somebody who was talked into telling tells: what is sure, or what they know themselves."""
    words = REPORTED.sub("", request.words)
    if not (ASKING if request.act == "lie" else TALK).search(words):
        return None  # nothing was to be told
    if passage and _is_owed(passage):
        return passage
    if request.outcome == "success" and HIDDEN.search(words):
        secrets = [one for one in request.evidence if one.owner == listener.id and one.source == "secret"]
        if secrets:
            return secrets[0]
    return next(
        (
            one
            for one in request.evidence
            if one.owner == listener.id
            and one.relevance >= LEAST_OF_OWN
            and one.source in ("secret", "profile")
            and (not one.secret or request.outcome == "success")
        ),
        None,
    )


def _is_owed(passage: Evidence) -> bool:
    """Return whether a passage is surely what somebody was talked into telling."""
    return passage.relevance >= SURE and passage.source not in NOT_OWED and passage.id[:4] != "who/"
