"""Finds the people, things and places that a player's words point at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache

from narratoria.inference.stop_words import MENTION_STOP_WORDS
from narratoria.planner.intent import (
    KnownPerson,
    KnownPlace,
    KnownThing,
    Mention,
    Pronoun,
    ReadingContext,
    load_acts,
)
from narratoria.planner.word_lists import WORDS

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PRONOUNS: dict[str, Pronoun] = {word: pronoun for pronoun, words in WORDS.pronouns.items() for word in words}
_KINDS: dict[Pronoun, frozenset[str]] = WORDS.kinds_of_people
_ENDS = "|".join(WORDS.phrase_ends)
_PHRASE = re.compile(
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
    return [match[1].strip() for match in _PHRASE.finditer(text)]


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


def find_person(text: str, context: ReadingContext) -> Mention | None:
    """Return whom the words speak of: by name, by description, or by a pronoun that fits somebody here."""
    return _by_name(text, context.people) or _by_description(text, context) or _by_pronoun(text, context)


def find_people(text: str, context: ReadingContext) -> list[Mention]:
    """Return everybody whom the words name, in the order of the words."""
    matches = [(at, person) for person in context.people if (at := _position(person, text)) is not None]
    return [_mention(person, person.short) for _, person in sorted(matches, key=lambda one: one[0])]


def _mention(person: KnownPerson, text: str) -> Mention:
    return Mention(text, person.id, person.name)


def _by_name(text: str, people: Sequence[KnownPerson]) -> Mention | None:
    matches = [(at, person) for person in people if (at := _position(person, text)) is not None]
    if matches:
        return _mention(min(matches, key=lambda one: (not one[1].present, one[0]))[1], text)
    ordinary = _ordinary_words()
    words = [word for word in WORD.findall(text) if len(word) >= 4 and word.casefold() not in ordinary]
    close = [
        (slips, person)
        for person in people
        if person.present
        for name in _name_words(person)
        if len(name) >= 4
        for word in words
        if (slips := count_slips(word.casefold(), name)) <= (1 if len(name) < 7 else 2)
    ]
    best = min(close, key=lambda one: one[0], default=None)
    return _mention(best[1], text) if best else None


@cache
def _ordinary_words() -> frozenset[str]:
    """Return the words that players use for what they do, which are no mistyped names."""
    examples = (text for act in load_acts().values() for text in act.examples)
    return MENTION_STOP_WORDS | {word.casefold() for text in examples for word in WORD.findall(text)}


def count_slips(word: str, name: str) -> int:
    """Return how many letters are wrong, missing, added or swapped between two words, up to three."""
    if abs(len(word) - len(name)) > 2:
        return 3
    rows = [list(range(len(name) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, other in enumerate(name, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == other:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


def _position(person: KnownPerson, text: str) -> int | None:
    lowered = text.casefold()
    positions = [
        match.start()
        for name in (person.name.casefold(), person.short.casefold(), *_name_words(person))
        if (match := re.search(rf"(?<!\w){re.escape(name)}(?:['’]?s)?(?!\w)", lowered))
    ]
    return min(positions, default=None)


def _name_words(person: KnownPerson) -> list[str]:
    words = [word.casefold() for word in WORD.findall(person.name)]
    return [word for word in words if len(word) > 2 and word not in MENTION_STOP_WORDS]


def _by_description(text: str, context: ReadingContext) -> Mention | None:
    """Return the one person whose role or looks a phrase of the words describes best."""
    kinds = frozenset().union(*_KINDS.values())
    things = {word for thing in context.things for word in content_words(thing.name)}
    phrase_words: set[str] = set()
    for match in _PHRASE.finditer(text):
        rest = text[match.end() :]
        extra = re.match(r"\s*(?:at|with|in|of|from|on|behind|who)\s+(?:the\s+|a\s+)?([\w'’-]+)", rest)
        words = {word.casefold() for word in WORD.findall(f"{match[1]} {extra[1] if extra else ''}")}
        phrase_words |= {singular(word) for word in words if word in kinds or word not in MENTION_STOP_WORDS}
    phrase_words -= things - kinds
    if not phrase_words:
        return None
    people = [person for person in context.people if person.alive]
    common = Counter(word for person in people for word in _description_words(person))
    scores = []
    for person in people:
        hits = phrase_words & _description_words(person)
        score = sum((0.45 if word in kinds else 1.0) / common[word] ** 0.5 for word in hits)
        scores.append((score * (1.6 if person.present else 1.0), person))
    by_score = sorted(scores, key=lambda one: -one[0])
    if not by_score or by_score[0][0] < 0.25 or (len(by_score) > 1 and by_score[1][0] >= by_score[0][0]):
        return None
    return _mention(by_score[0][1], text)


def _description_words(person: KnownPerson) -> set[str]:
    words = {word for description in person.descriptions for word in content_words(description)}
    raw = {word.casefold() for description in person.descriptions for word in WORD.findall(description)}
    kinds = frozenset().union(*_KINDS.values())
    return words | (raw & kinds) | ({*_KINDS[person.pronoun]} if person.pronoun in ("he", "she") else set())


def _by_pronoun(text: str, context: ReadingContext) -> Mention | None:
    words = [word.casefold() for word in WORD.findall(text)]
    pronoun = next((_PRONOUNS[word] for word in words if word in _PRONOUNS), None)
    if pronoun is None:
        return None
    present = [person for person in context.people if person.present]
    candidates = [one for one in present if pronoun in (one.pronoun, "they") or one.pronoun == "they"]
    last = next((one for one in candidates if one.id == context.last_person), None)
    person = last or next(iter(candidates), None) or (present[0] if len(present) == 1 else None)
    return _mention(person, pronoun) if person else None


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
    for match in _PHRASE.finditer(unquoted):
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
