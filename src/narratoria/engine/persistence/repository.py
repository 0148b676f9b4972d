"""Finds stories in the store, with their turns and campaigns."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.persistence.recovery import UnsavedTurnRecovery
from narratoria.engine.persistence.story import Story
from narratoria.engine.persistence.turn_record import (
    TurnInput,
    TurnOutput,
    TurnRecord,
    list_scenes,
    snapshot_after,
)
from narratoria.engine.snapshot import StorySnapshot
from narratoria.errors import NarratoriaException, NoSuchRecord, StoreUnavailable
from narratoria.state import SessionState

if TYPE_CHECKING:
    from narratoria.store import Store, StorySummary, Turn

OpenCampaign: TypeAlias = Callable[[str], Campaign]


@dataclass(frozen=True, slots=True)
class StoredStory:
    """Holds a story in the store, on its present branch."""

    store: Store
    summary: StorySummary

    @property
    def story(self) -> Story:
        return describe(self.summary)

    async def turns(self, first: int = 1, last: int | None = None) -> tuple[TurnRecord, ...]:
        # no further than the summary: another server may have gone on since it was read
        end = self.summary.turn if last is None else min(last, self.summary.turn)
        turns = await self.store.turns.history(self.summary.line, first=first, last=end)
        return tuple(read_turn(turn) for turn in turns)

    async def interrupted_turn(self) -> Turn | None:
        """Return the choice that was made and not told when the program ended, or None."""
        return await self.store.turns.unfinished(self.summary.line)


class StoryRepository:
    """Finds stories, after the unsaved turns have been recovered."""

    def __init__(
        self, memory_provider: MemoryProvider, recovery: UnsavedTurnRecovery, open_campaign: OpenCampaign
    ) -> None:
        self._memory_provider, self.recovery, self.open_campaign = memory_provider, recovery, open_campaign

    async def store(self) -> Store:
        """Return the store, after the unsaved turns have been recovered."""
        store = await self._memory_provider.store()
        await self.recovery.recover(store)
        return store

    async def stories(self, campaign: str | None = None) -> tuple[Story, ...]:
        """Return the stories with unique titles, the one played last first."""
        return await self.page(limit=None, campaign=campaign)

    async def page(
        self,
        *,
        limit: int | None,
        after: Story | None = None,
        campaign: str | None = None,
        owner: str | None = None,
    ) -> tuple[Story, ...]:
        """Return some stories with unique titles, the one played last first, from `after` on."""
        store = await self.store()
        place = (after.played_at, after.id) if after else None
        summaries = await store.stories.page(limit=limit, after=place, campaign=campaign, owner=owner)
        return tuple(describe(one, one.display_title) for one in summaries)

    async def shared_with(self, account: str) -> tuple[Story, ...]:
        """Return the stories of others that an account may read, the one played last first."""
        return tuple(describe(one) for one in await (await self.store()).stories.shared_with(account))

    async def branches(self, story_id: str) -> tuple[Story, ...]:
        """Return every story that shares a beginning with this one, itself included, the oldest first."""
        summaries = await (await self.store()).stories.family(story_id)
        if not summaries:
            raise _no_such_story(story_id)
        return tuple(describe(one, one.display_title) for one in summaries)

    async def find(self, story_id: str) -> StoredStory:
        """Return a story, or raise NoSuchRecord."""
        store = await self.store()
        if reason := await self.recovery.find_obstacle(story_id, store):
            raise unwritten_turns_error(story_id, reason)  # to go on without its last turns would lose them
        try:
            return StoredStory(store, await store.stories.get(story_id))
        except NoSuchRecord:
            raise _no_such_story(story_id) from None

    async def holds(self, line: str) -> bool:
        """Return whether the store has a branch."""
        store = await self.store()
        try:
            await store.playthroughs.get(line)
        except NoSuchRecord:
            return False
        return True

    def campaign_of(self, story: Story, first: TurnInput) -> Campaign:
        """Open the campaign in the folder the story was begun with, or by its name if that has moved."""
        if first.folder and Path(first.folder).is_dir():
            return self.open_campaign(first.folder)
        return self.open_campaign(story.campaign)

    def campaign_or_none(self, story: Story, first: TurnInput) -> Campaign | None:
        with contextlib.suppress(NarratoriaException):
            return self.campaign_of(story, first)
        return None


def describe(summary: StorySummary, title: str = "") -> Story:
    """Return a story as it is listed."""
    return Story(
        id=summary.id,
        title=title or summary.title,
        campaign=summary.campaign,
        seed=int(summary.seed or 0),
        created_at=summary.created_at,
        played_at=summary.played_at,
        scenes=summary.turn,
        place=summary.place,
        ended=summary.ended,
        seconds_played=summary.seconds_played,
        parent=summary.parent,
        branched_at=summary.branched_at,
        branch=summary.line,
        player=summary.player,
        owner=summary.owner,
    )


def read_turn(turn: Turn) -> TurnRecord:
    """Convert a finished turn of the store; StoreUnavailable for one that is not what was written."""
    try:
        turn_input, output = (
            msgspec.convert(turn.choice, TurnInput),
            msgspec.convert(turn.scene, TurnOutput),
        )
    except msgspec.ValidationError as error:
        raise StoreUnavailable(
            f"turn {turn.number} of {turn.playthrough_id} is damaged ({error}); `narratoria store restore` "
            "brings a backup back"
        ) from error
    return TurnRecord(
        number=turn.number,
        input=turn_input,
        output=output,
        state=turn.state or {},
        begun_at=turn.begun_at,
        finished_at=turn.finished_at or "",
    )


def first_snapshot(story: Story, first: TurnInput) -> StorySnapshot:
    """Return the snapshot before the first turn."""
    begun = StorySnapshot(id=story.id, campaign=story.campaign, seed=story.seed)
    if first.beginning is not None:
        state = SessionState(first.beginning.state)
        return msgspec.structs.replace(begun, progress=first.beginning.progress, state=state)
    persona = {"persona": first.persona} if first.persona else {}
    return msgspec.structs.replace(begun, state=SessionState(persona))


def last_snapshot(turns: Sequence[TurnRecord], beginning: StorySnapshot) -> StorySnapshot:
    """Return the snapshot after the last turn, with all scenes."""
    if not turns:
        return beginning
    before = msgspec.structs.replace(beginning, scenes=list_scenes(turns[:-1]))
    return snapshot_after(before, turns[-1])


def unwritten_turns_error(story_id: str, reason: str) -> StoreUnavailable:
    return StoreUnavailable(f"the last turns of {story_id} cannot be written yet: {reason}")


def _no_such_story(story_id: str) -> NoSuchRecord:
    return NoSuchRecord(f"there is no story {story_id!r}; `narratoria stories list` names those there are")
