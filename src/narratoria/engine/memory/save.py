"""Saves the memory of a scene, and what people and factions think after it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from narratoria.campaign.campaign import Campaign
from narratoria.engine import sentiment
from narratoria.engine.action import AFTER_THE_END, ResolvedAction, effects_of, place_of_event
from narratoria.engine.advance import outcome_of, summary_of
from narratoria.engine.memory import significance
from narratoria.engine.memory.canon import MODEL_SOURCE, find_canon
from narratoria.engine.people import named_in, people_at
from narratoria.engine.persistence.turn_record import MemoryRecord
from narratoria.engine.scene import Scene
from narratoria.engine.skill_results import SOURCE as SKILL
from narratoria.engine.skill_results import record_id, skill_answers
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import NarratoriaException, RecordExists
from narratoria.protocol.waiting_time import wait_for_work

if TYPE_CHECKING:  # the store takes longer to import than a scene may wait for
    from narratoria.store.scope import Scope

OpenScope: TypeAlias = "Callable[[], Awaitable[Scope]]"
STORE_TIMEOUT_S = 3.0  # seconds that a scene waits for the store to take it
_log = logging.getLogger(__name__)


def make_saver(
    open_scope: OpenScope, campaign: Campaign, pending_records: list[MemoryRecord]
) -> Callable[[Scene, ResolvedAction, StorySnapshot], Awaitable[None]]:
    """Return a function that saves scenes in a story's own scope; what the store refuses goes to `missed`."""

    async def open_and_save(scene: Scene, action: ResolvedAction, before: StorySnapshot) -> None:
        await save_scene(scene, action, before, campaign, await open_scope())

    async def save(scene: Scene, action: ResolvedAction, before: StorySnapshot) -> None:
        try:
            await wait_for_work(open_and_save(scene, action, before), STORE_TIMEOUT_S)
        except (NarratoriaException, TimeoutError) as error:
            _log.info("scene %d is not remembered yet: %s", scene.number, error)
            pending_records.extend(_records_to_save(scene, action, before, campaign))

    return save


async def save_scene(
    scene: Scene, action: ResolvedAction, before: StorySnapshot, campaign: Campaign, scope: Scope
) -> None:
    """Save the records of a scene, once; the beginning of a story has none."""
    try:
        if items := _records_to_save(scene, action, before, campaign):
            await scope.store_all(items)
    except RecordExists:
        return  # they are stored together: where one is, the others are


def _records_to_save(
    scene: Scene, action: ResolvedAction, before: StorySnapshot, campaign: Campaign
) -> list[MemoryRecord]:
    if action.choice.kind == "again":
        return reset_records(scene, before)
    if action.choice.kind in ("begin", *AFTER_THE_END):
        return []
    return scene_records(scene, action, before, campaign)


def reset_records(scene: Scene, before: StorySnapshot) -> list[MemoryRecord]:
    """Return the records that reset what people and factions think when the story begins again."""
    items: list[MemoryRecord] = []
    for ledger, subject in (("perception", "npcId"), ("reputation", "factionId")):
        for name, score in sentiment.scores(before.state.to_dict(), ledger).items():
            if round(score):
                body = {subject: name, "change": -round(score), "reason": "the story began again"}
                items.append(MemoryRecord(ledger, body, f"scene-{scene.number}-again-{name}"))
    return items


def _canon_records(
    scene: Scene, action: ResolvedAction, outcome: str, memory: Mapping[str, Any]
) -> list[MemoryRecord]:
    """Return what a model added to the scene, remembered beside it by whoever was there."""
    answer = action.answer_for(outcome)
    known_texts = [answer.text] if answer else []
    known_texts += [action.place.arrival, *action.place.details]
    for beat in action.beats:
        known_texts += [beat.description, *(end.description for end in beat.outcomes)]
    addition = find_canon(scene, known_texts)
    if addition is None:
        return []
    sentence, model = addition
    body = {
        "summary": sentence,
        **{name: memory[name] for name in ("characterIds", "witnesses", "location", "actionType")},
        "significance": "medium",
        "source": f"{MODEL_SOURCE}{model}",
    }
    return [MemoryRecord("memory", body, f"scene-{scene.number}-canon")]


def _skill_records(
    scene: Scene, action: ResolvedAction, outcome: str, memory: Mapping[str, Any]
) -> list[MemoryRecord]:
    """Return what skills found in the scene, each with the skill as its source."""
    shared = {name: memory[name] for name in ("characterIds", "witnesses", "location", "actionType")}
    return [
        MemoryRecord(
            "memory",
            {"summary": answer.fact, **shared, "significance": "medium", "source": answer.source},
            record_id(scene.number, answer.source.removeprefix(SKILL)),
        )
        for answer in skill_answers(action.answer_for(outcome))
    ]


def scene_records(
    scene: Scene, action: ResolvedAction, before: StorySnapshot, campaign: Campaign
) -> list[MemoryRecord]:
    outcome = outcome_of(scene, action, campaign)
    summary = summary_of(scene, action, campaign, outcome)
    witnesses = people_at(action.place.id, campaign, before.progress)
    episode = significance.episodic(action, scene)
    memory = {
        "summary": summary.text,
        "characterIds": ["player", *named_in(scene.text, campaign)],
        "witnesses": ["player", *witnesses],
        "location": place_of_event(action, outcome, campaign),
        "actionType": action.choice.kind,
        "significance": significance.level(summary.weight),
        "episodic": episode is not None,
        **({"outcome": episode} if episode else {}),
        "semanticTags": sorted({tag for beat in action.beats for tag in beat.tags}),
    }
    items: list[MemoryRecord] = [MemoryRecord("memory", memory, f"scene-{scene.number}")]
    items += _skill_records(scene, action, outcome, memory)
    items += _canon_records(scene, action, outcome, memory)
    reason = action.choice.text
    for at, effect in enumerate(effects_of(action, outcome)):
        for person, change in effect.perception.items():
            body = {"npcId": person, "change": change, "reason": reason}
            items.append(MemoryRecord("perception", body, f"scene-{scene.number}-{at}-{person}"))
        for faction, change in effect.reputation.items():
            body = {"factionId": faction, "change": change, "reason": reason}
            items.append(MemoryRecord("reputation", body, f"scene-{scene.number}-{at}-{faction}"))
    answer = action.answer_for(outcome)
    for at, one in enumerate(answer.effects if answer else ()):
        if one.kind in ("likes", "dislikes") and one.target in campaign.people:
            points = (one.by or 5) * (1 if one.kind == "likes" else -1)
            body = {"npcId": one.target, "change": points, "reason": summary.text}
            items.append(MemoryRecord("perception", body, f"scene-{scene.number}-answer-{at}-{one.target}"))
    return items
