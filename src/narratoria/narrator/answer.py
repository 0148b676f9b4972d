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
from narratoria.narrator.owed import ASKED_FOR, PRISING, SURE, find_owed
from narratoria.narrator.question import GUESSED, QUESTIONS, find_basis, is_beside_the_point
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

# acts to which what somebody says is answer enough; others are met in words of their own first
CONFLICTS = frozenset(("threaten", "insult", "accuse", "order", "refuse", "warn"))
LOOKS = frozenset(("look", "examine", "search", "listen", "read", "smell", "taste", "touch", "open", "dig"))
FELT = frozenset(("taste", "touch"))  # looks that the sight of a thing does not answer
HANDLING_LOOKS = frozenset(("open", "dig", "touch", "taste", "smell"))  # of which something comes
SPOKEN_DEED = re.compile(  # told again, it would only say what the player has just typed
    r"You (?:try to )?(?:\w+ly )?(?:tell|say|confess|admit|warn|promise|explain|swear|ask|beg|thank|"
    r"apologi[sz]e|compliment|praise|lie|offer|persuade|convince|threaten|order|accuse|insult|remind|assure|suggest)\b"
)
# acts that are never told again before the answer: what is said is no deed, and a look shows
NEVER_ECHOED = QUESTIONS | {
    *(
        "go",
        "look",
        "listen",
        "smell",
        "joke",
        "insult",
        "praise",
        "comfort",
        "apologise",
        "confess",
        "promise",
    ),
    *("thank", "greet", "farewell", "threaten", "accuse", "warn", "tell", "lie", "persuade", "beg", "order"),
    *("flirt", "refuse", "agree", "bargain", "invite", "talk", "wait"),
}
REPLIED = 0.85  # of a relevance: what somebody says to an act, whatever an author wrote for such acts
KEPT_BACK = 0.6  # of a relevance: a secret that is less surely the answer is not seen to be withheld
TRUSTED = frozenset(("warm",))  # feelings in which a secret is told
WRITTEN_WORDS = frozenset(("topic", "saying"))  # what an author lets somebody say who hardly speaks
LESS_FITTING: Mapping[
    str, tuple[str, ...]
] = {  # evidence whose units answer where there is none for a kind of it
    "again": ("given",),
    "none": ("",),
    "withheld": ("",),
    "own": ("withheld", ""),
}
MERE_PAUSES = frozenset(("look around", "look about", "wait", "wait and listen", "wait a while"))
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
    passage = find_owed(request, listener, passage) if is_owed and listener else None
    if answer and passage:
        question = msgspec.structs.replace(request, act="ask", outcome="none", evidence=(passage,), own=None)
        reply = answer_request(msgspec.structs.replace(question, is_trusted=True), context)
        return join_answers([answer, reply]) if reply else answer
    if answer and _is_seen_by_handling(request, fitting):
        return _begin_with_sight(answer, request.evidence[0])
    listener = listener or context.people.get(request.own.owner if request.own else "")
    if answer is None or listener is None or "speak" in listener.cannot or answer.is_evasion:
        return answer
    is_complete = is_personal or situation.thing == "unknown"
    return _with_reply(answer, request, context, listener, is_complete=is_complete)


def _is_seen_by_handling(request: AnswerRequest, fitting: FittingUnit | None) -> bool:
    """Return whether the player also sees the thing of the place that they lay hands on."""
    is_of_place = bool(request.evidence) and request.evidence[0].source == "place"
    is_personal = fitting is not None and bool(fitting.unit.person)
    is_handled = request.act in FELT or request.act not in LOOKS
    return is_of_place and not is_personal and is_handled and request.outcome != "failure"


def _begin_with_sight(answer: Answer, sight: Evidence) -> Answer:
    """Return an answer that begins with what is seen of the thing before it is handled."""
    return msgspec.structs.replace(
        answer,
        text=f"{sight.text} {answer.text}",
        fact=f"{sight.text} {answer.fact}",
        evidence=(*answer.evidence, sight.id),
    )


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
    evidence = find_basis(request, passage, is_withheld=is_withheld) if listener else ""
    lead = find_lead(request, context, listener) if evidence == "none" else None
    if evidence == "none" and lead is None and request.kind in GUESSED:
        evidence = "own"
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


def _answer_directly(
    request: AnswerRequest, context: AnswerContext, listener: Listener | None, passage: Evidence | None
) -> Answer | None:
    """Return what needs no unit: what the player knows, could do or sees, and what the author wrote."""
    match request.act:
        case _ if passage and passage.is_place_deed:
            return _show_passage(request, passage, context)
        case act if act == "think_back" or (act == "ask_narrator" and ABOUT_BELONGINGS.search(request.words)):
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
    return act in LOOKS - FELT and not (act in HANDLING_LOOKS and passage.is_arrival)


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
        and not (listener and is_beside_the_point(request, one, listener.short))
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
    is_withheld = any(not one.secret or one.relevance >= KEPT_BACK for one in candidates)
    return passage, passage is None and is_withheld


def _find_unit(situation: UnitSituation, context: AnswerContext) -> FittingUnit | None:
    """Return the best unit, giving up what matters least first where none fits."""
    for variant in _relax_situation(situation):
        unit = pick_unit(context.units, variant, context.used, context.turn, context.seed)
        if unit:
            return FittingUnit(unit, measure_fit(unit, variant) or 0.0)
    return None


def _relax_situation(situation: UnitSituation) -> Iterable[UnitSituation]:
    yield situation
    for evidence in LESS_FITTING.get(situation.evidence, ()):
        yield replace(situation, evidence=evidence)
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
    own_text = unit.text.removeprefix("{deed} ") if _is_mere_pause(request) else unit.text
    return Answer(
        text=f"{_tell_deed(unit, request, slots)}{fill_slots(own_text, slots)}",
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
    is_told = (
        unit.tells_deed
        or _is_mere_pause(request)
        or unit.absent
        or unit.thing == "unknown"
        or "{said}" in unit.text
    )
    if is_told or "{ways}" in unit.text or unit.person or request.act in NEVER_ECHOED:
        return ""
    sentence = slots.get("try" if unit.outcome == "failure" else "deed", "")
    is_spoken = SPOKEN_DEED.match(sentence) is not None
    is_same = _first_words(sentence) == _first_words(unit.text)
    return "" if not sentence or is_spoken or is_same else f"{sentence} "


def _is_mere_pause(request: AnswerRequest) -> bool:
    """Return whether the player only looks or waits: what they chose says so, and is not said again."""
    return " ".join(request.words.casefold().split()).rstrip(".!") in MERE_PAUSES


def _first_words(text: str) -> list[str]:
    return text.split()[:2]


def _is_own(slots: Mapping[str, str]) -> bool:
    return slots.get("the thing", "").startswith("your ")


def _show_passage(request: AnswerRequest, passage: Evidence, context: AnswerContext) -> Answer:
    """Return what is seen, after the sentence in which the player looks."""
    is_whole = passage.is_closer_look
    view = passage.text if is_whole else best_window(request.thing or request.topic, passage.text)
    stands_alone = passage.is_place_deed and view.startswith(("You ", "Your ", "There you"))
    is_deed = request.act in HANDLING_LOOKS or request.act not in LOOKS | NEVER_ECHOED
    deed_sentence = (
        deed_slots(request.words, all_names(context)).get("deed", "") if is_deed and not stands_alone else ""
    )
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
