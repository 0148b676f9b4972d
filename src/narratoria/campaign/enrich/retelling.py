"""Turns an author's first person into the second, for sentences that are told to the player."""

from __future__ import annotations

import re

_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]y|me|[Ww]e|us|[Oo]ur)\b")
_FORMS = (
    (re.compile(r"\bI am\b"), "You are"),
    (re.compile(r"\bI['’]m\b"), "You're"),
    (re.compile(r"\bI was\b"), "You were"),
    (re.compile(r"\b(?:am|was) I\b"), "are you"),
    (re.compile(r"\bI['’]ve\b"), "You've"),
    (re.compile(r"\bI['’]ll\b"), "You'll"),
    (re.compile(r"\bI['’]d\b"), "You'd"),
    (re.compile(r"\bI\b"), "You"),
    (re.compile(r"\b(?:We|we) (?:are|were)\b"), "You are"),
    (re.compile(r"\b[Ww]e['’]ve\b"), "You've"),
    (re.compile(r"\b[Ww]e['’]re\b"), "You're"),
    (re.compile(r"\b[Ww]e\b"), "You"),
    (re.compile(r"\bus\b"), "you"),
    (re.compile(r"\bour\b"), "your"),
    (re.compile(r"\bOur\b"), "Your"),
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


_WORDS = {
    "i": "you",
    "me": "you",
    "my": "your",
    "us": "you",
    "our": "your",
    "we": "you",
    "myself": "yourself",
}


def retell_words(phrase: str) -> str:
    """Return a part of a sentence with the player as "you"."""
    return " ".join(_WORDS.get(word.casefold(), word) for word in phrase.split())
