"""Finds the things and places that a player's words point at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher

from narratoria.inference.stop_words import MENTION_STOP_WORDS
from narratoria.planner.intent import KnownPerson, KnownPlace, KnownThing, Mention, ReadingContext
from narratoria.planner.late_pattern import compile_late
from narratoria.planner.word_lists import WORDS

ALL_KINDS = frozenset().union(*WORDS.kinds_of_people.values())
_ROLE_END = compile_late(
    r"\b(?:of|with|who|in|from|at|on|for|to|by|made|whose|that|just|and)\b|[,;.:(]", re.IGNORECASE
)
_SUBORDINATE = compile_late(
    r"\s+(?:while|when|so|because|until|till|before|as|if|since|although|though)\s", re.IGNORECASE
)
_PARTS = frozenset(
    ("side", "front", "back", "edge", "end", "corner", "middle", "left", "right")
)  # of anything
LEAST_DESCRIBED = 0.9  # words that only one place is described by
WORD = compile_late(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDS = "|".join(WORDS.phrase_ends)
NOUN_PHRASE = compile_late(
    r"\b(?:the|a|an|my|his|her|their|your|our|some|any|this|that|these|those|its|another|every|each)\s+"
    rf"((?:(?!(?:{_ENDS})\b)[\w'’-]+\s?){{1,4}})",
    re.IGNORECASE,
)
_DETERMINED = compile_late(r"(?:the|that|this|these|those)\s", re.IGNORECASE)
_ONE_OF = compile_late(r"\b(?:one|two|three|some|a\s+few)\s+of\s+$", re.IGNORECASE)
_OF = compile_late(r"^\s*of\s+(?:(?:the|a|an|my|his|her|their)\s+)?([\w'’-]+)")
_WHOLE_OF = compile_late(r"^\s+of\s+(?:(?:the|a|an|my|his|her|their|your)\s+)?[\w'’-]+")
_BARE = compile_late(
    rf"^\W*(?:i\s+)?([\w'’-]+)\s+(?:up\s+|at\s+|for\s+|on\s+)?((?:(?!(?:{_ENDS})\b)[\w'’-]+\s?){{1,3}})",
    re.IGNORECASE,
)
_GOAL = compile_late(
    r"\b(?:to|into|onto|towards?|along|follow|via)\s+((?:(?!(?:to|into|and|then|before|while)\b)[\w'’-]+\s?){1,6})",
    re.IGNORECASE,
)
_NAME_END = compile_late(r"\s(?:of|to|with|for|from|in|on|under)\s", re.IGNORECASE)


def main_clause(text: str) -> tuple[int, int]:
    """Return where the main clause of a sentence begins and ends."""
    start = 0
    if match := re.match(
        r"\W*(?:while|when|if|as|since|once|after|before)\b.*?\W(?=i\s)", text, re.IGNORECASE
    ):
        start = match.end()
    cut = _SUBORDINATE.search(text, start + 1)
    return start, cut.start() if cut else len(text)


def noun_phrases(text: str) -> list[str]:
    """Return the phrases of a text that begin with an article or a possessive, without it."""
    return [phrase for match in NOUN_PHRASE.finditer(text) if (phrase := trim_to_noun(match[1]))]


def noun_phrases_with_lead(text: str) -> list[tuple[str, str, int]]:
    """Return each such phrase with its article or possessive, what belongs to it by "of", and its place."""
    phrases = []
    for match in NOUN_PHRASE.finditer(text):
        phrase = trim_to_noun(match[1])
        if phrase and (tail := _WHOLE_OF.match(text[match.start(1) + len(phrase) :])):
            phrase += tail[0]
        if phrase:
            phrases.append((match[0].split()[0].casefold(), phrase, match.start()))
    return phrases


def trim_to_noun(phrase: str) -> str:
    """Return a phrase up to the noun that it names a thing by; nothing where it names none."""
    words = phrase.split()
    for at, word in enumerate(words):
        is_after_noun = any(not _is_adjective(one) for one in words[:at])
        if is_after_noun and (
            word.casefold() in WORDS.after_nouns or words[at - 1].endswith((",", ".", ";"))
        ):
            words = words[:at]
            break
    while words and _is_adjective(words[-1]):
        words = words[:-1]
    return " ".join(words).strip(".,;:!?’'")


def _is_adjective(word: str) -> bool:
    """Return whether a word describes a thing, or counts it, and does not name one."""
    lowered = word.casefold().strip(".,;:!?’'")
    return (
        lowered in WORDS.adjectives
        or lowered in WORDS.numbers
        or (len(lowered) > 4 and lowered.endswith("ly"))
    )


def content_words(text: str) -> list[str]:
    """Return the words of a text that mean something by themselves, in lower case and singular."""
    return [
        singular(word)
        for word in (m.casefold() for m in WORD.findall(text))
        if word not in MENTION_STOP_WORDS
    ]


def singular(word: str) -> str:
    word = re.sub(r"['’]s?$", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def find_thing(text: str, context: ReadingContext, without: Iterable[str] = ()) -> Mention | None:
    """Return the object of the words: the first one named, as the story knows it or marked as unknown."""
    start, end = main_clause(text)
    main_text = text[start:end]
    people_words = (ALL_KINDS | WORDS.words_for_people).union(*(person_words(one) for one in context.people))
    phrases = [
        (phrase, is_definite)
        for phrase, is_definite in (*_phrases(main_text, without), *_phrases(text, without))
        if _head_of(phrase) not in people_words
        or any(thing.name.casefold() == phrase.casefold() for thing in context.things)
    ]
    for phrase, is_definite in phrases:
        if mention := _known_thing(phrase, context.things, is_definite=is_definite):
            return mention
        if _head_of(phrase) not in content_words(context.place_name):
            return Mention(phrase)
    last = next((thing for thing in context.things if thing.id == context.last_thing), None)
    if last and not phrases and re.search(r"\b(?:it|them|that|this|one)\b", text, re.IGNORECASE):
        return Mention("it", last.id, last.name)
    return Mention(phrases[0][0]) if phrases else None


def _known_thing(phrase: str, things: Sequence[KnownThing], *, is_definite: bool) -> Mention | None:
    """Return the thing that a phrase names: the last nouns are the same, and most of the others."""
    phrase_words, phrase_head = content_words(phrase), _head_of(phrase)
    best: tuple[float, KnownThing] | None = None
    for thing in things:
        name_words, head = content_words(thing.name), _head_of(thing.name)
        if not head or not phrase_head or not _same(phrase_head, head):
            continue
        hits = sum(_same(word, other) for word in phrase_words for other in name_words)
        if thing.name[:1].isupper() and len(name_words) > 1 and hits < 2 and not is_definite:
            continue  # one of a kind, and any of that kind is meant
        score = hits / max(len(name_words), len(phrase_words)) + 0.05 * (thing.holder == "player")
        if best is None or score > best[0]:
            best = (score, thing)
    return Mention(phrase, best[1].id, best[1].name) if best else None


def _head_of(phrase: str) -> str:
    """Return the noun that says what a phrase is: the map of the coast is a map, a piece of rope a rope."""
    first, *rest = _NAME_END.split(phrase, 1)
    words = content_words(first)
    if rest and (not words or words[-1] in WORDS.quantities):
        words = content_words(rest[0])
    return words[-1] if words else ""


def _same(word: str, other: str) -> bool:
    if word == other:
        return True
    return min(len(word), len(other)) >= 5 and SequenceMatcher(None, word, other).ratio() >= 0.86


def _phrases(text: str, without: Iterable[str]) -> list[tuple[str, bool]]:
    """Return the noun phrases that may name a thing, and whether each means a certain one."""
    excluded_words = {word.casefold() for name in without for word in WORD.findall(name)}
    unquoted = re.sub(r"[“\"][^”\"]*[”\"]", " ", text)
    candidates = []
    for match in NOUN_PHRASE.finditer(unquoted):
        phrase = trim_to_noun(match[1]) or _noun_that_looks_like_an_adjective(match, unquoted)
        is_one_of = _ONE_OF.search(unquoted[: match.start()]) is not None
        if is_one_of:
            phrase = " ".join((*phrase.split()[:-1], singular(phrase.split()[-1]))) if phrase else ""
        elif phrase and (tail := _OF.match(unquoted[match.start(1) + len(phrase) :])):
            phrase = f"{phrase} of {tail[1]}"
        is_own_body = phrase.casefold() in WORDS.body_parts and match[0].casefold().startswith("my")
        if not is_own_body:
            candidates.append((phrase, not is_one_of and _DETERMINED.match(match[0]) is not None))
    if not candidates and (bare := _BARE.match(unquoted)):
        is_verb = bare[1].casefold() in WORDS.verbs or len(bare[1]) == 1
        candidates.append((trim_to_noun(bare[2] if is_verb else bare[1]), is_verb))
    return [
        (name, is_definite)
        for phrase, is_definite in candidates
        if (name := _without_names(phrase, excluded_words)) and name.casefold() not in WORDS.light_nouns
    ]


def _noun_that_looks_like_an_adjective(match: re.Match[str], text: str) -> str:
    """Return the one word after "the" that ends a clause, and so names a thing: "look in the safe"."""
    words = WORD.findall(match[1])
    is_end = re.match(r"\W*(?:$|(?:and|then|for|to|with)\b)", text[match.end() :]) is not None
    return words[0] if len(words) == 1 and is_end and _DETERMINED.match(match[0]) else ""


def _without_names(phrase: str, names: Collection[str]) -> str:
    """Return a phrase without somebody's name; nothing where no word that means something is left."""
    if re.match(r"(?:it|him|her|them|me|us|you)\b", phrase, re.IGNORECASE):
        return ""
    words = [word for word in WORD.findall(phrase) if word.casefold() not in names]
    is_light = not words or words[-1].casefold() in WORDS.light_nouns
    means = [word for word in words if word.casefold() not in MENTION_STOP_WORDS or word.casefold() == "rule"]
    return "" if is_light or not means else " ".join(words)


def find_place(text: str, places: Sequence[KnownPlace], *, is_moving: bool = True) -> Mention | None:
    """Return the place that the words name; on the way, also one that they describe, or whose way they do."""
    text_words = set(content_words(re.sub(r"^\W*(?:i\s+)?[\w'’-]+\s", "", text) if is_moving else text))
    goal_words = {word for match in _GOAL.finditer(text) for word in content_words(match[1])} - _PARTS
    alike = _is_part if is_moving else _same
    counts = Counter(word for place in places for word in place.words)
    scores = []
    for place in places:
        name_words = content_words(place.name)
        hits = [word for word in name_words if any(alike(word, other) for other in text_words)]
        near = 0.05 / (1 + (place.steps if place.steps is not None else 9))
        described = sum(1 / counts[word] for word in goal_words & place.words) if place.steps else 0.0
        if hits:
            share = len(hits) / len(name_words)
            scores.append((share + 0.2 * (name_words[-1] in hits) + near + 0.1 * min(described, 3), place))
        elif is_moving and text_words & place.kinds:
            scores.append((0.5 + near + 0.1 * min(described, 3), place))
        elif is_moving and described >= LEAST_DESCRIBED:
            scores.append((0.45 + near + 0.1 * min(described, 3), place))
    best = max(scores, key=lambda one: one[0], default=None)
    return Mention(text, best[1].id, best[1].name) if best and best[0] >= 0.5 else None


def _is_part(word: str, other: str) -> bool:
    """Return whether two words mean the same place, or one is the end of the other: bridge of footbridge."""
    if any(word in synonyms and other in synonyms for synonyms in WORDS.place_synonyms):
        return True
    is_end = min(len(word), len(other)) >= 5 and (word.endswith(other) or other.endswith(word))
    return is_end or _same(word, other)


def person_words(person: KnownPerson) -> set[str]:
    """Return the words for somebody: what their role ends in, titles of the name, and kinds of people."""
    heads = set()
    for description in (*person.descriptions[:1], *person.descriptions[2:]):
        for part in re.split(r"[,;.]", description):
            words = re.findall(r"[^\W\d_]+", _ROLE_END.split(part, 1)[0])
            heads |= {singular(word.casefold()) for word in words[-1:]}
    every = {word.casefold() for text in person.descriptions for word in re.findall(r"[^\W\d_]+", text)}
    mentions = {word.casefold() for word in WORD.findall(person.name)} & WORDS.titles
    titles = {"doctor"} if mentions & {"dr", "doc"} else set()
    return (
        (heads | (every & ALL_KINDS) | mentions | titles)
        - MENTION_STOP_WORDS.difference(ALL_KINDS, WORDS.titles)
        - {"new", "old", "young", "one"}
    )
