"""All the stories of this home: begun, opened, branched, compared, renamed, deleted, taken elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import shutil
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.compare import Comparison, compare
from narratoria.engine.diary import Diary
from narratoria.engine.event_log import EventLog
from narratoria.engine.events import StoryEvent
from narratoria.engine.export import FORMATS, Book, Format, export
from narratoria.engine.hosting import SharedMemory
from narratoria.engine.keeping import Keeping
from narratoria.engine.leftovers import Leftovers
from narratoria.engine.remembered import Remembered, collect
from narratoria.engine.replay import Replayed, replay, replay_live
from narratoria.engine.save import read_save, write_into
from narratoria.engine.scene import BEGIN
from narratoria.engine.session import Session
from narratoria.engine.spill import Heading, Spill, places_for
from narratoria.engine.story import Lines, Story
from narratoria.engine.telling import Before, Telling
from narratoria.engine.trace import Chosen, Ended, Told, session_after
from narratoria.engine.turn import Stage
from narratoria.errors import (
    Busy,
    ContractViolation,
    NarratoriaException,
    NoSuchRecord,
    Problem,
    StoreUnavailable,
)
from narratoria.state import SessionState

if TYPE_CHECKING:
    from narratoria.store import Playthrough, Store, Turn

EVENTS = "events.jsonl"
OpenCampaign: TypeAlias = Callable[[str], Campaign]
SetStage: TypeAlias = Callable[[Campaign, SharedMemory], Stage]
Prepare: TypeAlias = Callable[[Campaign], Awaitable[None]]


class Library:
    """Used from one event loop; `close` it there."""

    def __init__(
        self,
        keeping: Keeping,
        open_campaign: OpenCampaign,
        set_stage: SetStage,
        folder: Path,
        *,
        prepare: Prepare | None = None,
        forget: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`prepare` sees to it that a campaign can be searched before a story of it is told; `forget` to it
        that nothing is left elsewhere of one that is deleted."""
        self.keeping, self._folder = keeping, folder
        self._open_campaign, self._set_stage, self._prepare = open_campaign, set_stage, prepare
        self._forget = forget
        self._open: dict[str, Telling] = {}
        self._unsaved = places_for(folder)
        self._leftovers = Leftovers(self._unsaved)

    def tell_all(self, event: StoryEvent) -> None:
        """Something that concerns every story that is open."""
        for telling in self._open.values():
            telling.log.append(event, turn=telling.session.progress.scene)

    # what there is

    async def stories(self, campaign: str | None = None) -> tuple[Story, ...]:
        """Those that can be played, the one played last first."""
        store = await self._store()
        playthroughs = await store.playthroughs.all(undone=True)
        lines = Lines(playthroughs)
        found = [
            await self._story(store, line, lines)
            for line in playthroughs
            if line.superseded_by is None and campaign in (None, line.campaign)
        ]
        return tuple(sorted(found, key=lambda story: (story.played_at, story.id), reverse=True))

    async def story(self, story_id: str) -> Story:
        """NoSuchRecord names a story that is not there."""
        if story_id in self._open:
            return self._open[story_id].story
        store, line, lines = await self._find(story_id)
        return await self._story(store, line, lines)

    async def branches(self, story_id: str) -> tuple[Story, ...]:
        """Every story that shares a beginning with this one, itself among them, the oldest first."""
        stories = {story.id: story for story in await self.stories()}
        if story_id not in stories:
            raise _unknown(story_id)

        def root(story: Story) -> str:
            while story.parent in stories:
                story = stories[story.parent]
            return story.id

        own = root(stories[story_id])
        return tuple(
            sorted(
                (story for story in stories.values() if root(story) == own),
                key=lambda story: (story.created_at, story.id),
            )
        )

    async def turns(self, story_id: str, *, first: int = 1, last: int | None = None) -> tuple[Told, ...]:
        """The turns of a story as the log has them."""
        store, line, _ = await self._find(story_id)
        return tuple(_told(turn) for turn in await store.turns.history(line.id, first=first, last=last))

    # playing

    async def begin(
        self,
        campaign: str | Campaign,
        persona: Mapping[str, Any] | None = None,
        seed: int | None = None,
        title: str | None = None,
    ) -> Telling:
        """A new story; `resume` tells its first scene. Without a store it is kept in memory."""
        found = self._open_campaign(campaign) if isinstance(campaign, str) else campaign
        if self._prepare:
            await self._prepare(found)
        story = Story(
            id=_new_id(found.name),
            title=title or found.title,
            campaign=found.name,
            seed=secrets.randbelow(2**32) if seed is None else seed,
        )
        chosen = Chosen(choice=BEGIN, persona=dict(persona or {}), folder=str(found.folder))
        telling = self._telling(
            msgspec.structs.replace(story, line=story.id),
            _at_the_beginning(story, chosen),
            found,
            stored=False,
            interrupted=chosen,
        )
        await telling.diary.begin(chosen)  # so that who the player is outlives whatever comes
        if telling.diary.stored:
            with contextlib.suppress(StoreUnavailable):  # only for when it was made
                telling.story = await self.story_in_store(telling.story)
        return telling

    async def story_in_store(self, story: Story) -> Story:
        store = await self._store()
        kept = await store.playthroughs.get(story.line)
        return msgspec.structs.replace(story, created_at=kept.created_at, played_at=kept.created_at)

    async def open(self, story_id: str) -> Telling:
        """The story where it was left; one that is open already is handed out again."""
        if story_id in self._open:
            self._open[story_id].touch()
            return self._open[story_id]
        store, line, lines = await self._find(story_id)
        story = await self._story(store, line, lines)
        turns = [_told(turn) for turn in await store.turns.history(line.id)]
        unfinished = await store.turns.unfinished(line.id)
        interrupted = msgspec.convert(unfinished.choice, Chosen) if unfinished else None
        first = turns[0].chosen if turns else interrupted or Chosen(choice=BEGIN)
        campaign = self._campaign_of(story, first)
        if self._prepare:
            await self._prepare(campaign)
        if story_id in self._open:  # by somebody else, meanwhile
            return self._open[story_id]
        return self._telling(
            story,
            _session(_at_the_beginning(story, first), turns),
            campaign,
            last=turns[-1].chosen if turns else None,
            interrupted=interrupted,
        )

    async def close_idle(self, seconds: float) -> tuple[str, ...]:
        """Closes the stories that nobody has wanted anything of for so long; opened again, each is as it was.

        One that is not all in the store stays: it is safest in memory."""
        idle = [
            telling
            for telling in self._open.values()
            if telling.is_idle(seconds) and telling.is_kept and telling.diary.stands
        ]
        for telling in idle:
            await telling.close()
        return tuple(telling.story.id for telling in idle)

    async def latest(self, campaign: str) -> Story | None:
        """The story of this campaign that was played last."""
        return next(iter(await self.stories(campaign)), None)

    # looking after them

    async def rename(self, story_id: str, title: str) -> Story:
        name = " ".join(title.split())
        if not 1 <= len(name) <= 200:
            raise ContractViolation([Problem("a title has 1 to 200 characters", "/title")])
        await self._written(story_id)
        store, line, lines = await self._find(story_id)
        story = await self._story(store, line, lines)
        await store.playthroughs.rename(line.id, name)
        if telling := self._open.get(story_id):
            story = telling.story = msgspec.structs.replace(telling.story, title=name)
        return msgspec.structs.replace(story, title=name)

    async def delete(self, story_id: str) -> None:
        """What its branches share with it is kept for them."""
        telling = self._open.get(story_id)
        if telling is not None and telling.busy:
            raise Busy("the story is being told; wait for the scene, or cancel it")
        shared = False
        if telling is None or await self._is_there(telling):
            store, line, _ = await self._find(story_id)
            shared = any(story.parent == story_id for story in await self.stories())
            await store.playthroughs.delete(line.id)
        if telling is not None:
            await telling.close(deleted=True)
        folder = self._folder / story_id
        (folder / EVENTS).unlink(missing_ok=True)
        if not shared:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        await asyncio.to_thread(self._forget, story_id)

    async def branch(self, story_id: str, at_turn: int, title: str | None = None) -> Story:
        """Another story, which shares this one's scenes up to this turn."""
        await self._written(story_id)
        store, line, lines = await self._find(story_id)
        if not 1 <= at_turn <= line.turn:
            message = f"{story_id} has scenes 1 to {line.turn}; it cannot branch after scene {at_turn}"
            raise ContractViolation([Problem(message, "/turn")])
        shared = await self._story(store, msgspec.structs.replace(line, turn=at_turn), lines)
        made = await store.playthroughs.branch(line.id, at_turn, title=title)
        branch = msgspec.structs.replace(
            shared,
            id=made.id,
            title=made.title,
            created_at=made.created_at,
            played_at=made.created_at,
            parent=story_id,
            branched_at=at_turn,
            line=made.id,
        )
        return await self._as_stored(branch)

    async def compare(self, left: str, right: str) -> Comparison:
        """What two stories share, and how each goes on."""
        return compare(
            [told.ended.scene for told in await self.turns(left)],
            [told.ended.scene for told in await self.turns(right)],
        )

    async def export(self, story_id: str, format: Format = "markdown") -> bytes:  # noqa: A002
        """The story to be read elsewhere, or as JSON to be played on elsewhere."""
        if format not in FORMATS:
            message = f"there is no format {format!r}; use {', '.join(FORMATS)}"
            raise ContractViolation([Problem(message, "/format")])
        story = await self.story(story_id)
        turns = await self.turns(story_id)
        campaign = self._campaign_or_none(story, turns[0].chosen if turns else Chosen(choice=BEGIN))
        remembered = await self._remembered(story_id) if format == "json" else ()
        return await asyncio.to_thread(export, Book(story, turns, campaign, remembered), format)

    async def _remembered(self, story_id: str) -> tuple[Remembered, ...]:
        store, line, _ = await self._find(story_id)
        return await collect(store.at(line.id, turn=line.turn))

    async def replay(self, story_id: str, *, live: bool = False) -> Replayed:
        """Tells a story again from its log, and says where it would differ; nothing is kept of it.

        With `live`, by the planner and the skills that there are now, which are refused the store."""
        story, turns = await self.story(story_id), await self.turns(story_id)
        first = turns[0].chosen if turns else Chosen(choice=BEGIN)
        beginning, campaign = _at_the_beginning(story, first), self._campaign_of(story, first)
        if live:
            stage = self._set_stage(campaign, SharedMemory(story.id, self.keeping))
            return await replay_live(beginning, turns, stage)
        return await asyncio.to_thread(replay, beginning, turns, campaign)

    async def import_save(self, document: bytes) -> Story:
        """A story that `export` wrote as JSON, here or elsewhere; ContractViolation names what is wrong."""
        save = await asyncio.to_thread(read_save, document)
        store, line = await self._store(), _new_id(save.story.campaign)
        try:
            made = await store.playthroughs.create(
                save.story.campaign, title=save.story.title, seed=save.story.seed, identifier=line
            )
            await write_into(store, line, save)
        except BaseException:  # all of it, or nothing: whatever came between, a cancelled import too
            await asyncio.shield(self._leftovers.remove(line, store))
            raise
        return await self._as_stored(
            msgspec.structs.replace(save.story, id=line, line=line, created_at=made.created_at)
        )

    async def close(self) -> None:
        for telling in list(self._open.values()):
            await telling.close()
        await self.keeping.close()

    # within

    def _telling(self, story: Story, session: Session, campaign: Campaign, **more: Any) -> Telling:
        memory = SharedMemory(story.id, self.keeping)
        stored = more.pop("stored", True)
        memory.line = story.line if stored else None
        heading = Heading(
            line=story.line,
            campaign=story.campaign,
            title=story.title,
            seed=story.seed,
            sitting=memory.sitting,
        )
        spill = Spill(heading, self._unsaved)
        diary = Diary(self.keeping, spill, turn=session.progress.scene, stored=stored)
        telling = self._open[story.id] = Telling(
            story,
            session,
            set_stage=partial(self._set_stage, campaign, memory),
            diary=diary,
            memory=memory,
            log=EventLog(self._folder / story.id / EVENTS),
            before=self._before,
            branched=lambda telling, turn, title: self.branch(telling.story.id, turn, title),
            on_close=self._closed,
            **more,
        )
        return telling

    def _closed(self, telling: Telling) -> None:
        if self._open.get(telling.story.id) is telling:
            del self._open[telling.story.id]
        if telling.diary.unwritten or not telling.diary.stands:
            self._leftovers.look_again()  # what it put aside belongs to it when it is opened again

    async def _is_there(self, telling: Telling) -> bool:
        """Whether the store knows a story that is open."""
        store = await self._store()
        try:
            await store.playthroughs.get(telling.story.line)
        except NoSuchRecord:
            return False
        return True

    async def _written(self, story_id: str) -> None:
        """All of a story that is open is in the store afterwards."""
        if (telling := self._open.get(story_id)) and not await telling.diary.catch_up():
            raise _unwritten(story_id, telling.diary.complaint)

    async def _as_stored(self, made: Story) -> Story:
        """What the store says of a story that it has just taken, or what is known when it has broken off."""
        with contextlib.suppress(StoreUnavailable):
            return await self.story(made.id)
        return made

    async def _before(self, telling: Telling) -> Before:
        await self._written(telling.story.id)
        store, last = await self._store(), telling.session.progress.scene - 1
        told = _told(await store.turns.get(telling.diary.line, last))
        scenes = msgspec.structs.replace(telling.session, scenes=telling.session.scenes[:-2])
        return session_after(scenes, told.ended, told.state), told.chosen

    async def _store(self) -> Store:
        """The store, with what could not be written into it before."""
        store = await self.keeping.store()
        await self._leftovers.settle(store)
        return store

    async def _find(self, story_id: str) -> tuple[Store, Playthrough, Lines]:
        store = await self._store()
        playthroughs = await store.playthroughs.all(undone=True)
        lines = Lines(playthroughs)
        name = lines.told_on(story_id)
        line = next((line for line in playthroughs if line.id == name), None)
        if name and (reason := self._leftovers.in_the_way(name, lines)):
            raise _unwritten(story_id, reason)  # to go on without its last turns would lose them
        if line is None or lines.story_of(name) != story_id:  # a line's name would open a story twice
            raise _unknown(story_id)
        return store, line, lines

    async def _story(self, store: Store, line: Playthrough, lines: Lines) -> Story:
        parent, branched_at = lines.branched_off(line.id)
        story = Story(
            id=lines.story_of(line.id),
            title=line.title,
            campaign=line.campaign,
            seed=int(line.seed or 0),
            created_at=line.created_at,
            played_at=line.created_at,
            parent=parent,
            branched_at=branched_at,
            line=line.id,
        )
        if not line.turn:
            return story
        last = _told(await store.turns.get(line.id, line.turn))
        return msgspec.structs.replace(
            story,
            played_at=max(last.finished_at, line.created_at),
            scenes=line.turn,
            place=last.ended.progress.place,
            ended=last.ended.progress.ended,
            seconds_played=last.ended.seconds,
        )

    def _campaign_of(self, story: Story, first: Chosen) -> Campaign:
        """From the folder it was begun with, or by its name when it has moved."""
        if first.folder and Path(first.folder).is_dir():
            return self._open_campaign(first.folder)
        return self._open_campaign(story.campaign)

    def _campaign_or_none(self, story: Story, first: Chosen) -> Campaign | None:
        with contextlib.suppress(NarratoriaException):
            return self._campaign_of(story, first)
        return None


def _at_the_beginning(story: Story, first: Chosen) -> Session:
    persona = {"persona": first.persona} if first.persona else {}
    return Session(id=story.id, campaign=story.campaign, seed=story.seed, state=SessionState(persona))


def _session(beginning: Session, turns: list[Told]) -> Session:
    """The story after its last turn; the scenes are all of them."""
    if not turns:
        return beginning
    scenes = tuple(told.ended.scene for told in turns[:-1])
    before = msgspec.structs.replace(beginning, scenes=scenes)
    return session_after(before, turns[-1].ended, turns[-1].state)


def _told(turn: Turn) -> Told:
    return Told(
        number=turn.number,
        chosen=msgspec.convert(turn.choice, Chosen),
        ended=msgspec.convert(turn.scene, Ended),
        state=turn.state or {},
        begun_at=turn.begun_at,
        finished_at=turn.finished_at or "",
    )


def _unknown(story_id: str) -> NoSuchRecord:
    return NoSuchRecord(f"there is no story {story_id!r}; `narratoria stories list` names those there are")


def _unwritten(story_id: str, reason: str) -> StoreUnavailable:
    return StoreUnavailable(f"the last turns of {story_id} cannot be written yet: {reason}")


def _new_id(campaign: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", campaign.casefold()).strip("-")[:60] or "story"
    return f"{plain}-{secrets.token_hex(4)}"
