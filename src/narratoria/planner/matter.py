"""Finds what a player's words are about, as whoever hears them would say it back."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from narratoria.planner.intent import KnownPerson, ReadingContext
from narratoria.planner.mentions import WORD, content_words, noun_phrases_with_lead, person_words
from narratoria.planner.word_lists import WORDS

LONGEST = 5  # words
_ABOUT = re.compile(r"\b(?:about|mention|regarding|over|concerning)\s*$", re.IGNORECASE)
_TO_LISTENER = re.compile(r"\b(?:you|your|yours|u|ur)\b", re.IGNORECASE)
_SAID_BACK = {"your": "my", "ur": "my", "my": "your", "our": "your", "a": "a", "an": "an"}
_POSSESSIVES = {"he": "his", "she": "her", "they": "their", "it": "its"}
_PAST = re.compile(
    r"\w{3,}ed|sent|told|said|took|made|saw|knew|left|lost|paid|stole|swore|wrote|hid|lied|died|hurt|put|went|came|"
    r"wants?|says?|knows?|thinks?|does|has"
)
_NO_NOUN = re.compile(r"its|it's|i'?m|i'?ll|i'?ve|don'?t|s?he'?s|they'?re|that'?s|what'?s|going")
_LEFT_OUT = frozenset(("any", "every", "each", "another", "its", "some"))


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase that may be the matter, as it is said back, and where it stands in the words."""

    text: str
    at: int
    is_about: bool = False
    is_listeners: bool = False


def find_matter(clause: str, context: ReadingContext, listener: str) -> str:
    """Return what a clause is about, such as "my brother" for "your brother"; else nothing."""
    person = next((one for one in context.people if one.id == listener), None)
    story_nouns = {word for thing in context.things for word in content_words(thing.name)[-1:]}
    phrases = [*_noun_phrases(clause, person, story_nouns), *_names(clause, context, person)]
    return max(phrases, key=_rank, default=_Phrase("", 0)).text


def _rank(phrase: _Phrase) -> tuple[bool, bool, bool, int]:
    """Return what makes a phrase the matter: named as such, the listener's own, a certain one, the last."""
    is_certain = not phrase.text.startswith(("a ", "an "))
    return phrase.is_about, phrase.is_listeners, is_certain, phrase.at if is_certain else -phrase.at


def _until_verb(phrase: str) -> str:
    """Return a phrase up to the verb that follows its noun: "the king" of "the king sent me"."""
    words = phrase.split()
    end = next((at for at, word in enumerate(words) if at and _is_verb(word)), len(words))
    return " ".join(words[:end])


def _until_noun(phrase: str, story_nouns: Collection[str]) -> str:
    """Return a phrase up to its last noun, of the language or of the story: "the car" of "the car theres"."""
    head, of, rest = phrase.partition(" of ")
    words = head.split()
    nouns = load_nouns()
    while words and not _is_noun(words[-1].casefold(), nouns, story_nouns):
        words, of, rest = words[:-1], "", ""
    if of and not _is_noun(rest.split()[-1].casefold(), nouns, story_nouns):
        of = rest = ""
    return f"{' '.join(words)}{of}{rest}"


def _is_noun(word: str, nouns: Collection[str], story_nouns: Collection[str]) -> bool:
    return any(one in nouns or one in story_nouns for one in (word, word.removesuffix("s"), f"{word}s"))


@cache
def load_nouns() -> frozenset[str]:
    """Return words that are nouns, counted by `python -m evals.answers.fit_nouns`."""
    text = files("narratoria.planner").joinpath("data/nouns.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)["nouns"].split())


def _without_address(phrase: str, own_words: set[str]) -> str:
    """Return a phrase without whoever it is said to: "the key" of "the key doc"."""
    words = phrase.split()
    while len(words) > 1 and (words[-1].casefold() in WORDS.titles or words[-1].casefold() in own_words):
        words = words[:-1]
    return " ".join(words)


def _is_verb(word: str) -> bool:
    lowered = word.casefold()
    is_listed = lowered in WORDS.state_verbs or lowered in WORDS.after_nouns
    return is_listed or _PAST.fullmatch(lowered) is not None


def _noun_phrases(clause: str, listener: KnownPerson | None, story_nouns: Collection[str]) -> list[_Phrase]:
    excluded_words = {word.casefold() for word in WORD.findall(listener.name)} if listener else set()
    excluded_words |= person_words(listener) if listener else set()
    phrases = []
    for lead, whole_phrase, at in noun_phrases_with_lead(clause):
        phrase = _until_noun(_without_address(_until_verb(whole_phrase), excluded_words), story_nouns)
        words = [word.casefold() for word in WORD.findall(phrase.partition(" of ")[0])]
        is_empty = not words or words[-1] in WORDS.light_nouns or words[-1] in excluded_words
        is_clause = any(_NO_NOUN.fullmatch(word) for word in words)  # “her its going to be alright”
        if is_empty or is_clause or lead in _LEFT_OUT or len(phrase.split()) >= LONGEST:
            continue
        article = _say_back(lead, clause, listener)
        phrases.append(
            _Phrase(
                f"{article} {phrase}",
                at,
                is_about=_ABOUT.search(clause[:at]) is not None,
                is_listeners=article == "my",
            )
        )
    return phrases


def _say_back(lead: str, clause: str, listener: KnownPerson | None) -> str:
    """Return the article or possessive of a phrase as the listener says it."""
    if lead in _SAID_BACK:
        return _SAID_BACK[lead]
    if lead in ("his", "her", "their"):
        is_own = listener and _POSSESSIVES[listener.pronoun] == lead and not _TO_LISTENER.search(clause)
        return "my" if is_own else lead
    return "the"


def _names(clause: str, context: ReadingContext, listener: KnownPerson | None) -> list[_Phrase]:
    """Return the people that a clause speaks of beside whoever hears it."""
    phrases = []
    for person in context.people:
        if person is listener:
            continue
        match = re.search(rf"\b{re.escape(person.short)}\b", clause, re.IGNORECASE)
        if match and person.short[:1].isupper():
            is_about = _ABOUT.search(clause[: match.start()]) is not None
            phrases.append(_Phrase(person.short, match.start(), is_about=is_about))
    return phrases
