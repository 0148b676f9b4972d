"""Puts a note on somebody else into its owner's mouth: “Lets him fish” as “She lets me fish”."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from narratoria.narrator.clauses import is_finite, read_clauses
from narratoria.narrator.first_person import (
    HER_AS_OBJECT,
    Pronoun,
    as_own_deed,
    in_first_person,
    is_unsaid,
    put_deed,
    put_own_name,
)
from narratoria.narrator.grammar import capital, predicate
from narratoria.narrator.own_account import as_ours, leave_out_saying, names_of

_STAYS = "\ue002"  # for a word that stays as it is
_SUBJECT_FIRST = re.compile(r"(?:he|she|they|it|there)\b", re.IGNORECASE)
_OBJECTS = {"he": r"him\b", "she": HER_AS_OBJECT, "they": r"them\b", "it": r"(?!)"}
_POSSESSIVES = {"he": "his", "she": "her", "they": "their", "it": "its"}
_ATTITUDES = (
    r"(?:aware|believe|care|decid|deny|doubt|fear|feel|find|forget|guess|hear|hope|know|like|mean|mind|notic|"
    r"promis|regret|remember|respect|say|suppose|sure|suspect|swear|tell|think|trust|understand|wish|wonder|"
    r"worr)\w*"
)
_PLURAL_BEFORE = re.compile(
    r"\b(?:the|his|her|my|some|all|those|these|two|three|four|nine) (?:\w+ )?\w+[^s\W]s\b"
)
_THEY = re.compile(r"^they\b|(?<=, and )they\b|\bthey(?= both\b)|\bthem(?= both\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Tie:
    """Between whom a note is: what each is called, and by which pronoun; None for one who is not there."""

    own: Pronoun
    own_names: tuple[str, ...]
    other: Pronoun | None
    other_names: tuple[str, ...]

    @property
    def is_alike(self) -> bool:
        """Return whether both are “he”, or both “she”."""
        return self.own == self.other and self.own in ("he", "she")

    def names_other(self, part: str) -> bool:
        return any(re.search(rf"\b{re.escape(one)}\b", part) for one in self.other_names)

    def names_own(self, part: str) -> bool:
        return any(re.search(rf"\b{re.escape(one)}\b", part) for one in self.own_names)

    def means_other(self, part: str) -> bool:
        """Return whether a part has a word for the other, which may be the owner's too."""
        other = self.other or "they"
        return re.search(rf"\b(?:{other}\b|{_POSSESSIVES[other]}\b|{_OBJECTS[other]})", part) is not None


@lru_cache(maxsize=4096)
def as_own_tie(note: str, own: Pronoun, own_name: str, other: Pronoun | None, other_name: str) -> str:
    """Return a note on somebody as its owner says it; empty where it cannot be told who is who.

    A note begins with what its owner does, unless it names the owner or does something to them. It ends
    before the first part of which that cannot be told.
    """
    tie = _Tie(own, names_of(own_name), other, names_of(other_name))
    parts = re.split(r"((?:;|(?<!\bDr)(?<!\bMr)\.) )", note.strip().rstrip(".!… "))
    speech: list[str] = []
    for at, part in enumerate(parts):
        if at % 2:
            speech.append(part)
        elif spoken := _as_own_part(part, tie, parts, is_first=at == 0):
            speech.append(capital(spoken) if not speech or speech[-1].startswith(".") else spoken)
        else:
            speech = speech[:-1]
            break
    return leave_out_saying(f"{capital(''.join(speech))}.") if speech else ""


def _as_own_part(part: str, tie: _Tie, parts: list[str], *, is_first: bool) -> str:
    """Return a part of a note, between semicolons or full stops; empty where it cannot be told who is who."""
    if is_unsaid(part) or re.search(r"(?<!thank )\byou\b", part):
        return ""
    is_deed = _begins_with_verb(part) and not any(part.startswith(name) for name in tie.other_names)
    is_of_other = tie.other is not None and (
        tie.names_own(part)
        or (is_first and (tie.names_own(" ".join(parts)) or _is_first_of_other(parts, tie)))
    )
    if is_of_other:
        return _with_ours(_as_told_of_other(part, tie, is_deed=is_deed), tie)
    pronoun = _own_pronoun(part, tie)
    spoken = _as_deed(part, tie, pronoun, parts) if is_deed else _as_description(part, tie, pronoun)
    return _with_ours(spoken, tie)


def _is_first_of_other(parts: list[str], tie: _Tie) -> bool:
    """Return whether the first part is what the other does: “Mends her roof, badly; she does it again”."""
    is_deed = tie.other != tie.own and len(parts) > 2 and _begins_with_verb(parts[0])
    return is_deed and not tie.means_other(parts[0]) and parts[2].startswith(f"{tie.own} ")


def _own_pronoun(part: str, tie: _Tie) -> Pronoun | None:
    """Return the pronoun with which a part means its owner: where it names the other, “her” is the owner."""
    if tie.other is None:
        others = {"he": r"she|hers?", "she": r"he|him|his", "they": r"s?he|him|hers?|his", "it": r"\w+"}[
            tie.own
        ]
        return tie.own if re.search(rf"\b(?:{others})\b", part, re.IGNORECASE) else None
    return tie.own if tie.other != tie.own or tie.names_other(part) else None


def _begins_with_verb(part: str) -> bool:
    words = re.sub(r"^(?:once|never|always|still) ", "", part[:1].lower() + part[1:]).split()
    return bool(predicate(part, "X")) or (len(words) > 1 and is_finite(words[0]))


def _has_subject(part: str) -> bool:
    return bool(re.match(r"(?:he|she|they|it|there)\b", part, re.IGNORECASE))


def _is_done_to_own(part: str, own: Pronoun) -> bool:
    """Return whether the first verb does something to the owner, so that the other does: “lets him fish”."""
    first = re.split(
        r",| (?:and|but|that|as|who|which|if|when|because|since|how|what|where)\b", part, maxsplit=1
    )[0]
    done_to = rf"[\w'’]+(?: \w+){{0,3}}? (?:(?:to|for|from|with|at|after) )?{_OBJECTS[own]}"
    # but “has never let him thank her”, “wants him to bring her home”
    return bool(re.match(done_to, first)) and not re.search(
        rf"\b(?:to|that) (?!{_OBJECTS[own]})\w+ {_OBJECTS[own]}", first
    )


def _is_unclear_deed(part: str, own: Pronoun) -> bool:
    """Return whether “what she is given” may be either's: of what is known or thought it is the other's."""
    if re.search(rf"\bthat {own} (?:is|was) (?:being|given|told|let)\b", part):
        return True
    match = re.search(rf"\b(?:what|whatever) {own} \w", part)
    return match is not None and not re.search(rf"\b{_ATTITUDES}\b", part[: match.start()], re.IGNORECASE)


def _with_own_possessive(part: str, tie: _Tie) -> str:
    """Return “sets his watch by him” with “my”: whoever is “him” after “his” in a clause is another."""
    if not tie.is_alike:
        return part
    whose, whom = _POSSESSIVES[tie.own], _OBJECTS[tie.own]
    part = re.sub(rf"\b{whose} own\b", "my own", part)
    part = re.sub(rf"(\btrusts? {whom} with ){whose}(?= life\b)", r"\1my", part)
    return re.sub(rf"\b(?!{whom}){whose}(?= \w+ by {whom})", "my", part)


def _as_deed(part: str, tie: _Tie, pronoun: Pronoun | None, parts: list[str]) -> str:
    """Return what the owner does, or what the other does to them; empty where it may be either's deed."""
    own, other = tie.own, tie.other
    is_after_description = part != parts[0] and not (
        _begins_with_verb(parts[0]) or _SUBJECT_FIRST.match(parts[0])
    )
    if is_after_description and other is not None and not (tie.names_other(part) or tie.means_other(part)):
        return ""  # “My cousin's girl; did not come on Sunday”
    if other is not None and pronoun == own != other and _is_done_to_own(part, own):
        return in_first_person(f"{other} {part[:1].lower()}{part[1:]}", own)
    if other == own and pronoun is None and _is_unclear_deed(part, own):
        return ""
    part = _with_own_possessive(part, tie)
    if spoken := as_own_deed(part, pronoun):
        return spoken.rstrip(".")
    first = re.split(r"[,;]| and ", part, maxsplit=1)[0]
    if (
        pronoun
        and own != other
        and re.match(rf"\w+ {_POSSESSIVES[own]} ", part)
        and not tie.means_other(first)
    ):
        return in_first_person(part, pronoun)  # “Stitched his eyebrow”: it may be either who did
    return put_deed(part, pronoun)


def _as_description(part: str, tie: _Tie, pronoun: Pronoun | None) -> str:
    """Return who the other is, or a whole sentence: “Her mother's friend”, “The only one who helps her”."""
    if pronoun:
        return _with_other_object(in_first_person(part, pronoun), tie)
    if not tie.is_alike:
        return part
    own, whose = tie.own, _POSSESSIVES[tie.own]
    if re.match(r"the (?:old |young )?(?:boy|girl|lad|man|woman)\b", part, re.IGNORECASE):
        return re.sub(rf"\b{_OBJECTS[own]}", "me", part)  # “the old man never lets him in”
    has_verb = any(is_finite(word) for word in re.split(r"[,;]| who\b", part, maxsplit=1)[0].split()[1:])
    if re.match(rf"{whose} ", part, re.IGNORECASE) and not has_verb:
        return f"My{part[len(whose) :]}"
    part = re.sub(rf"\bof {whose}(?= (?:aunt|brother|father|husband|mother|sister|wife)\b)", "of my", part)
    if match := re.search(rf"\bwho (?:once )?\w+ ({whose}(?= hand\b)|{_OBJECTS[own]})", part):
        is_hand = part[match.end() :].startswith(" hand")
        return part[: match.start(1)] + ("my" if is_hand else "me") + part[match.end(1) :]
    return "" if re.search(rf"\b{own} \w", part, re.IGNORECASE) else part


def _with_other_object(text: str, tie: _Tie) -> str:
    """Return “I never won an argument with me” with “her”: nobody does something with “me”."""
    if not tie.is_alike:
        return text
    for clause in reversed(list(read_clauses(text, "I"))):
        if clause.subject == "own":
            part = re.sub(r"\bme\b", "him" if tie.own == "he" else "her", text[clause.start : clause.end])
            text = text[: clause.start] + part + text[clause.end :]
    return text


def _as_told_of_other(part: str, tie: _Tie, *, is_deed: bool) -> str:
    """Return a part of a note that names its owner; its first verb is what the other does."""
    text = part
    if is_deed and not any(part.startswith(name) for name in tie.own_names):
        text = f"{tie.other or 'they'} {part[:1].lower()}{part[1:]}"
    if not tie.is_alike:
        return in_first_person(put_own_name(text, tie.own_names), tie.own if tie.own != tie.other else None)
    if not tie.names_own(part):  # “gave her a coat”: it is the owner to whom
        head, _, tail = text.partition(" ")
        return f"{head} {in_first_person(tail, tie.own)}" if is_deed else text
    text = put_own_name(text, tie.own_names)
    if tie.own == "she" and re.search(r"\bI \w+", text):
        text = re.sub(r"\bhers\b", "mine", text)
    return in_first_person(text, None)


def _with_ours(text: str, tie: _Tie) -> str:
    """Return “they” as “we” where it can be nobody but the two."""
    match = _THEY.search(text)
    if match is None or "they" in (tie.own, tie.other):
        return text
    if _PLURAL_BEFORE.search(text[: match.start()]) and not text[match.end() :].startswith(" both"):
        return text
    rest = re.sub(
        r"\bthem(?= both\b)|(?<=\b(?:one|two) of )them\b|(?<=each of )them\b", "us", text[match.start() :]
    )
    return text[: match.start()] + as_ours(rest.replace("them", _STAYS), 0).replace(_STAYS, "them")
