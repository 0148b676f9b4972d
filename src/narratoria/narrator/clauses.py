"""Reads a sentence as clauses, and tells which have the speaker for their subject: “I cook and he eats”."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from narratoria.narrator.word_lists import WORDS

Subject: TypeAlias = Literal["own", "other"]
_SubjectKind: TypeAlias = Literal["own", "other", "shared", "none"]
_Span: TypeAlias = tuple[int, int]

_VERBS = WORDS.first_person.certain_verbs
_IRREGULAR = WORDS.first_person.irregular_stems
_NO_VERB = WORDS.first_person.not_verbs
_AFTER_VERB = WORDS.first_person.after_verb | {
    "myself",
    "himself",
    "herself",
    "themselves",
    "us",
    "you",
    "here",
}
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
_WORD = re.compile(r"[\w'’]+")
_ED = re.compile(r"(?!hundred|naked|wicked|sacred)[a-z]+[^\We]ed|agreed|freed")
_NUMBER = re.compile(r"\w+(?:teen|ty|hundred)\b")
_TIME = re.compile(r"(?:night|day|morning|evening|years?|time|winter|summer|spring|autumn|hour|ago|week)")
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
    has_subject: bool = True  # and is more than a thing or a time: “, off this same rock”
    is_doubtful: bool = False  # an inner clause of somebody else's stands between: “who taught her, and let”


def read_clauses(text: str, own: str, *, is_note: bool = False) -> Iterator[Clause]:
    """Yield the clauses of a sentence in which the speaker is `own`, “I” or “she”.

    A note begins with the verb of what its owner does, and may have a plural where a sentence has none.
    """
    reader = _Reader(text, f"(?:{own})", is_note=is_note)
    start, lead = 0, None
    for boundary in [*_boundaries(text), None]:
        end = boundary.start() if boundary else len(text)
        yield from reader.read(_Stretch(start, end, lead))
        if boundary:
            start, lead = boundary.end(), boundary


def _boundaries(text: str) -> list[re.Match[str]]:
    """Return where clauses may begin; “and since then” is one beginning, “and when” are two."""
    boundaries: list[re.Match[str]] = []
    for match in _BOUNDARY.finditer(text):
        follows_at_once = (
            bool(boundaries) and boundaries[-1].end() == match.start() and not boundaries[-1]["strong"]
        )
        if not (follows_at_once and match["unclear"]):
            boundaries.append(match)
    return boundaries


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What stands between two places where a clause may begin, and the words that lead into it."""

    start: int
    end: int
    lead: re.Match[str] | None

    def led_by(self, kind: str) -> str:
        return (self.lead[kind] or "") if self.lead else ""


class _Reader:
    """Reads stretch after stretch, and remembers whose the main and the inner clause are."""

    def __init__(self, text: str, own: str, *, is_note: bool) -> None:
        self.text, self.own, self.is_note = text, own, is_note
        self.main: Subject = "own" if is_note else "other"
        self.inner: Subject | None = None
        self.is_inner_set_off = False
        # “reads, writes and sings”
        self.is_listing = is_note and bool(re.match(r"[\w'’]+(?:,| (?:and|but|or)\b)", text))

    def read(self, stretch: _Stretch) -> Iterator[Clause]:
        subject_kind, verb = self._subject(stretch)
        if stretch.lead is None:
            yield self._read_first(stretch, subject_kind, verb)
            if subject_kind == "other" and re.match(rf"(?:{_CLEAR})\b", self.text, re.IGNORECASE):
                yield from self._read_late(stretch)
        elif stretch.led_by("clear") or stretch.led_by("unclear"):
            yield from self._read_inner(stretch, subject_kind, verb)
        elif subject_kind == "none":
            if stretch.led_by("comma") and re.match(r", (?:who|which|whose)\b", self.text[stretch.end :]):
                self.main, self.inner = "other", None  # “, and her mother, who is a cook, has”
            yield self._without_subject(stretch)
        else:
            yield self._read_next(stretch, subject_kind, verb)

    def _read_first(self, stretch: _Stretch, subject_kind: _SubjectKind, verb: _Span | None) -> Clause:
        if self.is_note and subject_kind != "own":
            subject_kind, verb = "shared", self._first_word(stretch)
        if subject_kind in ("own", "other"):
            self.main = "own" if subject_kind == "own" else "other"
        return Clause(stretch.start, stretch.end, self.main, subject_kind == "shared", False, verb)

    def _read_inner(
        self, stretch: _Stretch, subject_kind: _SubjectKind, verb: _Span | None
    ) -> Iterator[Clause]:
        start, end, unclear = stretch.start, stretch.end, stretch.led_by("unclear")
        if unclear and subject_kind in ("none", "shared"):
            yield self._without_subject(stretch)
            return
        part = self.text[start:end]
        if unclear and subject_kind == "own" and not re.match(rf" {self.own}\b", part):
            self.main, self.inner = "own", None  # “after closing I carry”
            yield Clause(start, end, "own", False, False, verb)
            return
        subject: Subject = "own" if subject_kind == "own" else "other"
        yield Clause(start, end, subject, False, True, verb if subject_kind == "own" else None)
        if unclear in ("as", "than", "like"):  # short, and what follows goes on where it broke off
            return
        self.inner = subject
        self.is_inner_set_off = bool(stretch.led_by("before") or stretch.led_by("before_unclear"))
        if subject_kind != "own":
            yield from self._read_late(stretch)

    def _read_late(self, stretch: _Stretch) -> Iterator[Clause]:
        """Yield the speaker's clause after another's without a comma: “when the pit closed she stayed”."""
        part = self.text[stretch.start : stretch.end]
        if late := re.search(rf" (?={self.own} (?!who\b|and\b)(\w+))", part):
            self.main, self.inner = "own", None
            verb = (stretch.start + late.start(1), stretch.start + late.end(1))
            yield Clause(stretch.start + late.end(), stretch.end, "own", False, False, verb)

    def _read_next(self, stretch: _Stretch, subject_kind: _SubjectKind, verb: _Span | None) -> Clause:
        start, end = stretch.start, stretch.end
        is_doubtful = self.inner is not None and self.inner != self.main
        returns = bool(stretch.led_by("strong") or stretch.led_by("comma"))
        if stretch.led_by("list"):
            returns = subject_kind == "own" or self.is_inner_set_off or self.inner == "own"
        goes_back = (
            verb
            and (  # “mends what is brought to her and says little about herself”
                _is_other_tense(self.text, start, verb)
                or re.search(r"\b(?:my|him|her)self\b", self.text[start:end])
            )
        )
        if returns or (is_doubtful and subject_kind == "shared" and goes_back):
            self.inner = None
        if subject_kind == "shared":
            is_inner = self.inner is not None
            return Clause(start, end, self.inner or self.main, True, is_inner, verb, True, is_doubtful)
        subject: Subject = "own" if subject_kind == "own" else "other"
        if self.inner is None:
            self.main = subject
        else:
            self.inner = subject
        return Clause(start, end, subject, False, self.inner is not None, verb)

    def _without_subject(self, stretch: _Stretch) -> Clause:
        is_inner = self.inner is not None
        return Clause(stretch.start, stretch.end, self.inner or self.main, False, is_inner, None, False)

    def _words(self, stretch: _Stretch) -> list[re.Match[str]]:
        part = self.text[stretch.start : stretch.end]
        lead = _LEAD.match(part, len(part) - len(part.lstrip()))
        return list(_WORD.finditer(self.text, stretch.start + (lead.end() if lead else 0), stretch.end))

    def _first_word(self, stretch: _Stretch) -> _Span | None:
        words = self._words(stretch)
        return words[0].span() if words else None

    def _subject(self, stretch: _Stretch) -> tuple[_SubjectKind, _Span | None]:
        """Return whose clause it is, and where its verb is."""
        words = self._words(stretch)
        if not words:
            return "none", None
        first, following = words[0][0], _next_word(self.text, words[0].end())
        if self._is_own(first):
            return "own", words[1].span() if len(words) > 1 else None
        if first.casefold() in _OTHERS and (first.casefold() not in _DETERMINERS or is_finite(following)):
            return "other", None
        if stretch.lead is not None and self._is_next_verb(stretch, first, following):
            return "shared", words[0].span()
        return self._later_subject(stretch, words)

    def _is_own(self, word: str) -> bool:
        return re.fullmatch(self.own, re.split(r"['’]", word)[0], re.IGNORECASE) is not None

    def _is_next_verb(self, stretch: _Stretch, word: str, following: str) -> bool:
        """Return whether a stretch begins with a verb and no plural: “and washes it”, but “and pans”."""
        before = self.text[: stretch.lead.start()] if stretch.lead else ""
        is_set_off = bool(stretch.led_by("comma") or stretch.led_by("list"))
        is_loose = self.is_note and not before.endswith("s") and (is_set_off or following in _AFTER_EITHER)
        if _is_verb(
            word, following, is_loose=self.is_listing or is_loose, is_listed=bool(stretch.led_by("list"))
        ):
            return True
        is_only_comma = (
            bool(stretch.led_by("comma")) and "," not in before
        )  # “cannot read, and signs with a cross”
        return is_only_comma and following in _AFTER_EITHER and _is_plain(word)

    def _later_subject(
        self, stretch: _Stretch, words: list[re.Match[str]]
    ) -> tuple[_SubjectKind, _Span | None]:
        """Return whose clause it is that begins with neither subject nor verb: “at sunrise rings”."""
        first = words[0][0]
        is_fronted = first.casefold() in _FRONTED or bool(stretch.led_by("unclear") or _NUMBER.match(first))
        for place, word in enumerate(words[1:], 1):
            is_before_own = is_fronted or first.endswith("ly") or bool(_TIME.fullmatch(words[place - 1][0]))
            if self._is_own(word[0]) and is_before_own:
                return "own", words[place + 1].span() if place + 1 < len(words) else None
            if word[0].casefold() in ("he", "she", "they", "it", "there") and place <= 4:
                return "other", None
            following = _next_word(self.text, word.end())
            is_thing = is_fronted and not is_finite(word[0]) and following not in ("the", "a", "my", "her")
            if is_thing or not _is_verb(word[0], following):
                continue
            if is_fronted and stretch.led_by("conjunction") and place <= 3:
                return "shared", word.span()
            return ("other" if not is_fronted or stretch.led_by("unclear") else "none"), None
        return "none", None


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


def _next_word(text: str, at: int) -> str:
    match = re.compile(r" ([\w'’]+)").match(text, at)
    return match[1] if match else ""


def is_finite(word: str) -> bool:
    """Return whether a word is surely a verb that has a subject."""
    return _is_verb(word, "")


def _is_verb(word: str, following: str, *, is_loose: bool = False, is_listed: bool = False) -> bool:
    lowered = word.casefold()
    if lowered != word:  # a name, or the first word of a sentence
        return False
    if re.sub(r"n['’]t$", "", lowered) in _HELPING or lowered in _PAST or _ED.fullmatch(lowered):
        return True
    if lowered in _NO_VERB or lowered in _TIMES or not re.fullmatch(r"[a-z]{2,}s", lowered):
        return False
    goes_on = (following in _AFTER_VERB and following != "that") or following in _PARTICLES
    return (
        lowered in _IRREGULAR
        or lowered in _VERBS
        or is_loose
        or (goes_on and (not is_listed or _is_plain(lowered)))
    )


def _is_plain(word: str) -> bool:
    """Return whether a third person is one of a verb with which a typed action may begin."""
    return word.endswith("s") and bool({word[:-1], word[:-2]} & WORDS.grammar.plain_verbs)
