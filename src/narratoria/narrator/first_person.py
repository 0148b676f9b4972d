"""What an author noted about somebody, as they would say it: “has left her post” as “I have left my post”."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from narratoria.narrator.voices import as_wish, capital, listed, predicate

Pronoun: TypeAlias = Literal["he", "she", "it", "they"]
_WORDS: Mapping[Pronoun, str] = {
    "he": r"he|him|his|himself",
    "she": r"she|her|hers|herself",
    "it": r"its|itself",
    "they": r"they|them|their|theirs|themselves",
}
# what nobody says aloud of themselves, because saying it would undo it
_UNSAID = re.compile(
    r"\b(?:never said|not said|without saying|pretend\w*|secret\w*|hid(?:e|es|den|ing)|lies|admit\w*|"
    r"leave things out|no idea|thinks? that|does not know|is not aware)\b"
)
_HANGING = re.compile(r"\b(?:for|to|with|of|at|from|by)\s*[,;]")  # that the other's name would have to follow
_IRREGULAR = {"has": "have", "is": "am", "does": "do", "goes": "go"}
_VERB = re.compile(r"(?:has|is|does|goes|[a-z]{2,}s)$")
_NO_VERB = listed(
    "this thus always perhaps plus less unless across towards besides as its his hers ours theirs yours "
    "was us yes bus gas news series species"
)
# after a verb and not after a plural: “and runs from her”, but “pots and pans”
_GOES_ON = listed(
    "a an the her him his it its my me them their this that what whatever from to for with at in on by "
    "into over after before never always no nothing not so errands whoever everything"
)
_AFTER_OBJECT = listed(
    "and or but at in on by to for from with if when while until as again once entirely first there here "
    "home back away so than before after about of into out off up down too"
)


def pronoun_of(person: Mapping[str, Any]) -> Pronoun:
    """What the author calls somebody after the name, by the notes about them; what they want tells least."""
    for parts in (("appearance", "habits", "virtues", "flaws"), ("motivations",)):
        notes = (person.get(part) or () for part in parts)
        text = " ".join(
            note if isinstance(note, str) else " ".join(map(str, note)) for note in notes
        ).casefold()
        count = {who: len(re.findall(rf"\b(?:{words})\b", text)) for who, words in _WORDS.items()}
        best: Pronoun = max(count, key=lambda who: count[who])
        if count[best]:
            return best
    return "they"


def meant_by(who: Pronoun, note: str, other: Pronoun | None) -> Pronoun:
    """Which pronoun of a note about another is the speaker's own; “it” where that cannot be told.

    Two of whom the author says “her” cannot be told apart: it is the other who is meant.
    """
    if other is None:  # who is not there: the note itself may tell
        told = {one for one, words in _WORDS.items() if re.search(rf"\b(?:{words})\b", note.casefold())}
        return who if told - {who, "it"} else "it"
    return "it" if other == who else who


def as_own_wish(motive: str, who: Pronoun) -> str:
    """A motive as what somebody could say after “I want to”; empty where it begins with no plain verb."""
    wish = motive.strip().rstrip(".") if motive.startswith("Be ") else as_wish(motive)
    wish = wish[:1].lower() + wish[1:]
    return in_first_person(wish, who) if wish else ""


def as_own_deed(note: str, who: Pronoun) -> str:
    """A virtue, or what somebody has to do with another, as a sentence of theirs; empty where it is none."""
    if not predicate(note, "X") or _UNSAID.search(note) or _HANGING.search(note):
        return ""
    text = note.strip().rstrip(".")
    text = text[:1].lower() + text[1:]
    verb, _, rest = text.partition(" ")
    adverb = f"{verb} " if verb in ("never", "always", "still") else ""
    if adverb:
        verb, _, rest = rest.partition(" ")
    told = f"I {adverb}{_agreeing(verb)} {in_first_person(_going_on(rest), who)}"
    return f"{capital(told.strip())}."


def in_first_person(text: str, who: Pronoun) -> str:
    """The words with which a note means the person themselves, as that person's own."""
    if who == "it":
        text = re.sub(r"\bits\b", "my", text)
        return re.sub(r"\bitself\b", "myself", text)
    subject = who
    text = re.sub(rf"\b{subject} (\w+)", lambda found: f"I {_agreeing(found[1])}", text)
    text = re.sub(r"\b(?:himself|herself|themselves)\b", "myself", text)
    possessive, thing = {"he": ("his", "him"), "she": ("her", "her"), "they": ("their", "them")}[who]
    text = re.sub(rf"\b{possessive}\b(?= is\b)" if who == "he" else r"\b(?:hers|theirs)\b", "mine", text)
    if possessive == thing:
        text = re.sub(r"\bher\b(?=$|[^\w\s]| (?:" + "|".join(_AFTER_OBJECT) + r")\b)", "me", text)
    else:
        text = re.sub(rf"\b{thing}\b", "me", text)
    return re.sub(rf"\b{possessive}\b", "my", text)


def _going_on(rest: str) -> str:
    """The verbs after “and”, which belong to the same person."""

    def bent(found: re.Match[str]) -> str:
        verb, after = found[2], found[3]
        is_verb = verb in _IRREGULAR or (_VERB.match(verb) and after in _GOES_ON and verb not in _NO_VERB)
        return f"{found[1]}{_agreeing(verb)} {after}" if is_verb else found[0]

    return re.sub(r"(\b(?:and|but|or) )(\w+) (\w+)", bent, rest)


def _agreeing(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _NO_VERB or not _VERB.match(verb) or verb.endswith("ss"):
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(?:ss|sh|ch|x|zz|o)es$", verb) else verb[:-1]
