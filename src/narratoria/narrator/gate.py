"""The continuity gate: what in a text contradicts the ledger of the story, sentence by sentence, and why.

It reads words, not minds: what it refuses can be pointed at. Whatever the author or the composer wrote is not
asked about; a model's prose is, and is written again with the reasons, or not used.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from narratoria.narrator import gate_words as words
from narratoria.skills import host

Kind: TypeAlias = Literal["dead", "absent", "item", "place", "constraint", "name", "player", "form"]
TRIES = 3
LONGEST = 4000  # characters of a scene
_SENTENCE = re.compile(r"(?<=[.!?…])[”\"’)]*\s+(?=[“\"‘A-Z])|\n+")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"")
_PROPER = re.compile(r"(?<![.!?…“\"‘—:]\s)(?<!^)(?<![“\"‘(])\b[A-Z][a-z]+(?:['’]s)?\b")
_OPENING_NAME = re.compile(r"^[“\"]?([A-Z][a-z]+)(?: ([A-Z][a-z]+))?(?= (?:" + words.SPEAKING + r")\b)")
_PAIR = re.compile(r"\b([A-Z][a-z]+) ([A-Z][a-z]+)\b")


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence that cannot stand, and why."""

    kind: Kind
    sentence: str
    reason: str

    def __str__(self) -> str:
        return f"{self.reason}: “{self.sentence}”"


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is so in this scene."""

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    place: str = ""
    places: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    known: str = ""  # every word the scene rests on: names, places, what was written and done
    action: str = ""  # what the player chose

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Ledger:
        told = _mapping(facts.get("ledger"))
        return cls(
            present=_texts(told.get("present")),
            absent=_texts(told.get("absent")),
            dead=_texts(told.get("dead")),
            items=_texts(told.get("items")),
            place=str(told.get("place") or ""),
            places=_texts(told.get("places")),
            constraints=_texts(told.get("constraints")),
            known=" ".join(_all_texts(facts)),
            action=str(_mapping(facts.get("action")).get("text") or ""),
        )


def findings(text: str, ledger: Ledger) -> tuple[Finding, ...]:
    """Everything wrong with a text, in the order in which it is read."""
    found = list(_form(text))
    known = frozenset(re.findall(r"[a-zà-ÿ'’]+", ledger.known.casefold()))
    for sentence in sentences(text):
        bare = _QUOTED.sub("“…”", sentence)  # what people say is theirs to be wrong about
        found += _people(sentence, bare, ledger)
        found += _player(sentence, bare, ledger)
        found += _item(sentence, bare, ledger, known)
        found += _place(sentence, bare, ledger)
        found += _constraints(sentence, bare, ledger)
        found += _names(sentence, bare, known)
    return tuple(found)


def sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


# people


def _people(sentence: str, bare: str, ledger: Ledger) -> Iterator[Finding]:
    for name in ledger.dead:
        if _acts(name, bare, ledger) and not words.OF_THE_PAST.search(bare):
            yield Finding("dead", sentence, f"{name} is dead and does nothing more")
    for name in ledger.absent:
        if _acts(name, bare, ledger) and not words.ELSEWHERE.search(bare):
            yield Finding("absent", sentence, f"{name} is not here")


def _acts(name: str, bare: str, ledger: Ledger) -> bool:
    """Whether somebody of this name speaks or does something in a sentence, outside of what is quoted."""
    for called in _called(name, ledger):
        who = re.escape(called)
        if re.search(rf"\b(?:{words.SPEAKING})\s+{who}\b(?!['’]s)", bare):
            return True
        for after in re.finditer(
            rf"(?<!of )(?<!to )(?<!for )(?<!about )\b{who}\b(?!['’])(?:,[^,]{{1,40}},)?\s+(?:\w+ly\s+)?(\w+)",
            bare,
        ):
            if words.is_deed(after[1]):
                return True
    return False


def _called(name: str, ledger: Ledger) -> list[str]:
    """The whole name, and its parts where nobody else has them."""
    others = " ".join(other for other in (*ledger.present, *ledger.absent, *ledger.dead) if other != name)
    parts = [part for part in name.split() if part.casefold().strip(".") not in words.TITLES]
    return [name, *(part for part in parts if part not in others.split() and len(part) > 2)]


# the player


def _player(sentence: str, bare: str, ledger: Ledger) -> Iterator[Finding]:
    if "“…”" in bare and words.YOU_SPEAK.search(bare) and not _is_quoted_from(sentence, ledger.action):
        yield Finding("player", sentence, "the player's words are the player's own")
    if (found := words.YOU_DECIDE.search(bare)) and not _same_verb(found[1], ledger.action):
        yield Finding("player", sentence, f"whether you {found[1]} is for the player to say")
    if words.NARRATOR_I.search(bare):
        yield Finding("form", sentence, "the story is told to “you”, and nobody in it is “I”")


def _is_quoted_from(sentence: str, action: str) -> bool:
    quotes = [quote.strip('“”"., ').casefold() for quote in _QUOTED.findall(sentence)]
    return bool(action) and all(quote in action.casefold() for quote in quotes)


def _same_verb(verb: str, action: str) -> bool:
    stem = verb.split(maxsplit=1)[0].casefold()[:5]
    return any(word.casefold().startswith(stem) for word in re.findall(r"\w+", action))


# things


def _item(sentence: str, bare: str, ledger: Ledger, known: frozenset[str]) -> Iterator[Finding]:
    for found in words.YOU_USE.finditer(bare):
        thing = (found["thing"] or found["thing2"]).casefold()
        if thing in words.NOT_A_THING or thing.rstrip("s") in known or thing in known:
            continue
        if any(thing in item.casefold() for item in ledger.items):
            continue
        yield Finding("item", sentence, f"you have no {thing}")


# places


def _place(sentence: str, bare: str, ledger: Ledger) -> Iterator[Finding]:
    here = _bare_name(ledger.place)
    for place in ledger.places:
        name = _bare_name(place)
        if not name or name == here or name in here:
            continue
        pattern = rf"\b[Yy]ou (?:\w+ly )?(?:{words.BEING_SOMEWHERE})\s+(?:the\s+)?{re.escape(name)}\b"
        if re.search(pattern, bare, re.IGNORECASE):
            yield Finding(
                "place", sentence, f"this happens at {ledger.place or 'another place'}, not at {place}"
            )


def _bare_name(place: str) -> str:
    return re.sub(r"^(?:the|a|an)\s+", "", place, flags=re.IGNORECASE)


# constraints


def _constraints(sentence: str, bare: str, ledger: Ledger) -> Iterator[Finding]:
    for constraint in ledger.constraints:
        forbidden = words.forbidden_by(constraint)
        if forbidden is not None and forbidden.search(bare) and not words.DENIED.search(bare):
            yield Finding("constraint", sentence, f"it must hold that: {constraint.rstrip('.')}")


# names


def _names(sentence: str, bare: str, known: frozenset[str]) -> Iterator[Finding]:
    """Proper names that nothing in the story mentions."""
    strange: list[str] = []
    for found in _PROPER.finditer(bare):
        name = re.sub(r"['’]s$", "", found[0])
        if not _is_known(name, known) and name.casefold() not in words.CAPITALISED:
            strange.append(name)
    if (opening := _OPENING_NAME.match(bare)) and opening[1].casefold() not in words.OPENERS:
        strange += [name for name in opening.groups() if name and not _is_known(name, known)]
    if (pair := _PAIR.match(bare)) and pair[1].casefold() not in words.OPENERS:
        strange += [name for name in pair.groups() if not _is_known(name, known)]
    for name in dict.fromkeys(strange):
        yield Finding("name", sentence, f"nobody and nothing here is called {name}")


def _is_known(name: str, known: frozenset[str]) -> bool:
    lowered = name.casefold()
    return lowered in known or f"{lowered}s" in known or lowered.removesuffix("s") in known


# form


def _form(text: str) -> Iterator[Finding]:
    if not text.strip():
        yield Finding("form", "", "there is no text")
    if len(text) > LONGEST:
        yield Finding("form", text[:60] + "…", f"a scene has at most {LONGEST} characters")
    for found in words.NOT_PROSE.finditer(text):
        yield Finding("form", found[0].strip(), "this is not part of a story")


# asking again


@dataclass(frozen=True, slots=True)
class Guarded:
    """The first text that stood, if any, and what was wrong with the ones before."""

    text: str
    refused: tuple[tuple[Finding, ...], ...] = ()

    @property
    def ok(self) -> bool:
        return bool(self.text)


async def guarded(
    write: Callable[[tuple[Finding, ...]], Awaitable[str]], ledger: Ledger, *, tries: int = TRIES
) -> Guarded:
    """Asks for a text, each time with what was wrong with the last one; after the last try there is none."""
    refused: list[tuple[Finding, ...]] = []
    for _ in range(tries):
        text = await write(refused[-1] if refused else ())
        wrong = findings(text, ledger)
        if not wrong:
            return Guarded(text, tuple(refused))
        refused.append(wrong)
    return Guarded("", tuple(refused))


class StoryGate:
    """Implements `host.Gate`: the facts that a skill was given are what its text is checked against."""

    async def check(
        self, caller: host.Caller, paragraphs: Sequence[str], facts: Mapping[str, Any]
    ) -> Sequence[host.Finding]:
        ledger = Ledger.of(facts)
        return [
            host.Finding(paragraph=at, message=str(finding))
            for at, paragraph in enumerate(paragraphs)
            for finding in findings(paragraph, ledger)
        ]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def _all_texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text in the facts, drafts among them: what the scene rests on."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth < 8:
        for key, item in value.items():
            yield str(key)
            yield from _all_texts(item, depth + 1)
    elif isinstance(value, list | tuple) and depth < 8:
        for item in value:
            yield from _all_texts(item, depth + 1)
