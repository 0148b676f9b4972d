"""Tells what the player does as a sentence of the story, in the words in which they typed it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from narratoria.narrator.grammar import in_the_past, to_the_player
from narratoria.narrator.word_lists import WORDS

LONGEST = 28  # words of a deed that are told again
_LEAD_IN = re.compile(
    r"^\W*(?:(?:right|ok|okay|so|then|now|well|and|but|fine|please|alright|all right|next|first|instead|"
    r"screw it|damn it|just|finally|maybe)\b[\s,.:;–-]*)+(?=\w)",
    re.IGNORECASE,
)
_INTENTION = re.compile(
    r"^(?:(?:i(?:['’]?ll|\s+will|['’]?d\s+like\s+to|\s+would\s+like\s+to|\s+want\s+to|\s+wanna|"
    r"(?:\s+am|['’]?m)?\s+(?:going\s+to|gonna)|\s+decide\s+to|\s+have\s+to|\s+need\s+to|\s+can)?)|"
    r"let\s+me|let['’]?s|can\s+i|could\s+i|may\s+i|time\s+to)\s+",
    re.IGNORECASE,
)
_CIRCUMSTANCE = re.compile(r"^((?:while|when|as|once|after|before)\b.+?),?\s+I\s+(.+)$", re.IGNORECASE)
_SECOND_VERB = re.compile(
    r"\band (\w+) (?=(?:the|a|an|my|your|that|this|it|them|him|her|his|their|some|off|away|up)\b)"
)
_ATTEMPT = re.compile(r"^(?:try|attempt)\s+to\s+", re.IGNORECASE)
_ADVERB = re.compile(r"^(?:(?:[a-z]{2,}ly|just|then|also|now)\s+)+", re.IGNORECASE)
_NOT_TOLD = re.compile(
    r"[?“”\"]|\b(?:we|us|our|ours|you|your|yours|u|ur|lets|let's|please|gonna|i'd)\b", re.IGNORECASE
)
_FIRST_PERSON = re.compile(r"\b(?:i was|i had|i['’]ll|i will)\b", re.IGNORECASE)
_SECOND_PERSON = {"i was": "you were", "i had": "you had", "i will": "you will"}
_THIRD_PERSON = (("yourself", "themself"), ("yours", "theirs"), ("your", "their"), ("you", "they"))


def deed_of(text: str, names: Iterable[str] = ()) -> str:
    """Return a typed clause as it stands after "You", such as "climb over the rope"; else nothing.

    What is said aloud, asked, or addressed to somebody is no deed. `names` are spelt as the story does.
    """
    text = " ".join(text.replace("’", "'").split()).rstrip(" .!,;:-")
    if not text.isascii() or _NOT_TOLD.search(text) or len(text.split()) > LONGEST:
        return ""
    text = _LEAD_IN.sub("", text)
    if circumstance := _CIRCUMSTANCE.match(text):
        text = f"I {circumstance[2]} {circumstance[1].lower()}"
    bare = _INTENTION.sub("", text)
    is_stated = bare != text
    lead = _ADVERB.match(bare)
    verb = (bare[lead.end() :] if lead else bare).split(" ", 1)[0].casefold()
    is_verb = verb in WORDS.grammar.plain_verbs or verb in WORDS.grammar.past_forms
    if not verb.isalpha() or not (is_verb or (is_stated and _looks_like_verb(verb))):
        return ""
    bare = _FIRST_PERSON.sub(lambda match: _to_second(match[0]), bare)
    bare = re.sub(r"\bi\b", "I", bare)
    return _spell_names(to_the_player(bare[:1].lower() + bare[1:]), names)


def deed_slots(text: str, names: Iterable[str] = ()) -> dict[str, str]:
    """Return the slots that tell a deed: done, tried, and as it is remembered; none where it is no deed."""
    deed = deed_of(text, names)
    if not deed:
        return {}
    aim = _ATTEMPT.sub("", deed)
    adverb = _ADVERB.match(aim)
    head, rest = (adverb[0], aim[adverb.end() :]) if adverb else ("", aim)
    rest = _SECOND_VERB.sub(_put_in_the_past, rest)
    remembered = f"{head}{in_the_past(rest)}"
    for second, third in _THIRD_PERSON:
        remembered = re.sub(rf"\b{second}\b", third, remembered)
    return {
        "deed": f"You {aim}.",
        "try": f"You try to {aim}.",
        "did": f"The player {remembered}.",
        "tried": f"The player tried to {_to_third(aim)}.",
    }


def _put_in_the_past(match: re.Match[str]) -> str:
    is_verb = match[1] in WORDS.grammar.plain_verbs
    return f"and {in_the_past(match[1])} " if is_verb else match[0]


def _to_third(text: str) -> str:
    for second, third in _THIRD_PERSON:
        text = re.sub(rf"\b{second}\b", third, text)
    return text


def _looks_like_verb(word: str) -> bool:
    """Return whether a word after "I" can be a verb in the present."""
    return (
        len(word) > 1
        and word not in WORDS.grammar.not_verbs
        and word not in ("am", "was", "were", "had", "did", "have", "been", "wish", "hope", "think", "feel")
        and not word.endswith("ed")
        and word not in set(WORDS.grammar.past_forms.values())
    )


def _to_second(words: str) -> str:
    key = " ".join(words.casefold().replace("'ll", " will").split())
    return _SECOND_PERSON.get(key, words)


def _spell_names(text: str, names: Iterable[str]) -> str:
    for name in names:
        for word in name.split():
            if len(word) > 2 and word[:1].isupper():
                text = re.sub(rf"\b{re.escape(word)}\b", word, text, flags=re.IGNORECASE)
    return text
