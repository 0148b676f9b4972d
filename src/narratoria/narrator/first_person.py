"""Turns an author's notes into the first person: “has left her post” into “I have left my post”."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, TypeAlias

from narratoria.contracts.scene_facts import PersonFacts
from narratoria.narrator.grammar import capital, predicate, verb_first
from narratoria.narrator.word_lists import WORDS

Pronoun: TypeAlias = Literal["he", "she", "it", "they"]
_WORDS: Mapping[Pronoun, str] = {
    "he": r"he|him|his|himself",
    "she": r"she|her|hers|herself",
    "it": r"its|itself",
    "they": r"they|them|their|theirs|themselves|themself",
}
# what nobody says aloud of themselves, because saying it would undo it
_UNSAID = re.compile(
    r"\b(?:never said|not said|without saying|pretend\w*|secret\w*|hid(?:e|es|den|ing)?|lies|admit\w*|"
    r"leave things out|no idea|thinks? that|does(?: not|n['’]t) know|is(?: not|n['’]t) aware)\b",
    re.IGNORECASE,
)
_HANGING = re.compile(r"\b(?:for|to|with|of|at|from|by)\s*[,;]")  # that the other's name would have to follow
_PREDICATE = re.compile(r"((?:(?:never|always|still) )?)([\w'’]+)(.*)", re.DOTALL)
_HELPING = WORDS.first_person.helping_verbs
_HELPED = re.compile(
    r"((?: (?:never|not|always|still|once))* )(?!(?:him|his|her|them|their|its)\b)(\w+)(?= )"
)
# what is wanted and cannot be done: “Revenge for his brother”
_NOUN = re.compile(
    r"(?:fame|glory|gold|honou?r|justice|love|money|peace|power|pride|proof|respect|revenge|safety|survival|"
    r"wealth|\w+(?:ance|dom|ence|geance|ity|ledge|ment|ness|ship|sion|tion)) "
    r"(?:against|among|and|at|by|for|from|in|of|on|over|to|with)\b"
)

_IRREGULAR = WORDS.first_person.irregular_stems
_STEMS = WORDS.first_person.stems
_VERB = re.compile(r"(?:has|is|does|goes|[a-z]{2,}s)$")
_NO_VERB = WORDS.first_person.not_verbs
# after “and” a verb, and hardly a plural: “and listens”, but “pots and pans”
_SURELY_VERBS = WORDS.first_person.certain_verbs
# after a verb and not after a plural: “and washes it”
_GOES_ON = WORDS.first_person.after_verb
# after either: “and hides from her”, but “boots and shoes for everybody”
_GOES_ON_SOMEWHERE = WORDS.first_person.after_verb_or_plural
_OF_ANOTHER = re.compile(r"\b(?:who|whoever|which)\b[^,;:.]*$")  # “whoever is lost and has no home”

_AFTER_OBJECT = "|".join(WORDS.first_person.after_object)
_HER = rf"her\b(?=$|[^\w\s]| (?:{_AFTER_OBJECT})(?![\w-])| first(?:$|[^\w\s]))"  # and not “her keys”
_HER_BACK = (  # but “turned her back on” and “keeps her home tidy”
    r"\b((?:bring|call|get|lead|see|send|take|walk|want|welcome|win)s? )her(?= (?:back|home)\b(?! on\b))"
)
_HIS = r"his\b(?=$|[^\w\s]| (?:is|was|and|or|but|by|to|now|alone|again|as|if|when)\b)"  # and not “his keys”
# Of what people do to themselves it says “herself”: whoever else it is done to is another.
_DONE_TO = re.compile(
    r"(?:^(?:be )?\w+| (?:and|but|or)(?: never| always| would| will| could| can| must)? \w+)"
    rf"(?: (?:for|to|of|by|after|over|about|against))? (?:him\b|them\b|{_HER})"
    rf"(?: (?:for|from|to|with) (?:him|her|them)sel(?:f|ves)\b)?|^{_HER_BACK}"
)
_ADVERBS = (
    r"(?:(?:never|always|still|only|also|often|once|ever|just|really|hardly|rarely|myself|no longer|"
    r"no more|quite|sometimes|usually|secretly|privately|now|then|again|already|almost|nearly|simply|"
    r"merely|seldom|barely) )*"
)
# before a further verb, and no adjective: “and usually succeeds”, but “and family rooms”
_ADVERB = (
    r"(?:never|always|still|then|also|even|now|often|"
    r"(?!(?:daily|early|elderly|family|friendly|holy|lonely|lovely|only|silly|ugly|weekly)\b)\w+ly)"
)
_HAS_DONE = WORDS.first_person.participles  # “all she's lost”


def pronoun_of(person: PersonFacts) -> Pronoun:
    """Return the pronoun the author uses for somebody; what they want is the weakest sign."""
    traits = (person.appearance, *person.habits, *person.virtues, *person.flaws)
    return _pronoun_in(" ".join(traits)) or _pronoun_in(" ".join(person.motivations)) or "they"


@lru_cache(maxsize=1024)
def _pronoun_in(notes: str) -> Pronoun | None:
    """Return the pronoun that occurs most often in an author's notes; None where there is none."""
    text = notes.casefold()
    count = {who: len(re.findall(rf"\b(?:{words})\b", text)) for who, words in _WORDS.items()}
    best: Pronoun = max(count, key=lambda who: count[who])
    return best if count[best] else None


def find_own_pronoun(who: Pronoun, note: str, other: Pronoun | None) -> Pronoun | None:
    """Return which pronoun of a note about another is the speaker's own; None where that cannot be told.

    Two of whom the author says “her” cannot be told apart: it is the other who is meant.
    """
    if other is None and who != "it":  # who is not there: the note itself may tell
        pronouns = {one for one, words in _WORDS.items() if re.search(rf"\b(?:{words})\b", note.casefold())}
        return who if pronouns - {who, "it"} else None
    return None if other == who else who


def as_own_wish(motive: str, who: Pronoun) -> str:
    """Return a motive as it stands after “I want to”; empty where it begins with no plain verb."""
    text = re.sub(r"^to ", "", motive.strip(), flags=re.IGNORECASE).rstrip(".!?… ")
    wish = text[:1].lower() + text[1:] if text.casefold().startswith("be ") else verb_first(text)
    if " " not in wish or _NOUN.match(wish):  # a single word is as often a thing: “Gold”
        return ""
    return _put_clause(wish, who)


def as_own_want(motive: str, who: Pronoun) -> str:
    """Return a motive that is no act as a demand: “His daughter back” as “My daughter back”."""
    return capital(in_first_person(capital(motive.strip().rstrip(".!?… ")), who))


def as_own_deed(note: str, who: Pronoun | None) -> str:
    """Return a virtue or a relationship as a sentence in the first person; empty where it is none."""
    if not predicate(note, "X") or _UNSAID.search(note) or _HANGING.search(note):
        return ""
    text = note.strip().rstrip(".!… ")
    match = _PREDICATE.fullmatch(text[:1].lower() + text[1:])
    if match is None or match[2] in ("never", "always", "still"):  # “Always, in the end, comes back”
        return ""
    adverb, verb, rest = match.groups()
    lead, clause = f"I {adverb}", f"{_agree_verb(verb)}{_bend_next_verbs(rest)}"
    if verb in _HELPING and (helper_match := _HELPED.match(rest)):  # what is done comes after it
        lead, clause = (
            f"{lead}{_agree_verb(verb)}{helper_match[1]}",
            f"{helper_match[2]}{_bend_next_verbs(rest[helper_match.end() :])}",
        )
    return f"{lead}{_put_clause(clause, who)}."


def as_terse_speech(note: str) -> str:
    """Return a note about somebody as people say it who leave themselves out: “Taught him to drive, once.”

    Empty for what nobody would say aloud.
    """
    if _UNSAID.search(note):
        return ""
    text = note.strip().rstrip(".!… ")
    verb, _, rest = text.partition(" ")
    if _VERB.match(verb.casefold()) and verb.casefold() not in _NO_VERB:
        verb = capital(_agree_verb(verb.casefold()))
    return f"{capital(verb)} {rest}".strip() + "."


# “I come from Gdynia and has driven”: where the speaker is the subject, and not in “the house I love”
_OWN_CLAUSE = re.compile(
    r"(?:^|[,;:—–“‘] ?|\b(?:and|but|or|then|now|so) |"
    r"^(?:After|At|Before|By|Each|Every|For|From|In|On|Once|Since|With|[A-Z]\w+ly)\b[^,]*? )"
    rf"(?<!\bwhat )(?<!\bthat )I {_ADVERBS}[\w'’]+"
)
# where somebody else may be the subject: “where my brother sits and reads”
_OTHER_CLAUSE = re.compile(
    r"[;:]|\b(?:who|whom|whose|whoever|which|that|what|when|where|while|because|if|as|since(?! \d)|until|"
    r"unless|though|although|how|why|than)\b(?! I\b)"
)
_WORD_OF_CLAUSE = re.compile(rf"(?:\b(?:and|but|or) |, )(?:{_ADVERB} )?\w+|\b(\w+)")


def in_first_person(text: str, who: Pronoun | None) -> str:
    """Replace the words with which a note means the person by the person's own."""
    parts = re.split(r"((?<=[.!?…])\s+)", text)
    return "".join(_bend_own_verbs(_sentence(part, who)) for part in parts)


def _bend_own_verbs(sentence: str) -> str:
    """Bend the further verbs of a sentence in which the speaker has become the subject."""
    match = _OWN_CLAUSE.search(sentence)
    if match is None:
        return sentence
    rest = sentence[match.end() :]
    return sentence[: match.end()] + _bend_next_verbs(rest, _end_of_own_clause(rest))


def _end_of_own_clause(rest: str) -> int:
    """Return where what the speaker does may end: before another clause, or “and my sister bakes”."""
    other_clause = _OTHER_CLAUSE.search(rest)
    end = other_clause.start() if other_clause else len(rest)
    for word in _WORD_OF_CLAUSE.finditer(rest, 0, end):
        if word[1] in _IRREGULAR or word[1] in _SURELY_VERBS:
            conjunction = rest.rfind(" and ", 0, word.start())
            return conjunction if conjunction >= 0 else end
    return end


def _put_clause(clause: str, who: Pronoun | None) -> str:
    """Put a verb and what follows it into the first person, except those to whom it is done."""
    text, last = "", 0
    for match in _DONE_TO.finditer(clause):
        text += in_first_person(clause[last : match.start()], who) + match[0]
        last = match.end()
    return text + in_first_person(clause[last:], who)


def _sentence(text: str, who: Pronoun | None) -> str:
    if who is None or who == "it":
        text = re.sub(r"\b(?:him|her|it|them)sel(?:f|ves)\b", "myself", text)
        return re.sub(r"\bits\b", "my", text) if who else text
    if text[:1].isupper() and re.match(rf"(?:{_WORDS[who]})\b", text, re.IGNORECASE):
        return capital(_sentence(text[0].lower() + text[1:], who))
    own, possessive, thing = {
        "he": (_HIS, "his", r"him\b"),
        "she": (r"hers\b", "her", _HER),
        "they": (r"theirs\b", "their", r"them\b"),
    }[who]
    text = re.sub(r"\bthemsel(?:f|ves)\b" if who == "they" else rf"\b{thing[:3]}self\b", "myself", text)
    text = _as_subject(text, who)
    text = re.sub(rf"\b{own}", "mine", text)
    if who == "she":
        text = re.sub(_HER_BACK, r"\1me", text)
    text = re.sub(rf"\b{thing}", "me", text)
    return re.sub(rf"\b{possessive}\b", "my", text)


def _as_subject(text: str, who: Pronoun) -> str:
    """Turn “what she owes” into “what I owe”, “where they are” into “where I am”."""

    def contract_pronoun(match: re.Match[str]) -> str:
        mark, end, after = match[1], match[2], match[3] or ""
        if end in ("s", "re"):
            end = "ve" if end == "s" and after in _HAS_DONE else "m"
        return f"I{mark}{end}"

    def bend_verb(match: re.Match[str]) -> str:
        verb = (
            {"are": "am", "were": "was"}.get(match[2], match[2]) if who == "they" else _agree_verb(match[2])
        )
        return f"I {match[1]}{verb}"

    text = re.sub(rf"\b{who}(['’])(s|d|ll|re|ve)\b(?=(?: (\w+))?)", contract_pronoun, text)
    return re.sub(rf"\b{who} ({_ADVERBS})(\w+(?:['’]t)?)", bend_verb, text)


def _bend_next_verbs(rest: str, end: int | None = None) -> str:
    """Bend the verbs after “and” that belong to the same person: of a whole note, or those before `end`.

    A note is about what somebody does; in a sentence only what can be no plural is taken for a verb.
    """
    is_first_verb_bare = re.match(r",| (?:and|but|or)\b", rest) is not None  # “reads, writes and sings”

    def bend_verb(match: re.Match[str]) -> str:
        lead, adverb, verb, after = match[1], match[2] or "", match[3], match[4] or ""
        before = rest[: match.start()]
        plural_before = before.endswith("s")
        if end is not None and match.start() >= end:
            return match[0]
        if not _VERB.match(verb) or verb in _NO_VERB or ("," not in lead and _OF_ANOTHER.search(before)):
            return match[0]
        is_verb = (
            verb in _IRREGULAR
            or verb in _SURELY_VERBS
            or is_first_verb_bare
            or bool(adverb)
            or (after in _GOES_ON and (end is None or after != "that"))
            or (end is None and not plural_before and ("," in lead or after in _GOES_ON_SOMEWHERE))
        )
        return f"{lead}{adverb}{_agree_verb(verb)}" if is_verb else match[0]

    conjunction = r",? (?:and|but|or) " + (r"|, " if is_first_verb_bare else "")
    return re.sub(
        rf"({conjunction})((?:{_ADVERB}) )?(\w+)\b(?=(?: (\w+))?)",
        bend_verb,
        rest,
    )


def _agree_verb(verb: str) -> str:
    """Return “carries” as “carry”, “doesn't” as “don't”; any other word as it is."""
    if match := re.fullmatch(r"(is|has|does)(n['’]t)", verb):
        return "am not" if match[1] == "is" else f"{_IRREGULAR[match[1]]}{match[2]}"
    if verb in _IRREGULAR or verb in _STEMS:
        return {**_IRREGULAR, **_STEMS}[verb]
    if verb in _NO_VERB or not _VERB.match(verb) or verb.endswith("ss"):
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(?:ss|sh|ch|x|zz|o)es$", verb) else verb[:-1]
