"""Tells what an author wrote about somebody's life as they tell it, leaving out what cannot be told safely.

Where another may be meant by “she” as well as the speaker, the grammar often tells who is: whoever does
something to “her” is not “her”, and “her mother rings when she hears it” is about the mother. Where it does
not, the sentence is left out: another one is told then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from narratoria.narrator.clauses import Clause, is_finite, read_clauses
from narratoria.narrator.evidence import DEPENDENT, split_sentences
from narratoria.narrator.first_person import HER_AS_OBJECT, Pronoun, in_first_person, put_own_name
from narratoria.narrator.grammar import BY_LAST_NAME, TITLES, call_name, capital
from narratoria.narrator.word_lists import WORDS

_NO_NAMES = WORDS.gate.capitalised | {
    *("The", "This", "That", "What", "Nobody", "Somebody", "Everybody", "Everyone", "Nothing", "Everything"),
    *("I", "It", "He", "She", "They", "There", "One", "None", "All", "Both", "Who", "Whoever", "Whatever"),
}
_EITHER = "|".join(WORDS.first_person.men_or_women)
_KEPT, _DONE_MARK = "\ue000", "\ue001"  # within a pronoun that stays as it is
_MEN, _WOMEN = "|".join(WORDS.first_person.men), "|".join(WORDS.first_person.women)
_OBJECT = {"he": r"him\b", "she": HER_AS_OBJECT}
_POSSESSIVE = {"he": r"\bhis\b(?! own\b)", "she": rf"\b(?!{HER_AS_OBJECT})her\b(?! own\b)"}
_WORDS = {"he": r"he|him|his", "she": r"she|her|hers"}
_NO_VERB = r"(?:about|above|after|around|at|before|behind|beside|by|for|from|in|into|like|near|of|on|over|than|to|under|with|and|or|but|as)\b"
# what is done to another, right after the verb: “wheels him down”, “did not want to see him sold”
_DONE = (
    r"(?:(?:has|have|had|did|does|do|not|never|always|also|still|once|would|could|can|cannot|will|must|may|often|"
    rf"only|already|even|then) )*(?!{_NO_VERB}|been |be |is |was )\w+(?: to (?!be )\w+)?(?: up| down| out| off)? "
)
_DONE_FOR = r"(?:has|have|had) been \w+ing (?:[\w'’]+ ){1,4}for "
_KIN = r"(?:aunt|brother|child|children|cousin|daughter|father|grand\w+|husband|mother|parents|sister|son|twin|uncle|wife|family)s?\b"
_HELD = re.compile(
    r"\b((?:held|holds|took|takes|shook|shakes|kissed) )(his|her)(?= (?:hand|hands|arm|face)\b)"
)
_DEAD = re.compile(r"\bI (?:died|was killed|was lost|was buried)\b")
# “each other”: what two do together, of whom one is the speaker
_TOGETHER = re.compile(
    r"\bthey\b(?=[^.;]*\b(?:each other|together|to be married|(?:no|one|a|two|three) (?:child|children|son|daughter)s?)\b)|"
    r"(?<=; )they(?= nod\b)",
    re.IGNORECASE,
)
_OURS = {"they": "we", "them": "us", "their": "our", "theirs": "ours", "themselves": "ourselves"}
_PLURAL = re.compile(r"\b(?:they|them|their|theirs|themselves)\b", re.IGNORECASE)
_AND_I = re.compile(r"^I and ((?:my (?:[a-z]+ )*)?[A-Z]\w+)(?= )")


@dataclass(frozen=True, slots=True)
class Teller:
    """Who tells: the names they are called by, their pronoun, and the others of whom it is used."""

    names: tuple[str, ...]
    who: Pronoun
    rivals: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()  # of whom another pronoun is used


def make_teller(name: str, who: Pronoun, others: Iterable[tuple[str, Pronoun]], notes: str) -> Teller:
    """Return somebody as the teller of notes about them, with everybody who may be meant by the same word."""
    people = list(others)
    rivals = {call_name(other) for other, pronoun in people if pronoun == who}
    strangers = {one for other, pronoun in people if pronoun != who for one in (other, *names_of(other))}
    if who in _WORDS:
        nouns, others_nouns = (_MEN, _WOMEN) if who == "he" else (_WOMEN, _MEN)
        rivals |= set(re.findall(rf"\b(?:{nouns})\b,? ([A-Z]\w+)", notes))
        strangers |= set(re.findall(rf"\b(?:{others_nouns})\b,? ([A-Z]\w+)", notes))
    own = set(names_of(name))
    return Teller(names_of(name), who, frozenset(rivals - own), frozenset(strangers))


def names_of(name: str) -> tuple[str, ...]:
    """Return the names that notes call somebody by, longest first: “Dr. Ada Voss”, “Ada Voss”, “Dr. Voss”, “Ada”."""
    words = name.split()
    plain = words[1:] if words[0].casefold() in TITLES | BY_LAST_NAME and len(words) > 1 else words
    names = {name, call_name(name), " ".join(plain), plain[0]}
    if len(plain) > 1 and plain[0].casefold() != "the":
        names |= {f"{title} {plain[-1]}" for title in ("Mr.", "Mrs.", "Miss", "Dr.")}
    return tuple(sorted(names - {"The", "the"}, key=len, reverse=True))


def as_own_account(text: str, teller: Teller) -> str:
    """Return a passage in the first person, without the sentences that cannot be put safely."""
    told: list[str] = []
    sentences = split_sentences(text)
    is_rival_told, is_left_out, is_ours = False, False, False
    for at, sentence in enumerate(sentences):
        following = sentences[at + 1] if at + 1 < len(sentences) else ""
        is_named_next = any(following.startswith(name) for name in teller.names)
        is_about_rival = is_rival_told and bool(
            re.match(rf"(?:{_words_of(teller)})\b", sentence, re.IGNORECASE)
        )
        spoken = sentence if is_about_rival and is_named_next else _as_own_sentence(sentence, teller)
        if is_about_rival and re.match(r"(?:[\w'’]+,? ){1,5}did not\b", sentences[at - 1]):
            spoken = sentence  # “Her mother did not say it. She said another's.”
        is_rival_told = _begins_with_rival(sentence, teller)
        if not spoken or (is_left_out and _leans_on_another(spoken)):
            is_left_out = True
            continue
        is_left_out = False
        if is_ours or _AND_I.match(spoken):
            is_ours = True
            spoken = _AND_I.sub(r"\1 and I", spoken)
            spoken = as_ours(spoken, 0)
        told.append(capital(spoken))
    return " ".join(told)


def _leans_on_another(spoken: str) -> bool:
    """Return whether a sentence says “it” or “him” of what was told before it."""
    is_named = re.search(rf"(?<!^)\b(?:[A-Z][a-z]+|{_MEN}|{_WOMEN})\b", spoken)
    return bool(DEPENDENT.match(spoken)) or (bool(re.search(r"\b(?:he|she|him)\b", spoken)) and not is_named)


def _words_of(teller: Teller) -> str:
    return _WORDS.get(teller.who, r"(?!)")


def _begins_with_rival(sentence: str, teller: Teller) -> bool:
    if teller.who not in _WORDS:
        return False
    first = next(iter(read_clauses(sentence, teller.who)))
    return first.subject == "other" and _is_rival(sentence[first.start : first.end], teller)


def _as_own_sentence(sentence: str, teller: Teller) -> str:
    """Return one sentence in the first person; empty where it may say something else than the note."""
    text = put_own_name(sentence, teller.names)
    if teller.who == "it":
        return "" if re.search(r"\b(?:it|its)\b", text, re.IGNORECASE) else in_first_person(text, "it")
    if teller.who in _WORDS:
        text = _keep_others(text, teller)
        if _is_unsafe(text, teller):
            return ""
        text = _keep_done_to(text, teller)
        if (text := _keep_unclear(text, teller)) is None:
            return ""
    spoken = in_first_person(text, teller.who).replace(_KEPT, "").replace(_DONE_MARK, "")
    if _DEAD.search(spoken) and not _DEAD.search(sentence):
        return ""
    return leave_out_saying(_with_ours(spoken))


def leave_out_saying(text: str) -> str:
    """Return what somebody says without “I say”, which nobody puts in: “It was too loud, I say” is just said."""
    text = re.sub(r"\bwhich I say (?=is|was|has)", "which ", text)
    text = re.sub(
        r"^I (?:say|give out)(?: that)? (?=(?:I|it|the|there|a|my|he|she|they|stone)\b)(\w)",
        lambda match: match[1].upper(),
        text,
    )
    return re.sub(r",? and say(?: that)? (?=(?:I|it|the|there|my)\b[^,;]*[.!]?$)", "; ", text)


def _with_ours(text: str) -> str:
    """Return “they” as “we” where two do something together and one of them is the speaker."""
    if match := _TOGETHER.search(text):
        return as_ours(text, match.start())
    return re.sub(
        r"(\bmy (?:\w+ )?(?:brother|sister)\b.*?\b)their(?= (?:father|mother|parents)\b)", r"\1our", text
    )


def as_ours(text: str, start: int) -> str:
    """Return a text with “we”, “us” and “our” for “they”, “them” and “their” from a place on."""

    def ours(match: re.Match[str]) -> str:
        word = _OURS[match[0].casefold()]
        return capital(word) if match[0][0].isupper() else word

    return text[:start] + _PLURAL.sub(ours, text[start:])


def _is_rival(part: str, teller: Teller) -> bool:
    """Return whether a clause begins with another of whom the teller's pronoun is used."""
    subject = re.split(
        r"\b(?:is|was|has|had|did|does|would|could|can|will|who|which|that|when|[a-z]{3,}ed)\b|[,;:]",
        part,
        maxsplit=1,
    )[0]
    subject = " ".join(subject.split()[:5])
    nouns = _MEN if teller.who == "he" else _WOMEN
    others = _WOMEN if teller.who == "he" else _MEN
    if re.search(rf"\b(?:{others})\b(?!['’])", subject, re.IGNORECASE):
        return False
    if re.search(rf"\b(?:{nouns})\b(?!['’])", subject, re.IGNORECASE):
        return True
    if re.search(rf"\b(?:{_EITHER})\b(?!['’])", subject):
        return True
    if any(re.search(rf"\b{re.escape(name)}\b(?!['’])", subject) for name in teller.rivals):
        return True
    name = re.match(r"([A-Z]\w+)(?: [A-Z]\w+)? (\w+)", part.strip())  # somebody of whom nothing is known
    return bool(name) and name[1] not in teller.others | _NO_NAMES and is_finite(name[2])


def _rivals_in(text: str, teller: Teller, clauses: list[Clause]) -> list[bool]:
    """Return for each clause whether its subject is another of whom the teller's pronoun is used."""
    found: list[bool] = []
    main = inner = False
    for clause in clauses:
        if clause.is_shared:
            is_rival = inner if clause.is_inner else main
        else:
            is_rival = clause.subject == "other" and _is_rival(
                text[clause.start : clause.end].strip(), teller
            )
            if clause.is_inner:
                inner = is_rival
            elif is_rival or clause.verb or clause.subject == "own":
                main, inner = is_rival, False
        found.append(is_rival)
    return found


def _is_unsafe(text: str, teller: Teller) -> bool:
    """Return whether it cannot be told whose something is, or who did it."""
    clauses = list(read_clauses(text, f"{teller.who}|I"))
    rivals = _rivals_in(text, teller, clauses)
    possessive = re.compile(_POSSESSIVE[teller.who])
    pronoun = re.compile(rf"(?:[:;] ){teller.who}\b")
    own = "his" if teller.who == "he" else "her"
    for clause, is_rival, before in zip(clauses, rivals, [False, *rivals], strict=False):
        part = text[clause.start : clause.end]
        if (
            is_rival
            and (clause.is_shared or clause.start == 0)
            and any(
                not re.match(rf" (?:own|{_KIN})", part[match.end() :])
                and match.start() > len(_subject_of(part))
                and not re.search(rf"\b{_OBJECT[teller.who]}", part[: match.start()])
                for match in possessive.finditer(part)
            )
        ):
            return True  # “old Oake died in his chair”
        if before and not clause.is_inner and re.match(rf" {own} (?!{_KIN})", part):
            return True  # “her sister went down, and her line came up”
    if (
        any(rivals)
        and not rivals[0]
        and pronoun.search(text)
        and _rival_before(text, clauses, rivals, pronoun)
    ):
        return True
    return False


def _subject_of(part: str) -> str:
    match = re.match(r"\s*(?:\w+ly )?[\w'’]+", part)
    return match[0] if match else ""


def _rival_before(text: str, clauses: list[Clause], rivals: list[bool], pronoun: re.Pattern[str]) -> bool:
    """Return whether the clause before “: he” is about another: “since his uncle died: he had gone out”."""
    match = pronoun.search(text)
    earlier = (
        [
            is_rival
            for clause, is_rival in zip(clauses, rivals, strict=True)
            if clause.end <= match.start() + 1
        ]
        if match
        else []
    )
    return any(earlier[-3:])


def _keep_unclear(text: str, teller: Teller) -> str | None:
    """Mark “his” before a clause with a “him” who is another: “hit Gus's post, cracked his beak and took him”.

    Return None where nobody is named whose it could be.
    """
    marked = re.search(rf"[{_DONE_MARK}]", text)
    if marked is None:
        return text
    clauses = list(read_clauses(text, f"{teller.who}|I"))
    holder = next((one for one in clauses if one.start <= marked.start() < one.end), None)
    end = holder.start if holder else 0
    match = re.search(rf"{_POSSESSIVE[teller.who]}(?! (?:{_KIN}|\w+['’]s))", text[:end])
    if match is None:
        return text
    if not re.search(r"\b[A-Z]\w+['’]s\b", text[: match.start()]):
        return None
    return text[: match.start() + 1] + _KEPT + text[match.start() + 1 :]


def _keep_done_to(text: str, teller: Teller) -> str:
    """Mark those to whom the speaker does something, who are others then: “wheels him down”."""
    marks: set[int] = set()
    for clause in read_clauses(text, f"{teller.who}|I"):
        if clause.subject == "own" and not clause.is_doubtful:
            part = text[clause.start : clause.end]
            marks |= {clause.start + at for at in _done_to(part, clause, teller, text)}
    for at in sorted(marks, reverse=True):
        text = text[: at + 1] + _DONE_MARK + text[at + 1 :]
    return text


def _keep_others(text: str, teller: Teller) -> str:
    """Mark the pronouns with which another is meant, so that they stay."""
    who = teller.who
    clauses = list(read_clauses(text, f"{who}|I"))
    rivals = _rivals_in(text, teller, clauses)
    marks: set[int] = set()
    main_rival, start_of_main = False, 0
    for clause, is_rival in zip(clauses, rivals, strict=True):
        part = text[clause.start : clause.end]
        before = text[start_of_main : clause.start]
        has_object = re.search(rf"\b{_OBJECT[who]}", before) is not None
        is_theirs = main_rival and clause.subject == "own" and not clause.is_shared and not has_object
        is_after_colon = text[: clause.start].endswith(": ") and main_rival
        if is_theirs and (clause.is_inner or is_after_colon) and re.match(rf"\s*{who}\b", part):
            end = len(text) if is_after_colon else clause.end
            stretch = text[clause.start : end]
            marks |= {clause.start + one.start() for one in re.finditer(rf"\b(?:{_WORDS[who]})\b", stretch)}
            if is_after_colon:
                break
        if not clause.is_inner and not clause.is_shared:
            main_rival, start_of_main = is_rival, clause.start
    if match := re.match(
        rf"(?:In|At|On|After|Before) (his|her) (?:last|first|old|later|\w+) \w+ (?=([A-Z]\w+))", text
    ):
        if match[2] in teller.rivals:
            marks.add(match.start(1))
    for held in _HELD.finditer(text):
        if re.search(rf"\b(?:{_MEN if who == 'he' else _WOMEN})\b", text[: held.start()]):
            marks.add(held.start(2))
    if match := re.search(
        r" (?:with|holding) [\w ]+ in (his|her)(?= (?:hand|hands|arms|pocket|mouth)\b)", text
    ):
        named = text[: match.start()].split()[-1:]
        if named and (
            named[0] in teller.rivals
            or any(named[0] in name for name in teller.rivals)
            or re.search(
                rf"\b(?:{'|'.join(map(re.escape, teller.rivals)) or '(?!)'})(?: \w+)?$", text[: match.start()]
            )
            or re.search(r"found [A-Z]\w+ [A-Z]\w+$", text[: match.start()])
        ):
            marks.add(match.start(1))
    for at in sorted(marks, reverse=True):
        text = text[: at + 1] + _KEPT + text[at + 1 :]
    return text


def _done_to(part: str, clause: Clause, teller: Teller, text: str) -> Collection[int]:
    """Return where a clause whose subject is the speaker says to whom it is done, who is another then."""
    start = clause.verb[0] - clause.start if clause.verb else 0
    found = []
    for pattern in (_DONE, _DONE_FOR):
        match = re.compile(rf"{pattern}({_OBJECT[teller.who]})").match(part + text[clause.end :][:12], start)
        if match and match.start(1) < len(part):
            found.append(match.start(1))
    return found
