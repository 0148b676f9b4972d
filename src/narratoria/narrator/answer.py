"""Answers an act: evidence in somebody's mouth or before the player's eyes, or a unit of the repertoire."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files

import msgspec

from narratoria.narrator.deed import deed_slots
from narratoria.narrator.effect_types import Effect, bind_effects
from narratoria.narrator.evidence import Evidence, best_window, key_words, load_evidence_chooser, told_window
from narratoria.narrator.grammar import quote_speech
from narratoria.narrator.repertoire import (
    ANY_DEED,
    Outcome,
    Unit,
    UnitSituation,
    fill_slots,
    measure_fit,
    person_slots,
    pick_unit,
    thing_slots,
)

QUESTIONS = frozenset(("ask", "talk"))
ABOUT_BELONGINGS = re.compile(
    r"\b(?:inventory|carry|carrying|pockets?|(?:have|got) (?:on|with) me|my (?:things|stuff|bag))\b"
    r"|^i$",
    re.IGNORECASE,
)
MEMORY_WORDS = frozenset(
    key_words(
        "remember remind recall happened know known found learned so far story about again case doing here"
    )
)
GENERAL = re.compile(  # everything is asked for, and nothing in particular
    r"\bso far\b|\bremind me (?:what|why|who|where)\b|\b(?:what|why) am i\b|\bwhere was i\b|\brecap\b|"
    r"\bwhat(?:'s| is) going on\b",
    re.IGNORECASE,
)
OWN_MATTER = re.compile(r"\b(?:you|your|yours|yourself|ur)\b", re.IGNORECASE)  # nobody is ignorant of it
UNKNOWING = re.compile(
    r"\b(?:you|u)(?:'ve)? (?:know|think|reckon|heard|hear|seen|see|tell|say|got any idea|suppose|remember)\b"
    r"|\b(?:have|did|can|could|would) you (?:ever )?(?:seen|see|heard|hear|tell|say)\b",
    re.IGNORECASE,
)
# acts that get an answer out of somebody once they succeed
PRISING = frozenset(("persuade", "threaten", "lie", "bargain", "flirt", "beg", "accuse"))
HANDED = frozenset(("give", "show"))  # whoever offers a thing has it, or points it out
HANDLED = frozenset(  # acts that take a thing one has
    ("give", "show", "put", "throw", "wear", "eat", "drink", "burn", "write", "play", "use", "light")
)
LOOKS = frozenset(("look", "examine", "search", "listen", "read", "smell", "taste", "touch", "open", "dig"))
TRUSTED = frozenset(("warm",))  # feelings in which a secret is told
STAND_INS: Mapping[str, tuple[str, ...]] = {  # an act whose unit answers where its own repertoire is empty
    "talk": ("greet",),
    "follow": ("go",),
    "spy": ("listen",),
    "beg": ("persuade",),
    "order": ("persuade",),
    "confess": ("tell",),
    "warn": ("tell",),
    "invite": ("persuade",),
    "dance": ("sing",),
    "light": ("use",),
    "close": ("open",),
    "tie": ("use",),
    "ride": ("use",),
    "restrain": ("attack",),
    "taste": ("eat",),
    "smell": ("examine",),
    "touch": ("examine",),
    "read": ("examine",),
}


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who is here, as far as an answer needs to know them."""

    id: str
    name: str
    short: str
    pronoun: str = "they"
    manners: frozenset[str] = frozenset()
    feeling: str = "neutral"


@dataclass(frozen=True, slots=True)
class Lead:
    """Somebody else who may know, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class FittingUnit:
    """A unit of the repertoire, and how well it fits."""

    unit: Unit
    fit: float


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """The place an answer is given at, the people who hear it, and the units at hand."""

    place: str  # as in a sentence
    units: Sequence[Unit]
    people: Mapping[str, Listener] = field(default_factory=dict)
    last_seen: Mapping[str, str] = field(
        default_factory=dict
    )  # of people elsewhere: the place, in a sentence
    names: Mapping[str, str] = field(default_factory=dict)  # of everybody the story knows
    world: frozenset[str] = frozenset()
    items: tuple[str, ...] = ()  # what the player carries
    used: Mapping[str, int] = field(default_factory=dict)  # units, and the turn of each
    turn: int = 1
    seed: str = ""
    journal: tuple[str, ...] = ()  # what happened, the latest last
    offers: tuple[str, ...] = ()  # what could be done next, each as "go to the mill"
    premise: tuple[str, ...] = ()  # what the player was told at the beginning
    ways: tuple[str, ...] = ()  # the places next door, each in a sentence
    is_light: bool = False  # the story is a light one
    outside: str = ""  # the place next door, in a sentence: where one is who is driven out


class AnswerRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One act to be answered: what it is done to, how it ended, and the evidence that bears on it."""

    act: str
    person: str = ""  # an id
    person_text: str = ""  # as the player named somebody the story does not know
    thing: str = ""
    is_thing_known: bool = False
    is_thing_likely: bool = False  # nobody would wonder that it is at hand
    topic: str = ""
    words: str = ""  # as the player typed it
    bystander: str = ""  # the id of somebody who sees it, where it is done to nobody
    outcome: Outcome = "none"
    evidence: tuple[Evidence, ...] = ()  # best first
    is_trusted: bool = False  # secrets are told too
    is_deadly: bool = False  # it is an attack that means somebody to die


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The text of an answer, the sentence that is true afterwards, its effects and its source."""

    text: str
    fact: str
    source: str  # "unit:ID" or "evidence:ID"
    effects: tuple[Effect, ...] = ()
    evidence: tuple[str, ...] = ()  # ids
    units: tuple[str, ...] = ()
    is_attempt: bool = False  # it was tried, and failed
    fit: float = 0.0  # of the unit, to the situation
    parts: tuple[Answer, ...] = ()  # the answers it was joined from
    limit_note: str = ""  # which content limit turned it aside, in a line


def answer_request(request: AnswerRequest, context: AnswerContext) -> Answer | None:
    """Return the answer to one act, or None where neither evidence nor any unit fits it."""
    listener = context.people.get(request.person)
    is_absent = bool(request.person) and listener is None
    passage, is_withheld = _choose_evidence(request, listener)
    if direct := _answer_directly(request, context, listener, passage):
        return direct
    evidence = ""
    if request.act in QUESTIONS and listener:
        telling = "again" if passage and passage.is_repeat else "given"
        is_own = bool(OWN_MATTER.search(request.words)) and not UNKNOWING.search(request.words)
        evidence = telling if passage else "withheld" if is_withheld or is_own else "none"
    lead = _find_lead(request, context, listener) if evidence == "none" else None
    witness = listener or context.people.get(request.bystander)
    slots = _build_slots(request, context, witness, passage, lead)
    situation = UnitSituation(
        act=request.act,
        outcome=request.outcome,
        has_person=witness is not None,
        is_addressed=listener is not None,
        absent=is_absent,
        manners=witness.manners if witness else frozenset(),
        feeling=witness.feeling if witness else "neutral",
        world=context.world,
        thing=_thing_kind(request, context),
        evidence=evidence,
        has_lead=lead is not None,
        is_deadly=request.is_deadly,
        is_light=context.is_light,
        is_alone=not context.people,
        slots=slots,
    )
    fitting = _find_unit(situation, context)
    if fitting is None and passage:
        return _answer_with_evidence(request, passage, listener)
    answer = _answer_with_unit(fitting, request, slots, passage) if fitting else None
    is_won = request.act in PRISING and request.outcome in ("success", "partial")
    if answer and passage and listener and is_won:
        question = msgspec.structs.replace(request, act="ask", outcome="none", evidence=(passage,))
        reply = answer_request(msgspec.structs.replace(question, is_trusted=True), context)
        return join_answers([answer, reply]) if reply else answer
    return answer


def _answer_directly(
    request: AnswerRequest, context: AnswerContext, listener: Listener | None, passage: Evidence | None
) -> Answer | None:
    """Return what needs no unit: what the player knows, could do or sees, and what the author wrote."""
    match request.act:
        case "think_back":
            return _think_back(request, context)
        case "ask_narrator" if context.offers:
            return _suggest(context)
        case act if passage and passage.answer and act in QUESTIONS and listener:
            return _answer_with_topic(passage)
        case act if passage and act in LOOKS and request.outcome != "failure":
            return _show_passage(request, passage, context)
    return None


def join_answers(answers: Sequence[Answer]) -> Answer:
    """Return several answers in a row as one; what a failed attempt was to lead to is not done."""
    first = answers[0]
    return Answer(
        text="\n\n".join(one.text for one in answers),
        fact=" ".join(one.fact for one in answers),
        source=first.source,
        effects=tuple(effect for one in answers for effect in one.effects),
        evidence=tuple(name for one in answers for name in one.evidence),
        units=tuple(name for one in answers for name in one.units),
        is_attempt=any(one.is_attempt for one in answers),
        fit=first.fit,
        parts=tuple(part for one in answers for part in one.parts or (one,)) if len(answers) > 1 else (),
        limit_note=next((one.limit_note for one in answers if one.limit_note), ""),
    )


def _choose_evidence(request: AnswerRequest, listener: Listener | None) -> tuple[Evidence | None, bool]:
    """Return the evidence that answers and may be told, and whether some was held back."""
    threshold = load_evidence_chooser().threshold
    speaker = listener.id if listener else ""
    candidates = [
        one for one in request.evidence if one.relevance >= threshold and one.owner in ("", speaker)
    ]
    is_won = request.is_trusted or request.outcome == "success"
    is_friend = listener is not None and listener.feeling in TRUSTED
    passage = next(
        # how much trust a topic asks for is the author's to say
        (one for one in candidates if not one.secret or is_won or (is_friend and one.source != "topic")),
        None,
    )
    if request.outcome == "failure":
        passage = None
    return passage, passage is None and bool(candidates)


def _thing_kind(request: AnswerRequest, context: AnswerContext) -> str:
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


def _build_slots(
    request: AnswerRequest,
    context: AnswerContext,
    listener: Listener | None,
    evidence: Evidence | None,
    lead: Lead | None,
) -> dict[str, str]:
    slots = {"place": context.place, "outside": context.outside, **deed_slots(request.words, _names(context))}
    if context.ways:
        slots["ways"] = _join_names(context.ways, last="or")
    if listener:
        slots |= person_slots(listener.name, listener.short, listener.pronoun)
        other = next((one for one in context.people.values() if one.id != listener.id), None)
        slots |= {"other": other.short} if other else {}
    elif request.person:
        name = context.names.get(request.person, request.person)
        slots |= {"name": name, "short": name, "last_seen": context.last_seen.get(request.person, "")}
    elif context.people:
        slots |= {"other": next(iter(context.people.values())).short}
    if request.thing:
        slots |= thing_slots(request.thing, is_carried=_thing_kind(request, context) == "carried")
    if request.topic:
        slots["topic"] = _short_topic(request.topic)
    if evidence:
        speech = _as_quotation(_speech_window(evidence, request.topic))
        slots["quote"] = speech
        slots["said"] = quote_speech(speech, f"says {listener.short}") if listener else speech
        slots["seen"] = best_window(request.topic or request.thing, evidence.text)
    if lead:
        slots |= {"lead": lead.name, "lead_reason": lead.reason}
    return slots


def _speech_window(evidence: Evidence, question: str) -> str:
    return told_window(question, evidence)


def _as_quotation(text: str) -> str:
    """Return a passage as it stands inside quotation marks."""
    text = re.sub(r'"([^"]*)"', r"‘\1’", text)
    return text.replace("“", "‘").replace("”", "’").strip()


def _short_topic(topic: str) -> str:
    """Return a few words of what was spoken of that can stand after "about"."""
    if re.match(r"\W*(?:that|how|i|you|he|she|it|we|they|there)\b", topic, re.IGNORECASE) or "," in topic:
        return "it"
    words = re.sub(
        r"^(?:about|what|why|who|where|when|how|whether|if)\s+", "", topic.strip(" ?.!"), flags=re.IGNORECASE
    ).split()
    return " ".join(words[:6])


def _find_lead(request: AnswerRequest, context: AnswerContext, listener: Listener | None) -> Lead | None:
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


def _find_unit(situation: UnitSituation, context: AnswerContext) -> FittingUnit | None:
    """Return the best unit, giving up what matters least first where none fits."""
    for variant in _relax_situation(situation):
        unit = pick_unit(context.units, variant, context.used, context.turn, context.seed)
        if unit:
            return FittingUnit(unit, measure_fit(unit, variant) or 0.0)
    return None


def _relax_situation(situation: UnitSituation) -> Iterable[UnitSituation]:
    yield situation
    if situation.evidence == "again":
        yield replace(situation, evidence="given")
    if situation.evidence in ("none", "withheld"):
        yield replace(situation, evidence="")
    if situation.thing:
        yield replace(situation, thing="")
    for act in STAND_INS.get(situation.act, ()):
        yield replace(situation, act=act)
        yield replace(situation, act=act, evidence="")
    if situation.outcome != "none":
        yield replace(situation, outcome="none") if situation.outcome == "success" else situation
    if situation.has_person:
        yield replace(situation, has_person=False, evidence="")
    if situation.absent:
        yield replace(situation, absent=False, evidence="")
    if situation.outcome != "none":
        yield replace(situation, outcome="none", evidence="")
    fallback = "tell" if situation.has_person and situation.is_addressed else ANY_DEED
    for act in (fallback, ANY_DEED, "tell", "wait"):  # something happens, whatever it was
        thing = situation.thing if situation.thing == "unknown" else ""
        yield replace(situation, act=act, outcome="none", evidence="", thing=thing, absent=False)
        yield replace(
            situation, act=act, outcome="none", evidence="", thing=thing, absent=False, has_person=False
        )


def _answer_with_unit(
    fitting: FittingUnit, request: AnswerRequest, slots: Mapping[str, str], evidence: Evidence | None
) -> Answer:
    unit = fitting.unit
    ids = {
        "person": request.person or request.bystander,
        "thing": slots.get("thing", ""),
        "place": "here",
        "player": "player",
    }
    in_general = {**slots, **({"the thing": f"the {slots['thing']}"} if _is_own(slots) else {})}
    fact = fill_slots(unit.fact, in_general)
    if ANY_DEED in unit.acts:
        fact = slots.get("did", fact)
    unit_evidence = evidence if unit.evidence in ("given", "again") else None
    if unit_evidence and ("{quote}" in unit.text or "{said}" in unit.text):
        fact = f"{slots.get('name', 'Somebody')} told the player: {slots['quote']}"
    elif unit_evidence:
        fact = slots["seen"]
    return Answer(
        text=fill_slots(unit.text, slots),
        fact=fact,
        source=f"evidence:{unit_evidence.id}" if unit_evidence else f"unit:{unit.id}",
        effects=bind_effects(unit.effects, {**slots, **ids}),
        evidence=(unit_evidence.id,) if unit_evidence else (),
        units=(unit.id,),
        is_attempt=unit.outcome == "failure",
        fit=fitting.fit,
    )


def _is_own(slots: Mapping[str, str]) -> bool:
    return slots.get("the thing", "").startswith("your ")


def _show_passage(request: AnswerRequest, passage: Evidence, context: AnswerContext) -> Answer:
    """Return what is seen, after the sentence in which the player looks."""
    view = best_window(request.thing or request.topic, passage.text)
    deed_sentence = deed_slots(request.words, _names(context)).get("deed", "")
    return Answer(
        text=f"{deed_sentence} {view}".strip(),
        fact=view,
        source=f"evidence:{passage.id}",
        evidence=(passage.id,),
    )


def _names(context: AnswerContext) -> list[str]:
    return list(context.names.values())


def _answer_with_topic(topic: Evidence) -> Answer:
    """Return an answer that the author wrote, as it stands."""
    return Answer(
        text=topic.answer, fact=topic.fact or topic.text, source=f"topic:{topic.id}", evidence=(topic.id,)
    )


def _answer_with_evidence(request: AnswerRequest, evidence: Evidence, listener: Listener | None) -> Answer:
    speech = _speech_window(evidence, request.topic)
    if listener is None or request.act not in QUESTIONS:
        text = best_window(request.topic or request.thing, evidence.text)
        return Answer(text=text, fact=text, source=f"evidence:{evidence.id}", evidence=(evidence.id,))
    first, _, rest = speech.partition(". ")
    quote = f"“{_as_quotation(first).rstrip('.')},” says {listener.short}." + (
        f" “{_as_quotation(rest)}”" if rest else ""
    )
    return Answer(
        text=quote,
        fact=f"{listener.name} told the player: {speech}",
        source=f"evidence:{evidence.id}",
        evidence=(evidence.id,),
    )


def _think_back(request: AnswerRequest, context: AnswerContext) -> Answer | None:
    """Return what the player knows of it, or the latest events where they ask for nothing in particular."""
    if ABOUT_BELONGINGS.search(request.topic or ""):
        text = f"You carry {_join_names(context.items)}." if context.items else "You carry nothing of note."
        return Answer(text=text, fact="The player counted what they carry.", source="journal")
    threshold = load_evidence_chooser().threshold
    candidates = [one for one in request.evidence if one.relevance >= threshold and not one.secret]
    is_general = bool(GENERAL.search(request.words)) and " about " not in request.words
    events = [one for one in candidates if one.source in ("memory", "journal")]
    topic_words = set(key_words(request.topic)) - MEMORY_WORDS
    journal = [line for line in context.journal if topic_words & set(key_words(line))]
    windows = [best_window(request.topic, one.text) for one in events[:3]]
    sentences = list(dict.fromkeys((*windows, *journal[-3:])))
    lore = next(  # what nobody has told the player is not known to them
        (one for one in candidates if one.is_repeat and one.source in ("lore", "profile", "topic")), None
    )
    if lore:
        sentences.append(best_window(request.topic, lore.text))
    if not topic_words or is_general or (not sentences and GENERAL.search(request.words)):
        sentences = [*context.premise, *context.journal[-3:]]
    if not sentences:
        return None
    evidence = (*events[:3], *([lore] if lore else ()))
    return Answer(
        text=" ".join(sentence.rstrip(".") + "." for sentence in sentences),
        fact="The player thought back on what had happened.",
        source=f"evidence:{evidence[0].id}" if evidence else "journal",
        evidence=tuple(one.id for one in evidence),
    )


def _suggest(context: AnswerContext) -> Answer:
    """Return what could be done, inside the story."""
    offers = _join_names([f"{offer}" for offer in context.offers[:3]], last="or")
    return Answer(text=f"You take stock. You could {offers}.", fact="The player took stock.", source="offers")


def _join_names(names: Sequence[str], last: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


@cache
def _manner_words() -> dict[str, frozenset[str]]:
    text = files("narratoria.narrator").joinpath("data/manners.json").read_text(encoding="utf-8")
    return {manner: frozenset(words.split()) for manner, words in json.loads(text).items()}


def manners_of(notes: Iterable[str]) -> frozenset[str]:
    """Return the manners that an author's notes about somebody speak of."""
    words = {word for note in notes for word in re.findall(r"[a-z]+(?:-[a-z]+)*", note.casefold())}
    return frozenset(manner for manner, signs in _manner_words().items() if words & signs)


def outcome_of(band: str, bands: Sequence[str] = ()) -> Outcome:
    """Return a roll's band as the outcome units are written for; the best of other bands is a success."""
    if band in ("success", "failure"):
        return "success" if band == "success" else "failure"
    if not band:
        return "none"
    if band.startswith("partial"):
        return "partial"
    if band in bands:
        at = bands.index(band)
        return "failure" if at == 0 else "success" if at == len(bands) - 1 else "partial"
    return "partial"
