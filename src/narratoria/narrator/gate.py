"""Checks a text against the ledger of the story, sentence by sentence, and says what contradicts it.

It reads words, not minds: what it refuses can be pointed at. Whatever the author or the composer wrote is not
asked about; a model's prose is, and is written again with the reasons, or not used.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.narrator import gate_patterns as words
from narratoria.narrator.content import find_excess
from narratoria.narrator.story_knowledge import NO_KNOWLEDGE, StoryKnowledge
from narratoria.skills.host import services

Kind: TypeAlias = Literal["dead", "absent", "item", "place", "constraint", "name", "player", "form"]
TRIES = 3
LONGEST = 4000  # characters of a scene
_SENTENCE = re.compile(  # “Dr. Voke” is one word to a reader
    r"(?<=[.!?…])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)[”\"’)]*\s+(?=[“\"‘A-Z])|\n+"
)
_CLAUSE = re.compile(r"[;—]|,\s+(?:and|but|then|while|as)\b")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"")
# the ends of sentences within speech, while a text is taken apart
_HIDE_STOPS = str.maketrans(".!?…", "\ue000\ue001\ue002\ue003")
_SHOW_STOPS = str.maketrans("\ue000\ue001\ue002\ue003", ".!?…")
_PROPER = re.compile(r"(?<![.!?…“\"‘—:]\s)(?<!^)(?<![“\"‘(])\b[A-Z][a-z]+(?:['’]s)?\b")
_OPENING_NAME = re.compile(r"^[“\"]?([A-Z][a-z]+)(?: ([A-Z][a-z]+))?(?= (?:" + words.SPEAKING + r")\b)")
_PAIR = re.compile(r"\b([A-Z][a-z]+) ([A-Z][a-z]+)\b")


@dataclass(frozen=True, slots=True)
class ContinuityProblem:
    """A sentence that cannot stand, and why."""

    kind: Kind
    sentence: str
    reason: str

    def __str__(self) -> str:
        return f"{self.reason}: “{self.sentence}”"


@dataclass(frozen=True, slots=True)
class ContinuityLedger:
    """The facts of a scene that prose must not contradict."""

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    place: str = ""
    places: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    known_text: str = ""  # every word the scene rests on: names, places, what was written and done
    action: str = ""  # what the player chose
    outcome: str = ""  # how the dice ended, where there were any
    knowledge: StoryKnowledge = NO_KNOWLEDGE  # what the story knows beyond the facts

    @classmethod
    def of(cls, facts: Mapping[str, Any], knowledge: StoryKnowledge = NO_KNOWLEDGE) -> ContinuityLedger:
        ledger = _mapping(facts.get("ledger"))
        return cls(
            present=_texts(ledger.get("present")),
            absent=_texts(ledger.get("absent")),
            dead=_texts(ledger.get("dead")),
            items=_texts(ledger.get("items")),
            place=str(ledger.get("place") or ""),
            places=_texts(ledger.get("places")),
            constraints=_texts(ledger.get("constraints")),
            # words that go beyond the limits are named there, and known by nobody
            known_text=" ".join(_all_texts({key: one for key, one in facts.items() if key != "limits"})),
            action=str(_mapping(facts.get("action")).get("text") or ""),
            outcome=str(_mapping(facts.get("roll")).get("outcome") or ""),
            knowledge=knowledge,
        )


def find_problems(text: str, ledger: ContinuityLedger) -> tuple[ContinuityProblem, ...]:
    """Return everything wrong with a text, in reading order."""
    problems = list(_form(text))
    known_words = frozenset(re.findall(r"[a-zà-ÿ'’]+", ledger.known_text.casefold()))
    for sentence in sentences(text):
        bare = _QUOTED.sub("“…”", sentence)  # what people say is theirs to be wrong about
        problems += _people(sentence, bare, ledger)
        problems += _player(sentence, bare, ledger)
        problems += _item(sentence, bare, ledger, known_words)
        problems += _place(sentence, bare, ledger)
        problems += _constraints(sentence, bare, ledger)
        problems += _names(sentence, bare, known_words)
    return tuple(problems)


def sentences(text: str) -> list[str]:
    """Split a text into sentences; speech stays whole, else its middle would be taken for narration."""
    masked_text = _QUOTED.sub(lambda match: match[0][:-2].translate(_HIDE_STOPS) + match[0][-2:], text)
    parts, start = [], 0
    for gap in _SENTENCE.finditer(masked_text):
        closing = len(gap[0]) - len(gap[0].lstrip('”"’)'))
        parts.append(masked_text[start : gap.start() + closing])
        start = gap.end()
    return [part.strip().translate(_SHOW_STOPS) for part in (*parts, masked_text[start:]) if part.strip()]


# people


def _people(sentence: str, bare: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    past, away = words.is_of_the_past, words.is_elsewhere
    for name in ledger.dead:
        if any(_is_done(act, past, ledger) for act in _acts(_name_forms(name, ledger), bare)):
            yield ContinuityProblem("dead", sentence, f"{name} is dead and does nothing more")
    for name in ledger.absent:
        if any(_is_done(act, away, ledger) for act in _acts(_name_forms(name, ledger), bare)):
            yield ContinuityProblem("absent", sentence, f"{name} is not here")
    for part, names in _shared_name_parts(ledger).items():
        acts = _acts([part], bare)
        if any(_is_done(act, past, ledger) and _is_done(act, away, ledger) for act in acts):
            kind: Kind = "dead" if any(name in ledger.dead for name in names) else "absent"
            yield ContinuityProblem(kind, sentence, f"{' and '.join(names)} are dead or not here")


def _is_done(act: _Act, is_excused: Callable[[str, str, str], bool], ledger: ContinuityLedger) -> bool:
    """Return whether somebody does this here and now, and is not only thought of or spoken of."""
    frame, colon, rest = act.before.rpartition(":")  # “it comes back to you: …”
    before = frame + colon + _CLAUSE.split(rest)[-1]  # what else was said before says nothing about this
    if is_excused(before, act.word.casefold(), act.after):
        return False
    elsewhere = "|".join(re.escape(_bare_name(place)) for place in ledger.places if place != ledger.place)
    if act.word.casefold() != "is" or not elsewhere:
        return True
    return not re.search(rf"\b(?:at|in|on)\s+(?:the\s+)?(?:{elsewhere})\b", act.after, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Act:
    """An act, with the sentence around it."""

    before: str
    word: str
    after: str


def _acts(names: Sequence[str], bare: str) -> Iterator[_Act]:
    """Yield what somebody of these names says or does in a sentence, outside quotes."""
    for name in names:
        who = re.escape(name)
        for speech_match in re.finditer(rf"{words.NOT_ASKED}\b({words.SPEAKING})\s+{who}\b(?!['’]s)", bare):
            yield _Act(bare[: speech_match.start()], speech_match[1], bare[speech_match.end() :])
        for act_match in re.finditer(
            rf"(?<!of )(?<!to )(?<!for )(?<!about )\b{who}\b(?!['’])(?:,[^,]{{1,40}},)?\s+(?:\w+ly\s+)?(\w+)",
            bare,
        ):
            if words.is_act_verb(act_match[1]):
                yield _Act(bare[: act_match.start(1)], act_match[1], bare[act_match.end() :])


def _name_forms(name: str, ledger: ContinuityLedger) -> list[str]:
    """Return the whole name, and its parts where nobody else has them."""
    others = " ".join(other for other in (*ledger.present, *ledger.absent, *ledger.dead) if other != name)
    return [name, *(part for part in _parts(name) if part not in others.split())]


def _shared_name_parts(ledger: ContinuityLedger) -> dict[str, list[str]]:
    """Return the parts of names that several absent or dead people share, and nobody present has."""
    here = {part for name in ledger.present for part in _parts(name)}
    names_by_part: dict[str, list[str]] = {}
    for name in (*ledger.dead, *ledger.absent):
        for part in _parts(name):
            if part not in here:
                names_by_part.setdefault(part, []).append(name)
    return {part: names for part, names in names_by_part.items() if len(names) > 1}


def _parts(name: str) -> list[str]:
    return [part for part in name.split() if len(part) > 2 and part.casefold().strip(".") not in words.TITLES]


# the player


def _player(sentence: str, bare: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    if "“…”" in bare and words.YOU_SPEAK.search(bare) and not _is_quoted_from(sentence, ledger.action):
        yield ContinuityProblem("player", sentence, "the player's words are the player's own")
    if (match := words.YOU_DECIDE.search(bare)) and not _same_verb(match[1], ledger.action):
        yield ContinuityProblem("player", sentence, f"whether you {match[1]} is for the player to say")
    if words.NARRATOR_I.search(bare):
        yield ContinuityProblem("form", sentence, "the story is told to “you”, and nobody in it is “I”")


def _is_quoted_from(sentence: str, action: str) -> bool:
    quotes = [quote.strip('“”"., ').casefold() for quote in _QUOTED.findall(sentence)]
    return bool(action) and all(quote in action.casefold() for quote in quotes)


def _same_verb(verb: str, action: str) -> bool:
    stem = verb.split(maxsplit=1)[0].casefold()[:5]
    return any(word.casefold().startswith(stem) for word in re.findall(r"\w+", action))


# things


def _item(
    sentence: str, bare: str, ledger: ContinuityLedger, known_words: frozenset[str]
) -> Iterator[ContinuityProblem]:
    for match in words.YOU_USE.finditer(bare):
        thing = (match["thing"] or match["thing2"]).casefold()
        if thing in words.NOT_A_THING or thing.rstrip("s") in known_words or thing in known_words:
            continue
        if any(thing in item.casefold() for item in ledger.items):
            continue
        yield ContinuityProblem("item", sentence, f"you have no {thing}")


# places


def _place(sentence: str, bare: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    here = _bare_name(ledger.place)
    for place in ledger.places:
        name = _bare_name(place)
        if not name or name == here or name in here:
            continue
        pattern = rf"\b[Yy]ou (?:\w+ly )?(?:{words.BEING_SOMEWHERE})\s+(?:the\s+)?{re.escape(name)}\b"
        if re.search(pattern, bare, re.IGNORECASE):
            yield ContinuityProblem(
                "place", sentence, f"this happens at {ledger.place or 'another place'}, not at {place}"
            )


def _bare_name(place: str) -> str:
    return re.sub(r"^(?:the|a|an)\s+", "", place, flags=re.IGNORECASE)


# constraints


def _constraints(sentence: str, bare: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    for constraint in ledger.constraints:
        forbidden = words.forbidden_by(constraint)
        matches = forbidden.finditer(bare) if forbidden else ()
        if any(not _is_denied(bare, match) for match in matches):
            yield ContinuityProblem("constraint", sentence, f"it must hold that: {constraint.rstrip('.')}")


def _is_denied(bare: str, match: re.Match[str]) -> bool:
    """Return whether it is said not to be so: before it, right after it, or in a “but” at the end."""
    if match.end() == match.start():  # words that only together are forbidden, wherever each of them stands
        return bool(words.DENIED.search(bare))
    before, after = _CLAUSE.split(bare[: match.start()])[-1], bare[match.end() :]
    return bool(words.DENIED.search(before) or words.DENIED_AFTER.match(after))


# names


def _names(sentence: str, bare: str, known_words: frozenset[str]) -> Iterator[ContinuityProblem]:
    """Yield a problem for each proper name that nothing in the story mentions."""
    unknown_names: list[str] = []
    for match in _PROPER.finditer(bare):
        name = re.sub(r"['’]s$", "", match[0])
        if not _is_known(name, known_words) and name.casefold() not in words.CAPITALISED:
            unknown_names.append(name)
    if (opening := _OPENING_NAME.match(bare)) and opening[1].casefold() not in words.OPENERS:
        unknown_names += [name for name in opening.groups() if name and not _is_known(name, known_words)]
    if (pair := _PAIR.match(bare)) and pair[1].casefold() not in words.OPENERS:
        unknown_names += [name for name in pair.groups() if not _is_known(name, known_words)]
    for name in dict.fromkeys(unknown_names):
        yield ContinuityProblem("name", sentence, f"nobody and nothing here is called {name}")


def _is_known(name: str, known_words: frozenset[str]) -> bool:
    lowered = name.casefold()
    return lowered in known_words or f"{lowered}s" in known_words or lowered.removesuffix("s") in known_words


# form


def _form(text: str) -> Iterator[ContinuityProblem]:
    if not text.strip():
        yield ContinuityProblem("form", "", "there is no text")
    if len(text) > LONGEST:
        yield ContinuityProblem("form", text[:60] + "…", f"a scene has at most {LONGEST} characters")
    for match in words.NOT_PROSE.finditer(text):
        yield ContinuityProblem("form", match[0].strip(), "this is not part of a story")


# asking again


@dataclass(frozen=True, slots=True)
class CheckedText:
    """The first text without a problem, if any, and what was wrong with the ones before."""

    text: str
    refusals: tuple[tuple[ContinuityProblem, ...], ...] = ()

    @property
    def ok(self) -> bool:
        return bool(self.text)


async def write_checked(
    write: Callable[[tuple[ContinuityProblem, ...]], Awaitable[str]],
    ledger: ContinuityLedger,
    *,
    tries: int = TRIES,
) -> CheckedText:
    """Ask for a text up to `tries` times, each time with what was wrong with the last one."""
    refusals: list[tuple[ContinuityProblem, ...]] = []
    for _ in range(tries):
        text = await write(refusals[-1] if refusals else ())
        problems = find_problems(text, ledger)
        if not problems:
            return CheckedText(text, tuple(refusals))
        refusals.append(problems)
    return CheckedText("", tuple(refusals))


class StoryGate:
    """Implements `services.Gate`: a skill's text is checked against the facts it was given."""

    async def check(
        self, caller: services.Caller, paragraphs: Sequence[str], facts: Mapping[str, Any]
    ) -> Sequence[services.NarrationProblem]:
        ledger, limits = ContinuityLedger.of(facts), _limits(facts)
        return [
            services.NarrationProblem(paragraph=at, message=message)
            for at, paragraph in enumerate(paragraphs)
            for message in _find_messages(paragraph, ledger, limits)
        ]


def _find_messages(text: str, ledger: ContinuityLedger, limits: ContentLimits) -> Iterator[str]:
    yield from map(str, find_problems(text, ledger))
    if kind := find_excess(text, limits):
        yield f"it goes beyond the content limit of {kind}"


def _limits(facts: Mapping[str, Any]) -> ContentLimits:
    try:
        return msgspec.convert(facts.get("limits") or {}, ContentLimits)
    except msgspec.ValidationError:
        return NO_LIMITS


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def _all_texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield every text in the facts, drafts among them: the words the scene rests on."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth < 8:
        for key, item in value.items():
            yield str(key)
            yield from _all_texts(item, depth + 1)
    elif isinstance(value, list | tuple) and depth < 8:
        for item in value:
            yield from _all_texts(item, depth + 1)
