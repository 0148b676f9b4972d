"""Finds the things and places that a player's words point at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from narratoria.inference.stop_words import MENTION_STOP_WORDS
from narratoria.planner.intent import KnownPlace, KnownThing, Mention, ReadingContext
from narratoria.planner.word_lists import WORDS

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDS = "|".join(WORDS.phrase_ends)
NOUN_PHRASE = re.compile(
    r"\b(?:the|a|an|my|his|her|their|your|our|some|any|this|that|these|those|its)\s+"
    rf"((?:(?!(?:{_ENDS})\b)[\w'’-]+\s?){{1,4}})",
    re.IGNORECASE,
)
_OF = re.compile(r"^\s*of\s+(?:the\s+|a\s+|an\s+)?([\w'’-]+)")
_BARE = re.compile(
    rf"^\W*(?:i\s+)?(?:[\w'’-]+)\s+(?:up\s+|at\s+|for\s+|on\s+)?((?:(?!(?:{_ENDS})\b)[\w'’-]+\s?){{1,3}})",
    re.IGNORECASE,
)


def noun_phrases(text: str) -> list[str]:
    """Return the phrases of a text that begin with an article or a possessive, without it."""
    return [match[1].strip() for match in NOUN_PHRASE.finditer(text)]


def content_words(text: str) -> list[str]:
    """Return the words of a text that mean something by themselves, in lower case and singular."""
    return [
        singular(word)
        for word in (m.casefold() for m in WORD.findall(text))
        if word not in MENTION_STOP_WORDS
    ]


def singular(word: str) -> str:
    word = re.sub(r"['’]s?$", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def find_thing(text: str, context: ReadingContext, without: Iterable[str] = ()) -> Mention | None:
    """Return the object of the words: one the story knows, or the phrase itself, marked as unknown."""
    phrases = _phrases(text, without)
    for phrase in phrases:
        if mention := _known_thing(phrase, context.things):
            return mention
    last = next((thing for thing in context.things if thing.id == context.last_thing), None)
    if last and not phrases and re.search(r"\b(?:it|them|that|this|one)\b", text, re.IGNORECASE):
        return Mention("it", last.id, last.name)
    return Mention(phrases[0]) if phrases else None


def _known_thing(phrase: str, things: Sequence[KnownThing]) -> Mention | None:
    phrase_words = content_words(phrase)
    best: tuple[float, KnownThing] | None = None
    for thing in things:
        name_words = content_words(thing.name)
        if not name_words or not phrase_words:
            continue
        head = name_words[-1] if " of " not in thing.name else content_words(thing.name.split(" of ")[0])[-1:]
        hits = sum(_same(word, other) for word in phrase_words for other in name_words) / max(
            len(name_words), len(phrase_words)
        )
        is_head_shared = any(
            _same(word, one) for word in phrase_words for one in ([head] if isinstance(head, str) else head)
        )
        score = hits + 0.5 * is_head_shared + 0.05 * (thing.holder == "player")
        if is_head_shared and (best is None or score > best[0]):
            best = (score, thing)
    return Mention(phrase, best[1].id, best[1].name) if best else None


def _same(word: str, other: str) -> bool:
    if word == other:
        return True
    return min(len(word), len(other)) >= 5 and SequenceMatcher(None, word, other).ratio() >= 0.86


def _phrases(text: str, without: Iterable[str]) -> list[str]:
    """Return the noun phrases of the words, without those that only name somebody."""
    excluded_words = {word.casefold() for name in without for word in WORD.findall(name)}
    unquoted = re.sub(r"[“\"][^”\"]*[”\"]", " ", text)
    candidates = []
    for match in NOUN_PHRASE.finditer(unquoted):
        phrase = match[1].strip()
        if tail := _OF.match(unquoted[match.end() :].rjust(0)):
            phrase = f"{phrase} of {tail[1]}"
        candidates.append(phrase)
    if not candidates and (bare := _BARE.match(unquoted)):
        candidates.append(bare[1].strip())
    phrases = []
    for phrase in candidates:
        if re.match(r"(?:it|him|her|them|me|us|you)\b", phrase, re.IGNORECASE):
            continue
        words = [word for word in WORD.findall(phrase) if word.casefold() not in excluded_words]
        meaning = [
            word for word in words if word.casefold() not in MENTION_STOP_WORDS or word.casefold() == "rule"
        ]
        if meaning:
            phrases.append(" ".join(words))
    return phrases


def find_place(text: str, places: Sequence[KnownPlace]) -> Mention | None:
    """Return the place that the words name or describe, the nearest of those that fit equally well."""
    text_words = set(content_words(text))
    scores = []
    for place in places:
        name_words = content_words(place.name)
        hits = [word for word in name_words if any(_same(word, other) for other in text_words)]
        near = 0.05 / (1 + (place.steps if place.steps is not None else 9))
        if hits:
            share = len(hits) / len(name_words)
            scores.append((share + 0.2 * (name_words[-1] in hits) + near, place))
        elif text_words & place.kinds:
            scores.append((0.5 + near, place))
    best = max(scores, key=lambda one: one[0], default=None)
    return Mention(text, best[1].id, best[1].name) if best and best[0] >= 0.5 else None
