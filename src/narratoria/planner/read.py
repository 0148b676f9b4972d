"""Reads a player's own words into intents: which act, and what it is done to."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import msgspec

from narratoria.planner.clauses import (
    QUOTED,
    is_act,
    is_finding_out,
    is_from_own_pocket,
    is_no_act,
    is_tag,
    split_clauses,
    strip_lead_ins,
    strip_wish,
)
from narratoria.planner.intent import Intent, Mention, Question, ReadingContext, load_acts
from narratoria.planner.joined_intents import is_same_act, join_intents, join_speech
from narratoria.planner.matter import find_matter
from narratoria.planner.mentions import WORD, content_words, find_place, find_thing, noun_phrases
from narratoria.planner.participants import find_participant, is_present
from narratoria.planner.person_mentions import find_absent_addressee, find_called, find_people
from narratoria.planner.player_action import MAX_READ_CHARS
from narratoria.planner.questions import (
    is_about_own_knowledge,
    is_about_thing_here,
    is_bare_question,
    is_question,
)
from narratoria.planner.sense import makes_sense
from narratoria.planner.word_lists import WORDS

# how probable each act is for one clause, or each kind of an act, such as "threaten/exposure"
ScoreActs: TypeAlias = Callable[[str], dict[str, float]]
Mend: TypeAlias = Callable[[str, Collection[str]], str]

MOST_INTENTS = 3  # acts of one turn
SURE = 0.5  # of an act's probability: nothing else is considered
ASK_BACK_BELOW = 0.12  # of the best act's probability, where the words point at nothing the story knows
WHOLE_LINE_IN_SEQUENCE = 0.6  # of the whole line's part in reading the first of several clauses
WHOLE_LINE_AFTERWARDS = 0.2  # of its part in reading what is done after that
SURE_DESPITE_ORDER = 0.6  # of an act's probability: odd words are meant all the same
LEAST_ALONE = 0.05  # of the probability of what somebody does alone with a question
KIND_SHARE = 0.5  # of an act's probability that its likeliest kind must have
LEAST_AFTERWARDS = 0.25  # of the probability of an act that comes after another
BARE_ACT = 2  # words of a clause that says what is done and not to what
LEGIBLE = 0.5  # of the words must be words
LEAST_HALF = 4  # letters of each of two words in one
QUESTION_PUT = re.compile(  # "ask Pike whose house he draws": whatever the question is about, it is asked
    r"^\W*(?:i )?ask\b.*\b(?:who|whose|whom|what|where|when|why|how|which|whether|if|about)\b", re.IGNORECASE
)
LOOKED_INTO = re.compile(
    r"\b(?:look|peer|peek|glance|stare|gaze)\w*\s+(?:\w+\s+)?(?:at|in|inside|into|under|underneath|behind|beneath|through)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^\W*(?:i\s+)?(?:ask|question|talk|speak|chat|tell|inform|consult|quiz)\b.*?"
    r"\b(about|what|why|who|where|when|how|whether|if|which|whose|of|that)\b\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SAYS_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_SPEECH_NEXT = re.compile(r"^\W*(?:i\s+)?(?:ask|tell|say|whisper|mutter|explain|beg|shout)\b", re.IGNORECASE)
_JOKE = re.compile(
    r"\b(?:you|u)\s+(?:know|hear|heard)\s+(?:the\s+one|this\s+one|that\s+one)\b", re.IGNORECASE
)
_NO_GOING = re.compile(  # "is it safe to cross the bridge?" is asked, and crosses nothing
    r"^\W*(?:is|are|was|were|why|who|whose|when|what|does|did|has|have)\b", re.IGNORECASE
)
_GO_ON = re.compile(
    r"(?:i\s+)?(?:continue|go on|carry on|keep going|next|proceed)(?:\s+please)?", re.IGNORECASE
)
_SPOKEN_ACTS = WORDS.spoken_acts
_LOOKING_ACTS = frozenset(("examine", "look", "search", "read", "listen", "smell"))
_MOVING_ACTS = frozenset(("go", "follow", "sneak", "flee", "lead", "ride"))
_OWN_ACTS = frozenset(("think_back", "ask_narrator"))
_QUESTION_ACTS = frozenset(
    ("ask", "ask_narrator", "think_back", "emote", "agree", "talk", "tell", "wait", *_LOOKING_ACTS)
)


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
        if not self._is_legible(action_text, names) or self._is_salad(line, action_text, names):
            return ReadAction(question=ask_back(context, ()))
        intents = self._intents(action_text, context)
        best = max(intents, key=lambda one: one.confidence)
        if best.confidence < ASK_BACK_BELOW and not any(
            one.person or one.thing or one.place for one in intents
        ):
            if spoken := _as_spoken(action_text, context):
                return ReadAction((spoken,))
            return ReadAction(question=ask_back(context, self._likely(action_text)))
        return ReadAction(tuple(intents[:MOST_INTENTS]))

    def act_probabilities(self, text: str) -> dict[str, float]:
        """Return how probable each act is for one clause, in any of its kinds."""
        return sum_by_act(self._score(text))

    def kind_of(self, act: str, clause: str, whole: str) -> str:
        """Return the kind of an act that a clause is, or nothing where none stands out."""
        clause_scores, whole_scores = self._score(clause), self._score(whole)
        shares = {
            label: value + whole_scores.get(label, 0.0)
            for label, value in clause_scores.items()
            if label.partition("/")[0] == act
        }
        best = max(shares, key=lambda label: shares[label], default="")
        is_plain = shares.get(best, 0.0) >= KIND_SHARE * sum(shares.values())
        return best if "/" in best and is_plain else ""

    def _likely(self, text: str) -> tuple[str, ...]:
        scores = self.act_probabilities(text)
        return tuple(sorted(scores, key=lambda act: -scores[act])[:3])

    def _intents(self, text: str, context: ReadingContext) -> list[Intent]:
        """Return the acts of the clauses in order, without asides, manners and the same act told twice."""
        clauses = [
            clause
            for part in split_clauses(strip_lead_ins(text))
            if (clause := strip_wish(strip_lead_ins(part)))
        ] or [text]
        intents: list[Intent] = []
        for at, clause in enumerate(clauses[: MOST_INTENTS + 2]):
            is_followed = any(is_act(one) or is_question(one) for one in clauses[at + 1 :])
            if (intents and (is_no_act(clause) or is_tag(clause))) or (
                is_followed and is_from_own_pocket(clause)
            ):
                continue
            if intents and is_finding_out(clause):
                intents[-1] = _join_finding_out(intents[-1], clause, context)
                continue
            is_said_next = any(_SPEECH_NEXT.match(one) for one in clauses[at + 1 :])
            intent = self._intent(
                clause, text, context, intents, is_followed=is_followed, is_said_next=is_said_next
            )
            if not intents and is_followed and intent.confidence < SURE and _is_aside(clause, context):
                continue  # how things stand, before what is done about it
            is_new = intent.person or (intent.thing and intent.thing != (intents and intents[-1].thing))
            if intents and intent.confidence < (LEAST_AFTERWARDS if is_new else SURE):
                continue  # a manner or an afterthought of the act before it
            if intents and is_same_act(intents[-1], intent):
                intents[-1] = join_intents(intents[-1], intent)
            else:
                intents.append(intent)
        if len(intents) > 1:
            intents = [one for one in intents if one.act != "emote"] or intents[:1]
        return join_speech(intents, text)

    def _clause_scores(
        self,
        clause: str,
        whole: str,
        context: ReadingContext,
        *,
        is_first: bool,
        is_followed: bool,
        is_said_next: bool,
    ) -> dict[str, float]:
        """Return how probable each act is for a clause, read beside the whole line.

        What somebody means by "It is not." shows in the sentence beside it; what they do stands for itself,
        above all where the rest of the line is said ("sit down and ask him").
        """
        scores = self.act_probabilities(clause)
        if clause == whole:
            return scores
        is_said = not is_act(clause) or find_called(clause, context) is not None
        if not is_said and (not is_first or is_said_next):
            weight = WHOLE_LINE_AFTERWARDS
        else:
            weight = 1.0 if is_first and (is_said or not is_followed) else WHOLE_LINE_IN_SEQUENCE
        every = self.act_probabilities(whole)
        return {act: value * (1 - weight) + every.get(act, 0.0) * weight for act, value in scores.items()}

    def _intent(
        self,
        clause: str,
        whole: str,
        context: ReadingContext,
        earlier: Sequence[Intent],
        *,
        is_followed: bool = False,
        is_said_next: bool = False,
    ) -> Intent:
        scores = self._clause_scores(
            clause,
            whole,
            context,
            is_first=not earlier,
            is_followed=is_followed,
            is_said_next=is_said_next,
        )
        act = _choose_act(clause, scores, context, earlier)
        person = find_participant(clause, whole, act, context, _antecedent(clause, whole, context, earlier))
        thing = find_thing(clause, context, [one.name for one in context.people if _is(one.id, person)])
        if earlier and (thing is None or thing.text == "it") and re.search(r"\b(?:it|them|both)\b", clause):
            thing = earlier[-1].thing or thing
        if act == "look" and thing is not None and LOOKED_INTO.search(clause):
            act = "examine"  # at something, and not about oneself
        place = find_place(clause, context.places, is_moving=act in _MOVING_ACTS)
        if act == "follow" and (person is None or not person.text):
            act, person = "go" if place else "search" if thing else act, None  # along something
        needs = load_acts()[act].needs if act in load_acts() else "none"
        if thing is None and needs == "thing":
            thing = _likely_thing(clause, act, context)
        if (
            person is not None
            and not is_present(person, context)
            and _is_done_to_things(act, needs, thing, place)
            and find_absent_addressee(clause, context) is None
        ):
            person = None  # who is elsewhere is only spoken of
        return Intent(
            act=act,
            text=clause,
            person=person,
            thing=thing if act not in _SPOKEN_ACTS or act == "bargain" else None,
            place=place,
            topic=_find_topic(clause, earlier) if act in _SPOKEN_ACTS or act == "think_back" else "",
            kind=self.kind_of(act, clause, whole),
            matter=find_matter(clause, context, person.id) if person and person.id else "",
            confidence=round(max(scores.values()), 4),  # of the reading that a rule may have made plainer
        )

    def _is_salad(self, line: str, mended_text: str, names: Collection[str]) -> bool:
        """Return whether the words, as they were typed, make no sense together and are no sure act either."""
        if not self._words or makes_sense(line, self._words, names):
            return False
        return max(self.act_probabilities(mended_text).values()) < SURE_DESPITE_ORDER

    def _is_legible(self, text: str, names: Collection[str]) -> bool:
        """Return whether enough of the text are words of the language or of the story."""
        words = [word.casefold() for word in WORD.findall(text)]
        if not words:
            return False
        if not self._words:
            return True
        known_words = [word for word in words if word in names or self._is_word(word)]
        return len(known_words) >= LEGIBLE * len(words)

    def _is_word(self, word: str) -> bool:
        """Return whether a word is one, a shortened one as “aren't” is, or two in one as “homesick” is."""
        stem = re.split(r"['’]", word, maxsplit=1)[0]
        if stem in self._words or stem.rstrip("s") in self._words:
            return True
        halves = ((stem[:at], stem[at:]) for at in range(LEAST_HALF, len(stem) - LEAST_HALF + 1))
        return any(first in self._words and second in self._words for first, second in halves)


def _as_spoken(text: str, context: ReadingContext) -> Intent | None:
    """Return words that say “you” as said to somebody who is here, where no act could be made out of them."""
    present = [one for one in context.people if one.present]
    if not present or not _SAYS_YOU.search(text):
        return None
    listener = next((one for one in present if one.id == context.last_person), present[0])
    is_question = text.rstrip().endswith("?")
    return Intent(
        act="ask" if is_question else "tell",
        text=text,
        person=Mention("", listener.id, listener.name),
        topic=text,
        confidence=ASK_BACK_BELOW,
    )


def sum_by_act(scores: Mapping[str, float]) -> dict[str, float]:
    """Return how probable each act is in any of its kinds."""
    sums: dict[str, float] = {}
    for label, value in scores.items():
        act = label.partition("/")[0]
        sums[act] = sums.get(act, 0.0) + value
    return sums


_OWN_OFFER = re.compile(r"\W*(?:i\s+)?offer\b.*\b(?:my|some of|one of|a piece of)\b", re.IGNORECASE)


def _choose_act(
    clause: str, scores: Mapping[str, float], context: ReadingContext, earlier: Sequence[Intent]
) -> str:
    """Return the likeliest act of a clause; what follows on speech and is no act is said as well."""
    act = max(scores, key=lambda one: scores[one])
    act = "give" if _OWN_OFFER.match(clause) else "joke" if _JOKE.search(clause) else act
    act = "wait" if _GO_ON.fullmatch(clause.strip(" .!…")) else act
    act = "ask" if act in _MOVING_ACTS and _NO_GOING.match(clause) else act
    if QUESTION_PUT.match(clause) and any(one.present for one in context.people):
        return "ask"
    if act == "think_back" and find_called(clause, context) is not None:
        spoken_acts = [one for one in scores if one in _SPOKEN_ACTS]
        act = max(spoken_acts, key=lambda one: scores[one], default=act)  # it is said to somebody
    is_company = any(one.present for one in context.people)
    if not is_question(clause):
        is_said = bool(earlier) and earlier[-1].act in _SPOKEN_ACTS and not is_act(clause)
        return earlier[-1].act if is_said and is_company else act
    if is_about_thing_here(clause, context) and find_called(clause, context) is None:
        return act if act in _LOOKING_ACTS else "examine"
    if act not in _QUESTION_ACTS and not (act in ("tell", "persuade") and is_bare_question(clause)):
        return act
    if not is_company:
        alone = [one for one in sorted(_LOOKING_ACTS | _OWN_ACTS) if one in scores]
        best = max(alone, key=lambda one: scores[one], default="think_back")
        return best if scores.get(best, 0.0) >= LEAST_ALONE else "think_back"
    return act if _is_own_question(clause, act) else "ask"  # nobody could answer it but whoever is there


def _is_own_question(clause: str, act: str) -> bool:
    """Return whether a question is one that the player looks into without asking anybody."""
    if act == "think_back":
        return is_about_own_knowledge(clause)
    is_to_you = re.search(r"\b(?:you|your)", clause, re.IGNORECASE) is not None
    return act == "ask_narrator" or (act in _LOOKING_ACTS and not is_to_you)


def _is_done_to_things(act: str, needs: str, thing: Mention | None, place: Mention | None) -> bool:
    return act not in _SPOKEN_ACTS and (act == "go" or (needs != "person" and bool(thing or place)))


def _join_finding_out(before: Intent, clause: str, context: ReadingContext) -> Intent:
    """Return an act with what is to be found out by it: a look at that; a deed stays what it is.

    "Lean over the rail and see where it points" is a look; "rub it in and see if she flinches" is no look.
    """
    is_look = before.act in _LOOKING_ACTS or before.confidence < SURE
    if not is_look or before.person:
        return before
    thing = find_thing(clause, context, [one.name for one in context.people])
    return msgspec.structs.replace(before, act="examine", text=clause, thing=thing or before.thing)


def _is_aside(clause: str, context: ReadingContext) -> bool:
    """Return whether a clause only says how things stand: no act, no question, nothing said to anybody."""
    is_said = (
        QUOTED.search(clause) or re.search(r"\byou", clause, re.IGNORECASE) or find_called(clause, context)
    )
    return not (is_act(clause) or is_question(clause) or is_said)


def _antecedent(clause: str, whole: str, context: ReadingContext, earlier: Sequence[Intent]) -> str:
    """Return who was spoken of just before a clause, in the same words."""
    before = find_people(whole[: max(0, whole.find(clause))], context)
    if before:
        return before[-1].id
    return next((one.person.id for one in reversed(earlier) if one.person), "")


def _likely_thing(clause: str, act: str, context: ReadingContext) -> Mention | None:
    """Return the object an act is most likely done to where none is named: carried, or lying about."""
    is_carried = act in ("give", "show", "throw", "wear", "eat", "drink", "put", "burn", "write")
    if not is_carried and len(clause.split()) > BARE_ACT:
        return None
    holder = "player" if is_carried else ""
    around = set(content_words(context.place_name))
    candidates = [
        thing
        for thing in context.things
        if thing.holder == holder and not around & set(content_words(thing.name))
    ]
    return Mention("", candidates[0].id, candidates[0].name) if candidates else None


def _find_topic(clause: str, earlier: Sequence[Intent]) -> str:
    """Return what a clause is about; of "it" what the clause before it speaks of."""
    topic = topic_of(clause)
    if earlier and topic.casefold() in ("it", "that", "this", "them"):
        phrases = noun_phrases(earlier[-1].text)
        return f"the {phrases[-1]}" if phrases else topic
    return topic


def topic_of(clause: str) -> str:
    """Return what a question or a statement is about, without the words that only say who is asked."""
    if quotation := QUOTED.search(clause):
        return quotation[1].strip()
    if match := _ABOUT.match(clause):
        lead, rest = match[1].casefold(), match[2].strip(" .?!")
        return rest if lead in ("about", "of", "that", "whether", "if") and rest else f"{lead} {rest}".strip()
    return re.sub(r"^\W*(?:i\s+)?", "", strip_wish(clause), flags=re.IGNORECASE).strip(" .")


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


def _is(person: str, mention: Mention | None) -> bool:
    return mention is not None and mention.id == person


def _all_names(context: ReadingContext) -> list[str]:
    return [
        *(person.name for person in context.people),
        *(thing.name for thing in context.things),
        *(place.name for place in context.places),
    ]
