"""Reads a player's own words into intents: which act, and what it is done to."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from narratoria.planner.intent import Intent, Mention, Question, ReadingContext, load_acts
from narratoria.planner.mentions import WORD, content_words, find_people, find_person, find_place, find_thing
from narratoria.planner.player_action import MAX_READ_CHARS
from narratoria.planner.word_lists import WORDS

ScoreActs: TypeAlias = Callable[[str], dict[str, float]]  # how probable each act is for one clause
Mend: TypeAlias = Callable[[str, Collection[str]], str]

MOST_INTENTS = 3  # acts of one turn
SURE = 0.5  # of an act's probability: nothing else is considered
ASK_BACK_BELOW = 0.12  # of the best act's probability, where the words point at nothing the story knows
LEGIBLE = 0.5  # of the words must be words
_QUOTED = re.compile(r"[“\"]([^”\"]+)[”\"]")
_CLAUSE = re.compile(
    r"(?<=[.!?;…])\s+|\s+(?:and then|then|before I|after that)\s+|,\s*(?:and\s+)?then\s+|,\s+(?=I\s)|\n+",
    re.IGNORECASE,
)
QUESTION_PUT = re.compile(  # "ask Pike whose house he draws": whatever the question is about, it is asked
    r"^\W*(?:i )?ask\b.*\b(?:who|whose|whom|what|where|when|why|how|which|whether|about)\b", re.IGNORECASE
)
_LEAD = re.compile(
    r"^\W*(?:i\s+)?(?:(?:want|would like|try|decide|'d like|am going|'m going)\s+to\s+)?", re.IGNORECASE
)
_ABOUT = re.compile(
    r"^\W*(?:i\s+)?(?:ask|question|talk|speak|chat|tell|inform|consult|quiz)\b.*?"
    r"\b(about|what|why|who|where|when|how|whether|if|which|whose|of|that)\b\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_QUESTION_WORD = re.compile(
    r"\W*(?:who|what|where|when|why|how|which|whose|is|are|do|does|did|can)\b", re.IGNORECASE
)
_ADDRESSED = re.compile(
    r"\W*(?:i\s+)?(?:(?:try|want|would like|'d like)\s+to\s+)?"
    r"(?:ask|tell|show|give|hand|warn|beg|persuade|convince|order|"
    r"promise|thank|greet|hug|kiss|hit|attack|follow|offer|bribe|threaten|comfort|talk\s+to|talk\s+with|speak\s+to|"
    r"speak\s+with|say\s+to|lie\s+to|apologi[sz]e\s+to|smile\s+at|look\s+at)\s+"
    r"((?:the\s+|my\s+|that\s+|this\s+)?[\w'’-]+(?:\s+[A-Z][\w'’-]+)?)",
    re.IGNORECASE,
)
_SPOKEN_ACTS = WORDS.spoken_acts


@dataclass(frozen=True, slots=True)
class ReadAction:
    """A player's words as intents, or the question that is asked back."""

    intents: tuple[Intent, ...] = ()
    question: Question | None = None


class IntentReader:
    """Reads actions by a scorer of acts; what they point at, it takes from the context it is handed."""

    def __init__(self, score: ScoreActs, *, mend: Mend | None = None, words: Collection[str] = ()) -> None:
        self._score, self._mend, self._words = score, mend, frozenset(words)

    async def read(self, text: str, context: ReadingContext) -> ReadAction:
        """Return the acts of an action in their order; a question where it cannot be made out."""
        return await asyncio.to_thread(self.read_now, text, context)

    def read_now(self, text: str, context: ReadingContext) -> ReadAction:
        names = {word.casefold() for name in _all_names(context) for word in WORD.findall(name)}
        line = " ".join(text.split())[:MAX_READ_CHARS]
        action_text = self._mend(line, names) if self._mend else line
        if not self._is_legible(action_text, names):
            return ReadAction(question=ask_back(context, ()))
        intents: list[Intent] = []
        for clause in (split_clauses(action_text) or [action_text])[: MOST_INTENTS + 1]:
            intent = self._intent(clause, action_text, context, is_first=not intents)
            if intents and intent.confidence < SURE and not intent.person and not intent.thing:
                continue  # a manner or an afterthought of the act before it
            if intents and intent.act == intents[-1].act and intent.act in _SPOKEN_ACTS:
                intents[-1] = _join_intents(intents[-1], intent)
            else:
                intents.append(intent)
        if len(intents) > 1:
            intents = [one for one in intents if one.act != "emote"] or intents[:1]
        best = max(intents, key=lambda one: one.confidence)
        if best.confidence < ASK_BACK_BELOW and not any(
            one.person or one.thing or one.place for one in intents
        ):
            return ReadAction(question=ask_back(context, self._likely(action_text)))
        return ReadAction(tuple(intents[:MOST_INTENTS]))

    def act_probabilities(self, text: str) -> dict[str, float]:
        """Return how probable each act is for one clause."""
        return self._score(text)

    def _likely(self, text: str) -> tuple[str, ...]:
        scores = self.act_probabilities(text)
        return tuple(sorted(scores, key=lambda act: -scores[act])[:3])

    def _clause_scores(self, clause: str, whole: str, *, is_first: bool) -> dict[str, float]:
        """Return how probable each act is for a clause; the first is read with all that comes after it.

        What somebody means by "It is not." shows in the sentence beside it.
        """
        scores = self.act_probabilities(clause)
        if not is_first or clause == whole:
            return scores
        every = self.act_probabilities(whole)
        return {act: (value + every.get(act, 0.0)) / 2 for act, value in scores.items()}

    def _intent(self, clause: str, whole: str, context: ReadingContext, *, is_first: bool) -> Intent:
        scores = self._clause_scores(clause, whole, is_first=is_first)
        present = [one for one in context.people if one.present]
        act = max(scores, key=lambda one: scores[one])
        if act == "think_back" and present and _is_addressed(clause):
            act = "ask"  # a question nobody could answer but whoever is there
        person = self._person(clause, whole, act, context)
        thing = find_thing(clause, context, [one.name for one in context.people if _is(one.id, person)])
        place = find_place(clause, context.places)
        needs = load_acts()[act].needs if act in load_acts() else "none"
        if thing is None and needs == "thing":
            thing = _likely_thing(act, context)
        if person is None and (needs == "person" or act in _SPOKEN_ACTS) and present:
            listener = next((one for one in present if one.id == context.last_person), present[0])
            if len(present) == 1 or listener.id == context.last_person or act in _SPOKEN_ACTS:
                person = Mention("", listener.id, listener.name)
        return Intent(
            act=act,
            text=clause,
            person=person,
            thing=thing if act not in _SPOKEN_ACTS or act == "bargain" else None,
            place=place,
            topic=topic_of(clause) if act in _SPOKEN_ACTS or act == "think_back" else "",
            confidence=round(scores[act], 4),
        )

    def _person(self, clause: str, whole: str, act: str, context: ReadingContext) -> Mention | None:
        """Return whom an act is done to: who is named after the verb, else who is spoken of and is here."""
        if match := _ADDRESSED.match(clause):
            addressee = find_person(match[1], context)
            if addressee is not None:
                return addressee
        people = find_people(clause, context)
        here = {one.id for one in context.people if one.present}
        if act in _SPOKEN_ACTS and here:
            people = [one for one in people if one.id in here]  # who is elsewhere is only spoken of
            if not people and _QUESTION_WORD.match(clause):
                return None
        if people:
            return people[0]
        person = find_person(clause, context)
        if person is None and clause != whole:
            person = find_person(whole, context)
        if person is not None and act in _SPOKEN_ACTS and here and person.id not in here:
            return None
        return person

    def _is_legible(self, text: str, names: Collection[str]) -> bool:
        """Return whether enough of the text are words of the language or of the story."""
        words = [word.casefold() for word in WORD.findall(text)]
        if not words:
            return False
        if not self._words:
            return True
        known_words = [
            word for word in words if word in self._words or word in names or word.rstrip("s") in self._words
        ]
        return len(known_words) >= LEGIBLE * len(words)


def _is_addressed(clause: str) -> bool:
    """Return whether a question is one for others, and not about what the player knows or has."""
    own = re.search(r"\b(?:i|me|my|mine|remind|recap|again|remember)\b", clause, re.IGNORECASE)
    return clause.rstrip(' "”').endswith("?") and own is None


def _likely_thing(act: str, context: ReadingContext) -> Mention | None:
    """Return the object an act is most likely done to where none is named: carried, or lying about."""
    is_carried = act in ("give", "show", "throw", "wear", "eat", "drink", "put", "burn", "write")
    holder = "player" if is_carried else ""
    around = set(content_words(context.place_name))
    candidates = [
        thing
        for thing in context.things
        if thing.holder == holder and not around & set(content_words(thing.name))
    ]
    return Mention("", candidates[0].id, candidates[0].name) if candidates else None


def split_clauses(text: str) -> list[str]:
    """Return the parts of an action that are done one after another; what is quoted stays whole."""
    if _QUOTED.fullmatch(text.strip()):
        return [text.strip()]
    quotations: list[str] = []

    def hold(match: re.Match[str]) -> str:
        quotations.append(match[0])
        return f"\x00{len(quotations) - 1}\x00"

    masked_text = _QUOTED.sub(hold, text)
    parts = [part for part in _CLAUSE.split(masked_text) if part and part.strip(" ,")]
    verbs = _verbs()
    clauses: list[str] = []
    for part in parts:
        pieces = re.split(r"\s*,?\s+and\s+(?=(?:I\s+)?([\w'-]+))", part)
        clause = pieces[0]
        for verb, piece in zip(pieces[1::2], pieces[2::2], strict=True):
            first = (piece.split() or [""])[0] if verb.casefold() == "i" else verb
            word = piece.split()[1] if verb.casefold() == "i" and len(piece.split()) > 1 else first
            if word.casefold() in verbs:
                clauses.append(clause)
                clause = piece
            else:
                clause = f"{clause} and {piece}"
        clauses.append(clause)
    return [
        re.sub(r"\x00(\d+)\x00", lambda match: quotations[int(match[1])], clause).strip(" ,")
        for clause in clauses
        if clause.strip(" ,")
    ]


def topic_of(clause: str) -> str:
    """Return what a question or a statement is about, without the words that only say who is asked."""
    if quotation := _QUOTED.search(clause):
        return quotation[1].strip()
    if match := _ABOUT.match(clause):
        lead, rest = match[1].casefold(), match[2].strip(" .?!")
        return rest if lead in ("about", "of", "that", "whether", "if") and rest else f"{lead} {rest}".strip()
    return _LEAD.sub("", clause).strip(" .")


def ask_back(context: ReadingContext, acts: Sequence[str]) -> Question:
    """Return a short question inside the story, with two or three readings to pick from."""
    present = [person for person in context.people if person.present]
    readings = [f"Ask {present[0].short} about it" if present else "Look around"]
    by_act = {
        "go": [f"Go to {_in_sentence(place.name)}" for place in context.places if place.steps == 1][:1],
        "take": [f"Take the {_bare(thing.name)}" for thing in context.things if not thing.holder][:1],
        "use": [f"Use the {_bare(thing.name)}" for thing in context.things if thing.holder == "player"][:1],
        "examine": [f"Look at the {_bare(thing.name)}" for thing in context.things][:1],
    }
    readings += [text for act in (*acts, "examine", "go") for text in by_act.get(act, [])]
    readings.append("Wait and see")
    who = present[0].short if present else ""
    text = (
        f"{who} waits for you to say it again."
        if who
        else "You begin, and find you have not made up your mind."
    )
    return Question(text, tuple(dict.fromkeys(readings))[:3])


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|a|an|some)\s+", "", name, flags=re.IGNORECASE)


def _in_sentence(name: str) -> str:
    return f"the {name[4:]}" if name.startswith("The ") else name


def read_by_words() -> IntentReader:
    """Return a reader that needs no model: it scores acts by the words of their examples."""
    return IntentReader(score_by_words)


def score_by_words(text: str) -> dict[str, float]:
    """Return how probable each act is by the words its examples use, the verb above all."""
    if QUESTION_PUT.match(text):
        return {"ask": 1.0}
    counts, totals = _example_words()
    words = [word.casefold() for word in WORD.findall(text)] or ["wait"]
    verb = next((word for word in words if word not in ("i", "to", "try", "want", "and")), words[0])
    scores = {}
    for act, count in counts.items():
        size = totals[act]
        score = sum(math.log((count[word] + 0.05) / (size + 1)) for word in words)
        scores[act] = score + 2 * math.log((count[f"!{verb}"] + 0.02) / (size + 1))
    best = max(scores.values())
    exponentials = {act: math.exp(score - best) for act, score in scores.items()}
    whole = sum(exponentials.values())
    return {act: value / whole for act, value in exponentials.items()}


@cache
def _example_words() -> tuple[dict[str, Counter[str]], dict[str, int]]:
    """Count the words of each act's examples, and their first words apart, marked by "!"."""
    counts: dict[str, Counter[str]] = {}
    for name, act in load_acts().items():
        word_counts: Counter[str] = Counter()
        for example in act.examples:
            words = [word.casefold() for word in WORD.findall(example)]
            word_counts.update(words)
            word_counts.update(f"!{word}" for word in [one for one in words if one != "i"][:1])
        counts[name] = word_counts
    return counts, {name: word_counts.total() for name, word_counts in counts.items()}


@cache
def _verbs() -> frozenset[str]:
    """Return the first words of the acts' examples, which begin with their verb."""
    firsts = (
        _LEAD.sub("", text).split(" ", 1)[0].casefold()
        for act in load_acts().values()
        for text in act.examples
    )
    return frozenset(word.strip(".,!?") for word in firsts) - {
        "the",
        "what",
        "a",
        "an",
        "my",
        "is",
        "you",
        "where",
    }


def _join_intents(first: Intent, second: Intent) -> Intent:
    return Intent(
        act=first.act,
        text=f"{first.text} {second.text}",
        person=first.person or second.person,
        thing=first.thing or second.thing,
        place=first.place or second.place,
        topic=f"{first.topic} {second.topic}".strip(),
        confidence=max(first.confidence, second.confidence),
    )


def _is(person: str, mention: Mention | None) -> bool:
    return mention is not None and mention.id == person


def _all_names(context: ReadingContext) -> list[str]:
    return [
        *(person.name for person in context.people),
        *(thing.name for thing in context.things),
        *(place.name for place in context.places),
    ]
