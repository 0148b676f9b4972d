"""Turns an author's notes and a player's words into sentences: names, speech, and who does what."""

from __future__ import annotations

import re

from narratoria.narrator.word_lists import WORDS

_MARKS = ("“", '"')


TITLES = WORDS.grammar.titles
BY_LAST_NAME = WORDS.grammar.titles_with_last_name
_THIRD = re.compile(
    r"(?:(?:has|is|was|does|would|could|must|had)(?:n['’]t)?|can|cannot|can't|will|won't|never|always|still|may|"
    r"used to|[a-z]{2,}s)\b"
)
# a note that begins with a name: “Will keeps bees”, “Agnes never sleeps”
_NAME_FIRST = re.compile(
    r"(?:Will|May) (?:(?:never|always|still) )?(?!always\b)(?:is|has|was|[a-z]+[^s\W]s)\b|"
    r"(?!(?:Has|Is|Was|Does|Always|Holds|Keeps|Lies|Sits|Stands|Stays) )[A-Z][a-z]+s "
    r"(?:is|has|was|does|had|would|could|can|cannot|will|must|(?:never|always|still) [a-z]+[^s\W]s)\b"
)
_NOT_THIRD = WORDS.grammar.not_third_person
_BASE_FORMS = WORDS.grammar.base_forms
_THING = re.compile(r"^(?:the|a|an|my|your|his|her|their|its|this|that|these|those)\s", re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:who|what|where|when|why|how|which|is|are|do|does|did|can|could|will|would|should)\b", re.IGNORECASE
)
_FIRST = re.compile(
    r"^(?:i(?:'ll| will| would like to| want to| try to| am going to|'m going to)?|you|let me|let's)\s+",
    re.IGNORECASE,
)
_SWAPS = (
    (r"\bI am\b", "you are"),
    (r"\bI'm\b", "you are"),
    (r"\bI have\b", "you have"),
    (r"\bI've\b", "you have"),
    (r"\bI\b", "you"),
    (r"\bmyself\b", "yourself"),
    (r"\bmy\b", "your"),
    (r"\bmine\b", "yours"),
    (r"\bme\b", "you"),
)


def call_name(name: str) -> str:
    """Return what one calls somebody who has been named: “Pell”, “Dame Ottoline”, “Dr. Ward”."""
    words = name.split()
    if len(words) < 2 or words[0].casefold() == "the":
        return name
    if words[0].casefold() in BY_LAST_NAME:
        return f"{words[0]} {words[-1]}"
    return " ".join(words[:2]) if words[0].casefold() in TITLES else words[0]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def predicate(note: str, name: str) -> str:
    """Return a note such as “has never left her post” as a sentence about `name`; empty where it is none."""
    text = note.strip().rstrip(".")
    lowered = text[:1].lower() + text[1:]
    first = lowered.split(" ", 1)[0].strip(",")
    if " " not in lowered or first in _NOT_THIRD or _NAME_FIRST.match(text) or not _THIRD.match(lowered):
        return ""
    return f"{name} {lowered}"


def as_wish(text: str) -> str:
    """Return a motive or typed action as it stands after “to”; empty where it begins with no plain verb."""
    return to_the_player(verb_first(text))


def verb_first(text: str) -> str:
    """Return the same without the change to the second person."""
    text = _legible(text).rstrip(".!")
    text = _FIRST.sub("", text)
    first = text.split(" ", 1)[0]
    if not (first.isalpha() and first.isascii()) or first.casefold() in _NO_VERBS or _looks_bent(first):
        return ""
    return text[:1].lower() + text[1:]


_NO_VERBS = WORDS.grammar.not_verbs


def _legible(text: str) -> str:
    """Return the text in one line, without invisible characters."""
    return " ".join("".join(mark for mark in text if mark.isprintable() or mark.isspace()).split())


def _looks_bent(word: str) -> bool:
    """Return whether a verb is in a form that cannot follow “to”."""
    lowered = word.casefold()
    if lowered in _BASE_FORMS:
        return False
    return lowered.endswith(("ing", "ed")) or (
        lowered.endswith("s") and not lowered.endswith(("ss", "us", "is"))
    )


def to_the_player(text: str) -> str:
    """Return the text in the second person."""
    for pattern, instead in _SWAPS:
        text = re.sub(
            pattern, instead, text, flags=re.IGNORECASE if "my" in pattern or "me" in pattern else 0
        )
    return text


def narrate_typed_action(text: str) -> str:
    """Return a typed action that begins with no plain verb as a sentence about the player."""
    text = _legible(text)
    if text[:1] in _MARKS:  # spoken, and by whom
        parts = re.split(r"([“\"][^”\"]*[”\"])", text)
        sentence = "".join(part if part[:1] in _MARKS else to_the_player(part) for part in parts if part)
        return sentence if sentence[-1] in '.!?…”"' else f"{sentence}."
    text = _FIRST.sub("", text.rstrip(".!"))
    if not text.isascii():
        return f"You do it as you have thought of it: {text}."
    return f"You do it as you have thought of it: {to_the_player(text[:1].lower() + text[1:])}."


def is_quoted(text: str) -> bool:
    """Return whether all of it is spoken, and not only its beginning and its end."""
    whole = len(text) > 2 and text[0] in "\"“'" and text[-1] in "\"”'"
    return whole and not any(mark in text[1:-1] for mark in '"“”')


def is_question(text: str) -> bool:
    return text.rstrip('"”').endswith("?") or (bool(_QUESTION.match(text)) and "," not in text[:12])


def is_thing(text: str) -> bool:
    return bool(_THING.match(text)) and len(text.split()) <= 8


def quote_speech(words: str, tag: str) -> str:
    """Name the speaker after the first sentence: “It isn't the snow,” says Pell. “Snow crackles.”"""
    words = words.strip().strip('“”"')
    if not tag:
        return f"“{words}”"
    match = re.match(r"(.{8,}?(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bSt)[.!?…])\s+(.+)", words, re.DOTALL)
    first, rest = (match[1], match[2]) if match else (words, "")
    first = first[:-1] + "," if first.endswith(".") and not first.endswith("..") else first
    tag = f"the {tag[4:]}" if tag.startswith("The ") else tag
    return f"“{first}” {tag}." + (f" “{rest}”" if rest else "")


_PAST = WORDS.grammar.past_forms
_PLAIN_VERBS = WORDS.grammar.regular_verbs
_DOUBLING_VERBS = WORDS.grammar.doubling_verbs


_AT_WHOSE_WORD = re.compile(r", as (?:he|she|they|it) (?:asks?|tells?|wants?|bids?) you(?: to)?$")


def in_the_past(wish: str) -> str:
    """Return “open the letter and read it” as “opened the letter and read it”.

    That somebody asks for it just now, “as she tells you to”, is left out of what is told later.
    """
    verb, _, rest = _AT_WHOSE_WORD.sub("", wish).partition(" ")
    rest = re.sub(
        r"\band ([a-z]+)\b(?=( (?:the|a|an|your|my|his|her|their|its|it|him|them|me|you)\b)?)",
        lambda match: f"and {_past(match[1])}" if _is_next_verb(match[1], match[2]) else match[0],
        rest,
    )
    rest = re.sub(
        r"\bwhile you ([a-z]+)\b",
        lambda match: f"while you {_past(match[1])}" if _is_next_verb(match[1], "you") else match[0],
        rest,
    )
    rest = re.sub(
        r"\b(that|if|what|how) you (will|can|may)\b",
        lambda match: f"{match[1]} you {_REPORTED_FORMS[match[2]]}",
        rest,
    )
    return f"{_past(verb)} {rest}".strip()


def _is_next_verb(word: str, thing: str | None) -> bool:
    """Return whether a word after “and” is a verb: surely, or one that something is done to."""
    return word in _PAST or word in _PLAIN_VERBS or (thing is not None and word in WORDS.grammar.plain_verbs)


_REPORTED_FORMS = {
    "will": "would",
    "can": "could",
    "may": "might",
}  # what was meant for later, told afterwards


def _past(verb: str) -> str:
    lowered = verb.casefold()
    if lowered in _PAST:
        return _PAST[lowered]
    if lowered.endswith("e"):
        return f"{lowered}d"
    if re.fullmatch(r".*[^aeiou]y", lowered):
        return f"{lowered[:-1]}ied"
    if (
        re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]|\w*[^aeiou][aeiou]l", lowered)
        or lowered in _DOUBLING_VERBS
    ):
        return f"{lowered}{lowered[-1]}ed"
    return f"{lowered}ed"
