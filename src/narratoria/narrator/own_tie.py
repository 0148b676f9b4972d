"""Puts a note on somebody else into its owner's mouth: “Lets him fish, if he is quiet” as “She lets me fish”."""

from __future__ import annotations

import re

from narratoria.narrator.clauses import is_finite, read_clauses
from narratoria.narrator.first_person import (
    HER_AS_OBJECT,
    Pronoun,
    as_own_deed,
    is_unsaid,
    put_deed,
    in_first_person,
    put_own_name,
)
from narratoria.narrator.grammar import capital, predicate
from narratoria.narrator.own_account import as_ours, leave_out_saying, names_of

_SUBJECTS = {"he": "he", "she": "she", "it": "it", "they": "they"}
_OBJECTS = {"he": r"him\b", "she": HER_AS_OBJECT, "they": r"them\b", "it": r"(?!)"}
_POSSESSIVES = {"he": "his", "she": "her", "they": "their", "it": "its"}
_ATTITUDES = (
    r"(?:believe|care|deny|doubt|fear|feel|find|forget|guess|hear|hope|know|like|mean|mind|notice|regret|remember|"
    r"respect|say|suspect|suppose|tell|think|trust|understand|wish|wonder|worr|swear|aware|sure|notic|decid|promis)\w*"
)
_PLURAL_BEFORE = re.compile(
    r"\b(?:the|his|her|my|some|all|those|these|two|three|four|nine) (?:\w+ )?\w+[^s\W]s\b"
)
_THEY = re.compile(r"^they\b|(?<=, and )they\b|\bthey(?= both\b)|\bthem(?= both\b)", re.IGNORECASE)


def as_own_tie(note: str, own: Pronoun, own_name: str, other: Pronoun | None, other_name: str) -> str:
    """Return a note on somebody as its owner says it; empty where it cannot be told who is who.

    A note begins with what its owner does, unless it names the owner or does something to them.
    """
    text = note.strip().rstrip(".!… ")
    is_told_of_other = other is not None and any(
        re.search(rf"\b{re.escape(one)}\b", text) for one in names_of(own_name)
    )
    told: list[str] = []
    for at, part in enumerate(re.split(r"((?:;|(?<!\bDr)(?<!\bMr)\.) )", text)):
        if at % 2:
            told.append(part)
            continue
        spoken = _as_own_part(
            part, own, own_name, other, other_name, is_first=at == 0, is_told_of_other=is_told_of_other
        )
        if not spoken:
            told = told[:-1]
            break
        told.append(capital(spoken) if not told or told[-1].startswith(".") else spoken)
    if not told:
        return ""
    return leave_out_saying(capital("".join(told).rstrip(".")) + ".")


def _as_own_part(
    part: str,
    own: Pronoun,
    own_name: str,
    other: Pronoun | None,
    other_name: str,
    *,
    is_first: bool,
    is_told_of_other: bool,
) -> str:
    """Return one part of a note, between semicolons or full stops; empty where nobody could tell who is who."""
    if is_unsaid(part) or re.search(r"(?<!thank )\byou\b", part):
        return ""
    names = names_of(own_name)
    is_other_named = any(re.search(rf"\b{re.escape(one)}\b", part) for one in names_of(other_name))
    is_own_named = any(re.search(rf"\b{re.escape(one)}\b", part) for one in names)
    pronoun = _own_pronoun(part, own, other, is_other_named=is_other_named)
    is_deed = _begins_with_verb(part) and not (is_other_named and _begins_with_name(part, other_name))
    if is_own_named or (is_told_of_other and is_first):
        return _with_ours(_as_told_of_other(part, own, other, names, is_deed=is_deed), own, other)
    if is_deed:
        if other is not None and pronoun == own != other and _is_done_to_own(part, own):
            spoken = in_first_person(f"{_SUBJECTS[other]} {part[:1].lower()}{part[1:]}", own)
        elif other == own and pronoun is None and _is_unclear_deed(part, own):
            return ""
        else:
            spoken = _as_deed(_with_own_possessive(part, own, other), pronoun, own, other)
    else:
        spoken = _as_description(part, own, other, pronoun)
    return _with_ours(spoken, own, other)


def _own_pronoun(part: str, own: Pronoun, other: Pronoun | None, *, is_other_named: bool) -> Pronoun | None:
    """Return the pronoun with which a part means its owner: where it names the other, “her” is the owner."""
    if other is None:
        others = {"he": r"she|her|hers", "she": r"he|him|his", "they": r"he|she|him|her|his", "it": r"\w+"}[
            own
        ]
        return own if re.search(rf"\b(?:{others})\b", part, re.IGNORECASE) else None
    return own if other != own or is_other_named else None


def _begins_with_verb(part: str) -> bool:
    words = re.sub(r"^(?:once|never|always|still) ", "", part[:1].lower() + part[1:]).split()
    return bool(predicate(part, "X")) or (len(words) > 1 and is_finite(words[0]))


def _begins_with_name(part: str, name: str) -> bool:
    return any(re.match(rf"{re.escape(one)}\b", part) for one in names_of(name))


def _is_done_to_own(part: str, own: Pronoun) -> bool:
    """Return whether the first verb does something to the owner, so that the other does it: “lets him fish”."""
    first = re.split(
        r",| (?:and|but|that|as|who|which|if|when|because|since|how|what|where)\b", part, maxsplit=1
    )[0]
    return (
        bool(re.search(rf"\b{_OBJECTS[own]}(?!sel)", first))
        and not re.search(
            rf"\b(?:to|for|that) \w+ {_OBJECTS[own]}", first.replace(" to him", "").replace(" for him", "")
        )
        and bool(
            re.match(rf"[\w'’]+(?: \w+){{0,3}}? (?:(?:to|for|from|with|at|after) )?{_OBJECTS[own]}", first)
        )
    )


def _is_unclear_deed(part: str, own: Pronoun) -> bool:
    """Return whether “what she is given” may be either's: only of what is known or thought it is the other's."""
    if re.search(rf"\bthat {own} (?:is|was) (?:being|given|told|let)\b", part):
        return True
    match = re.search(rf"\b(?:what|whatever) {own} \w", part)
    return match is not None and not re.search(rf"\b{_ATTITUDES}\b", part[: match.start()], re.IGNORECASE)


def _with_own_possessive(part: str, own: Pronoun, other: Pronoun | None) -> str:
    """Return “sets his watch by him” with “my”: whoever is “him” after “his” in one clause is somebody else."""
    if own != other or own not in ("he", "she"):
        return part
    whose = _POSSESSIVES[own]
    part = re.sub(rf"\b{whose} own\b", "my own", part)
    return re.sub(rf"\b(?!{_OBJECTS[own]}){whose}(?= \w+ by {_OBJECTS[own]})", "my", part)


def _as_deed(part: str, pronoun: Pronoun | None, own: Pronoun, other: Pronoun | None) -> str:
    if spoken := as_own_deed(part, pronoun):
        return spoken.rstrip(".")
    first = re.split(r"[,;]| and ", part, maxsplit=1)[0]
    is_of_own = re.match(rf"\w+ {_POSSESSIVES[own]} ", part) and not (
        other and re.search(rf"\b(?:{_POSSESSIVES[other]}|{_OBJECTS[other]})\b", first)
    )
    if is_of_own and pronoun and own != other:  # “Stitched his eyebrow”: it may be either who did
        return in_first_person(part, pronoun)
    return put_deed(part, pronoun)


def _as_description(part: str, own: Pronoun, other: Pronoun | None, pronoun: Pronoun | None) -> str:
    """Return who the other is, or a whole sentence: “Her mother's friend”, “The only one who makes her laugh”."""
    if pronoun:
        return _with_other_object(in_first_person(part, pronoun), own, other)
    if other is None or own not in ("he", "she"):
        return part
    whose = _POSSESSIVES[own]
    has_verb = any(is_finite(word) for word in re.split(r"[,;]| who\b", part, maxsplit=1)[0].split()[1:])
    if re.match(rf"{whose} ", part, re.IGNORECASE) and not has_verb:
        return f"My{part[len(whose) :]}"
    if match := re.search(rf"\bwho (?:once )?\w+ ({_OBJECTS[own]}|{whose}(?= hand\b))", part):
        return (
            part[: match.start(1)]
            + ("my" if match[1] == whose and " hand" in part else "me")
            + part[match.end(1) :]
        )
    return "" if re.search(rf"\b{own} \w", part, re.IGNORECASE) else part


def _with_other_object(text: str, own: Pronoun, other: Pronoun | None) -> str:
    """Return “I never won an argument with me” with “her”: nobody does something with “me”."""
    if own != other or own not in ("he", "she"):
        return text
    for clause in reversed(list(read_clauses(text, "I"))):
        if clause.subject == "own":
            part = re.sub(r"\bme\b", {"he": "him", "she": "her"}[own], text[clause.start : clause.end])
            text = text[: clause.start] + part + text[clause.end :]
    return text


def _as_told_of_other(
    part: str, own: Pronoun, other: Pronoun | None, names: tuple[str, ...], *, is_deed: bool
) -> str:
    """Return a part of a note that names its owner; its first verb is what the other does."""
    is_own_named = any(re.search(rf"\b{re.escape(one)}\b", part) for one in names)
    text = part
    if is_deed and not re.match("|".join(rf"{re.escape(one)}\b" for one in names), part):
        text = f"{_SUBJECTS[other or 'they']} {part[:1].lower()}{part[1:]}"
    if own != other or own not in ("he", "she"):
        return in_first_person(put_own_name(text, names), own if own != other else None)
    if not is_own_named:  # “gave her a coat”: it is the owner to whom
        head, _, tail = text.partition(" ")
        return f"{head} {in_first_person(tail, own)}" if is_deed else text
    text = put_own_name(text, names)
    if own == "she" and re.search(r"\bI \w+", text):
        text = re.sub(r"\bhers\b", "mine", text)
    return in_first_person(text, None)


def _with_ours(text: str, own: Pronoun, other: Pronoun | None) -> str:
    """Return “they” as “we” where it can be nobody but the two."""
    if "they" in (own, other):
        return text
    match = _THEY.search(text)
    if match is None or _PLURAL_BEFORE.search(text[: match.start()]):
        return text
    rest = re.sub(
        r"\b(one of|each of|neither of|between|for)? ?them(?= both\b)", r"\1 us", text[match.start() :]
    )
    rest = re.sub(r"\b(one of|each of|neither of|between) them\b", r"\1 us", rest).replace("  ", " ")
    held = rest.replace("them", "\ue002")
    return text[: match.start()] + as_ours(held, 0).replace("\ue002", "them").lstrip()
