"""Tells what an author wrote about somebody's life as they tell it, leaving out what cannot be told safely.

Where another may be meant by “she” as well as the speaker, the grammar often tells who is: whoever does
something to “her” is not “her”, and “her mother rings when she hears it” is about the mother. Where it does
not, the sentence is left out: another one is told then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from narratoria.narrator.clauses import Clause, is_finite, read_clauses
from narratoria.narrator.evidence import DEPENDENT, split_sentences
from narratoria.narrator.first_person import HER_AS_OBJECT, HIS_ALONE, Pronoun, in_first_person, put_own_name
from narratoria.narrator.grammar import BY_LAST_NAME, TITLES, call_name, capital
from narratoria.narrator.word_lists import WORDS

_NO_NAMES = WORDS.gate.capitalised | {
    *("The", "This", "That", "What", "Nobody", "Somebody", "Everybody", "Everyone", "Nothing", "Everything"),
    *("I", "It", "He", "She", "They", "There", "One", "None", "All", "Both", "Who", "Whoever", "Whatever"),
}
_EITHER = "|".join(WORDS.first_person.men_or_women)
_STAYS, _DONE_MARK = "\ue000", "\ue001"  # within a pronoun that stays as it is
_MEN, _WOMEN = "|".join(WORDS.first_person.men), "|".join(WORDS.first_person.women)
_OBJECT = {"he": r"him\b", "she": HER_AS_OBJECT}
_POSSESSIVE = {"he": r"\bhis\b(?! own\b)", "she": rf"\b(?!{HER_AS_OBJECT})her\b(?! own\b)"}
_ALONE = {"he": rf"\b{HIS_ALONE}", "she": r"\bhers\b"}
_WORDS = {"he": r"he|him|his", "she": r"she|her|hers"}
_NO_VERB = (
    r"(?:about|above|after|and|around|as|at|before|behind|beside|but|by|for|from|in|into|like|near|of|on|or|"
    r"over|than|to|under|with)\b"
)
# what is done to another, right after the verb: “wheels him down”, “did not want to see him sold”
_DEED_TO = (
    r"(?:(?:has|have|had|did|does|do|not|never|always|also|still|once|would|could|can|cannot|will|must|may|"
    rf"often|only|already|even|then) )*(?!{_NO_VERB}|been |be |is |was )\w+"
    r"(?: to (?!be )\w+)?(?: up| down| out| off)? "
)
_DEED_FOR = (  # “described the fire to him”, “has been making the list for her”
    r"(?:(?:has|have|had) been \w+ing (?:[\w'’]+ ){1,4}for |"
    r"(?!(?:has|have|had|is|was|got|gets|found)\b)\w+ (?:the|an?) \w+ (?:to|for) )"
)
_KIN = (
    r"(?:aunt|brother|child|children|cousin|daughter|family|father|grand\w+|husband|mother|parents|sister|son|"
    r"twin|uncle|wife)s?\b"
)
_BY_THE_HAND = re.compile(
    r"\b((?:held|holds|took|takes|shook|shakes|kissed) )(his|her)(?= (?:hand|hands|arm|face)\b)"
)
_IN_HER_YEARS = re.compile(r"(?:In|At|On|After|Before) (his|her) \w+ \w+ (?=([A-Z]\w+))")
_WITH_IN_HAND = re.compile(  # “found Enid Tarrant with the bell in her hand”
    r"\bfound [A-Z]\w+(?: [A-Z]\w+)? (?:with|holding) [\w ]+ in (his|her)(?= (?:hands?|arms|pocket|mouth)\b)"
)
_DEAD = re.compile(r"\bI (?:died|was killed|was lost|was buried)\b")
# “each other”: what two do together, of whom one is the speaker
_TOGETHER = re.compile(
    r"\bthey\b(?=[^.;]*\b(?:each other|together|to be married|"
    r"(?:no|one|a|two|three) (?:child|children|son|daughter)s?)\b)|"
    r"\bthey(?= have never (?:met|spoken)\b)|(?<=; )they(?= nod\b)",
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


@lru_cache(maxsize=256)
def make_teller(name: str, who: Pronoun, others: tuple[tuple[str, Pronoun], ...], notes: str) -> Teller:
    """Return somebody as the teller of notes about them, with everybody who may be meant by the same word."""
    rivals = {call_name(other) for other, pronoun in others if pronoun == who}
    strangers = {one for other, pronoun in others if pronoun != who for one in (other, *names_of(other))}
    if who in _WORDS:
        nouns, others_nouns = (_MEN, _WOMEN) if who == "he" else (_WOMEN, _MEN)
        rivals |= set(re.findall(rf"\b(?:{nouns})\b,? ([A-Z]\w+)", notes))
        strangers |= set(re.findall(rf"\b(?:{others_nouns})\b,? ([A-Z]\w+)", notes))
    own = set(names_of(name))
    return Teller(names_of(name), who, frozenset(rivals - own), frozenset(strangers))


def names_of(name: str) -> tuple[str, ...]:
    """Return the names that notes call somebody by: “Dr. Ada Voss”, “Ada Voss”, “Dr. Voss”, “Ada”."""
    words = name.split()
    plain = words[1:] if words[0].casefold() in TITLES | BY_LAST_NAME and len(words) > 1 else words
    names = {name, call_name(name), " ".join(plain), plain[0]}
    if len(plain) > 1 and plain[0].casefold() != "the":
        names |= {f"{title} {plain[-1]}" for title in ("Mr.", "Mrs.", "Miss", "Dr.")}
    return tuple(sorted(names - {"The", "the"}, key=len, reverse=True))


@lru_cache(maxsize=4096)  # every turn asks for all of them again
def as_own_account(text: str, teller: Teller) -> str:
    """Return a passage in the first person, without the sentences that cannot be put safely."""
    speech: list[str] = []
    is_left_out = is_ours = False
    sentences = split_sentences(text)
    for before, sentence, after in zip(["", *sentences], sentences, [*sentences[1:], ""], strict=False):
        is_of_rival = _is_of_rival(before, sentence, after, teller)
        spoken = sentence if is_of_rival else _as_own_sentence(sentence, teller)
        is_left_out = not spoken or (is_left_out and _leans_on_another(spoken))
        if is_left_out:
            continue
        is_ours = is_ours or bool(_AND_I.match(spoken))
        if is_ours or (speech and spoken.startswith("They ") and re.search(r"\b[Ww]e\b", speech[-1])):
            spoken = as_ours(_AND_I.sub(r"\1 and I", spoken), 0)
        speech.append(capital(spoken))
    return " ".join(speech)


def _is_of_rival(before: str, sentence: str, after: str, teller: Teller) -> bool:
    """Return whether a sentence that begins with “she” goes on about another, of whom the one before is.

    It does where the teller is named right after it, and where it says what the other did instead: “Her
    mother did not say it. She said another's.”
    """
    if not before or not re.match(rf"(?:{_words_of(teller)})\b", sentence, re.IGNORECASE):
        return False
    is_named_next = any(after.startswith(name) for name in teller.names)
    is_contrast = re.match(r"(?:[\w'’]+,? ){1,5}did not\b", before) is not None
    return (is_named_next or is_contrast) and _begins_with_rival(before, teller)


def _leans_on_another(spoken: str) -> bool:
    """Return whether a sentence says “it” or “him” of what was told before it."""
    is_named = re.search(rf"(?<!^)\b(?:(?!\w+day\b)[A-Z][a-z]+|{_MEN}|{_WOMEN})\b", spoken)
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
        text = _keep_unclear(_keep_done_to(text, teller), teller)
    spoken = in_first_person(text, teller.who).replace(_STAYS, "").replace(_DONE_MARK, "")
    if _DEAD.search(spoken) and not _DEAD.search(sentence):
        return ""
    return leave_out_saying(_with_ours(spoken))


def leave_out_saying(text: str) -> str:
    """Return a claim without “I say that”: whoever claims it just says it."""
    text = re.sub(r"\bwhich I say (?=is|was|has)", "which ", text)
    return re.sub(
        r"^I (?:say|give out)(?: that)? (?=(?:I|it|the|there|a|my|he|she|they|stone)\b[^,;:]*$)(\w)",
        lambda match: match[1].upper(),
        text,
    )


def _with_ours(text: str) -> str:
    """Return “they” as “we” where two do something together and one of them is the speaker."""
    if match := _TOGETHER.search(text):
        return as_ours(text, match.start())
    return re.sub(
        r"(\bmy (?:\w+ )?(?:brother|sister)\b.*?\b)their(?= (?:father|mother|parents)\b)",
        r"\1our",
        text,
        flags=re.IGNORECASE,
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
    return name is not None and name[1] not in teller.others | _NO_NAMES and is_finite(name[2])


def _rivals_in(text: str, teller: Teller, clauses: list[Clause]) -> list[bool]:
    """Return for each clause whether its subject is another of whom the teller's pronoun is used."""
    rivals: list[bool] = []
    main = inner = False
    for clause in clauses:
        if clause.is_shared or not clause.has_subject:
            is_rival = inner if clause.is_inner else main
        else:
            is_rival = clause.subject == "other" and _is_rival(
                text[clause.start : clause.end].strip(), teller
            )
            if clause.is_inner:
                inner = is_rival
            elif is_rival or clause.verb or clause.subject == "own":
                main, inner = is_rival, False
        rivals.append(is_rival)
    return rivals


def _is_unsafe(text: str, teller: Teller) -> bool:
    """Return whether it cannot be told whose something is, or who did it."""
    clauses = list(read_clauses(text, f"{teller.who}|I"))
    rivals = _rivals_in(text, teller, clauses)
    own = "his" if teller.who == "he" else "her"
    for clause, is_rival, before in zip(clauses, rivals, [False, *rivals[:-1]], strict=True):
        part = text[clause.start : clause.end]
        if is_rival and clause.has_subject and _has_unclear_possessive(part, teller):
            return True  # “old Oake died in his chair”
        if before and text[: clause.start].endswith(" and") and re.match(rf" {own} (?!{_KIN})", part):
            return True  # “her sister went down, and her line came up”
    said_of = re.search(rf"[:;] {teller.who}\b", text)
    if said_of is None or not rivals or rivals[0]:
        return False
    # “since his uncle died in it: he had gone out in the sun”
    earlier = [rival for one, rival in zip(clauses, rivals, strict=True) if one.end <= said_of.start() + 1]
    return any(earlier[-3:])


def _has_unclear_possessive(part: str, teller: Teller) -> bool:
    """Return whether “his” in what another does may be either's, and is nobody's who is “him” before."""
    part = re.split(r" (?:it|there) (?:is|was|has)\b", part, maxsplit=1)[0]  # “on the night she died it was”
    subject = re.match(r"\s*(?:\w+ly )?[\w'’]+", part)
    return any(
        not re.match(rf" (?:own|{_KIN})", part[match.end() :])
        and match.start() > (subject.end() if subject else 0)
        and not re.search(rf"\b{_OBJECT[teller.who]}", part[: match.start()])
        for match in re.finditer(_POSSESSIVE[teller.who], part)
    )


def _keep_unclear(text: str, teller: Teller) -> str:
    """Mark “his” before a “him” who is another: “hit Gus's post, cracked his beak and took him”.

    Empty where nobody is named whose it could be.
    """
    marked = re.search(_DONE_MARK, text)
    if marked is None:
        return text
    clauses = list(read_clauses(text, f"{teller.who}|I"))
    holder = next((one for one in clauses if one.start <= marked.start() < one.end), None)
    end = holder.start if holder else 0
    match = re.search(rf"{_POSSESSIVE[teller.who]}(?! (?:{_KIN}|\w+['’]s))", text[:end])
    if match is None:
        return text
    if not re.search(r"\b[A-Z]\w+['’]s\b", text[: match.start()]):
        return ""
    return text[: match.start() + 1] + _STAYS + text[match.start() + 1 :]


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
    marks = {*_of_rivals(text, teller), *_held_by_rivals(text, teller)}
    marks |= {one.start(1) for one in re.finditer(r"\bwho (?:\w+ ){1,2}((?:him|her)self)\b", text)}
    for at in sorted(marks, reverse=True):
        text = text[: at + 1] + _STAYS + text[at + 1 :]
    return text


def _of_rivals(text: str, teller: Teller) -> Iterator[int]:
    """Yield where a clause within another's says “she” of them: “her mother rings when she hears it”."""
    who = teller.who
    clauses = list(read_clauses(text, f"{who}|I"))
    is_main_rival, start_of_main = False, 0
    for clause, is_rival in zip(clauses, _rivals_in(text, teller, clauses), strict=True):
        part = text[clause.start : clause.end]
        if is_rival:  # “since her mother lost hers”
            yield from (clause.start + one.start() for one in re.finditer(_ALONE[who], part))
        is_own = is_main_rival and clause.subject == "own" and not clause.is_shared
        goes_on = text[: clause.start].endswith((": ", "; "))
        is_taught = re.search(rf"\b{_OBJECT[who]}", text[start_of_main : clause.start])  # “told her that she”
        if is_own and not is_taught and (clause.is_inner or goes_on) and re.match(rf"\s*{who}\b", part):
            stretch = text[clause.start :] if goes_on else part
            yield from (clause.start + one.start() for one in re.finditer(rf"\b(?:{_WORDS[who]})\b", stretch))
            if goes_on:
                return
        if not clause.is_inner and not clause.is_shared:
            is_main_rival, start_of_main = is_rival, clause.start


def _held_by_rivals(text: str, teller: Teller) -> Iterator[int]:
    """Yield where something is another's by what it is: “held her hand”, “in her last years Aldith set”."""
    if (match := _IN_HER_YEARS.match(text)) and match[2] in teller.rivals:
        yield match.start(1)
    for match in _BY_THE_HAND.finditer(text):
        if re.search(rf"\b(?:{_MEN if teller.who == 'he' else _WOMEN})\b", text[: match.start()]):
            yield match.start(2)
    if match := _WITH_IN_HAND.search(text):
        yield match.start(1)


def _done_to(part: str, clause: Clause, teller: Teller, text: str) -> list[int]:
    """Return where a clause whose subject is the speaker says to whom it is done, who is another then."""
    start = clause.verb[0] - clause.start if clause.verb else 0
    places = []
    for pattern in (_DEED_TO, _DEED_FOR):
        match = re.compile(rf"{pattern}({_OBJECT[teller.who]})").match(part + text[clause.end :][:12], start)
        if match and (pattern is _DEED_FOR or match.start(1) < len(part)):
            places.append(match.start(1))
    return places
