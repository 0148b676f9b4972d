"""Reads a sentence as clauses, and tells for each whether the speaker is its subject: “I cook and he eats”."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from narratoria.narrator.word_lists import WORDS

Subject: TypeAlias = Literal["own", "other"]

_VERBS = WORDS.first_person.certain_verbs
_IRREGULAR = WORDS.first_person.irregular_stems
_NO_VERB = WORDS.first_person.not_verbs
_AFTER_VERB = WORDS.first_person.after_verb | {"myself", "himself", "herself", "themselves", "us", "you"}
_AFTER_EITHER = WORDS.first_person.after_verb_or_plural
_PARTICLES = frozenset(("up", "out", "away", "off", "down", "back"))
_HELPING = frozenset(
    (
        *("am", "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "can", "cannot"),
        *("will", "would", "could", "may", "might", "must", "should", "shall", "ought", "used"),
    )
)
_PAST = frozenset(WORDS.grammar.past_forms.values()) | WORDS.first_person.participles
_ADVERB = (
    r"(?!(?:daily|early|elderly|family|friendly|holy|lonely|lovely|only|silly|ugly|weekly|july|belly|bully)\b)"
    r"(?:never|always|still|then|also|even|now|often|so|once|just|ever|yet|thus|therefore|already|almost|"
    r"sometimes|seldom|soon|perhaps|no longer|no more|in turn|at last|at once|of course|twice|\w+ly)\b,? "
)
_LEAD = re.compile(rf"(?:{_ADVERB})*", re.IGNORECASE)
_OTHERS = frozenset(
    (
        *("he", "she", "it", "they", "we", "you", "there", "one", "nobody", "somebody", "everybody"),
        *("everyone", "someone", "anybody", "anyone", "everything", "nothing", "this", "these", "those"),
        *("neither", "none", "both", "each"),
    )
)
_DETERMINERS = frozenset(("one", "this", "these", "those", "neither", "none", "both", "each"))
# where one is and when something is done, before whoever does it: “Since the spring she carries”
_FRONTED = frozenset(
    (
        *("after", "as", "at", "before", "by", "during", "each", "every", "for", "from", "in", "last", "of"),
        *("on", "one", "since", "till", "until", "with", "under", "over", "two", "three", "four", "nine"),
        *("seven", "whatever", "having", "six", "five", "next", "about", "instead", "unlike", "to", "into"),
        *("through", "across", "between", "among", "against", "without", "within", "near", "behind", "along"),
        *("beside", "around", "off", "down", "up", "but", "most", "mostly", "above", "below", "beyond"),
    )
)
_TIMES = frozenset(("days", "hours", "minutes", "months", "nights", "times", "weeks", "winters", "years"))
_RELATIVE = "who|whom|whose|whoever|which|that|what|whatever"
_CLEAR = f"{_RELATIVE}|when|whenever|where|wherever|while|because|if|unless|though|although|how|why|whether"
_UNCLEAR = "as|since|until|till|than|before|after|for|like|except"  # as often before a thing
_BOUNDARY = re.compile(
    r"(?P<strong>[;:] |(?<=[^\w\s])?[.!?…]”? | ?[—–] ?)|"
    r"(?P<comma>,)? (?P<conjunction>and|but|or|nor|yet)\b(?= )|"
    rf"(?P<before>,)? (?P<clear>{_CLEAR})\b(?= )|"
    rf"(?P<before_unclear>,)? (?P<unclear>{_UNCLEAR})\b(?= )|"
    r"(?P<list>,)(?= )"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a sentence with one subject; `verb` is where the verb is that has none of its own."""

    start: int
    end: int
    subject: Subject
    is_shared: bool  # its verb has the subject of an earlier one: “and eats”
    is_inner: bool  # it depends on another clause: “when she eats”
    verb: tuple[int, int] | None
    is_doubtful: bool = False  # an inner clause of somebody else's stands between: “who taught her, and let”


@dataclass(slots=True)
class _State:
    main: Subject
    inner: Subject | None = None
    is_inner_set_off: bool = False


def read_clauses(text: str, own: str, *, is_note: bool = False) -> Iterator[Clause]:
    """Yield the clauses of a sentence in which the speaker is `own`, “I” or “she”.

    A note begins with the verb of what its owner does, and may have a plural where a sentence has none.
    """
    own = f"(?:{own})"
    state = _State("own" if is_note else "other")
    is_listing = is_note and bool(
        re.match(r"[\w'’]+(?:,| (?:and|but|or)\b)", text)
    )  # “reads, writes and sings”
    start, lead = 0, None
    for boundary in [*_boundaries(text), None]:
        end = boundary.start() if boundary else len(text)
        yield from _read(text, start, end, lead, own, state, is_note=is_note, is_loose=is_listing)
        if boundary:
            start, lead = boundary.end(), boundary


def _boundaries(text: str) -> list[re.Match[str]]:
    """Return where clauses may begin; “and since then” is one beginning, “and when” are two."""
    kept: list[re.Match[str]] = []
    for match in _BOUNDARY.finditer(text):
        follows_at_once = bool(kept) and kept[-1].end() == match.start() and not kept[-1]["strong"]
        if follows_at_once and match["unclear"]:
            continue
        kept.append(match)
    return kept


def _read(
    text: str,
    start: int,
    end: int,
    lead: re.Match[str] | None,
    own: str,
    state: _State,
    *,
    is_note: bool,
    is_loose: bool,
) -> Iterator[Clause]:
    found, verb = _subject(text, start, end, own, is_loose=is_loose, is_note=is_note, lead=lead)
    if lead is None:
        if is_note and found != "own":
            found, verb = "shared", _first_word(text, start, end)
        if found in ("own", "other"):
            state.main = "own" if found == "own" else "other"
        yield Clause(start, end, state.main, found == "shared", False, verb)
        return
    if lead["clear"] or lead["unclear"]:
        if lead["unclear"] and found in ("none", "shared"):
            yield Clause(start, end, state.inner or state.main, False, state.inner is not None, None)
            return
        subject: Subject = "own" if found == "own" else "other"
        if lead["unclear"] and found == "own" and not re.match(rf" (?:{own})\b", text[start:end]):
            state.main, state.inner = "own", None  # “after closing I carry”
            yield Clause(start, end, "own", False, False, verb)
            return
        if lead["unclear"] in ("as", "than", "like"):  # short, and what follows goes on where it broke off
            yield Clause(start, end, subject, False, True, verb if found == "own" else None)
            return
        state.inner, state.is_inner_set_off = subject, bool(lead["before"] or lead["before_unclear"])
        yield Clause(start, end, subject, False, True, verb if found == "own" else None)
        if found != "own" and (late := re.search(rf" (?={own} (?!who\b|and\b)\w)", text[start:end])):
            state.inner = None  # “when the pit closed she stayed”
            state.main = "own"
            yield Clause(start + late.end(), end, "own", False, False, None)
        return
    returns = bool(lead["strong"] or lead["comma"])
    is_doubtful = state.inner is not None and state.inner != state.main
    if lead["list"]:
        returns = state.is_inner_set_off or state.inner == "own"
    if found == "none":
        if lead["comma"] and re.match(r", (?:who|which|whose)\b", text[end:]):
            state.main, state.inner = "other", None  # “, and her mother, who is a cook, has”
        yield Clause(start, end, state.inner or state.main, False, state.inner is not None, None)
        return
    if returns and found != "none":
        state.inner = None
    if found in ("own", "other"):
        explicit: Subject = "own" if found == "own" else "other"
        if state.inner is None:
            state.main = explicit
        else:
            state.inner = explicit
        yield Clause(start, end, explicit, False, state.inner is not None, verb)
        return
    if is_doubtful and verb and _is_other_tense(text, start, verb):
        state.inner = None
    yield Clause(start, end, state.inner or state.main, True, state.inner is not None, verb, is_doubtful)


def _is_other_tense(text: str, start: int, verb: tuple[int, int]) -> bool:
    """Return whether a verb cannot go on with the clause before: “since the ship failed to come and puts”."""
    word = text[slice(*verb)]
    before = text[:start].rsplit(" since ", 1)
    return (
        len(before) > 1
        and word.endswith("s")
        and word not in _HELPING
        and bool(re.search(r"ed\b", before[1]))
    )


def _first_word(text: str, start: int, end: int) -> tuple[int, int] | None:
    at = start + _lead_length(text[start:end])
    match = re.compile(r"[\w'’]+").match(text, at, end)
    return match.span() if match else None


def _lead_length(part: str) -> int:
    stripped = len(part) - len(part.lstrip())
    match = _LEAD.match(part, stripped)
    return match.end() if match else stripped


def _subject(
    text: str,
    start: int,
    end: int,
    own: str,
    *,
    is_loose: bool,
    is_note: bool,
    lead: re.Match[str] | None,
) -> tuple[Literal["own", "other", "shared", "none"], tuple[int, int] | None]:
    """Return whose clause it is, and where its verb is."""
    at = start + _lead_length(text[start:end])
    words = [match for match in re.compile(r"[\w'’]+").finditer(text, at, end)]
    if not words:
        return "none", None
    first = words[0][0]
    if re.fullmatch(own, first.split("'")[0].split("’")[0], re.IGNORECASE):
        return "own", words[1].span() if len(words) > 1 else None
    following = _next_word(text, words[0].end())
    if first.casefold() in _OTHERS and (
        first.casefold() not in _DETERMINERS or _is_verb(following, "", is_loose=False)
    ):
        return "other", None
    if lead is not None and _is_verb(
        first,
        following,
        is_listed=bool(lead["list"]),
        is_loose=is_loose
        or (
            is_note
            and not text[: lead.start()].endswith("s")
            and (bool(lead["comma"] or lead["list"]) or following in _AFTER_EITHER)
        ),
    ):
        return "shared", words[0].span()
    is_fronted = first.casefold() in _FRONTED or bool(lead and lead["unclear"])
    for place, word in enumerate(words[1:], 1):
        if re.fullmatch(own, word[0].split("'")[0].split("’")[0]) and (
            is_fronted or re.match(r"\w+ly$", first) or _is_time(words[:place])
        ):
            return "own", words[place + 1].span() if place + 1 < len(words) else None
        if word[0].casefold() in ("he", "she", "they", "it", "there") and place <= 4:
            return "other", None
        following = _next_word(text, word.end())
        if (
            is_fronted
            and not _is_verb(word[0], "", is_loose=False)
            and following not in ("the", "a", "my", "her")
        ):
            continue
        if _is_verb(word[0], following, is_loose=False):
            if not is_fronted:
                return "other", None
            if lead is not None and lead["conjunction"] and place <= 3:
                return "shared", word.span()
            return ("other" if lead is not None and lead["unclear"] else "none"), None
    return "none", None


def _is_time(words: list[re.Match[str]]) -> bool:
    return bool(
        re.search(
            r"\b(?:night|day|morning|evening|year|years|time|winter|summer|spring|autumn|hour|ago|week)$",
            words[-1][0],
        )
    )


def _next_word(text: str, at: int) -> str:
    match = re.compile(r" ([\w'’]+)").match(text, at)
    return match[1] if match else ""


def is_finite(word: str) -> bool:
    """Return whether a word is surely a verb that has a subject."""
    return _is_verb(word, "", is_loose=False)


def _is_verb(word: str, following: str, *, is_loose: bool, is_listed: bool = False) -> bool:
    lowered = word.casefold()
    if lowered != word and word != "I":  # a name, or the first word of a sentence
        return False
    if lowered in _HELPING or lowered.removesuffix("n't").removesuffix("n’t") in _HELPING or lowered in _PAST:
        return True
    if re.fullmatch(r"[a-z]{3,}ed", lowered):
        return True
    if lowered in _NO_VERB or lowered in _TIMES or not re.fullmatch(r"[a-z]{2,}s", lowered):
        return False
    return (
        lowered in _IRREGULAR
        or lowered in _VERBS
        or is_loose
        or (
            ((following in _AFTER_VERB and following != "that") or following in _PARTICLES)
            and (not is_listed or bool({lowered[:-1], lowered[:-2]} & WORDS.grammar.plain_verbs))
        )
    )
