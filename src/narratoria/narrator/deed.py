"""Tells what the player does as a sentence of the story, in the words in which they typed it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from narratoria.narrator.grammar import in_the_past, to_the_player
from narratoria.narrator.word_lists import WORDS

LONGEST = 28  # words of a deed that are told again
_LEAD_IN = re.compile(
    r"^\W*(?:(?:right|ok|okay|so|then|now|well|and|but|fine|please|alright|all right|next|first|instead|"
    r"screw it|damn it|just|finally|maybe)\b[\s,.:;–-]*)+(?=\w)",
    re.IGNORECASE,
)
_INTENTION = re.compile(
    r"^(?:(?:i(?:['’]?ll|\s+will|['’]?d\s+like\s+to|\s+would\s+like\s+to|\s+want\s+to|\s+wanna|"
    r"(?:\s+am|['’]?m)?\s+(?:going\s+to|gonna)|\s+decide\s+to|\s+have\s+to|\s+need\s+to|\s+can)?)|"
    r"let\s+me|let['’]?s|can\s+i|could\s+i|may\s+i|time\s+to)\s+",
    re.IGNORECASE,
)
_CIRCUMSTANCE = re.compile(r"^((?:while|when|as|once|after|before)\b.+?),?\s+I\s+(.+)$", re.IGNORECASE)
_MEANS = re.compile(
    r"^((?:with|without|using|in|on|at|from|behind|under|through)\b[^,]*?),?\s+I\s+((?:(?!\bI\b).)+)$",
    re.IGNORECASE,
)
_ADVERB_FIRST = re.compile(r"^([a-z]{2,}ly),?\s+I\s+", re.IGNORECASE)
_REASON = re.compile(
    r"^.+?,?\s+so\s+I\s+(?!(?:can|could|will|would|might|may|don't|won't|do not)\b)", re.IGNORECASE
)
_SECOND_SUBJECT = re.compile(r"\b(and|then|but|or)\s+I\s+(?=[a-z]+\b)(?!(?:am|was|have|had|will|can)\b)")
_NEXT_SENTENCE = re.compile(r"[.;!]+\s+(?:then\s+)?I\s+(?=[a-z]+\b)")
_NEXT_VERB = re.compile(
    r"(,? (?:and then|and|then|or) |, )(\w+)\b"
    r"(?=( (?:the|a|an|my|that|this|it|them|him|her|his|their|some)\b)?)"
    r"(?=($|,| (?:off|away|up|in|out|into|down|to|at|for|back|over|through|on|with|from|again|around|"
    r"ashore)\b)?)"
)
_QUESTION_AFTER = re.compile(  # “I feel the soil, is it dry?”
    r"(?:,|\s-|;|\.)\s*(?:(?:is|are|was|were|does|do|did|can|could|will|would|has|have)\s+(?:it|he|she|they|there|i|we|"
    r"that|this|these|those|the|any\w*|some\w*)|who|what|whats|what's|where|when|why|how|which)\b.*$",
    re.IGNORECASE,
)
_ATTEMPT = re.compile(r"^(?:try|attempt)\s+to\s+", re.IGNORECASE)
_ADVERB = re.compile(r"^(?:(?:[a-z]{2,}ly|just|then|also|now)\s+)+", re.IGNORECASE)
_NOT_TOLD = re.compile(
    r"[?“”\"]|\b(?:we|us|our|ours|you|your|yours|u|ur|lets|let's|please|shall|hehe|haha|lol|eh|heave)\b",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(r"\b(?:gonna|i'd|im|ive)\b|[.;!]\s", re.IGNORECASE)  # no single clause
_TO_ME = re.compile(r"\bme\b", re.IGNORECASE)  # “help me” is said to somebody
_SECOND_PERSON = ((r"\bI was\b", "you were"), (r"\bI'll\b", "you will"))
_THIRD_PERSON = (
    (r"\bI(?: am|'m)\b", "they are"),
    (r"\bI was\b", "they were"),
    (r"\bI've\b", "they have"),
    (r"\bI'll\b", "they will"),
    (r"\bI\b", "they"),
    (r"\bmyself\b", "themself"),
    (r"\bmy\b", "their"),
    (r"\bmine\b", "theirs"),
    (r"\bme\b", "them"),
)
_LATER_FORMS = {"is": "was", "are": "were", "can": "could", "will": "would"}  # told afterwards
_REPORTED = re.compile(r"\b(is|are|(?<=they )(?:can|will)|(?<=he )(?:can|will)|(?<=it )(?:can|will))\b")
_LIE = re.compile(r"^lie(?= (?:to|about)\b)")  # and not “lie down”
_TERSE = re.compile(  # “use key on door”
    r"^((?:examine|open|close|shut|unlock|lock|take|grab|drop|use|push|pull|inspect|lift|kick|smash) )"
    r"([a-z]+)(?:( (?:on|with|from|in|into) )([a-z]+))?$"
)


def deed_of(text: str, names: Iterable[str] = ()) -> str:
    """Return a typed clause as it stands after "You", such as "climb over the rope"; else nothing.

    What is said aloud, asked, or addressed to somebody is no deed. `names` are spelt as the story does.
    """
    clause, circumstance = _read_clause(text, names)
    return _to_second(f"{clause}{circumstance}")


def deed_slots(text: str, names: Iterable[str] = ()) -> dict[str, str]:
    """Return the slots that tell a deed: done, tried, and as it is remembered; none where it is no deed.

    A state such as "think of home" is nothing one tries.
    """
    clause, circumstance = _read_clause(text, names)
    if not clause:
        return {}
    aim = _to_second(f"{clause}{circumstance}")
    adverb = _ADVERB.match(clause)
    head, rest = (adverb[0], clause[adverb.end() :]) if adverb else ("", clause)
    slots = {"deed": f"You {aim}.", "did": f"The player {head}{_as_remembered(rest)}."}
    if rest.split(" ", 1)[0] in WORDS.grammar.state_verbs or rest == "do nothing":
        return slots
    return {**slots, "try": f"You try to {aim}.", "tried": f"The player tried to {_report(clause)}."}


def _read_clause(text: str, names: Iterable[str]) -> tuple[str, str]:
    """Return what is done, beginning with its verb, and the circumstance typed before it; else nothing."""
    text = " ".join(text.replace("’", "'").replace(" & ", " and ").split()).rstrip(" .!,;:-")
    text = _QUESTION_AFTER.sub("", text)
    if not text.isascii() or _NOT_TOLD.search(text) or len(text.split()) > LONGEST:
        return "", ""
    text = re.sub(r"\bi\b", "I", text.lower() if text.isupper() and len(text) > 1 else text)
    text = _REASON.sub("I ", _NEXT_SENTENCE.sub(", then ", _LEAD_IN.sub("", text)))
    text, circumstance = _ADVERB_FIRST.sub(lambda match: f"I {match[1].lower()} ", text), ""
    if match := _CIRCUMSTANCE.match(text):
        text, circumstance = f"I {match[2]}", f" {match[1][:1].lower()}{match[1][1:]}"
    elif match := _MEANS.match(text):
        text = f"I {match[2]} {match[1][:1].lower()}{match[1][1:]}"
    bare = _ATTEMPT.sub("", _INTENTION.sub("", text))
    is_stated = bare != text
    lead = _ADVERB.match(bare)
    verb = (bare[lead.end() :] if lead else bare).split(" ", 1)[0].casefold()
    verb = verb.rstrip(",") if is_stated else verb  # “run, Iris” is said to her
    is_verb = verb in WORDS.grammar.plain_verbs or verb in WORDS.grammar.past_forms
    if verb == "be" or not verb.isalpha() or not (is_verb or (is_stated and _looks_like_verb(verb))):
        return "", ""
    if _UNFINISHED.search(bare) or (text == bare and _TO_ME.search(bare)):
        return "", ""
    bare = _SECOND_SUBJECT.sub(r"\1 ", bare[:1].lower() + bare[1:])
    known_names = tuple(names)
    return _add_articles(_spell_names(bare, known_names)), _spell_names(circumstance, known_names)


def _add_articles(clause: str) -> str:
    """Return "use key on door" as "use the key on the door"; any other clause as it is."""

    def with_article(noun: str) -> str:
        is_noun = noun not in WORDS.grammar.without_article and not noun.endswith(("ly", "s"))
        return f"the {noun}" if is_noun else noun

    match = _TERSE.match(clause)
    if match is None:
        return clause
    return f"{match[1]}{with_article(match[2])}" + (f"{match[3]}{with_article(match[4])}" if match[3] else "")


def _as_remembered(clause: str) -> str:
    """Return a clause as it is told afterwards of the player: "took all they could carry"."""
    first = re.split(r"[ ,]", clause, maxsplit=1)[0]
    verb = "lied" if _LIE.match(clause) else in_the_past(first)
    return _report(verb + _NEXT_VERB.sub(_put_in_the_past, clause[len(first) :]))


def _put_in_the_past(match: re.Match[str]) -> str:
    """Bend a further verb; after "and" some verbs are things, unless an object follows them."""
    lead, verb, has_object, goes_on = match[1], match[2], bool(match[3]), match[4] is not None
    is_irregular = verb in WORDS.grammar.past_forms
    is_after_comma = lead == ", "
    if verb not in WORDS.grammar.plain_verbs and not is_irregular:
        return match[0]
    is_certain = has_object or (
        verb not in WORDS.grammar.verbs_and_things
        and (match[4] not in (None, "", ",") if is_after_comma else goes_on or is_irregular)
    )
    return f"{lead}{in_the_past(verb)}" if is_certain or "then" in lead else match[0]


def _to_second(clause: str) -> str:
    for pattern, instead in _SECOND_PERSON:
        clause = re.sub(pattern, instead, clause)
    return to_the_player(clause)


def _report(clause: str) -> str:
    """Return a clause as it is told of the player afterwards: what is so was so then."""
    for pattern, instead in _THIRD_PERSON:
        clause = re.sub(pattern, instead, clause)
    return _REPORTED.sub(lambda match: _LATER_FORMS[match[1]], clause)


def _looks_like_verb(word: str) -> bool:
    """Return whether a word after "I" can be a verb in the present."""
    return (
        len(word) > 1
        and word not in WORDS.grammar.not_verbs
        and word not in WORDS.grammar.not_deeds
        and not word.endswith("ed")
        and word not in set(WORDS.grammar.past_forms.values())
    )


def _spell_names(text: str, names: Iterable[str]) -> str:
    """Return the text with names spelt as in the story; titles and names that are words stay as typed."""
    for name in names:
        for word in re.findall(r"[A-Z][a-z]{2,}", name):
            if not _is_ordinary_word(word.casefold()):
                text = re.sub(rf"\b{word}\b", word, text, flags=re.IGNORECASE)
    return text


def _is_ordinary_word(word: str) -> bool:
    grammar = WORDS.grammar
    return any(
        word in words
        for words in (grammar.titles, grammar.not_verbs, grammar.plain_verbs, grammar.past_forms, ("may",))
    )
