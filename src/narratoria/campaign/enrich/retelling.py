"""Turns an author's first person into the second, for sentences that are told to the player."""

from __future__ import annotations

import re

_FIRST_PERSON = re.compile(r"\bI\b")
_FORMS = (
    (re.compile(r"\bI am\b"), "You are"),
    (re.compile(r"\bI['’]m\b"), "You're"),
    (re.compile(r"\bI was\b"), "You were"),
    (re.compile(r"\b(?:am|was) I\b"), "are you"),
    (re.compile(r"\bI['’]ve\b"), "You've"),
    (re.compile(r"\bI['’]ll\b"), "You'll"),
    (re.compile(r"\bI['’]d\b"), "You'd"),
    (re.compile(r"\bI\b"), "You"),
    (re.compile(r"\bmyself\b"), "yourself"),
    (re.compile(r"\bmy\b"), "your"),
    (re.compile(r"\bMy\b"), "Your"),
    (re.compile(r"\bmine\b"), "yours"),
    (re.compile(r"\bme\b"), "you"),
    (re.compile(r"(?<=[a-z,;] )You(?=\b)"), "you"),
)


def address_player(text: str) -> str:
    """Return the text with the player as "you"; one that is not told in the first person stays as it is."""
    if not _FIRST_PERSON.search(re.sub(r"[“\"][^”\"]*[”\"]", "", text)):
        return text.strip()
    for pattern, replacement in _FORMS:
        text = pattern.sub(replacement, text)
    return text.strip()
