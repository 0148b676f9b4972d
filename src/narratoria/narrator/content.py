"""Rates text by its content: violence, fear, romance, cruelty, drink; how much of each its words hold.

`data/content.json` holds the words and `data/content.schema.json` says what each list is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from narratoria.contracts.content_limits import (
    Content,
    ContentKind,
    ContentLevel,
    ContentLimits,
    is_more,
    join_content,
)
from narratoria.narrator.repertoire import Unit

RatedLevel: TypeAlias = Literal["mild", "full"]
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers")  # with which a word of the lists is the same word
ENDINGS = f"(?:{'|'.join(_ENDINGS)})?"
_WORD = re.compile(r"\w+")
ADULT = 18  # years
_AFTER_HEAD = re.compile(r"[,.;:]|\b(?:of|for|who|with|from|to|at|in|and|made|in|on)\b")


class LevelWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one level: what a player does, and what a text tells of besides."""

    verbs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class ChildWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which an author's notes say that somebody is a child."""

    people: tuple[str, ...]
    manners: tuple[str, ...]
    ages: tuple[str, ...]  # numbers under eighteen, as words
    adults: tuple[str, ...]  # numbers from eighteen on, as words


class ContentData(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All lists by which text is rated."""

    words: dict[ContentKind, dict[RatedLevel, LevelWords]]
    killing: tuple[str, ...]
    affection: tuple[str, ...]
    negations: tuple[str, ...]
    effects: dict[str, dict[ContentKind, ContentLevel]]
    worlds: dict[str, dict[ContentKind, ContentLevel]]
    ratings: dict[str, dict[ContentKind, ContentLevel]]
    child: ChildWords


DATA = msgspec.json.decode(
    files("narratoria.narrator").joinpath("data/content.json").read_bytes(), type=ContentData
)


def rate_text(text: str) -> dict[ContentKind, ContentLevel]:
    """Return what a text holds, by all words of the lists."""
    return _rate(text, with_words=True)


def rate_action(text: str) -> dict[ContentKind, ContentLevel]:
    """Return what a player's words do, by the verbs of the lists alone; what is not done does not count."""
    return _rate(text, with_words=False)


def find_excess(text: str, limits: ContentLimits) -> ContentKind | None:
    """Return the kind of which a text has more than the limits allow."""
    return limits.find_beyond(rate_text(text)) if limits.is_set else None


def rate_unit(unit: Unit, acts: Mapping[str, Content]) -> dict[ContentKind, ContentLevel]:
    """Return what a unit holds: by its acts, its effects, its world and its words."""
    by_act = [acts.get(act, {}) for act in unit.acts]
    shared: dict[ContentKind, ContentLevel] = {
        kind: min((one[kind] for one in by_act), key=["none", "mild", "full"].index)
        for kind in (by_act[0] if by_act else {})
        if all(kind in one for one in by_act)
    }
    by_effect = [DATA.effects.get(effect.kind, {}) for effect in unit.effects]
    by_world = [DATA.worlds.get(world, {}) for world in unit.world]
    return join_content(shared, *by_effect, *by_world, rate_text(f"{unit.text} {unit.fact}"))


def rate_campaign(content_rating: str) -> Content:
    """Return the most that a campaign with this rating may hold; nothing where it has none."""
    return DATA.ratings.get(content_rating, {})


def means_to_kill(text: str) -> bool:
    """Return whether a player's words mean somebody to die."""
    return _has(DATA.killing, text)


def is_affection(text: str) -> bool:
    """Return whether an embrace is one that anybody gives: a hug, a hand."""
    return _has(DATA.affection, text)


def words_beyond(limits: ContentLimits) -> tuple[str, ...]:
    """Return the words by which a text would hold more than the limits allow."""
    return tuple(
        dict.fromkeys(
            word
            for kind, levels in DATA.words.items()
            for level, lists in levels.items()
            if is_more(level, limits.limit_of(kind))
            for word in (*lists.verbs, *lists.words)
        )
    )


def is_child(*, age: str, role: str, appearance: str, manners: Iterable[str]) -> bool:
    """Return whether an author's notes say that somebody is a child; an age that is told decides."""
    if (years := _years(age)) is not None:
        return years < ADULT
    described = re.search(r"\bis (?:an?|the) (.*)", re.split(r"[,.;:]", appearance)[0])
    heads = (_head_word(age), _head_word(role), _head_word(described[1]) if described else "")
    return any(_compile(DATA.child.people).fullmatch(head) for head in heads) or any(
        _has(DATA.child.manners, manner) for manner in manners
    )


def _head_word(text: str) -> str:
    """Return the word a phrase is about: "boy" of "a boy made of elbows", "keeper" of "keeper of boys"."""
    words: list[str] = re.findall(r"[a-z]+", _AFTER_HEAD.split(text.casefold())[0])
    return words[-1] if words else ""


def _years(age: str) -> int | None:
    """Return the years that an age names first, in figures or in words; None where it names none."""
    if match := re.search(r"\d[\d,]*", age):
        return int(match[0].replace(",", ""))
    words = re.findall(r"[a-z]+", age.casefold())
    if any(word in DATA.child.adults for word in words):
        return ADULT
    return next((DATA.child.ages.index(word) + 1 for word in words if word in DATA.child.ages), None)


def _rate(text: str, *, with_words: bool) -> dict[ContentKind, ContentLevel]:
    content: dict[ContentKind, ContentLevel] = {}
    text_words = set(_WORD.findall(text.casefold()))
    for kind, levels in DATA.words.items():
        for level in ("full", "mild"):
            lists = levels.get(level, LevelWords())
            if any(
                not text_words.isdisjoint(_first_words(words)) and _has(words, text)
                for words in (lists.verbs, *((lists.words,) if with_words else ()))
            ):
                content[kind] = level
                break
    return content


def _has(words: tuple[str, ...], text: str) -> bool:
    """Return whether one of the words stands in a text, and nothing before it says that it is not so."""
    if not words:
        return False
    return any(not _negation().search(text[: match.start()]) for match in _compile(words).finditer(text))


@cache
def _first_words(words: tuple[str, ...]) -> frozenset[str]:
    """Return every word with which one of the list can begin: a text without them needs no closer look."""
    firsts = {_WORD.findall(word.casefold())[0] for word in words}
    return frozenset(first + ending for first in firsts for ending in ("", *_ENDINGS))


@cache
def _compile(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_pattern(words)})\b", re.IGNORECASE)


@cache
def _negation() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(DATA.negations)})\s+(?:\w+\s+)?$", re.IGNORECASE)


def _pattern(words: Iterable[str]) -> str:
    return "(?:" + "|".join(re.escape(word) for word in words) + ")" + ENDINGS
