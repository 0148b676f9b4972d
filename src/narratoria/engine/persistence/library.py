"""Begins, opens, branches, compares, renames, deletes, exports and imports the stories of one home."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.contracts.content_limits import NO_LIMITS
from narratoria.engine.content_limits import LoadedLimits
from narratoria.engine.events import StoryEvent
from narratoria.engine.memory.follow import follow_revision
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.persistence.compare import Comparison, compare
from narratoria.engine.persistence.event_log import EventLog
from narratoria.engine.persistence.export import FORMATS, Book, Format, export
from narratoria.engine.persistence.recovery import UnsavedTurnRecovery
from narratoria.engine.persistence.replay import ReplayReport, replay, replay_live
from narratoria.engine.persistence.repository import (
    OpenCampaign,
    StoredStory,
    StoryRepository,
    first_snapshot,
    last_snapshot,
    read_turn,
    unwritten_turns_error,
)
from narratoria.engine.persistence.save import ExportedRecord, collect_records, open_save, write_into
from narratoria.engine.persistence.story import TRIAL, Story, player_of
from narratoria.engine.persistence.turn_log import StoreState, TurnLogWriter
from narratoria.engine.persistence.turn_record import TurnInput, TurnRecord, list_scenes, snapshot_after
from narratoria.engine.persistence.unsaved_turns import UnsavedTurnLog, UnsavedTurnsHeader, unsaved_folders
from narratoria.engine.revisions import MemoryMark, ParagraphEdit, Revision, is_about
from narratoria.engine.scene import BEGIN
from narratoria.engine.shield import shield
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.story_session import Before, StorySession
from narratoria.engine.trial import TrialStart
from narratoria.engine.turn import TurnDependencies
from narratoria.errors import Busy, ContractViolation, NoSuchRecord, Problem, StoreUnavailable
from narratoria.paths import shared_home

T = TypeVar("T")
EVENTS = "events.jsonl"
SOME = 20  # stories, among which one is not a trial
BuildDependencies: TypeAlias = Callable[[Campaign, StoryMemory], TurnDependencies]
Prepare: TypeAlias = Callable[[Campaign], Awaitable[None]]


class Library:
    """Holds the open stories of one home; used and closed in one event loop."""

    def __init__(
        self,
        memory_provider: MemoryProvider,
        open_campaign: OpenCampaign,
        build_dependencies: BuildDependencies,
        folder: Path,
        *,
        assets: Path | None = None,
        prepare: Prepare | None = None,
        forget: Callable[[str], None] = lambda _: None,
        read_limits: Callable[[str], LoadedLimits] = lambda _: LoadedLimits(NO_LIMITS),
    ) -> None:
        """`assets` is the folder of the files that stories made, where it is another than `folder`;
        `prepare` indexes a campaign before a story of it is played; `forget` removes what others keep of a
        deleted story; `read_limits` returns the content limits of an account."""
        self.memory_provider, self._folder = memory_provider, folder
        self._asset_folders = {folder, assets or folder}
        self._build_dependencies, self._prepare, self._forget = build_dependencies, prepare, forget
        self._read_limits = read_limits
        self._open: dict[str, StorySession] = {}
        self._deleting = asyncio.Lock()
        self._loading = asyncio.Lock()  # one campaign at a time, which may be enriched on the way
        self._unsaved_folders = unsaved_folders(folder)
        self._repository = StoryRepository(
            memory_provider, UnsavedTurnRecovery(self._unsaved_folders), open_campaign
        )

    def broadcast(self, event: StoryEvent) -> None:
        """Append an event to the log of every open story."""
        for session in self._open.values():
            session.log.append(event, turn=session.snapshot.progress.scene)

    # what there is

    async def stories(self, campaign: str | None = None) -> tuple[Story, ...]:
        """Return the stories with unique titles, the one played last first."""
        return await self._repository.stories(campaign)

    async def page(
        self, *, limit: int, after: Story | None = None, owner: str | None = None
    ) -> tuple[Story, ...]:
        """Return some stories with unique titles, the one played last first, from `after` on."""
        return await self._repository.page(limit=limit, after=after, owner=owner)

    async def shared_with(self, account: str) -> tuple[Story, ...]:
        """Return the stories of others that an account may read, the one played last first."""
        return await self._repository.shared_with(account)

    async def count(self, owner: str) -> int:
        """Return how many stories are this account's."""
        return await (await self._repository.store()).stories.count(owner)

    async def readers(self, story_id: str) -> frozenset[str]:
        """Return the accounts that may read a story besides its owner."""
        return await (await self._repository.store()).stories.readers(story_id)

    async def set_readers(self, story_id: str, accounts: Iterable[str]) -> None:
        """Let these accounts read a story, and no others."""
        await (await self._repository.store()).stories.set_readers(story_id, accounts)

    async def give_all(self, owner: str, to: str) -> None:
        """Make all stories of one account another's, the open ones among them."""
        await (await self._repository.store()).stories.give_all(owner, to)
        for session in self._open.values():
            if session.story.owner == owner:
                session.story = msgspec.structs.replace(session.story, owner=to)

    async def latest(self, campaign: str) -> Story | None:
        """Return the story of this campaign that was played last, other than to try it out."""
        latest = await self._repository.page(limit=SOME, campaign=campaign)
        return next((story for story in latest if not story.is_trial), None)

    async def story(self, story_id: str) -> Story:
        """Return a story, or raise NoSuchRecord."""
        if story_id in self._open:
            return self._open[story_id].story
        return (await self._repository.find(story_id)).story

    async def branches(self, story_id: str) -> tuple[Story, ...]:
        """Return every story that shares a beginning with this one, itself included, the oldest first."""
        return await self._repository.branches(story_id)

    async def turns(
        self, story_id: str, *, first: int = 1, last: int | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the turns of a story from its log."""
        return await (await self._repository.find(story_id)).turns(first, last)

    # playing

    async def begin(
        self,
        campaign: str | Campaign,
        persona: Mapping[str, Any] | None = None,
        seed: int | None = None,
        title: str | None = None,
        *,
        owner: str = "",
        trial: TrialStart | None = None,
    ) -> StorySession:
        """Create a story; `resume` plays its first turn. Without a store it stays in memory.

        With `trial`, it begins elsewhere, and is one to be thrown away."""
        loaded_campaign = await self._load(campaign) if isinstance(campaign, str) else campaign
        if self._prepare:
            await self._prepare(loaded_campaign)
        if persona is None and loaded_campaign.template.starting_items:
            persona = {"items": list(loaded_campaign.template.starting_items)}
        story = Story(
            id=_new_id(loaded_campaign.name, TRIAL if trial else ""),
            title=title or loaded_campaign.title,
            campaign=loaded_campaign.name,
            seed=secrets.randbelow(2**32) if seed is None else seed,
            player=player_of(persona),
            owner=owner,
        )
        turn_input = TurnInput(
            choice=trial.choice if trial else BEGIN,
            persona=dict(persona or {}),
            folder=str(loaded_campaign.folder),
            beginning=trial.beginning if trial else None,
        )
        session = self._open_session(
            msgspec.structs.replace(story, branch=story.id),
            first_snapshot(story, turn_input),
            loaded_campaign,
            state=StoreState.ABSENT,
            interrupted_input=turn_input,
        )
        # so that who the player is outlives whatever comes: a story without it may open with no campaign
        try:
            await shield(session.turn_log.begin(turn_input))
        except StoreUnavailable:  # of a database that others use: without it, it is no story
            await session.close(is_deleted=True)
            raise
        if session.turn_log.is_stored:
            with contextlib.suppress(StoreUnavailable):  # only for when it was made
                session.story = await self.story_in_store(session.story)
        return session

    async def _load(self, campaign: str) -> Campaign:
        """Load a campaign in a thread: other stories go on meanwhile."""
        async with self._loading:
            return await asyncio.to_thread(self._repository.open_campaign, campaign)

    async def story_in_store(self, story: Story) -> Story:
        store = await self._repository.store()
        playthrough = await store.playthroughs.get(story.branch)
        return msgspec.structs.replace(
            story, created_at=playthrough.created_at, played_at=playthrough.created_at
        )

    async def open(self, story_id: str) -> StorySession:
        """Open a story where it was left, or return the session that is open."""
        if story_id in self._open:
            self._open[story_id].touch()
            return self._open[story_id]
        stored_story = await self._repository.find(story_id)
        story, summary = stored_story.story, stored_story.summary
        turns, interrupted_turn = await stored_story.turns(), await stored_story.interrupted_turn()
        interrupted_input = msgspec.convert(interrupted_turn.choice, TurnInput) if interrupted_turn else None
        first = turns[0].input if turns else interrupted_input or TurnInput(choice=BEGIN)
        async with self._loading:
            campaign = await asyncio.to_thread(self._repository.campaign_of, story, first)
        if self._prepare:
            await self._prepare(campaign)
        if story_id in self._open:  # by somebody else, meanwhile
            return self._open[story_id]
        return self._open_session(
            story,
            last_snapshot(turns, first_snapshot(story, first)),
            campaign,
            last=turns[-1].input if turns else None,
            interrupted_input=interrupted_input,
            position=summary.position,
            fence=summary.fence,
            resumes=interrupted_turn.seq if interrupted_turn else None,
        )

    @property
    def is_shared(self) -> bool:
        """Return whether other servers can use the same store."""
        store = self.memory_provider.open_store
        return store is not None and store.database.is_shared

    async def check_store(self, timeout_s: float) -> None:
        """Raise StoreUnavailable or TimeoutError unless the store answers."""
        store = await self.memory_provider.store(timeout_s)
        async with asyncio.timeout(timeout_s):
            await store.stories.page(limit=1)

    async def is_current(self, session: StorySession) -> bool:
        """Return whether no other server has gone on with an open story, or made a choice in it."""
        if session.turn_log.is_outdated:
            return False
        if session.busy or not session.turn_log.is_stored or session.turn_log.unsaved:
            return True
        store = await self._repository.store()
        if not store.database.is_shared:
            return True
        try:
            summary = await store.stories.get(session.story.id)
        except NoSuchRecord:
            return False
        is_untouched = summary.fence == session.turn_log.fence or session.is_told_elsewhere
        # a turn may have begun since the store was asked
        return (is_untouched and summary.position == session.turn_log.position) or session.busy

    async def close_idle(self, seconds: float) -> tuple[str, ...]:
        """Close the stories that nobody has used for so long, and return their ids.

        A story with unsaved turns stays open."""
        idle = [
            session
            for session in self._open.values()
            if session.is_idle(seconds) and session.is_saved and session.turn_log.is_valid
        ]
        for session in idle:
            await session.close()
        return tuple(session.story.id for session in idle)

    # looking after them

    async def rename(self, story_id: str, title: str) -> Story:
        name = " ".join(title.split())
        if not 1 <= len(name) <= 200:
            raise ContractViolation([Problem("a title has 1 to 200 characters", "/title")])
        await self._write_unsaved(story_id)
        stored_story = await self._repository.find(story_id)
        story = stored_story.story
        await stored_story.store.playthroughs.rename(stored_story.summary.line, name)
        if session := self._open.get(story_id):
            story = session.story = msgspec.structs.replace(session.story, title=name)
        return msgspec.structs.replace(story, title=name)

    async def delete(self, story_id: str) -> None:
        """Delete a story; its branches keep the turns they share with it."""
        async with self._deleting:  # two at once would each write what the other takes out of a file
            session = self._open.get(story_id)
            if session is not None and session.busy:
                raise Busy("the story is being told; wait for the scene, or cancel it")
            stored_story, is_shared = None, False
            if session is None or await self._repository.holds(session.story.branch):
                stored_story = await self._repository.find(story_id)
                is_shared = await stored_story.store.stories.has_branches(story_id)
            # what were left of a story that is not in the store any more could never be deleted
            await shield(self._remove(story_id, stored_story, session, is_shared=is_shared))

    async def _remove(
        self,
        story_id: str,
        stored_story: StoredStory | None,
        session: StorySession | None,
        *,
        is_shared: bool,
    ) -> None:
        if stored_story is not None:
            separated = await self._repository.recovery.find_separated(story_id, stored_story.store)
            await stored_story.store.playthroughs.delete(stored_story.summary.line)
            for file in separated:
                await asyncio.to_thread(file.remove)
        if session is not None:
            await session.close(is_deleted=True)
        folder = self._folder / story_id
        (folder / EVENTS).unlink(missing_ok=True)
        if not is_shared:
            for root in self._asset_folders:
                await asyncio.to_thread(shutil.rmtree, root / story_id, ignore_errors=True)
        await asyncio.to_thread(self._forget, story_id)

    async def branch(self, story_id: str, at_turn: int, title: str | None = None) -> Story:
        """Create another story that shares the scenes up to a turn with this one."""
        await self._write_unsaved(story_id)
        stored_story = await self._repository.find(story_id)
        summary = stored_story.summary
        if not 1 <= at_turn <= summary.turn:
            message = f"{story_id} has scenes 1 to {summary.turn}; it cannot branch after scene {at_turn}"
            raise ContractViolation([Problem(message, "/turn")])
        playthrough = await stored_story.store.playthroughs.branch(summary.line, at_turn, title=title)
        await self._carry_edits(stored_story, playthrough.id, at_turn)
        branch = msgspec.structs.replace(
            stored_story.story,
            id=playthrough.id,
            title=playthrough.title,
            scenes=at_turn,
            created_at=playthrough.created_at,
            played_at=playthrough.created_at,
            parent=story_id,
            branched_at=at_turn,
            branch=playthrough.id,
        )
        return await self._reload(branch)

    async def _carry_edits(self, stored_story: StoredStory, branch: str, at_turn: int) -> None:
        """Give a new branch what the player changed later of the scenes that it shares."""
        turns = await stored_story.turns(at_turn)
        carried_revisions = [
            revision
            for turn in turns[1:]
            for revision in turn.input.revisions
            if isinstance(revision, ParagraphEdit | MemoryMark) and is_about(revision, at_turn)
        ]
        if not carried_revisions:
            return
        shared = turns[0].input
        revised = msgspec.structs.replace(shared, revisions=(*shared.revisions, *carried_revisions))
        await stored_story.store.turns.revise(branch, at_turn, msgspec.to_builtins(revised))
        memory = StoryMemory(branch, self.memory_provider, branch=branch, turn=at_turn)
        for revision in carried_revisions:
            await follow_revision(memory, revision)

    async def compare(self, left: str, right: str) -> Comparison:
        """Compare the scenes of two stories."""
        return compare(
            list_scenes(await self.turns(left)),
            list_scenes(await self.turns(right)),
        )

    async def export(
        self,
        story_id: str,
        format: Format = "markdown",  # noqa: A002
        scene: int | None = None,
    ) -> bytes:
        """Return a story or a scene of it as a document to read, or a story as JSON to import."""
        if format not in FORMATS:
            message = f"there is no format {format!r}; use {', '.join(FORMATS)}"
            raise ContractViolation([Problem(message, "/format")])
        if scene is not None and format == "json":
            raise ContractViolation([Problem("a save file holds the whole story", "/scene")])
        story = await self.story(story_id)
        turns = await self.turns(story_id)
        campaign = self._repository.campaign_or_none(
            story, turns[0].input if turns else TurnInput(choice=BEGIN)
        )
        if scene is not None:
            turns = tuple(_with_edits(turns, scene))
            if not turns:
                raise ContractViolation([Problem(f"there is no scene {scene}", "/scene")])
        records = await self._collect_records(story_id) if format == "json" else ()
        return await asyncio.to_thread(export, Book(story, turns, campaign, records), format)

    async def _collect_records(self, story_id: str) -> tuple[ExportedRecord, ...]:
        stored_story = await self._repository.find(story_id)
        summary = stored_story.summary
        return await collect_records(stored_story.store.at(summary.line, turn=summary.turn))

    async def replay(self, story_id: str, *, live: bool = False) -> ReplayReport:
        """Replay a story from its log and report the differences; nothing is saved.

        With `live`, the present planner and skills play it, without access to the store."""
        story, turns = await self.story(story_id), await self.turns(story_id)
        first = turns[0].input if turns else TurnInput(choice=BEGIN)
        beginning, campaign = first_snapshot(story, first), self._repository.campaign_of(story, first)
        if live:
            dependencies = self._build_dependencies(campaign, StoryMemory(story.id, self.memory_provider))
            return await replay_live(beginning, turns, dependencies)
        return await asyncio.to_thread(replay, beginning, turns, campaign)

    async def import_save(self, document: bytes, *, owner: str = "") -> Story:
        """Import a story that `export` wrote as JSON; ContractViolation lists every problem with it."""
        save, _ = await asyncio.to_thread(open_save, document, shared_home())
        store, line = await self._repository.store(), _new_id(save.story.campaign)
        try:
            playthrough = await write_into(store, line, save, owner=owner)
        except BaseException:  # it may have come through all the same, of which nobody is told
            await asyncio.shield(self._repository.recovery.remove(line, store))
            raise
        return await self._reload(
            msgspec.structs.replace(
                save.story, id=line, branch=line, created_at=playthrough.created_at, owner=owner
            )
        )

    async def replace_store(self, put_back: Callable[[], T]) -> T:
        """Close all stories and the store, have another file put in its place, and open that one."""
        for session in list(self._open.values()):
            await session.close()
        async with self.memory_provider.suspended():
            result = await asyncio.to_thread(put_back)
        self._repository.recovery.begin_anew()
        return result

    async def save_before_exit(self) -> None:
        """Put every finished turn on a disk before the program ends in the middle of a turn."""
        await asyncio.gather(*(session.turn_log.save_before_exit() for session in self._open.values()))

    async def close(self) -> None:
        for session in list(self._open.values()):
            await session.close()
        await self.memory_provider.close()

    # within

    def _open_session(
        self, story: Story, snapshot: StorySnapshot, campaign: Campaign, **more: Any
    ) -> StorySession:
        memory = StoryMemory(story.id, self.memory_provider)
        state: StoreState = more.pop("state", StoreState.VALID)
        memory.branch = story.branch if state is StoreState.VALID else None
        header = UnsavedTurnsHeader(
            branch=story.branch,
            campaign=story.campaign,
            title=story.title,
            seed=story.seed,
            session_id=memory.session_id,
            owner=story.owner,
        )
        unsaved_log = UnsavedTurnLog(header, self._unsaved_folders)
        turn_log = TurnLogWriter(
            self.memory_provider,
            unsaved_log,
            turn=snapshot.progress.scene,
            state=state,
            position=more.pop("position", None),
            fence=more.pop("fence", None),
            resumes=more.pop("resumes", None),
            story_id=story.id,
        )
        memory.fence = turn_log.fence
        session = self._open[story.id] = StorySession(
            story,
            snapshot,
            build_dependencies=partial(self._build_dependencies, campaign, memory),
            turn_log=turn_log,
            memory=memory,
            log=EventLog(self._folder / story.id / EVENTS),
            history=self,
            on_close=self._on_session_close,
            own_words=campaign.manifest.own_words,
            content_rating=campaign.manifest.content_rating,
            read_limits=lambda: self._read_limits(session.story.owner),
            **more,
        )
        return session

    def _on_session_close(self, session: StorySession) -> None:
        if self._open.get(session.story.id) is session:
            del self._open[session.story.id]
        if session.turn_log.unsaved or not session.turn_log.is_valid:
            self._repository.recovery.look_again()  # what it put aside belongs to it when it is opened again

    async def _write_unsaved(self, story_id: str) -> None:
        """Write the unsaved turns of a story that is open, or raise StoreUnavailable."""
        if (session := self._open.get(story_id)) and not await session.turn_log.catch_up():
            raise unwritten_turns_error(story_id, session.turn_log.trouble)

    async def _reload(self, story: Story) -> Story:
        """Return a new story as it is in the store, or as it was made if the store fails."""
        with contextlib.suppress(StoreUnavailable):
            return await self.story(story.id)
        return story

    # for an open session

    async def before(self, session: StorySession) -> Before:
        """Return the story as it was before its last turn."""
        await self._write_unsaved(session.story.id)
        store, last = await self._repository.store(), session.snapshot.progress.scene - 1
        record = read_turn(await store.turns.get(session.turn_log.branch, last))
        scenes = msgspec.structs.replace(session.snapshot, scenes=session.snapshot.scenes[:-2])
        return snapshot_after(scenes, record), record.input

    async def can_redo(self, session: StorySession) -> bool:
        """Return whether the turn that was undone last can be brought back."""
        store = await self._repository.store()
        return await store.playthroughs.undone(session.turn_log.branch) is not None

    async def after_redo(self, session: StorySession) -> tuple[StorySnapshot, TurnInput, Sequence[Revision]]:
        """Return the story after the turn that came back, its input, and what was changed meanwhile."""
        store, number = await self._repository.store(), session.snapshot.progress.scene + 1
        earlier, last = (
            read_turn(turn)
            for turn in await store.turns.history(session.turn_log.branch, first=number - 1, last=number)
        )
        logged = (*earlier.input.revisions, *last.input.revisions)
        made_since = [one for one in session.snapshot.revisions if one not in logged]
        return snapshot_after(session.snapshot, last), last.input, made_since

    async def create_branch(self, session: StorySession, at_turn: int, title: str | None) -> Story:
        return await self.branch(session.story.id, at_turn, title)


def _with_edits(turns: Sequence[TurnRecord], number: int) -> Iterator[TurnRecord]:
    """Yield the turn of a scene as the player reads it: later turns have edits of it too."""
    for turn, scene in zip(turns, list_scenes(turns), strict=True):
        if turn.number == number:
            output = msgspec.structs.replace(turn.output, scene=scene)
            turn_input = msgspec.structs.replace(turn.input, revisions=())
            yield msgspec.structs.replace(turn, output=output, input=turn_input)


def _new_id(campaign: str, mark: str = "") -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", campaign.casefold()).strip("-")[:60] or "story"
    return f"{mark}{plain}-{secrets.token_hex(4)}"
