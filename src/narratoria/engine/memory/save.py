"""What a scene leaves in the store: the memory of it, and what people and factions think from then on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from narratoria.campaign.campaign import Campaign
from narratoria.engine import sentiment
from narratoria.engine.action import AFTER_THE_END, ResolvedAction, effects_of
from narratoria.engine.advance import outcome_of, summary_of
from narratoria.engine.memory import significance
from narratoria.engine.people import named_in, people_at
from narratoria.engine.scene import Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import NarratoriaException, RecordExists

if TYPE_CHECKING:  # the store takes longer to import than a scene may wait for
    from narratoria.store.scope import Scope

Record: TypeAlias = tuple[str, dict[str, Any], str]  # its type, what it says, and its name
OpenScope: TypeAlias = "Callable[[], Awaitable[Scope]]"
PATIENCE = 3.0  # seconds that a scene waits for the store to take it
_log = logging.getLogger(__name__)


def make_saver(
    open_scope: OpenScope, campaign: Campaign, missed: list[Record]
) -> Callable[[Scene, ResolvedAction, StorySnapshot], Awaitable[None]]:
    """Keeps scenes in a story's own scope; what the store cannot take costs no scene and goes to `missed`."""

    async def kept(scene: Scene, deed: ResolvedAction, before: StorySnapshot) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await keep(scene, deed, before, campaign, await open_scope())
        except (NarratoriaException, TimeoutError) as error:
            _log.info("scene %d is not remembered yet: %s", scene.number, error)
            missed.extend(_worth_keeping(scene, deed, before, campaign))

    return kept


async def keep(
    scene: Scene, deed: ResolvedAction, before: StorySnapshot, campaign: Campaign, scope: Scope
) -> None:
    """Once it returns all of it is kept; a scene is kept once, and a beginning not at all."""
    try:
        if items := _worth_keeping(scene, deed, before, campaign):
            await scope.store_all(items)
    except RecordExists:
        return  # they are stored together: where one is, the others are


def _worth_keeping(
    scene: Scene, deed: ResolvedAction, before: StorySnapshot, campaign: Campaign
) -> list[Record]:
    if deed.choice.kind == "again":
        return forgiven(scene, before)
    if deed.choice.kind in ("begin", *AFTER_THE_END):
        return []
    return records_of(scene, deed, before, campaign)


def forgiven(scene: Scene, before: StorySnapshot) -> list[Record]:
    """Nobody thinks anything yet of somebody who begins again."""
    items: list[Record] = []
    for ledger, subject in (("perception", "npcId"), ("reputation", "factionId")):
        for name, score in sentiment.scores(before.state.to_dict(), ledger).items():
            if round(score):
                body = {subject: name, "change": -round(score), "reason": "the story began again"}
                items.append((ledger, body, f"scene-{scene.number}-again-{name}"))
    return items


def records_of(scene: Scene, deed: ResolvedAction, before: StorySnapshot, campaign: Campaign) -> list[Record]:
    outcome = outcome_of(scene, deed, campaign)
    summary = summary_of(scene, deed, campaign, outcome)
    witnesses = people_at(deed.place.id, campaign, before.progress)
    episode = significance.episodic(deed, scene)
    memory = {
        "summary": summary.text,
        "characterIds": ["player", *named_in(scene.text, campaign)],
        "witnesses": ["player", *witnesses],
        "location": scene.place,
        "actionType": deed.choice.kind,
        "significance": significance.level(summary.weight),
        "episodic": episode is not None,
        **({"outcome": episode} if episode else {}),
        "semanticTags": sorted({tag for beat in deed.beats for tag in beat.tags}),
    }
    items: list[Record] = [("memory", memory, f"scene-{scene.number}")]
    reason = deed.choice.text
    for at, effect in enumerate(effects_of(deed, outcome)):
        for person, change in effect.perception.items():
            body = {"npcId": person, "change": change, "reason": reason}
            items.append(("perception", body, f"scene-{scene.number}-{at}-{person}"))
        for faction, change in effect.reputation.items():
            body = {"factionId": faction, "change": change, "reason": reason}
            items.append(("reputation", body, f"scene-{scene.number}-{at}-{faction}"))
    return items
