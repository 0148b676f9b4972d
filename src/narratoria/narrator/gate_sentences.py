"""Checks one sentence after the other against the ledger: people, the player, things, places, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from narratoria.narrator import gate_patterns as words
from narratoria.narrator.gate_ledger import ContinuityLedger
from narratoria.narrator.gate_problem import ContinuityProblem, Kind

_SENTENCE = re.compile(  # “Dr. Voke” is one word to a reader
    r"(?<=[.!?…])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)[”\"’)]*\s+(?=[“\"‘A-Z])|\n+"
)
_CLAUSE = re.compile(r"[;—]|,\s+(?:and|but|then|while|as)\b")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|\*[^*\n]+\*")  # what is said, or stands written in the story
# the ends of sentences within speech, while a text is taken apart
_HIDE_STOPS = str.maketrans(".!?…", "\ue000\ue001\ue002\ue003")
_SHOW_STOPS = str.maketrans("\ue000\ue001\ue002\ue003", ".!?…")
# a capital that no beginning explains: of a sentence, of speech, of a quotation or of a title within one
_PROPER = re.compile(r"(?<![.!?…“”\"‘’—:*;]\s)(?<!^)(?<![“\"‘(*_—-])\b[A-Z][a-z]{2,}(?:['’]s)?\b(?![*_-])")
_NAMED_PAIR = re.compile(r"(?<![A-Za-z-])([A-Z][a-z]{2,}) ([A-Z][a-z]{2,})\b(?!\*)")
_TITLE = r"(?:(?:[A-Z][a-z]+\.|Madame|Sister|Brother|Dame|Captain|Lady|Lord|Old|Mother|Father|Miss) )?"
MOST_SAID, MOST_TOLD = 2, 4  # words that the player may be given: by themselves, and in telling something
_OPENING_NAME = re.compile(r"^[“\"]?([A-Z][a-z]+)(?: ([A-Z][a-z]+))?(?= (?:" + words.SPEAKING + r")\b)")


def find_sentence_problems(
    sentence: str, ledger: ContinuityLedger, known_words: frozenset[str], named_words: frozenset[str]
) -> Iterator[ContinuityProblem]:
    """Yield everything wrong with one sentence; what people say in it is theirs to be wrong about."""
    bare = _QUOTED.sub("“…”", sentence)
    yield from _people(sentence, bare, ledger)
    yield from _player(sentence, bare, ledger)
    yield from _item(sentence, bare, ledger, known_words)
    yield from _place(sentence, bare, ledger)
    yield from _constraints(sentence, bare, ledger)
    yield from _names(sentence, named_words)


def without_speech(text: str) -> str:
    """Return a text with the speech in it left out."""
    return _QUOTED.sub("“…”", text)


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
        for speech_match in re.finditer(
            rf"{words.NOT_ASKED}\b({words.SPEAKING})\s+{_TITLE}{who}\b(?!['’]s)", bare
        ):
            yield _Act(bare[: speech_match.start()], speech_match[1], bare[speech_match.end() :])
        for act_match in re.finditer(
            rf"(?<!of )(?<!to )(?<!for )(?<!about )\b{who}\b(?!['’])(?:,[^,]{{1,40}},)?\s+(?:\w+ly\s+)?(\w+)",
            bare,
        ):
            is_there = re.match(words.COME_IN, bare[act_match.start(1) :]) is not None
            if is_there or words.is_act_verb(act_match[1]):
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
    if "“…”" in bare and words.YOU_SPEAK.search(bare) and not _may_be_said(sentence, ledger.action):
        yield ContinuityProblem("player", sentence, "the player's words are the player's own")
    elif (match := words.YOU_COMMIT.search(bare)) and not _tells(ledger.action):
        yield ContinuityProblem("player", sentence, f"whether “{match[0]}” is so is for the player to say")
    if (match := words.YOU_DECIDE.search(bare)) and not _same_verb(match[1], ledger.action):
        yield ContinuityProblem("player", sentence, f"whether you {match[1]} is for the player to say")
    if words.NARRATOR_I.search(bare):
        yield ContinuityProblem("form", sentence, "the story is told to “you”, and nobody in it is “I”")


def _may_be_said(sentence: str, action: str) -> bool:
    """Return whether the player has typed it, has typed what to say, or says next to nothing."""
    quotes = [quote.strip('“”"., ').casefold() for quote in _QUOTED.findall(sentence)]
    if action and all(quote in action.casefold() for quote in quotes):
        return True
    spoken = re.findall(r"[\w'’]+", " ".join(quotes))
    is_binding = bool(words.BINDING & set(spoken)) or any(quote.endswith("?") for quote in quotes)
    if len(spoken) <= MOST_SAID and not is_binding:
        return True
    if is_binding:
        return False
    return _tells(action) and (len(spoken) <= MOST_TOLD or _shares_a_word(spoken, action))


def _tells(action: str) -> bool:
    """Return whether an action is to say something whose words are left to the narrator."""
    return bool(words.TELLING & set(re.findall(r"[a-z]+", action.casefold())))


def _shares_a_word(spoken: Sequence[str], action: str) -> bool:
    return any(len(word) > 3 and word[:5] in action.casefold() for word in spoken)


def _same_verb(verb: str, action: str) -> bool:
    stem = verb.split(maxsplit=1)[0].casefold()[:5]
    return any(word.casefold().startswith(stem) for word in re.findall(r"\w+", action))


# things


def _item(
    sentence: str, bare: str, ledger: ContinuityLedger, known_words: frozenset[str]
) -> Iterator[ContinuityProblem]:
    for match in words.YOU_USE.finditer(bare):
        thing = (match["thing"] or match["thing2"] or match["thing3"]).casefold()
        if thing in words.NOT_A_THING or thing.rstrip("s") in known_words or thing in known_words:
            continue
        if any(thing in item.casefold() for item in ledger.items):
            continue
        yield ContinuityProblem("item", sentence, f"you have no {thing}")
        return
    for match in words.YOUR_THING.finditer(bare):
        thing = match["thing"].casefold()
        if not _is_known(thing, known_words) and not any(thing in item.casefold() for item in ledger.items):
            yield ContinuityProblem("item", sentence, f"you have no {thing}")


# places


def _place(sentence: str, bare: str, ledger: ContinuityLedger) -> Iterator[ContinuityProblem]:
    here = _bare_name(ledger.place).casefold()
    for place in ledger.places:
        name = _bare_name(place).casefold()
        if not name or name == here or name in here or name in ledger.action.casefold():
            continue
        if words.is_at_place(bare, name):
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


def _names(sentence: str, named_words: frozenset[str]) -> Iterator[ContinuityProblem]:
    """Yield a problem for each proper name that nothing in the story mentions, in speech as well."""
    for name in dict.fromkeys(_list_names(sentence)):
        if not _is_known(name, named_words) and not words.is_no_invented_name(name):
            yield ContinuityProblem("name", sentence, f"nobody and nothing here is called {name}")


def _list_names(sentence: str) -> Iterator[str]:
    """Yield the words that are names by their capital: within a sentence, in pairs, and before a verb."""
    spans = [(quote.start(), quote.end()) for quote in _QUOTED.finditer(sentence)]
    for match in _PROPER.finditer(sentence):
        is_spoken = any(start < match.start() < end for start, end in spans)
        if is_spoken and words.PLACE_BEFORE.search(sentence[: match.start()]):
            continue  # somebody has been in a town, or knows somebody there
        yield re.sub(r"['’]s$", "", match[0])
    for match in _NAMED_PAIR.finditer(sentence):
        if match[1].casefold() not in words.OPENERS:
            yield from match.groups()
    if (opening := _OPENING_NAME.match(sentence)) and opening[1].casefold() not in words.OPENERS:
        yield from filter(None, opening.groups())


def _is_known(name: str, known_words: frozenset[str]) -> bool:
    lowered = name.casefold()
    return lowered in known_words or f"{lowered}s" in known_words or lowered.removesuffix("s") in known_words
