"""Turns an author's notes into the first person: “has left her post” into “I have left my post”."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from narratoria.contracts.scene_facts import PersonFacts
from narratoria.narrator.clauses import is_finite, read_clauses
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
    r"leave things out|no idea|thinks? that|has(?: not|n['’]t) noticed|does(?: not|n['’]t) know|"
    r"is(?: not|n['’]t) aware)\b",
    re.IGNORECASE,
)
_HANGING = re.compile(r"\b(?:for|to|with|of|at|from|by)\s*[,;]")  # that the other's name would have to follow
_PREDICATE = re.compile(r"((?:(?:never|always|still|once) )?)([\w'’]+)(.*)", re.DOTALL)
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
_AFTER_OBJECT = "|".join(WORDS.first_person.after_object)
_NUMBER = r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty(?:-\w+)?|\d+)\b"
_PLAIN_VERBS = "|".join(WORDS.grammar.plain_verbs | {"be", "have", "do", "stay", "die", "think", "believe"})
_RELATIVES = (
    r"(?:aunt|brother|child|children|cousin|daughter|face|father|friend|grand\w+|hand|hands|husband|job|life|"
    r"mother|name|own|parents|sister|son|uncle|wife|word)\b"
)


def _right_after(*words: str) -> str:
    """Return a pattern for a place right after any of the words, which are of different lengths."""
    return "(?:" + "|".join(rf"(?<=\b{word} )" for word in words) + ")"


_PAYING = _right_after("paid", "pays", "owed", "owes", "takes", "lent", "gave", "cost", "called")
_CALLING = _right_after("call", "calls", "called", "named")
_LETTING = _right_after("let", "lets", "made", "hear", "heard", "make", "makes", "help", "helps")
_BRINGING = _right_after("brings", "taught", "teaches", "promised", "offered", "offers")
# an object, and not “her keys”: “told her that”, “paid her forty marks”, “lets her stay”, “brings her tea”
_HER = (
    rf"(?:her\b(?=$|[^\w\s]| (?:{_AFTER_OBJECT})(?![\w-])| first(?:$|[^\w\s])|"
    rf" one (?:night|day|evening|morning|winter|summer)\b| {_NUMBER} \w+ ago\b)|{_PAYING}her(?= {_NUMBER})|"
    rf"{_CALLING}her(?= [A-Z])|{_LETTING}her(?= (?:{_PLAIN_VERBS})\b(?! (?:is|was)\b))|"
    rf"{_BRINGING}her(?= (?!{_RELATIVES})\w))"
)
HER_AS_OBJECT = _HER
_HER_BACK = (  # but “turned her back on” and “keeps her home tidy”
    r"\b((?:bring|brought|call|called|carried|drove|fetch|fetched|get|got|haul|hauled|held|hold|lead|led|pulled|"
    r"rang|rowed|saw|see|send|sent|take|took|turned|walk|walked|want|welcome|win|won)s? )"
    r"her(?= (?:back|home)\b(?! on\b))"
)
_HIS = (  # and not “his keys”
    r"his\b(?=$|[^\w\s]| "
    r"(?:is|was|and|or|but|by|to|now|alone|again|as|if|when|in|on|at|from|with|too|than)\b)"
)
HIS_ALONE = _HIS
_BEFORE_SUBJECT = re.compile(
    r"(?:[.!?;:—–,] |"
    r"\b(?:and|but|or|so|that|when|because|if|since|while|where|until|which|what|whom|though|as) )$"
)
_SENTENCE_END = re.compile(r"((?<=[.!?…])\s+)")
# Of what people do to themselves it says “herself”: whoever else it is done to is another.
_DONE_TO = re.compile(
    r"(?:^(?:be )?\w+| (?:and|but|or)(?: never| always| would| will| could| can| must)? \w+)"
    rf"(?: (?:for|to|of|by|after|over|about|against))? (?:him\b|them\b|{_HER})"
    rf"(?: (?:for|from|to|with) (?:him|her|them)sel(?:f|ves)\b)?|^{_HER_BACK}|"
    rf" without \w+ing (?:him\b|{_HER})"
)
_ADVERBS = (
    r"(?:(?:never|always|still|only|also|often|once|ever|just|really|hardly|rarely|myself|no longer|"
    r"no more|quite|sometimes|usually|secretly|privately|now|then|again|already|almost|nearly|simply|"
    r"merely|seldom|barely|(?!fly |rely |apply |reply |supply |ally )[a-z]{3,}ly) )*"
)
_HAS_DONE = WORDS.first_person.participles  # “all she's lost”


def pronoun_of(person: PersonFacts, past: str = "") -> Pronoun:
    """Return the pronoun the author uses for somebody: by traits, wants, kind or past, in this order."""
    traits = (person.appearance, *person.habits, *person.virtues, *person.flaws)
    return (
        _pronoun_in(" ".join(traits))
        or _pronoun_in(" ".join(person.motivations))
        or _pronoun_of_kind(f"{person.name}. {person.role}. {person.appearance}")
        or _pronoun_in(" ".join(_SUBJECTS.findall(past)))
        or "they"
    )


def _pronoun_of_kind(text: str) -> Pronoun | None:
    """Return the pronoun of the first word for a man or a woman that a description begins a noun with."""
    match = _KIND.search(text)
    return None if match is None else "he" if match["he"] or match["mr"] else "she"


_SUBJECTS = re.compile(r"(?:^|(?<=[.!?] ))(?:He|She|They|It)\b")  # that begin a sentence
_KIND = re.compile(
    r"\b(?i:an?|the|that|this|old|young|little)\s+(?:[\w'’-]+\s+){0,3}?(?:(?P<he>man|boy|gentleman|lad|fellow|priest|monk)|"
    r"(?P<she>woman|girl|lady|lass|nun|widow))\b(?!['’]s)|^(?:(?P<mr>Mr|Father|Brother|Sir|Lord)\b|"
    r"(?P<mrs>Mrs|Miss|Ms|Sister|Mother|Dame|Lady|Madame)\b)"
)


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
    return _bend_shared_verbs(_put_clause(wish, who))


def as_own_want(motive: str, who: Pronoun) -> str:
    """Return a motive that is no act as a demand: “His daughter back” as “My daughter back”."""
    return capital(in_first_person(capital(motive.strip().rstrip(".!?… ")), who))


def as_own_deed(note: str, who: Pronoun | None) -> str:
    """Return a virtue or a relationship as a sentence in the first person; empty where it is none."""
    if not predicate(note, "X") or _UNSAID.search(note) or _HANGING.search(note):
        return ""
    return f"{clause}." if (clause := put_deed(note, who)) else ""


def is_unsaid(note: str) -> bool:
    """Return whether nobody would say it aloud of themselves, because saying it would undo it."""
    return bool(_UNSAID.search(note))


def put_deed(note: str, who: Pronoun | None) -> str:
    """Return a note that begins with a verb as its owner's deed: “Gave him a coat” as “I gave him a coat”."""
    text = note.strip().rstrip(".!… ")
    match = _PREDICATE.fullmatch(text[:1].lower() + text[1:])
    if match is None or match[2] in ("never", "always", "still"):  # “Always, in the end, comes back”
        return ""
    adverb, verb, _ = match.groups()
    text = _bend_shared_verbs(match[0], who or "I", is_note=True)
    rest = text[len(adverb) + len(_agree_verb(verb)) :]
    lead, clause = f"I {adverb}", f"{_agree_verb(verb)}{rest}"
    if verb in _HELPING and (helper_match := _HELPED.match(rest)):  # what is done comes after it
        lead, clause = f"{lead}{_agree_verb(verb)}{helper_match[1]}", rest[helper_match.start(2) :]
    return f"{lead}{_put_clause(clause, who)}"


def put_own_name(text: str, names: Sequence[str]) -> str:
    """Return a note with “I”, “me” and “my” where it names its owner; a name that is only called stays."""
    name = "|".join(re.escape(one) for one in names)
    text = re.sub(rf"^(?:{name})['’]s?(?![\w])", "My", text)
    text = re.sub(rf"(?<!\w)(?:{name})['’]s?(?= by\b| and\b| is\b| was\b|[.,;]|$)", "mine", text)
    text = re.sub(rf"(?<!\w)(?:{name})['’]s?(?![\w])", "my", text)

    def put(match: re.Match[str]) -> str:
        before, after = text[: match.start()], text[match.end() :]
        if re.search(r"\b(?:called|named|name as|name is|name was) $", before):
            return match[0]
        if re.search(r"\b(?:is|was) $", before):
            return "I"
        following = re.match(rf"( {_ADVERBS})([\w'’]+)", after)
        is_subject = following is not None and (
            is_finite(following[2]) or _VERB.match(following[2]) is not None
        )
        is_set_off = bool(_BEFORE_SUBJECT.search(before)) and (is_subject or after.startswith(", who"))
        return (
            "I"
            if not before or is_set_off or (is_subject and following and is_finite(following[2]))
            else "me"
        )

    text = re.sub(rf"(?<!\w)(?:{name})(?![\w])(?!['’]s\b)", put, text)
    text = re.sub(
        rf"(?<![\w“])I ({_ADVERBS})(\w+(?:['’]t)?)",
        lambda match: f"I {match[1]}{_agree_verb(match[2])}",
        text,
    )
    return text


def in_first_person(text: str, who: Pronoun | None) -> str:
    """Replace the words with which a note means the person by the person's own."""
    return "".join(
        _bend_shared_verbs(_without_asides(_put_pronouns(part, who))) for part in _SENTENCE_END.split(text)
    )


def _without_asides(text: str) -> str:
    """Return a sentence without “I say” put in, which nobody says: “that, I say, is like a grocer”."""
    text = re.sub(r",? I say,(?= (?:and|but|having|who|which|\w+ing)\b)", ",", text)
    return re.sub(r", I say, ", " ", text)


def _bend_shared_verbs(sentence: str, own: str = "I", *, is_note: bool = False) -> str:
    """Bend the verbs whose subject, the speaker, stands before an earlier one: “I cook and washes up”."""
    for clause in reversed(list(read_clauses(sentence, own, is_note=is_note))):
        if clause.subject == "own" and clause.is_shared and clause.verb:
            start, end = clause.verb
            sentence = sentence[:start] + _agree_verb(sentence[start:end]) + sentence[end:]
    return sentence


def _put_clause(clause: str, who: Pronoun | None) -> str:
    """Put a verb and what follows it into the first person, except those to whom it is done."""
    text, last = "", 0
    for match in _DONE_TO.finditer(clause):
        text += _put_all_pronouns(clause[last : match.start()], who) + match[0]
        last = match.end()
    return text + _put_all_pronouns(clause[last:], who)


def _put_all_pronouns(text: str, who: Pronoun | None) -> str:
    return "".join(_put_pronouns(part, who) for part in _SENTENCE_END.split(text))


def _put_pronouns(text: str, who: Pronoun | None) -> str:
    if who is None or who == "it":
        text = re.sub(r"\b(?:him|her|it|them)sel(?:f|ves)\b", _put_reflexive, text)
        return re.sub(r"\bits\b", "my", text) if who else text
    if text[:1].isupper() and re.match(rf"(?:{_WORDS[who]})\b", text, re.IGNORECASE):
        return capital(_put_pronouns(text[0].lower() + text[1:], who))
    own, possessive, thing = {
        "he": (_HIS, "his", r"him\b"),
        "she": (r"hers\b", "her", _HER),
        "they": (r"theirs\b", "their", r"them\b"),
    }[who]
    text = re.sub(
        r"\bthemsel(?:f|ves)\b" if who == "they" else rf"\b{'him' if who == 'he' else 'her'}self\b",
        "myself",
        text,
    )
    text = _as_subject(text, who)
    text = re.sub(rf"\b{own}", "mine", text)
    if who == "she":
        text = re.sub(_HER_BACK, r"\1me", text)
    text = re.sub(rf"\b{thing}", "me", text)
    return re.sub(rf"\b{possessive}\b", "my", text)


def _put_reflexive(match: re.Match[str]) -> str:
    """Return “myself”, but leave “how he takes it himself” to whoever takes it."""
    is_of_other = re.search(
        r"\b(?:he|she|who|boy|girl|lad|man|woman)\b[^,;]*$", match.string[: match.start()]
    )
    return match[0] if is_of_other else "myself"


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

    text = re.sub(rf"\b{who}(['’])(s|d|ll|re|ve)\b(?= {_ADVERBS}(\w+)|)", contract_pronoun, text)
    text = re.sub(rf"\b{who} ({_ADVERBS})(\w+(?:['’]t)?)", bend_verb, text)
    return text if who == "they" else re.sub(rf"\b{who}\b", "I", text)


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
