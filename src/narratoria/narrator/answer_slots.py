"""Fills the slots of a unit: who and what an act is done to, the deed itself, and what is quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from narratoria.narrator.answer_request import AnswerContext, AnswerRequest, Listener
from narratoria.narrator.deed import deed_slots
from narratoria.narrator.evidence import Evidence, best_window, told_window
from narratoria.narrator.grammar import call_name, quote_speech
from narratoria.narrator.recollection import join_names
from narratoria.narrator.repertoire import person_slots, thing_slots

HANDED = frozenset(("give", "show"))  # whoever offers a thing has it, or points it out
HANDLED = frozenset(  # acts that take a thing one has
    ("give", "show", "put", "throw", "wear", "eat", "drink", "burn", "write", "play", "use", "light")
)


@dataclass(frozen=True, slots=True)
class Lead:
    """Somebody else who may know, and why."""

    name: str
    reason: str


def thing_kind(request: AnswerRequest, context: AnswerContext) -> str:
    if not request.thing:
        return ""
    noun = request.thing.casefold().split()[-1].removesuffix("s")
    if any(noun == word.removesuffix("s") for item in context.items for word in item.casefold().split()):
        return "carried"
    if request.act in HANDED and (request.is_thing_likely or request.is_thing_known):
        return "carried"
    if request.is_thing_likely and not request.is_thing_known:
        return "carried" if request.act in HANDLED else "known"
    return "known" if request.is_thing_known else "unknown"


def build_slots(
    request: AnswerRequest,
    context: AnswerContext,
    listener: Listener | None,
    evidence: Evidence | None,
    lead: Lead | None,
) -> dict[str, str]:
    slots = {
        "place": context.place,
        "outside": context.outside,
        **deed_slots(request.words, all_names(context)),
    }
    if context.ways:
        slots["ways"] = join_names(context.ways, last="or")
    if listener:
        slots |= person_slots(listener.name, listener.short, listener.pronoun)
        other = next((one for one in context.people.values() if one.id != listener.id), None)
        slots |= {"other": other.short} if other else {}
    elif request.person:
        name = context.names.get(request.person, request.person)
        slots |= {
            "name": name,
            "short": call_name(name),
            "last_seen": context.last_seen.get(request.person, ""),
        }
    elif context.people:
        slots |= {"other": next(iter(context.people.values())).short}
    if request.thing:
        slots |= thing_slots(request.thing, is_carried=thing_kind(request, context) == "carried")
    if request.topic:
        slots["topic"] = _short_topic(request.topic)
    if request.matter:
        slots["matter"] = request.matter
    if evidence:
        speech = as_quotation(speech_window(evidence, request.topic))
        slots["quote"] = speech
        slots["said"] = quote_speech(speech, f"says {listener.short}") if listener else speech
        slots["seen"] = best_window(request.topic or request.thing, evidence.text)
    if lead:
        slots |= {"lead": lead.name, "lead_reason": lead.reason}
    return slots


def speech_window(evidence: Evidence, question: str) -> str:
    return told_window(question, evidence)


def as_quotation(text: str) -> str:
    """Return a passage as it stands inside quotation marks."""
    text = re.sub(r'"([^"]*)"', r"‘\1’", text)
    return text.replace("“", "‘").replace("”", "’").strip()


def _short_topic(topic: str) -> str:
    """Return a few words of what was spoken of that can stand after "about"."""
    matter = topic.strip(" ?.!") if _CLAUSE.match(topic) else _QUESTION_WORDS.sub("", topic.strip(" ?.!"))
    if _CLAUSE.match(matter) or "," in topic:
        return "it"
    words = matter.split()
    end = next((at for at, word in enumerate(words) if _VERB.fullmatch(word)), len(words))
    return " ".join(words[: min(end, LONGEST_TOPIC)]) or "it"


LONGEST_TOPIC = 6  # words
_CLAUSE = re.compile(r"\W*(?:that|how|i|you|he|she|it|we|they|there)\b", re.IGNORECASE)
_QUESTION_WORDS = re.compile(
    r"^(?:(?:about|what|why|who|whom|whose|where|when|how|whether|if|which)\s+)+", re.IGNORECASE
)
_VERB = re.compile(  # with which what is spoken of becomes a sentence about it
    r"is|are|was|were|has|have|had|does|do|did|will|would|can|could|should|may|might|must|happened|became|came|"
    r"went|means?|goes|gets|got|makes?|made",
    re.IGNORECASE,
)


def find_lead(request: AnswerRequest, context: AnswerContext, listener: Listener | None) -> Lead | None:
    """Return somebody whose own profile or secret bears on the question, and where they are."""
    here = listener.id if listener else ""
    for one in request.evidence:
        if one.owner and one.owner != here and one.owner in context.names and one.relevance >= 0.3:
            name = re.sub(r"^The ", "the ", context.names[one.owner])
            where = context.last_seen.get(one.owner, "")
            if not where and one.owner not in context.people:
                continue  # nobody knows where to find them
            return Lead(name, f"Look at {where}" if where else "They are standing right here")
    return None


def all_names(context: AnswerContext) -> list[str]:
    return list(context.names.values())
