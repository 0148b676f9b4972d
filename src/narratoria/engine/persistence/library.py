"""All the stories of this home: begun, opened, branched, compared, renamed, deleted, taken elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.events import StoryEvent
from narratoria.engine.memory.export import Remembered, collect
from narratoria.engine.memory.host_services import SharedMemory
from narratoria.engine.memory.provider import Keeping
from narratoria.engine.persistence.compare import Comparison, compare
from narratoria.engine.persistence.event_log import EventLog
from narratoria.engine.persistence.export import FORMATS, Book, Format, export
from narratoria.engine.persistence.recovery import Leftovers
from narratoria.engine.persistence.replay import Replayed, replay, replay_live
from narratoria.engine.persistence.repository import (
    Found,
    OpenCampaign,
    Shelf,
    after_all,
    at_the_beginning,
    told_turn,
    unwritten,
)
from narratoria.engine.persistence.save import read_save, write_into
from narratoria.engine.persistence.story import Story, player_of
from narratoria.engine.persistence.turn_log import Diary
from narratoria.engine.persistence.turn_record import Chosen, Told, session_after
from narratoria.engine.persistence.unsaved_turns import Heading, Spill, places_for
from narratoria.engine.scene import BEGIN
from narratoria.engine.shield import whole
from narratoria.engine.snapshot import Session
from narratoria.engine.story_session import Before, Telling
from narratoria.engine.turn import TurnDependencies
from narratoria.errors import Busy, ContractViolation, Problem, StoreUnavailable

EVENTS = "events.jsonl"
BuildDependencies: TypeAlias = Callable[[Campaign, SharedMemory], TurnDependencies]
Prepare: TypeAlias = Callable[[Campaign], Awaitable[None]]


class Library:
    """Used from one event loop; `close` it there."""

    def __init__(
        self,
        keeping: Keeping,
        open_campaign: OpenCampaign,
        build_dependencies: BuildDependencies,
        folder: Path,
        *,
        prepare: Prepare | None = None,
        forget: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`prepare` sees to it that a campaign can be searched before a story of it is told; `forget` to it
        that nothing is left elsewhere of one that is deleted."""
        self.keeping, self._folder = keeping, folder
        self._build_dependencies, self._prepare, self._forget = build_dependencies, prepare, forget
        self._open: dict[str, Telling] = {}
        self._deleting = asyncio.Lock()
        self._unsaved = places_for(folder)
        self._shelf = Shelf(keeping, Leftovers(self._unsaved), open_campaign)

    def tell_all(self, event: StoryEvent) -> None:
        """Something that concerns every story that is open."""
        for telling in self._open.values():
            telling.log.append(event, turn=telling.session.progress.scene)

    # what there is

    async def stories(self, campaign: str | None = None) -> tuple[Story, ...]:
        """Those that can be played, the one played last first, each under a title of its own."""
        return await self._shelf.stories(campaign)

    async def latest(self, campaign: str) -> Story | None:
        """The story of this campaign that was played last."""
        return next(iter(await self.stories(campaign)), None)

    async def story(self, story_id: str) -> Story:
        """NoSuchRecord names a story that is not there."""
        if story_id in self._open:
            return self._open[story_id].story
        return await (await self._shelf.find(story_id)).story()

    async def branches(self, story_id: str) -> tuple[Story, ...]:
        """Every story that shares a beginning with this one, itself among them, the oldest first."""
        return await self._shelf.branches(story_id)

    async def turns(self, story_id: str, *, first: int = 1, last: int | None = None) -> tuple[Told, ...]:
        """The turns of a story as the log has them."""
        return await (await self._shelf.find(story_id)).turns(first, last)

    # playing

    async def begin(
        self,
        campaign: str | Campaign,
        persona: Mapping[str, Any] | None = None,
        seed: int | None = None,
        title: str | None = None,
    ) -> Telling:
        """A new story; `resume` tells its first scene. Without a store it is kept in memory."""
        found = self._shelf.open_campaign(campaign) if isinstance(campaign, str) else campaign
        if self._prepare:
            await self._prepare(found)
        story = Story(
            id=_new_id(found.name),
            title=title or found.title,
            campaign=found.name,
            seed=secrets.randbelow(2**32) if seed is None else seed,
            player=player_of(persona),
        )
        chosen = Chosen(choice=BEGIN, persona=dict(persona or {}), folder=str(found.folder))
        telling = self._telling(
            msgspec.structs.replace(story, line=story.id),
            at_the_beginning(story, chosen),
            found,
            stored=False,
            interrupted=chosen,
        )
        # so that who the player is outlives whatever comes: a story without it may open with no campaign
        await whole(telling.diary.begin(chosen))
        if telling.diary.stored:
            with contextlib.suppress(StoreUnavailable):  # only for when it was made
                telling.story = await self.story_in_store(telling.story)
        return telling

    async def story_in_store(self, story: Story) -> Story:
        store = await self._shelf.store()
        kept = await store.playthroughs.get(story.line)
        return msgspec.structs.replace(story, created_at=kept.created_at, played_at=kept.created_at)

    async def open(self, story_id: str) -> Telling:
        """The story where it was left; one that is open already is handed out again."""
        if story_id in self._open:
            self._open[story_id].touch()
            return self._open[story_id]
        found = await self._shelf.find(story_id)
        story, turns, interrupted = await found.story(), await found.turns(), await found.interrupted()
        first = turns[0].chosen if turns else interrupted or Chosen(choice=BEGIN)
        campaign = self._shelf.campaign_of(story, first)
        if self._prepare:
            await self._prepare(campaign)
        if story_id in self._open:  # by somebody else, meanwhile
            return self._open[story_id]
        return self._telling(
            story,
            after_all(turns, at_the_beginning(story, first)),
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

    # looking after them

    async def rename(self, story_id: str, title: str) -> Story:
        name = " ".join(title.split())
        if not 1 <= len(name) <= 200:
            raise ContractViolation([Problem("a title has 1 to 200 characters", "/title")])
        await self._written(story_id)
        found = await self._shelf.find(story_id)
        story = await found.story()
        await found.store.playthroughs.rename(found.line.id, name)
        if telling := self._open.get(story_id):
            story = telling.story = msgspec.structs.replace(telling.story, title=name)
        return msgspec.structs.replace(story, title=name)

    async def delete(self, story_id: str) -> None:
        """What its branches share with it is kept for them."""
        async with self._deleting:  # two at once would each write what the other takes out of a file
            telling = self._open.get(story_id)
            if telling is not None and telling.busy:
                raise Busy("the story is being told; wait for the scene, or cancel it")
            found, shared = None, False
            if telling is None or await self._shelf.holds(telling.story.line):
                found = await self._shelf.find(story_id)
                shared = any(story.parent == story_id for story in await self.stories())
            # what were left of a story that is not in the store any more could never be deleted
            await whole(self._remove(story_id, found, telling, shared=shared))

    async def _remove(
        self, story_id: str, found: Found | None, telling: Telling | None, *, shared: bool
    ) -> None:
        if found is not None:
            await found.store.playthroughs.delete(found.line.id)
            await asyncio.to_thread(self._shelf.leftovers.forget, story_id, found.lines)
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
        found = await self._shelf.find(story_id)
        if not 1 <= at_turn <= found.line.turn:
            message = f"{story_id} has scenes 1 to {found.line.turn}; it cannot branch after scene {at_turn}"
            raise ContractViolation([Problem(message, "/turn")])
        shared = await replace(found, line=msgspec.structs.replace(found.line, turn=at_turn)).story()
        made = await found.store.playthroughs.branch(found.line.id, at_turn, title=title)
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
        campaign = self._shelf.campaign_or_none(story, turns[0].chosen if turns else Chosen(choice=BEGIN))
        remembered = await self._remembered(story_id) if format == "json" else ()
        return await asyncio.to_thread(export, Book(story, turns, campaign, remembered), format)

    async def _remembered(self, story_id: str) -> tuple[Remembered, ...]:
        found = await self._shelf.find(story_id)
        return await collect(found.store.at(found.line.id, turn=found.line.turn))

    async def replay(self, story_id: str, *, live: bool = False) -> Replayed:
        """Tells a story again from its log, and says where it would differ; nothing is kept of it.

        With `live`, by the planner and the skills that there are now, which are refused the store."""
        story, turns = await self.story(story_id), await self.turns(story_id)
        first = turns[0].chosen if turns else Chosen(choice=BEGIN)
        beginning, campaign = at_the_beginning(story, first), self._shelf.campaign_of(story, first)
        if live:
            stage = self._build_dependencies(campaign, SharedMemory(story.id, self.keeping))
            return await replay_live(beginning, turns, stage)
        return await asyncio.to_thread(replay, beginning, turns, campaign)

    async def import_save(self, document: bytes) -> Story:
        """A story that `export` wrote as JSON, here or elsewhere; ContractViolation names what is wrong."""
        save = await asyncio.to_thread(read_save, document)
        store, line = await self._shelf.store(), _new_id(save.story.campaign)
        try:
            made = await write_into(store, line, save)
        except BaseException:  # it may have come through all the same, of which nobody is told
            await asyncio.shield(self._shelf.leftovers.remove(line, store))
            raise
        return await self._as_stored(
            msgspec.structs.replace(save.story, id=line, line=line, created_at=made.created_at)
        )

    async def break_off(self) -> None:
        """Before the program ends in the middle of a turn: what was told is on a disk, if any takes it."""
        await asyncio.gather(*(telling.diary.break_off() for telling in self._open.values()))

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
            build_dependencies=partial(self._build_dependencies, campaign, memory),
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
            self._shelf.leftovers.look_again()  # what it put aside belongs to it when it is opened again

    async def _written(self, story_id: str) -> None:
        """All of a story that is open is in the store afterwards."""
        if (telling := self._open.get(story_id)) and not await telling.diary.catch_up():
            raise unwritten(story_id, telling.diary.complaint)

    async def _as_stored(self, made: Story) -> Story:
        """What the store says of a story that it has just taken, or what is known when it has broken off."""
        with contextlib.suppress(StoreUnavailable):
            return await self.story(made.id)
        return made

    async def _before(self, telling: Telling) -> Before:
        await self._written(telling.story.id)
        store, last = await self._shelf.store(), telling.session.progress.scene - 1
        told = told_turn(await store.turns.get(telling.diary.line, last))
        scenes = msgspec.structs.replace(telling.session, scenes=telling.session.scenes[:-2])
        return session_after(scenes, told.ended, told.state), told.chosen


def _new_id(campaign: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", campaign.casefold()).strip("-")[:60] or "story"
    return f"{plain}-{secrets.token_hex(4)}"
