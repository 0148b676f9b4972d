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
from narratoria.engine.persistence.story import BranchIndex, Story, player_of, with_unique_titles
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
    from narratoria.store import Playthrough, Store, Turn

OpenCampaign: TypeAlias = Callable[[str], Campaign]


@dataclass(frozen=True, slots=True)
class StoredStory:
    """Holds a story in the store, on its present branch."""

    store: Store
    line: Playthrough
    branch_index: BranchIndex

    async def story(self) -> Story:
        line = self.line
        parent, branched_at = self.branch_index.parent_of(line.id)
        story = Story(
            id=self.branch_index.story_of(line.id),
            title=line.title,
            campaign=line.campaign,
            seed=int(line.seed or 0),
            created_at=line.created_at,
            played_at=line.created_at,
            parent=parent,
            branched_at=branched_at,
            branch=line.id,
        )
        if not line.turn:
            first_input = await self.interrupted_input()
            return (
                msgspec.structs.replace(story, player=player_of(first_input.persona))
                if first_input
                else story
            )
        last = read_turn(await self.store.turns.get(line.id, line.turn))
        return msgspec.structs.replace(
            story,
            played_at=max(last.finished_at, line.created_at),
            scenes=line.turn,
            place=last.output.progress.place,
            ended=last.output.progress.ending,
            seconds_played=last.output.seconds,
            player=player_of(last.state.get("persona")),
        )

    async def turns(self, first: int = 1, last: int | None = None) -> tuple[TurnRecord, ...]:
        turns = await self.store.turns.history(self.line.id, first=first, last=last)
        return tuple(read_turn(turn) for turn in turns)

    async def interrupted_input(self) -> TurnInput | None:
        """Return the input that the program ended before it was played, or None."""
        unfinished = await self.store.turns.unfinished(self.line.id)
        return msgspec.convert(unfinished.choice, TurnInput) if unfinished else None


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
        store = await self.store()
        playthroughs = await store.playthroughs.all(undone=True)
        branch_index = BranchIndex(playthroughs)
        stories = [
            await StoredStory(store, line, branch_index).story()
            for line in playthroughs
            if line.superseded_by is None and campaign in (None, line.campaign)
        ]
        return with_unique_titles(
            sorted(stories, key=lambda story: (story.played_at, story.id), reverse=True)
        )

    async def branches(self, story_id: str) -> tuple[Story, ...]:
        """Return every story that shares a beginning with this one, itself included, the oldest first."""
        stories = {story.id: story for story in await self.stories()}
        if story_id not in stories:
            raise _no_such_story(story_id)

        def root(story: Story) -> str:
            while story.parent in stories:
                story = stories[story.parent]
            return story.id

        family = root(stories[story_id])
        return tuple(
            sorted(
                (story for story in stories.values() if root(story) == family),
                key=lambda story: (story.created_at, story.id),
            )
        )

    async def find(self, story_id: str) -> StoredStory:
        """Return a story, or raise NoSuchRecord."""
        store = await self.store()
        playthroughs = await store.playthroughs.all(undone=True)
        branch_index = BranchIndex(playthroughs)
        name = branch_index.present_branch(story_id)
        line = next((line for line in playthroughs if line.id == name), None)
        if name and (reason := self.recovery.find_obstacle(name, branch_index)):
            raise unwritten_turns_error(story_id, reason)  # to go on without its last turns would lose them
        if line is None or branch_index.story_of(name) != story_id:  # not the name of a branch
            raise _no_such_story(story_id)
        return StoredStory(store, line, branch_index)

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
    persona = {"persona": first.persona} if first.persona else {}
    return StorySnapshot(id=story.id, campaign=story.campaign, seed=story.seed, state=SessionState(persona))


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
