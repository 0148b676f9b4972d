"""Explains how words are answered: the intents read, the offer or evidence found, and the unit chosen."""

from __future__ import annotations

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import ResolvedAction, choose, prepare_answers, situation_of
from narratoria.engine.answer_context import units_of
from narratoria.engine.effects import describe_answer
from narratoria.engine.evidence_origin import find_origin
from narratoria.engine.memory.recall import LORE, Lore, RecallResult
from narratoria.engine.people import people_at
from narratoria.engine.receipts import evidence_receipt
from narratoria.engine.scene import Choice
from narratoria.engine.snapshot import Progress, StorySnapshot
from narratoria.engine.understanding import Understander
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.evidence import Evidence, load_evidence_chooser
from narratoria.planner.intent import Intent
from narratoria.state import SessionState


class ExplainedEvidence(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes a piece of evidence: how probably it answers, and the file it stands in."""

    id: str
    source: str
    relevance: float
    text: str
    file: str
    secret: bool


class ExplainedIntent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes an intent with the evidence that bears on it, best first, and what is said in reply."""

    intent: Intent
    evidence: tuple[ExplainedEvidence, ...]
    reply: ExplainedEvidence | None = None


class ExplainedUnit(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes a unit that was chosen: what it is for, how well it fits, and where it is written."""

    id: str
    acts: tuple[str, ...]
    kind: str  # of the act; empty: for every kind of it
    outcome: str
    evidence: str  # "given", "again", "none", "withheld" or "own"; empty where it asks for none
    fit: float
    file: str


class ExplainedAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes what is told when the roll ends so; `outcome` is empty where nothing is rolled."""

    outcome: str
    text: str
    fact: str
    source: str
    units: tuple[ExplainedUnit, ...]
    effects: tuple[str, ...]


class AnswerExplanation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Describes the whole walk of an answer."""

    words: str
    place: str
    people: tuple[str, ...]
    route: str  # "beat ID", "go ID", "look", "answer", or "asked back"
    question: str = ""  # what is asked back
    readings: tuple[str, ...] = ()
    threshold: float = 0.0  # of relevance: what is below does not answer
    intents: tuple[ExplainedIntent, ...] = ()
    answers: tuple[ExplainedAnswer, ...] = ()


def story_at(campaign: Campaign, place: str, seed: int) -> StorySnapshot:
    """Return a story that stands at a place, in which nothing has happened yet."""
    progress = Progress(scene=1, place=place or campaign.start, visits={place or campaign.start: 1})
    return StorySnapshot(
        id="answer", campaign=campaign.name, seed=seed, progress=progress, state=SessionState()
    )


async def explain_answer(
    words: str, story: StorySnapshot, campaign: Campaign, understander: Understander
) -> AnswerExplanation:
    """Return how words are read and answered in a story as it stands; nothing is played."""
    choice = Choice(text=words)
    recall_result = RecallResult(lore=await _find_lore(words, campaign, understander))
    meaning = await understander.understand_choice(choice, story, campaign, recall_result)
    situation = situation_of(story, campaign)
    here = campaign.places[story.progress.place]
    head = AnswerExplanation(
        words=words,
        place=here.name,
        people=tuple(one.name for one in people_at(here.id, campaign, situation.progress).values()),
        route="asked back",
        threshold=load_evidence_chooser().threshold,
    )
    if meaning is None or meaning.question:
        question = meaning.question if meaning else None
        return msgspec.structs.replace(
            head, question=question.text if question else "", readings=question.readings if question else ()
        )
    recall_result = msgspec.structs.replace(recall_result, understanding=meaning)
    action = prepare_answers(choose(choice, story, campaign, recall_result), story, campaign, recall_result)
    count = len(meaning.intents)
    pieces = (*meaning.evidence, *((),) * (count - len(meaning.evidence)))
    replies = (*meaning.replies, *(None,) * (count - len(meaning.replies)))
    return msgspec.structs.replace(
        head,
        route=_describe_route(action),
        intents=tuple(
            ExplainedIntent(
                intent=intent,
                evidence=tuple(_explain_evidence(one, campaign) for one in evidence),
                reply=_explain_evidence(reply, campaign) if reply else None,
            )
            for intent, evidence, reply in zip(meaning.intents, pieces, replies, strict=True)
        ),
        answers=tuple(
            _explain_outcome(outcome, answer, story, campaign) for outcome, answer in action.answers.items()
        ),
    )


async def _find_lore(words: str, campaign: Campaign, understander: Understander) -> tuple[Lore, ...]:
    """Return the passages a search of the lore would bring up."""
    passages = {f"lore/{one.identifier}": one for one in campaign.lore}
    candidates = [
        Evidence(id=name, text=one.text, source="lore", about=one.title) for name, one in passages.items()
    ]
    ranked = (await understander.rank(words, candidates))[:LORE]
    return tuple(
        Lore(passages[one.id].identifier, one.text, one.relevance, one.about, passages[one.id].file)
        for one in ranked
    )


def _describe_route(action: ResolvedAction) -> str:
    if action.beat:
        return f"beat {action.beat.id}"
    if action.choice.kind == "go":
        return f"go {action.place.id}"
    return "answer" if action.answers else action.choice.kind


def _explain_evidence(evidence: Evidence, campaign: Campaign) -> ExplainedEvidence:
    origin = find_origin(evidence_receipt(evidence, campaign).id, campaign)
    return ExplainedEvidence(
        id=evidence.id,
        source=evidence.source,
        relevance=evidence.relevance,
        text=evidence.answer or evidence.text,
        file=origin.file if origin else "",
        secret=evidence.secret,
    )


def _explain_outcome(
    outcome: str, answer: Answer, story: StorySnapshot, campaign: Campaign
) -> ExplainedAnswer:
    units = {unit.id: unit for unit in units_of(campaign)}
    fits = [
        (units[name], part.fit) for part in answer.parts or (answer,) for name in part.units if name in units
    ]
    return ExplainedAnswer(
        outcome=outcome,
        text=answer.text,
        fact=answer.fact,
        source=answer.source,
        units=tuple(
            ExplainedUnit(
                id=unit.id,
                acts=unit.acts,
                kind=unit.kind,
                outcome=unit.outcome,
                evidence=unit.evidence,
                fit=fit,
                file=unit.source,
            )
            for unit, fit in fits
        ),
        effects=describe_answer(answer, story.progress, campaign),
    )
