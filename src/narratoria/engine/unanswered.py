"""Finds what players asked and the campaign could not answer, from the records of the turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.answer_context import units_of
from narratoria.engine.evidence_origin import find_origin, place_file, profile_file
from narratoria.engine.persistence.turn_record import TurnRecord, TurnTrace
from narratoria.engine.reading import Understanding
from narratoria.engine.receipts import evidence_receipt
from narratoria.engine.scene import Receipt, Scene
from narratoria.narrator.answer import LOOKS
from narratoria.narrator.evidence import Evidence, key_words, load_evidence_chooser
from narratoria.planner.intent import Intent

ASKING = frozenset(("ask", "talk", "think_back"))
LEAST_LIKENESS = 0.5  # share of the words of two questions that are in both, from which on they are one


class UnansweredQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what a player asked, whom or where, and the evidence that came nearest."""

    words: str
    story: str
    scene: int
    person: str = ""
    place: str = ""  # where something was looked at that nothing is written of
    nearest: Evidence | None = None


class NearestEvidence(msgspec.Struct, frozen=True, rename="camel"):
    """Describes the piece of the campaign that comes nearest to a question."""

    id: str
    text: str
    relevance: float
    file: str


class QuestionGroup(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds questions that are alike, how often they were asked, and where their answer can be written."""

    addressee: str  # whom, or where, by name; empty where nobody was asked
    question: str
    times: int
    wordings: tuple[str, ...]
    stories: tuple[str, ...]
    file: str
    field: str
    nearest: NearestEvidence | None = None


def find_unanswered(
    records: Iterable[TurnRecord], campaign: Campaign, story: str = ""
) -> Iterator[UnansweredQuestion]:
    """Yield the typed questions of a story's turns that nothing of the campaign answered."""
    for record in records:
        meaning = _read_understanding(record)
        if meaning is None or meaning.beat or record.input.choice.kind != "free":
            continue
        scene = record.output.scene
        for at, intent in enumerate(meaning.intents):
            evidence = meaning.evidence[at] if at < len(meaning.evidence) else ()
            if _is_question(intent) and not _is_answered(scene, evidence, campaign):
                is_look = intent.act in LOOKS
                yield UnansweredQuestion(
                    words=intent.text or record.input.choice.text,
                    story=story,
                    scene=scene.number,
                    person=intent.person.id if intent.person and not is_look else "",
                    place=scene.place if is_look else "",
                    nearest=evidence[0] if evidence else None,
                )


def _read_understanding(record: TurnRecord) -> Understanding | None:
    if not record.output.trace:
        return None
    try:
        return TurnTrace.unpack(record.output.trace).recall_result.understanding
    except ValueError:
        return None  # a report does not fail over one damaged turn


def _is_question(intent: Intent) -> bool:
    if intent.act in LOOKS:
        return intent.thing is not None
    return intent.act in ASKING and bool(key_words(intent.topic or intent.text))


def _is_answered(scene: Scene, evidence: Sequence[Evidence], campaign: Campaign) -> bool:
    """Return whether evidence was told, or withheld; where nobody was there to answer counts as well."""
    receipts = {receipt for passage in scene.passages for receipt in passage.because}
    if not any(receipt.kind in ("topic", "evidence", "unit") for receipt in receipts):
        threshold = load_evidence_chooser().threshold  # told before scenes had such receipts
        return any(one.relevance >= threshold for one in evidence)
    if any(evidence_receipt(one, campaign) in receipts for one in evidence):
        return True
    units = [unit for unit in units_of(campaign) if Receipt("unit", unit.id) in _without_texts(receipts)]
    return any(unit.absent or unit.evidence == "withheld" for unit in units)


def _without_texts(receipts: Iterable[Receipt]) -> set[Receipt]:
    return {Receipt(receipt.kind, receipt.id) for receipt in receipts}


def group_questions(questions: Iterable[UnansweredQuestion], campaign: Campaign) -> tuple[QuestionGroup, ...]:
    """Return the questions by whom they were put to and by their words, the most frequent first."""
    clusters: list[list[UnansweredQuestion]] = []
    for question in questions:
        alike = next((one for one in clusters if _is_alike(question, one[0], campaign)), None)
        if alike is None:
            clusters.append([question])
        else:
            alike.append(question)
    groups = [_describe_group(cluster, campaign) for cluster in clusters]
    return tuple(sorted(groups, key=lambda group: (-group.times, group.addressee, group.question)))


def _is_alike(one: UnansweredQuestion, other: UnansweredQuestion, campaign: Campaign) -> bool:
    if (one.person, one.place) != (other.person, other.place):
        return False
    words, others = _own_words(one, campaign), _own_words(other, campaign)
    return len(words & others) >= LEAST_LIKENESS * len(words | others)


def _own_words(question: UnansweredQuestion, campaign: Campaign) -> set[str]:
    """Return the words that carry a question, without the name of whom it was put to."""
    profile = campaign.people.get(question.person)
    names = set(key_words(profile.name)) if profile else set()
    return set(key_words(question.words)) - names - {"ask"}


def _describe_group(cluster: Sequence[UnansweredQuestion], campaign: Campaign) -> QuestionGroup:
    first = cluster[0]
    file, field = _where_to_write(first, campaign)
    return QuestionGroup(
        addressee=_name_of(first, campaign),
        question=first.words,
        times=len(cluster),
        wordings=tuple(dict.fromkeys(one.words for one in cluster)),
        stories=tuple(dict.fromkeys(one.story for one in cluster if one.story)),
        file=file,
        field=field,
        nearest=_nearest(cluster, campaign),
    )


def _where_to_write(question: UnansweredQuestion, campaign: Campaign) -> tuple[str, str]:
    if question.person in campaign.people:
        return profile_file(question.person, campaign), "topics"
    if question.place in campaign.places:
        return place_file(question.place, campaign), ""
    return "lore/", ""


def _name_of(question: UnansweredQuestion, campaign: Campaign) -> str:
    if question.person in campaign.people:
        return campaign.people[question.person].name
    return campaign.places[question.place].name if question.place in campaign.places else ""


def _nearest(cluster: Sequence[UnansweredQuestion], campaign: Campaign) -> NearestEvidence | None:
    pieces = [one.nearest for one in cluster if one.nearest]
    if not pieces:
        return None
    best = max(pieces, key=lambda one: one.relevance)
    receipt = evidence_receipt(best, campaign)
    origin = find_origin(receipt.id, campaign)
    return NearestEvidence(receipt.id, best.text, best.relevance, origin.file if origin else "")
