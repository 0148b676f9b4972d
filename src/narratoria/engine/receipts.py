"""Says of every paragraph of an answered scene what it rests on: a topic, evidence, a memory or a unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.action import ResolvedAction, effects_of
from narratoria.engine.answer_context import units_of
from narratoria.engine.evidence_origin import passage_of
from narratoria.engine.people import named_in
from narratoria.engine.reading import Understanding
from narratoria.engine.scene import Passage, Receipt, Scene
from narratoria.engine.skill_results import SOURCE as SKILL
from narratoria.engine.skill_results import record_id, skill_answers
from narratoria.narrator.answer_request import Answer
from narratoria.narrator.evidence import Evidence, split_sentences
from narratoria.narrator.repertoire import Unit

OUTCOMES = {"success": "when it works", "partial": "when it half works", "failure": "when it fails"}
JOURNAL, OFFERS = "journal", "offers"  # ids of evidence that stands in no file
HAPPENING = "happening:"  # begins the source of what somebody says first
TOLD_SHARE = 0.4  # of the word groups of a paragraph or an answer that the other has, too
GROUP = 3  # words
_WORD = re.compile(r"\w+")


def add_receipts(scene: Scene, action: ResolvedAction, outcome: str, campaign: Campaign) -> Scene:
    """Return a scene with what each paragraph rests on; unchanged where nothing was answered."""
    answer = action.answer_for(outcome)
    if answer is None or (action.understanding is None and not skill_answers(answer)):
        return scene
    meaning = action.understanding or Understanding()
    parts = [
        (part, tuple(_receipts_of(part, meaning, campaign, scene.number)))
        for part in answer.parts or (answer,)
    ]
    passages = [
        _add_to_passage(passage, paragraph, parts)
        for passage, paragraph in zip(scene.passages, scene.paragraphs, strict=False)
    ]
    if passages and not any(has_words_of(paragraph, answer.text) for paragraph in scene.paragraphs):
        told_anew = tuple(dict.fromkeys(receipt for _, receipts in parts for receipt in receipts))
        passages[0] = _extend(passages[0], told_anew)  # a model has told it in words of its own
    return msgspec.structs.replace(
        scene,
        passages=tuple(
            passage if passage.because else _extend(passage, (_here(paragraph, action, campaign),))
            for passage, paragraph in zip(passages, scene.paragraphs, strict=False)
        ),
    )


def locate_offers(scene: Scene, action: ResolvedAction, outcome: str, campaign: Campaign) -> Scene:
    """Return a scene whose offers name the place they are made at, where a beat has led the player away."""
    led_to = (effect.move_to for effect in reversed(effects_of(action, outcome)))
    after = next((campaign.places[to] for to in led_to if to in campaign.places), action.place)
    if after.id == action.place.id:
        return scene

    def locate(receipt: Receipt) -> Receipt:
        if receipt.kind != "place" or receipt.id != action.place.id:
            return receipt
        return Receipt(
            "place", after.id, receipt.text.replace(action.place.in_a_sentence, after.in_a_sentence)
        )

    choices = [
        msgspec.structs.replace(choice, because=tuple(map(locate, choice.because)))
        for choice in scene.choices
    ]
    return msgspec.structs.replace(scene, choices=tuple(choices))


def _add_to_passage(
    passage: Passage, paragraph: str, parts: Sequence[tuple[Answer, tuple[Receipt, ...]]]
) -> Passage:
    told_parts = [(part, receipts) for part, receipts in parts if has_words_of(paragraph, part.text)]
    passage = _extend(passage, tuple(receipt for _, receipts in told_parts for receipt in receipts))
    is_authors = any(part.source.startswith("topic:") and paragraph in part.text for part, _ in told_parts)
    return msgspec.structs.replace(passage, by="author") if is_authors else passage


def _extend(passage: Passage, receipts: Sequence[Receipt]) -> Passage:
    because = tuple(dict.fromkeys((*passage.because, *receipts)))
    return msgspec.structs.replace(passage, because=because)


def _receipts_of(answer: Answer, meaning: Understanding, campaign: Campaign, scene: int) -> Iterator[Receipt]:
    """Yield what one answer was made of, the evidence first."""
    if answer.source.startswith(SKILL):
        yield Receipt("memory", record_id(scene, answer.source.removeprefix(SKILL)), answer.fact)
    pieces = {one.id: one for evidence in meaning.evidence for one in evidence}
    for identifier in answer.evidence:
        if identifier in pieces:
            yield evidence_receipt(pieces[identifier], campaign)
    if answer.source.startswith(HAPPENING):
        yield _happening_receipt(answer.source.removeprefix(HAPPENING), campaign)
    elif answer.source == JOURNAL:
        yield Receipt("evidence", JOURNAL, "what has happened so far")
    elif answer.source == OFFERS:
        yield Receipt("evidence", OFFERS, "what the story offers here")
    wanted_ids = frozenset(answer.units)
    units = {unit.id: unit for unit in units_of(campaign) if unit.id in wanted_ids} if wanted_ids else {}
    for name in answer.units:
        if name in units:
            yield Receipt("unit", name, describe_unit(units[name]))


def _happening_receipt(identifier: str, campaign: Campaign) -> Receipt:
    """Return what somebody speaks of first as a receipt: a beat, or something the player did besides."""
    beat = campaign.beat(identifier)
    if beat:
        return Receipt("beat", beat.id, beat.title)
    return Receipt("state", identifier, f"what you did in scene {identifier.removeprefix('act/')}")


def evidence_receipt(evidence: Evidence, campaign: Campaign) -> Receipt:
    """Return evidence as a receipt: a topic and a memory by themselves, the rest by where it was written."""
    match evidence.source:
        case "topic":
            return Receipt("topic", evidence.id, evidence.about)
        case "memory":
            return Receipt("memory", evidence.id.removeprefix("memory/"), evidence.text)
        case "lore":
            passage = passage_of(evidence, campaign)
            identifier = f"lore/{passage.identifier}" if passage else evidence.id
            return Receipt("evidence", identifier, evidence.about or _first_sentence(evidence.text))
    return Receipt("evidence", evidence.id, _first_sentence(evidence.text))


def describe_unit(unit: Unit) -> str:
    """Return in a few words what a unit is for: "ask, when it fails"."""
    acts = " or ".join(act.replace("_", " ") for act in unit.acts)
    return ", ".join(filter(None, (acts, OUTCOMES.get(unit.outcome, ""))))


def _here(paragraph: str, action: ResolvedAction, campaign: Campaign) -> Receipt:
    """Return who or what is seen here as the receipt of a paragraph that the answer does not tell."""
    place = action.place.in_a_sentence
    people = [campaign.people[who].name for who in named_in(paragraph, campaign)]
    text = f"{people[0]} is at {place}" if people else f"you are at {place}"
    return Receipt("place", action.place.id, text)


def has_words_of(paragraph: str, answer: str) -> bool:
    """Return whether a paragraph has the words of an answer, or a part of them; names may be shortened."""
    groups, answer_groups = _word_groups(paragraph), _word_groups(answer)
    smaller = min(len(groups), len(answer_groups))
    return smaller > 0 and len(groups & answer_groups) >= TOLD_SHARE * smaller


def _word_groups(text: str) -> set[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    size = min(GROUP, len(words)) or 1
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def _first_sentence(text: str) -> str:
    return next(iter(split_sentences(text)), text)
