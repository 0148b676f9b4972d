"""Reads what a premise says of its people: what they are, what they do, and whether they are gone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from narratoria.campaign.enrich.names_in_text import NamedPerson
from narratoria.campaign.enrich.person_nouns import is_person_noun
from narratoria.campaign.enrich.retelling import retell_words
from narratoria.campaign.lore import sentences

MOST_WORDS = 12  # of what somebody does, as it stands in a profile
_WHOSE = r"(?P<whose>the|an?|my|your|our|ur|his|her|their)"
_DEAD = re.compile(r"\b(?:died|is dead|was killed|drowned|passed away|whom (?:you|I|we) buried)\b")
_MISSING = re.compile(
    r"\b(?:(?:has |have |had )?(?:gone missing|vanished|disappeared|walked out|run away)|is missing|"
    r"(?:didn['’]t|did not|never|hasn['’]t|has not) come? (?:back|home)|went out|has gone|is gone|are gone)\b"
)
_LOST = re.compile(r"\b(?:lost|mislaid|cannot find|can['’]t find) (?:the|my|our|her|his) (?P<noun>[a-z-]+)\b")
_MODIFIER = r"(?!(?:the|an?|my|your|our|his|her|their|with|and|of) )[A-Za-z'’-]+ "
_PLACED = re.compile(r" (?P<where>(?:behind|at|from|in|on|under|by) the [a-z]+)\b")
_DOES = re.compile(r" (?P<does>(?:has|is|wants|keeps|says|[a-z]+s|[a-z]+ed) [^.;:!?]+)")


def describe_people(people: Sequence[NamedPerson], text: str) -> tuple[NamedPerson, ...]:
    """Return the people with what the text says of them, in words that are told to the player."""
    return tuple(
        replace(one, phrase=one.phrase or _describe(one, people, text), fate=_find_fate(one, people, text))
        for one in people
    )


def _describe(one: NamedPerson, people: Sequence[NamedPerson], text: str) -> str:
    name = re.escape(one.name)
    before = re.search(
        rf"\b{_WHOSE} (?P<what>(?:{_MODIFIER}){{0,3}}[a-z][a-z-]*),? (?:called |named )?{name}\b",
        text,
        re.IGNORECASE,
    )
    after = re.search(
        rf"\b{name}, {_WHOSE} (?P<what>(?:[a-z'’-]+ ?){{1,3}})(?=[,.;:]| who| in\b| of\b)", text
    )
    phrase = ""
    for match in (before, after):
        what = match["what"].strip() if match else ""
        if match and (is_person_noun(what.split()[-1], beside_name=True) or match is after):
            phrase = f"{_retell_owner(match['whose'], one, people, text, match.start())} {retell_words(what)}"
            break
    if clause := re.search(rf"\b{name},? (?P<who>who [^,.;:!?]+)", text):
        words = clause["who"].split(" and ")[0].split()[:MOST_WORDS]
        return f"{phrase}, {retell_words(' '.join(words))}" if phrase else retell_words(" ".join(words))
    if not phrase and (placed := re.search(rf"\b{name}{_PLACED.pattern}", text)):
        return retell_words(placed["where"])
    if not phrase and (does := re.search(rf"\b{name}{_DOES.pattern}", text)):
        words = re.split(r",? (?:and|but|when|because)\b|,", does["does"])[0].split()
        return retell_words(f"who {' '.join(words)}") if len(words) <= MOST_WORDS else ""
    return phrase


def _retell_owner(whose: str, one: NamedPerson, people: Sequence[NamedPerson], text: str, at: int) -> str:
    """Return whose somebody is: "his mother" is the mother of the man who was spoken of last."""
    plain = whose.casefold()
    if plain in ("my", "your", "our", "ur"):
        return "your"
    if plain in ("his", "her"):
        they = {"his": "he", "her": "she"}[plain]
        earlier = [other for other in people if other.name and other is not one and other.they == they]
        spoken_of = [other for other in earlier if 0 <= text.find(other.name) < at]
        return f"{spoken_of[-1].name}'s" if spoken_of else plain
    return "the"


def _find_fate(one: NamedPerson, people: Sequence[NamedPerson], text: str) -> str:
    for sentence in sentences(text.replace("\n", " ")):
        for clause in re.split(r"(?:,? and|,? but|;|:) ", sentence):
            if _DEAD.search(clause) and _is_subject(one, people, text, clause, _DEAD):
                return "dead"
            if _MISSING.search(clause) and _is_subject(one, people, text, clause, _MISSING):
                return "missing"
            if (lost := _LOST.search(clause)) and lost["noun"] == one.role:
                return "missing"
    return ""


def _is_subject(
    one: NamedPerson, people: Sequence[NamedPerson], text: str, clause: str, verb: re.Pattern[str]
) -> bool:
    """Return whether a clause says its verb of this person, by name, by role or by pronoun."""
    match = verb.search(clause)
    subject = clause[: match.start()] if match else ""
    if one.name:
        named = [other.name for other in people if other.name and other.name in subject]
        if named:
            return one.name == named[-1]
        pronoun = re.search(r"\b(he|she)\s*$", subject)
        at = text.find(clause)
        earlier = [other for other in people if other.name and 0 <= text.find(other.name) < at]
        same = [other for other in earlier if pronoun and other.they == pronoun[1]]
        return bool(same) and same[-1] is one
    return bool(re.search(rf"\b{re.escape(one.role)}\s*$", subject))
