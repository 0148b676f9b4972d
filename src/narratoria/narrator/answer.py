"""Answers an act: evidence in somebody's mouth or before the player's eyes, or a unit of the repertoire."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import msgspec

from narratoria.narrator.answer_request import Answer, AnswerContext, AnswerRequest, Listener
from narratoria.narrator.answer_slots import (
    all_names,
    as_quotation,
    build_slots,
    find_lead,
    speech_window,
    thing_kind,
)
from narratoria.narrator.deed import deed_slots
from narratoria.narrator.effect_types import bind_effects, mark_burnt
from narratoria.narrator.evidence import Evidence, best_window, load_evidence_chooser
from narratoria.narrator.grammar import quote_speech
from narratoria.narrator.recollection import ABOUT_BELONGINGS, suggest, think_back
from narratoria.narrator.repertoire import (
    ANY_DEED,
    Outcome,
    Unit,
    UnitSituation,
    fill_slots,
    measure_fit,
    pick_unit,
)

QUESTIONS = frozenset(("ask", "talk"))
OWN_MATTER = re.compile(  # nobody is ignorant of it
    r"\b(?:are|do|did|have|were|will|would|can|could|r)(?:n['’]?t)? (?:you|u)\b|"
    r"\b(?:you|u)(?:['’]?(?:re|ve)| are| have| got)\b|\byourself\b|"
    r"\b(?:is|are|was|were|what|who|how|where|about|of|got|have)(?:['’]?s|['’]?re)? (?:your|ur)\b",
    re.IGNORECASE,
)
UNKNOWING = re.compile(
    r"\b(?:you|u)(?:'ve)? (?:know|think|reckon|heard|hear|seen|see|tell|say|got any idea|suppose|remember)\b"
    r"|\b(?:have|did|can|could|would) you (?:ever )?(?:seen|see|heard|hear|tell|say)\b",
    re.IGNORECASE,
)
# acts to which what somebody says is answer enough; others are met in words of their own first
CONFLICTS = frozenset(("threaten", "insult", "accuse", "order", "refuse", "warn"))
# acts that get an answer out of somebody once they succeed
PRISING = frozenset(("persuade", "threaten", "lie", "bargain", "flirt", "beg", "accuse"))
ASKED_FOR = frozenset(("persuade", "threaten", "bargain", "beg"))  # of these: that want something by name
LOOKS = frozenset(("look", "examine", "search", "listen", "read", "smell", "taste", "touch", "open", "dig"))
HANDLING_LOOKS = frozenset(("open", "dig", "touch", "taste", "smell"))  # of which something comes
TALK = re.compile(  # what somebody is to be brought to
    r"\b(?:tell|talk|speak|spill|confess|own up|come clean|open your mouth|truth|what you know|say|admit|"
    r"answer|who|where|what|why)\b",
    re.IGNORECASE,
)
REPORTED = re.compile(  # the player's own telling, in "tell Ines that I counted it"
    r"^\W*(?:i\s+)?(?:tell|warn|inform|assure|say\s+to)\s+\w+", re.IGNORECASE
)
SPOKEN_DEED = re.compile(  # told again, it would only say what the player has just typed
    r"You (?:try to )?(?:\w+ly )?(?:tell|say|confess|admit|warn|promise|explain|swear|ask|beg|thank|"
    r"apologi[sz]e|compliment|praise|lie|offer|persuade|convince|threaten|order|accuse|insult|remind|assure|suggest)\b"
)
ASKING = re.compile(r"\?|\b(?:who|where|what|why|when|how)\b", re.IGNORECASE)  # to be told something
LEAST_OF_OWN = 0.3  # of a relevance: what somebody who gives in tells of what they know themselves
REPLIED = 0.85  # of a relevance: what somebody says to an act, whatever an author wrote for such acts
SURE = 0.7  # of a relevance: what somebody is talked into telling
TRUSTED = frozenset(("warm",))  # feelings in which a secret is told
WRITTEN_WORDS = frozenset(("topic", "saying"))  # what an author lets somebody say who hardly speaks
STAND_INS: Mapping[str, tuple[str, ...]] = {  # an act whose unit answers where its own repertoire is empty
    "talk": ("greet",),
    "steal": ("take",),
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
class FittingUnit:
    """A unit of the repertoire, and how well it fits."""

    unit: Unit
    fit: float


def answer_request(request: AnswerRequest, context: AnswerContext) -> Answer | None:
    """Return the answer to one act, or None where neither evidence nor any unit fits it."""
    listener = context.people.get(request.person)
    passage, is_withheld = _choose_evidence(request, listener)
    if direct := _answer_directly(request, context, listener, passage):
        return direct
    situation = _situation_of(request, context, passage, is_withheld=is_withheld)
    slots = situation.slots
    fitting = _find_unit(situation, context)
    if fitting is None and passage:
        return _answer_with_evidence(request, passage, listener)
    answer = _answer_with_unit(fitting, request, slots, passage) if fitting else None
    is_won = request.act in PRISING and request.outcome in ("success", "partial")
    is_personal = fitting is not None and bool(fitting.unit.person)  # an author has said it all
    is_owed = is_won and not (is_personal and request.act not in ASKED_FOR)
    passage = _find_owed(request, listener, passage) if is_owed and listener else None
    if answer and passage:
        question = msgspec.structs.replace(request, act="ask", outcome="none", evidence=(passage,), own=None)
        reply = answer_request(msgspec.structs.replace(question, is_trusted=True), context)
        return join_answers([answer, reply]) if reply else answer
    listener = listener or context.people.get(request.own.owner if request.own else "")
    if answer is None or listener is None or "speak" in listener.cannot or answer.is_evasion:
        return answer
    is_complete = is_personal or situation.thing == "unknown"
    return _with_reply(answer, request, context, listener, is_complete=is_complete)


def _with_reply(
    answer: Answer,
    request: AnswerRequest,
    context: AnswerContext,
    listener: Listener,
    *,
    is_complete: bool,
) -> Answer:
    """Return an answer with what the person would say to the act, in its place or behind it."""
    own = request.own
    if own is None or (is_complete and not _is_plainly_replied(request)):
        return answer
    if own.answer:
        return _answer_with_topic(own) if request.outcome == "none" else answer
    if request.act in CONFLICTS and (framed := _answer_with_reply(request, context, own)):
        return framed
    return answer if is_complete or request.outcome == "failure" else _add_own_matter(answer, own, listener)


def situation_for_units(request: AnswerRequest, context: AnswerContext) -> UnitSituation:
    """Return the situation a unit must fit in order to answer an act."""
    passage, is_withheld = _choose_evidence(request, context.people.get(request.person))
    return _situation_of(request, context, passage, is_withheld=is_withheld)


def _situation_of(
    request: AnswerRequest, context: AnswerContext, passage: Evidence | None, *, is_withheld: bool
) -> UnitSituation:
    listener = context.people.get(request.person)
    evidence = ""
    if request.act in QUESTIONS and listener:
        telling = "again" if passage and passage.is_repeat else "given"
        is_own = bool(OWN_MATTER.search(request.words)) and not UNKNOWING.search(request.words)
        evidence = telling if passage else "withheld" if is_withheld or is_own else "none"
    lead = find_lead(request, context, listener) if evidence == "none" else None
    witness = listener or context.people.get(request.bystander)
    return UnitSituation(
        act=request.act,
        kind=request.kind,
        suited=request.suited,
        outcome=request.outcome,
        has_person=witness is not None,
        is_addressed=listener is not None,
        absent=bool(request.person) and listener is None,
        person=witness.id if witness else "",
        manners=witness.manners if witness else frozenset(),
        cannot=witness.cannot if witness else frozenset(),
        feeling=witness.feeling if witness else "neutral",
        world=context.world,
        thing=thing_kind(request, context),
        evidence=evidence,
        has_lead=lead is not None,
        is_deadly=request.is_deadly,
        is_light=context.is_light,
        is_alone=not context.people,
        slots=build_slots(request, context, witness, passage, lead),
    )


def _add_own_matter(answer: Answer, own: Evidence, listener: Listener) -> Answer:
    """Return an answer that ends with what somebody says of themselves to it."""
    speech = as_quotation(own.spoken)
    quotation = quote_speech(speech, f"says {listener.short}")
    return msgspec.structs.replace(
        answer,
        text=f"{answer.text} {quotation}",
        fact=f"{answer.fact} {listener.name} told the player: {speech}",
        evidence=(*answer.evidence, own.id),
    )


def _is_plainly_replied(request: AnswerRequest) -> bool:
    """Return whether it is surer what somebody says to an act than that an author's unit for it fits."""
    return request.own is not None and REPLIED <= request.own.relevance < 1.0


def _answer_with_reply(request: AnswerRequest, context: AnswerContext, own: Evidence) -> Answer | None:
    """Return how somebody takes an act, around what they say to it; None where no unit has a place for it."""
    bare_request = msgspec.structs.replace(request, thing="", evidence=())
    situation = replace(
        _situation_of(bare_request, context, own, is_withheld=False), evidence="given", has_lead=False
    )
    unit = pick_unit(context.units, situation, context.used, context.turn, context.seed)
    if unit is None:
        return None
    fitting = FittingUnit(unit, measure_fit(unit, situation) or 0.0)
    answer = _answer_with_unit(fitting, request, situation.slots, own)
    fact = fill_slots(unit.fact, situation.slots)
    return msgspec.structs.replace(answer, fact=f"{fact} {answer.fact}")


def _find_owed(request: AnswerRequest, listener: Listener, passage: Evidence | None) -> Evidence | None:
    """Return what somebody who was talked into telling tells: what is sure, or what they know themselves."""
    words = REPORTED.sub("", request.words)
    if not (ASKING if request.act == "lie" else TALK).search(words):
        return None  # nothing was to be told
    if passage and _is_owed(passage):
        return passage
    return next(
        (
            one
            for one in request.evidence
            if one.owner == listener.id
            and one.relevance >= LEAST_OF_OWN
            and one.source in ("secret", "profile")
            and (not one.secret or request.outcome == "success")
        ),
        None,
    )


def _is_owed(passage: Evidence) -> bool:
    """Return whether a passage is surely what somebody was talked into telling."""
    return passage.relevance >= SURE and passage.source not in ("saying", "goal") and passage.id[:4] != "who/"


def _answer_directly(
    request: AnswerRequest, context: AnswerContext, listener: Listener | None, passage: Evidence | None
) -> Answer | None:
    """Return what needs no unit: what the player knows, could do or sees, and what the author wrote."""
    match request.act:
        case "think_back":
            return think_back(request, context)
        case "ask_narrator" if ABOUT_BELONGINGS.search(request.words):
            return think_back(request, context)
        case "ask_narrator" if context.offers:
            return suggest(context, listener)
        case act if passage and passage.answer and act in QUESTIONS and listener:
            return _answer_with_topic(passage)
        case act if passage and _is_shown(act, passage) and request.outcome != "failure":
            return _show_passage(request, passage, context)
    return None


def _is_shown(act: str, passage: Evidence) -> bool:
    """Return whether an act shows the player a passage; what is used shows only what is sure."""
    if passage.is_closer_look:
        return True
    if act == "use":
        return passage.relevance >= SURE and passage.source == "lore"
    return act in LOOKS and not (act in HANDLING_LOOKS and passage.is_arrival)


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


def begin_with(opening: Answer, answer: Answer) -> Answer:
    """Return an answer that begins with another; what is kept and changed stays the answer's."""
    return msgspec.structs.replace(
        answer,
        text=f"{opening.text}\n\n{answer.text}",
        units=(*answer.units, *opening.units),
        parts=(opening, *(answer.parts or (answer,))),
    )


def _choose_evidence(request: AnswerRequest, listener: Listener | None) -> tuple[Evidence | None, bool]:
    """Return the evidence that answers and may be told, and whether some was held back."""
    threshold = load_evidence_chooser().threshold
    speaker = listener.id if listener else ""
    is_silent = listener is not None and "speak" in listener.cannot and request.act in QUESTIONS
    candidates = [
        one
        for one in request.evidence
        if one.owner in ("", speaker)
        and (not is_silent or one.source in WRITTEN_WORDS)
        and one.relevance
        >= (SURE if one.source == "saying" else threshold)  # sayings suit much, and answer little
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
    if situation.thing == "unknown" and situation.outcome != "none":  # no luck helps with what is not there
        for act in (situation.act, *STAND_INS.get(situation.act, ())):
            yield replace(situation, act=act, outcome="none", evidence="", person="")
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
        other = replace(
            situation, act=act, outcome="none", evidence="", thing=thing, absent=False, person=""
        )  # what an author wrote for somebody and that act is for no other
        yield other
        yield replace(other, has_person=False)


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
        text=f"{_tell_deed(unit, request, slots)}{fill_slots(unit.text, slots)}",
        fact=fact,
        source=f"evidence:{unit_evidence.id}" if unit_evidence else f"unit:{unit.id}",
        effects=mark_burnt(bind_effects(unit.effects, {**slots, **ids}), request.act),
        evidence=(unit_evidence.id,) if unit_evidence else (),
        units=(unit.id,),
        is_attempt=unit.outcome == "failure",
        is_evasion=unit.evidence in ("none", "withheld"),
        fit=fitting.fit,
    )


def _tell_deed(unit: Unit, request: AnswerRequest, slots: Mapping[str, str]) -> str:
    """Return what the player does as the sentence before a unit that does not tell it; else nothing."""
    is_told = unit.tells_deed or unit.absent or unit.thing == "unknown" or "{said}" in unit.text
    if is_told or "{ways}" in unit.text or unit.person or request.act in (*QUESTIONS, "go"):
        return ""
    sentence = slots.get("try" if unit.outcome == "failure" else "deed", "")
    is_spoken = SPOKEN_DEED.match(sentence) is not None
    is_same = _first_words(sentence) == _first_words(unit.text)
    return "" if not sentence or is_spoken or is_same else f"{sentence} "


def _first_words(text: str) -> list[str]:
    return text.split()[:2]


def _is_own(slots: Mapping[str, str]) -> bool:
    return slots.get("the thing", "").startswith("your ")


def _show_passage(request: AnswerRequest, passage: Evidence, context: AnswerContext) -> Answer:
    """Return what is seen, after the sentence in which the player looks."""
    is_whole = passage.is_closer_look
    view = passage.text if is_whole else best_window(request.thing or request.topic, passage.text)
    deed_sentence = deed_slots(request.words, all_names(context)).get("deed", "")
    return Answer(
        text=f"{deed_sentence} {view}".strip(),
        fact=view,
        source=f"evidence:{passage.id}",
        evidence=(passage.id,),
    )


def _answer_with_topic(topic: Evidence) -> Answer:
    """Return an answer that the author wrote, as it stands."""
    return Answer(
        text=topic.answer, fact=topic.fact or topic.text, source=f"topic:{topic.id}", evidence=(topic.id,)
    )


def _answer_with_evidence(request: AnswerRequest, evidence: Evidence, listener: Listener | None) -> Answer:
    speech = speech_window(evidence, request.topic)
    if listener is None or request.act not in QUESTIONS:
        text = best_window(request.topic or request.thing, evidence.text)
        return Answer(text=text, fact=text, source=f"evidence:{evidence.id}", evidence=(evidence.id,))
    first, _, rest = speech.partition(". ")
    quote = f"“{as_quotation(first).rstrip('.')},” says {listener.short}." + (
        f" “{as_quotation(rest)}”" if rest else ""
    )
    return Answer(
        text=quote,
        fact=f"{listener.name} told the player: {speech}",
        source=f"evidence:{evidence.id}",
        evidence=(evidence.id,),
    )


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
