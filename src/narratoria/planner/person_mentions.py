"""Finds the people that a player's words point at: by name, by what they are, or by a pronoun."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from narratoria.inference.stop_words import MENTION_STOP_WORDS
from narratoria.planner.intent import KnownPerson, Mention, Pronoun, ReadingContext, load_acts
from narratoria.planner.late_pattern import compile_late
from narratoria.planner.mentions import (
    ALL_KINDS,
    NOUN_PHRASE,
    WORD,
    content_words,
    main_clause,
    person_words,
    singular,
)
from narratoria.planner.word_lists import WORDS

_PRONOUNS: dict[str, Pronoun] = {word: pronoun for pronoun, words in WORDS.pronouns.items() for word in words}
_KINDS: dict[Pronoun, frozenset[str]] = WORDS.kinds_of_people
_COMMON_KINDS = frozenset().union(*WORDS.common_kinds.values())
ENOUGH_LOOKS = 2  # words of somebody's looks that a phrase without a word for a person must have
LEAST_BEFORE_CALL = 3  # words of a sentence that ends with whom it is said to
_NO_NAMES = frozenset(("the", "a", "an", "mr", "mrs", "ms", "dr"))
_AFTER = compile_late(r"\s*(?:at|with|in|of|from|on|behind|by|who)\s+(?:the\s+|a\s+)?([\w'’-]+)")
_ELSEWHERE = compile_late(  # a phrase, and words that say its owner is not here
    r"(?:[\w'’-]+\s+){0,4}?(?:(?:up|down|out|back|over|in)\s+there|upstairs|downstairs|outside|next\s+door)\b",
    re.IGNORECASE,
)
_WEARING = compile_late(  # a phrase for somebody, and what they wear or hold
    r"(?:[\w'’-]+\s+){1,4}?(?:up\s+top,?\s+|over\s+there,?\s+|,?\s*the\s+one\s+)*(?:with|in|wearing|carrying|holding)\s+"
    r"((?:the|a|an|that|his|her|those)\s[^,.?!]{3,60})",
    re.IGNORECASE,
)
MOST_AFTER = 6  # words behind such a phrase that may belong to it
_CHILDREN = frozenset(("kid", "little", "youngster", "bairn", "nipper"))  # also called a child, a boy, a girl
_ADDRESSED = compile_late(
    r"\W*(?:i\s+)?(?:(?:try|want|would like|'d like)\s+to\s+)?(?:\w+ly\s+)?"
    r"(?:ask|tell|show|give|hand|bring|offer|warn|beg|persuade|convince|order|promise|thank|greet|hug|kiss|hit|"
    r"attack|follow|bribe|threaten|comfort|(?:talk|speak|turn|apologi[sz]e|lie|whisper|say|nod)\s+(?:to|with)|"
    r"(?:smile|look|yell|shout|nod|wave)\s+at)\s+"
    r"((?:(?:the|my|that|this|old|young|poor|dear)\s+){0,2}[\w'’-]+\.?(?:\s+[A-Z][\w'’-]+)?)",
    re.IGNORECASE,
)
_POSSESSIVE = compile_late(r"\w['’]s\b")  # "show Cole's letter": it is not shown to Cole
_CALL = compile_late(r"^\W*([^,:!?]{2,40}?)\s*[,:!?]")
_BEFORE_CALLS = frozenset(
    (
        "hey",
        "oi",
        "psst",
        "hello",
        "hi",
        "evening",
        "morning",
        "good",
        "dear",
        "my",
        "please",
        "and",
        "so",
        "ok",
        "oh",
    )
)
_QUESTION_START = compile_late(
    r"\s*(?:who|what|where|when|why|how|which|whose|is|are|do|does|did|can|could|will|would|have|has|tell|please|you)"
)
_QUESTION_TO_YOU = compile_late(
    rf"{_QUESTION_START.pattern}.*\b(?:you|your|u|ur|then|please)\b|\s*(?:when|where|what|how|who)['’]?s\b"
)
_YOU_ARE = compile_late(
    r"\b(?:you|u)(?:['’]?re|\s+are|\s+were|\s+call\s+yourself|\s+must\s+be)\s+(?:\w+ly\s+|not\s+)?"
    r"(?:a|an|the)\s+((?:[\w-]+\s+){0,2}[\w-]+)",
    re.IGNORECASE,
)
_CALL_LAST = compile_late(r",\s*((?:my\s+)?[\w.'’-]+(?:\s+[\w'’-]+){0,2})\s*(?:[?.!,]|$)")

_GIVEN_TO = compile_late(
    r"\b(?:give|hand|show|bring|offer|sell|lend|return|pass|talk|speak|say|whisper|apologi[sz]e)\b.*?\b(?:to|with)\s+"
    r"((?:the\s+|my\s+)?[\w'’.-]+(?:\s+[\w'’-]+){0,2})",
    re.IGNORECASE,
)


def find_person(text: str, context: ReadingContext, antecedent: str = "") -> Mention | None:
    """Return whom the words speak of: by name, by what they are, or by a pronoun that fits somebody here."""
    mentions = find_people(text, context)
    if mentions:
        present = {person.id for person in context.people if person.present}
        return next((one for one in mentions if one.id in present), mentions[0])
    return _by_likeness(text, context.people) or find_by_pronoun(text, context, antecedent)


def find_people(text: str, context: ReadingContext) -> list[Mention]:
    """Return everybody whom the words name or describe, in the order of the words; the main clause first."""
    start, end = main_clause(text)
    matches = [(at, person) for person in context.people if (at := _position(person, text)) is not None]
    aliased = _find_aliased(text, context)
    spans = [range(at, at + length) for at, length, _ in aliased]
    matches += [(at, person) for at, _, person in aliased]
    matches += [one for one in _find_described(text, context) if not any(one[0] in span for span in spans)]
    ordered = sorted(matches, key=lambda one: (not start <= one[0] < end, one[0]))
    return list({person.id: Mention(person.short, person.id, person.name) for _, person in ordered}.values())


def find_addressee(clause: str, context: ReadingContext, antecedent: str = "") -> Mention | None:
    """Return who is spoken to or acted on by the grammar: called by name, or the object of the verb."""
    match = _ADDRESSED.match(clause)
    if match and not _POSSESSIVE.search(match[1]):
        addressee = find_person(match[1], context, antecedent)
        if addressee is not None:
            return addressee
    return find_called(clause, context)


def find_called(clause: str, context: ReadingContext) -> Mention | None:
    """Return who here is called: "Chief, look", "what is that, warden?", "Denise how long"."""
    here = [person for person in context.people if person.present]
    calls = [match[1] for match in (_CALL.match(clause), *_CALL_LAST.finditer(clause)) if match]
    for call in calls:
        if addressee := _match_call(call, here):
            return addressee
    lowered = clause.casefold().strip(' ?.!"“”')
    for person in here:
        for name in (person.name.casefold(), person.short.casefold(), *_name_words(person)):
            if name in _NO_NAMES:
                continue
            if lowered.startswith(f"{name} ") and not _is_narrated(lowered.removeprefix(name)):
                return _mention(person, name)
            if lowered.endswith(f" {name}") and _is_said_to(lowered.removesuffix(name)):
                return _mention(person, name)
    return None


def _is_narrated(rest: str) -> bool:
    """Return whether words after a name tell what its owner does: "Pike laughs", "Pike and I"."""
    word = (WORD.findall(rest) or [""])[0]
    is_third_person = word.endswith("s") and "'" not in word and word not in WORDS.no_third_person
    return is_third_person or word in ("and", "or", "of")


def _is_said_to(rest: str) -> bool:
    """Return whether words before a name are a sentence of their own: "the best barley here, Dorro"."""
    if _QUESTION_TO_YOU.match(rest):
        return True
    words = [word.casefold() for word in WORD.findall(rest)]
    if len(words) < LEAST_BEFORE_CALL or words[0] in WORDS.verbs or words[0] == "i":
        return False  # what is done, to whoever is named last
    return words[-1] not in WORDS.before_objects and words[-1] not in WORDS.verbs


def find_called_by_role(clause: str, context: ReadingContext) -> Mention | None:
    """Return the one here who is told what they are: "You call yourself an engineer?"."""
    match = _YOU_ARE.search(clause)
    if match is None:
        return None
    words = {singular(word.casefold()) for word in WORD.findall(match[1])}
    matches = [person for person in context.people if person.present and words & person_words(person)]
    return _mention(matches[0], match[1]) if len(matches) == 1 else None


def find_absent_addressee(clause: str, context: ReadingContext) -> Mention | None:
    """Return who is called, spoken to or given something by name, and is elsewhere."""
    absent = [person for person in context.people if not person.present and person.alive]
    calls = [match[1] for match in (_CALL.match(clause), *_CALL_LAST.finditer(clause)) if match]
    called_words = [{word.casefold() for word in WORD.findall(call)} - _BEFORE_CALLS for call in calls]
    addressed = [match[1] for match in (_ADDRESSED.match(clause), _GIVEN_TO.search(clause)) if match]
    for person in absent:
        names = {word.casefold() for text in (person.name, person.short) for word in WORD.findall(text)}
        own_names = names & set(_name_words(person))
        if any(words & own_names and words <= names | WORDS.titles for words in called_words):
            return _mention(person, person.short)
        for text in addressed:
            first_words = [word.casefold() for word in text.replace(".", " ").split()]
            first_names = [word for word in first_words if word not in _NO_NAMES | WORDS.titles | {"my"}][:1]
            if first_names and first_names[0] in own_names:
                return _mention(person, person.short)
    return None


def _match_call(call: str, here: Sequence[KnownPerson]) -> Mention | None:
    """Return whom a call means; it holds nothing but a name, a title or what somebody is."""
    words = [word.casefold() for word in WORD.findall(call)]
    while words and words[0] in _BEFORE_CALLS:
        words = words[1:]
    if not words or len(words) > 4:
        return None
    for person in here:
        names = {word.casefold() for text in (person.name, person.short) for word in WORD.findall(text)}
        if words[-1] not in _NO_NAMES and set(words) <= names | WORDS.titles and set(words) & names:
            return _mention(person, call)
        if words[-1] in _name_words(person) and _is_form_of_address(words[:-1]):
            return _mention(person, call)
    matches = [person for person in here if words[-1] in person_words(person)]
    if len(matches) == 1 and set(words[:-1]) <= WORDS.titles | WORDS.adjectives | _words_of(matches[0]):
        return _mention(matches[0], call)
    return _by_likeness(call, here) if len(words) == 1 and call.strip()[:1].isupper() else None


def _is_form_of_address(words: Sequence[str]) -> bool:
    """Return whether the words before a name can be a title of any language: "Herr", "Tía", "Goodwife"."""
    return len(words) == 1 and words[0] not in WORDS.verbs | WORDS.before_objects | MENTION_STOP_WORDS


def find_by_pronoun(text: str, context: ReadingContext, antecedent: str = "") -> Mention | None:
    """Return whom a pronoun means: who was just spoken of in the same words, else somebody here it fits."""
    words = [re.split(r"['’]", word.casefold())[0] for word in WORD.findall(text)]
    pronoun = next((_PRONOUNS[word] for word in words if word in _PRONOUNS), None)
    if pronoun is None:
        return None
    spoken_of = next((one for one in context.people if one.id == antecedent), None)
    if spoken_of and _fits(spoken_of, pronoun):
        return _mention(spoken_of, pronoun)
    present = [person for person in context.people if person.present]
    candidates = [one for one in present if _fits(one, pronoun)]
    last = next((one for one in candidates if one.id == context.last_person), None)
    person = last or next(iter(candidates), None) or (present[0] if len(present) == 1 else None)
    return _mention(person, pronoun) if person else None


def find_seller(context: ReadingContext) -> Mention | None:
    """Return who here sells things, by what they are."""
    for person in context.people:
        words = {word.casefold() for word in WORD.findall(" ".join(person.descriptions))}
        if person.present and words & WORDS.sellers:
            return _mention(person, "")
    return None


def _fits(person: KnownPerson, pronoun: Pronoun) -> bool:
    own = _pronoun_of(person)
    return pronoun in (own, "they") or own == "they"


def _pronoun_of(person: KnownPerson) -> Pronoun:
    """Return the pronoun of somebody, by the words for them where it is not known."""
    if person.pronoun != "they":
        return person.pronoun
    words = [word.casefold() for text in (person.name, *person.descriptions) for word in WORD.findall(text)]
    for word in words:
        for pronoun in ("he", "she"):
            if word in _KINDS[pronoun] or word in WORDS.pronouns[pronoun][:2]:
                return pronoun
    return "they"


def _mention(person: KnownPerson, text: str) -> Mention:
    return Mention(text, person.id, person.name)


def _by_likeness(text: str, people: Sequence[KnownPerson]) -> Mention | None:
    """Return somebody here whose name is nearly one of the words, or begins with one: Des for Desmond."""
    ordinary = _ordinary_words()
    words = [word for word in WORD.findall(text) if len(word) >= 3 and word.casefold() not in ordinary]
    close = [
        (slips, person)
        for person in people
        if person.present
        for name in _name_words(person)
        if len(name) >= 4
        for word in words
        if (slips := _count_name_slips(word, name)) <= (1 if len(name) < 7 else 2)
    ]
    best = min(close, key=lambda one: one[0], default=None)
    return _mention(best[1], text) if best else None


def _count_name_slips(word: str, name: str) -> int:
    lowered = word.casefold()
    if word[0].isupper() and len(name) >= len(word) + 2 and name.startswith(lowered):
        return 1
    return count_slips(lowered, name) if len(word) >= 4 and lowered[0] == name[0] else 3


@cache
def _ordinary_words() -> frozenset[str]:
    """Return the words that players use for what they do, which are no mistyped names."""
    examples = (text for act in load_acts().values() for text in act.examples)
    words = {word.casefold() for text in examples for word in WORD.findall(text)}
    return MENTION_STOP_WORDS | words | WORDS.verbs | WORDS.adjectives


def count_slips(word: str, name: str) -> int:
    """Return how many letters are wrong, missing, added or swapped between two words, up to three."""
    if abs(len(word) - len(name)) > 2:
        return 3
    rows = [list(range(len(name) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, other in enumerate(name, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == other:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


def _position(person: KnownPerson, text: str) -> int | None:
    lowered = text.casefold()
    positions = [
        match.start()
        for name in (person.name.casefold(), person.short.casefold(), *_name_words(person))
        if name.strip(".") not in _NO_NAMES
        and (match := re.search(rf"(?<!\w){re.escape(name)}(?:['’]?s)?(?!\w)", lowered))
    ]
    return min(positions, default=None)


def _name_words(person: KnownPerson) -> list[str]:
    words = [word.casefold() for word in WORD.findall(person.name)]
    return [word for word in words if len(word) > 2 and word not in MENTION_STOP_WORDS]


def _find_aliased(text: str, context: ReadingContext) -> list[tuple[int, int, KnownPerson]]:
    """Return the people whose descriptions are known already, with where each stands and how long it is."""
    people = {one.id: one for one in context.people}
    return [
        (at, len(alias.text), people[alias.person])
        for alias in context.aliases
        if alias.person in people and (at := text.casefold().find(alias.text.casefold())) >= 0
    ]


def _find_described(text: str, context: ReadingContext) -> list[tuple[int, KnownPerson]]:
    """Return the people whom noun phrases describe, with the positions of the phrases."""
    people = [person for person in context.people if person.alive]
    roles = {word for person in people for word in person_words(person)}
    things = {words[-1] for thing in context.things if (words := content_words(thing.name))} - roles
    names = {word for person in people for word in _name_words(person)} | WORDS.titles
    matches = []
    for match in NOUN_PHRASE.finditer(text):
        if any(word[0].isupper() and word.casefold() not in names for word in WORD.findall(match[1])):
            continue  # "this Ferrand fellow" is nobody whom the story knows
        after = text[match.end() :]
        extra = _AFTER.match(after)
        words = [singular(word.casefold()) for word in WORD.findall(match[1])]
        more = {singular(extra[1].casefold())} if extra else set()
        if looks := _WEARING.match(
            f"{match[1]} {after}"
        ):  # "that fella with the white gloves and the big cap"
            more |= {singular(word.casefold()) for word in WORD.findall(looks[1])}
            if wearer := _find_wearer(people, more):
                matches.append((match.start(), wearer))
                continue
        if _ELSEWHERE.match(f"{match[1]} {after}"):  # "the old lady upstairs in the pearls"
            more |= {singular(word.casefold()) for word in WORD.findall(after)[:MOST_AFTER]}
            scores = [
                (score, person)
                for person in people
                if not person.present and (score := _absent_score(person, words, more, things))
            ]
        else:
            scores = [
                (score * (1.6 if person.present else 1.0), person)
                for person in people
                if (score := _description_score(person, words, more, things))
            ]
        by_score = sorted(scores, key=lambda one: -one[0])
        if by_score and (len(by_score) == 1 or by_score[1][0] < by_score[0][0]):
            matches.append((match.start(), by_score[0][1]))
        elif by_score and (last := [one for _, one in by_score if one.id == context.last_person]):
            matches.append((match.start(), last[0]))
    return matches


def _find_wearer(people: Sequence[KnownPerson], looks: set[str]) -> KnownPerson | None:
    """Return the one whose description has the most of these words, or None where several have as many."""
    counts = {one.id: len(_words_of(one) & (looks - MENTION_STOP_WORDS)) for one in people}
    most = max(counts.values(), default=0)
    wearers = [one for one in people if counts[one.id] == most]
    return wearers[0] if most and len(wearers) == 1 else None


def _description_score(person: KnownPerson, words: Sequence[str], more: set[str], things: set[str]) -> float:
    """Return how well a phrase describes somebody: a word for a person, or what only they wear or have."""
    own_words = _words_of(person)
    common_words = own_words & (
        {*words, *more} - ALL_KINDS - MENTION_STOP_WORDS | ({*words} & {"old", "young", "little"})
    )
    score = max((_kind_score(person, word, things) for word in words), default=0.0)
    if score:
        return score + 0.3 * len(common_words)
    own = own_words & ({*words} - things - MENTION_STOP_WORDS)
    return 0.4 if person.present and len(own) >= ENOUGH_LOOKS else 0.0


def _absent_score(person: KnownPerson, words: Sequence[str], more: set[str], things: set[str]) -> float:
    """Return how well a phrase for somebody elsewhere fits them: a word for anybody like them counts too."""
    kinds = WORDS.common_kinds.get(_pronoun_of(person), frozenset())
    score = max(
        _description_score(person, words, more, things), 0.45 if any(one in kinds for one in words) else 0.0
    )
    looks = _words_of(person) & ({*words, *more} - ALL_KINDS - MENTION_STOP_WORDS)
    return score + 0.3 * len(looks) if score else 0.0


def _kind_score(person: KnownPerson, word: str, things: set[str]) -> float:
    """Return how surely a word is one for somebody: their role, their kind, or a kind of their pronoun."""
    own = _pronoun_of(person)
    if word in _CHILDREN and {"child", "boy", "girl"} & person_words(person):
        return 0.8
    if not person.present and word in _COMMON_KINDS:
        return 0.0
    if word in person_words(person) and (word in ALL_KINDS or word not in things):
        return 0.6 if word in ALL_KINDS else 1.0
    if not person.present:
        return 0.0
    if word in WORDS.common_kinds.get(own, ()):
        return 0.45
    is_anybody = own == "they" and word in _COMMON_KINDS
    return 0.3 if is_anybody or word in WORDS.common_kinds["they"] else 0.0


def _words_of(person: KnownPerson) -> set[str]:
    return {
        singular(word.casefold()) for text in person.descriptions for word in re.findall(r"[^\W\d_]+", text)
    }
