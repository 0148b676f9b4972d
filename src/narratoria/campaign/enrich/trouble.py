"""Reads what a premise is about: what it turns on, who is gone, by when it will be over.

A story that is told of the premise itself, and not of a kind of world, is made of these.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from narratoria.campaign.asset_metadata import COMMON
from narratoria.campaign.enrich.deadline import find_event
from narratoria.campaign.enrich.names_in_text import NamedPerson
from narratoria.campaign.enrich.nouns import DETERMINERS, LEXICON, Noun
from narratoria.campaign.enrich.person_nouns import is_person_noun
from narratoria.campaign.enrich.premise_words import WORDS
from narratoria.campaign.enrich.retelling import address_player, retell_words
from narratoria.campaign.lore import sentences

LONGEST_SENTENCE = 32  # words of the author's that open a story
_AT_STAKE = re.compile(
    rf"\b(?:{'|'.join(WORDS.stake_verbs)}) (?:the|an?|my|your|our|his|her) (?P<phrase>[a-z][a-z'’ -]*)",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:the|an?|my|your|our) (?P<phrase>[a-z][a-z'’ -]*)", re.IGNORECASE)
_LEAVES_OFF = frozenset(
    ["back", "gone", "down", "up", "away", "out", "off", "again", "now", "today", "yet", "that", "which"]
)
_DEAD = re.compile(
    r"\b(?:(?P<whose>(?i:my|your|our|the)) (?P<noun>[a-z-]+) (?:has |had )?(?:just )?"
    r"(?:died|is dead|was killed|drowned)|"
    r"(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?:,? whom (?:you|I|we) buried| (?:has )?died| is dead))\b"
)
_MISSING = re.compile(
    r"\b(?:(?P<of>one of the [a-z]+)|(?P<whose>my|your|our|the) (?P<noun>[a-z-]+)) "
    r"(?:has |have |had |is )?(?:just )?(?:gone missing|gone|missing|vanished|disappeared|walked out|"
    r"(?:didn['’]t|did not|never) c[oa]me (?:back|home))\b",
    re.IGNORECASE,
)
_LOST = re.compile(
    r"\b(?:I|you|we)(?: have|['’]ve)? (?:lost|mislaid) (?P<whose>the|my|your|our) (?P<noun>[a-z-]+)\b"
)
_HOUR = r"(?:noon|midnight|dawn|dusk|sunset|sunrise|half past [a-z]+|quarter (?:to|past) [a-z]+)"
_COUNT = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|forty|thirty|twenty)"
_WHEN = (
    re.compile(
        r"\bby (?:the end of (?:the|this) [a-z]+|[A-Z]?[a-z]+day|dawn|noon|dusk|midnight|nightfall)\b"
    ),
    re.compile(
        r"\bbefore (?:dawn|dusk|winter|spring|nightfall|"
        rf"the (?:snow|ice|frost|rain|{'|'.join(WORDS.events)}))\b"
    ),
    re.compile(r"\b(?:on|this|next) [A-Z][a-z]+day\b"),
    re.compile(rf"\bin {_COUNT} (?:more )?(?:minute|hour|day|night|week|month|year)s?\b"),
    re.compile(rf"\bat {_HOUR}\b"),
    re.compile(r"\btonight\b", re.IGNORECASE),
    re.compile(r"\btomorrow\b", re.IGNORECASE),
)
_UNTIL = re.compile(r"\buntil (?P<hour>dusk|dawn|noon|midnight|nightfall|[A-Z][a-z]+day)\b")
_TELLS_PAST = re.compile(r"\b(?:left|came|came down|was|were|went|died|did|didn['’]t|has|have)\b")
_TITLE_STOP = re.compile(r"\b(Mrs|Mr|Ms|Dr|St|Prof)\. ")
_SOMETHING_IS_WRONG = re.compile(rf"\b(?:{'|'.join(WORDS.trouble_signs)})\b", re.IGNORECASE)
_ABOUT_THE_GAME = re.compile(
    r"\b(?:please|keep it|play it|I (?:don['’]t |do not )?want|would like|let (?:it|there)|get the)\b|=",
    re.IGNORECASE,
)
_SETS_SCENE = re.compile(
    r"^(?:you are|you['’]re|i am|i['’]m|we are|you play|we play|once)\b|\bplease\b|^[^.]{0,40}\b\d{4}\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is the matter in a premise."""

    sentence: str  # the author's, told to the player
    matter: Noun | None  # what it turns on: "exam papers"
    lost: Noun | None  # who is gone
    dead: Noun | None  # who has died
    when: str  # "by Friday"; empty without a time


def find_trouble(
    text: str,
    things: Sequence[Noun],
    people: Sequence[NamedPerson],
    *,
    player: Noun | None = None,
    not_it: Collection[str] = (),
) -> Trouble:
    """Read what a text is about; `not_it` are the heads of nouns that are the player or the place.

    A `player` who is a thing may be what it is all about: sold, thrown out, passed on.
    """
    missing = next((one for one in people if one.fate == "missing" and one.name), None)
    dead = next((one for one in people if one.fate == "dead" and one.name), None)
    sentence = _find_sentence(text)
    if missing and missing.name not in sentence:  # "last night he didn't come back": who?
        sentence = re.sub(rf"\b{missing.they or 'they'}\b", missing.name, sentence, count=1)
    return Trouble(
        sentence=sentence,
        matter=_find_matter(text, things, frozenset(not_it)) or player,
        lost=_noun_of(missing) if missing else _find_gone(text, (_LOST, _MISSING)),
        dead=_noun_of(dead) if dead else _find_gone(text, (_DEAD,)),
        when=_find_when(text),
    )


def _noun_of(one: NamedPerson) -> Noun:
    return Noun(one.name, proper=True)


def _find_gone(text: str, patterns: Sequence[re.Pattern[str]]) -> Noun | None:
    for pattern in patterns:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            if groups.get("name"):
                return Noun(groups["name"], proper=True)
            if groups.get("of"):
                return Noun(groups["of"].casefold(), proper=True)
            noun = groups["noun"].casefold()
            if is_person_noun(noun):
                whose = retell_words(groups["whose"].casefold())
                return Noun(noun) if whose == "the" else Noun(f"{whose} {noun}", proper=True)
    return None


def _find_when(text: str) -> str:
    if until := _UNTIL.search(text):
        return f"before {until['hour']}"
    for pattern in _WHEN:
        for match in pattern.finditer(text):
            begin = max(text.rfind(mark, 0, match.start()) for mark in ".;:\n") + 1
            clause = re.split(r",| and ", text[begin : match.start()])[-1]
            is_past = match[0].startswith(("on ", "at ")) and _TELLS_PAST.search(clause)
            if not is_past and not clause.endswith("every "):
                return match[0] if match[0][0] != "T" else match[0].casefold()
    return ""


def _find_sentence(text: str) -> str:
    """Return the sentence that says what is the matter: the first that does not merely set the scene."""
    unbroken = _TITLE_STOP.sub("\\1\0", text)  # "Mrs. Pike" ends no sentence
    every = [
        one.replace("\0", ". ")
        for paragraph in unbroken.split("\n")
        for one in sentences(paragraph)
        if one and not one.startswith("#")
    ]
    fit = [one for one in every if 4 <= len(one.split()) <= LONGEST_SENTENCE and one[-1] in ".!?"]
    told = [one for one in fit if not _ABOUT_THE_GAME.search(one)] or [*_split_long(every)]
    best = max(told, key=_weigh_sentence, default="")
    return address_player(best)


def _split_long(every: Sequence[str]) -> Iterator[str]:
    """Yield the parts of sentences that have no end: "its 3am and the alarm keeps going off and …"."""
    for one in every:
        for part in re.split(r" and | but |, ", one):
            if 4 <= len(part.split()) <= LONGEST_SENTENCE and not _ABOUT_THE_GAME.search(part):
                yield f"{part[:1].upper()}{part[1:].rstrip(' .!?,')}."


def _weigh_sentence(sentence: str) -> float:
    """Return how much a sentence says that something is the matter; the first of equals is taken."""
    signs = len(_SOMETHING_IS_WRONG.findall(sentence))
    return min(signs, 3) - (2 if _SETS_SCENE.search(sentence) else 0)


def _find_matter(text: str, things: Sequence[Noun], not_it: frozenset[str]) -> Noun | None:
    if known := next((noun for noun in things if noun.head not in not_it), None):
        return known
    # a thing that something is done to, then a thing at all; a bare room or a person is not what it turns on
    for pattern in (_AT_STAKE, _ABOUT):
        for noun in _read_phrases(pattern, text):
            kind = LEXICON.get(noun.head) or LEXICON.get(noun.head.removesuffix("s"))
            is_wanted = kind in ("token", "vessel") or (kind in ("fixture", None) and pattern is _AT_STAKE)
            if is_wanted and noun.head not in not_it and not is_person_noun(noun.head):
                return noun
    return find_event(text)


def _read_phrases(pattern: re.Pattern[str], text: str) -> Iterator[Noun]:
    for match in pattern.finditer(text):
        words: list[str] = []
        for word in match["phrase"].split()[:3]:
            plain = word.casefold()
            if plain in WORDS.phrase_ends | _LEAVES_OFF | DETERMINERS | {"of"} or "'" in word or "’" in word:
                break
            words.append(plain)
        known = [at for at, word in enumerate(words) if word in LEXICON or word.removesuffix("s") in LEXICON]
        if known:
            words = words[: known[-1] + 1]
        while words and (words[-1] in COMMON or (words[-1].endswith(("y", "ed", "ly")) and not known)):
            words.pop()
        if words and words[-1].isalpha():
            plural = words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
            yield Noun(" ".join(words[-2:]), plural=plural)
