"""Writes unsaved turns into the store before anybody reads from it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from narratoria.engine.persistence.store_steps import create_story, save_records, undo_to
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput
from narratoria.engine.persistence.unsaved_turns import (
    SEPARATED_FILES,
    UnsavedTurns,
    find_unsaved_turns,
    scene_digest,
)
from narratoria.errors import Busy, NarratoriaException, NoSuchRecord, StoreUnavailable, StoryConflict
from narratoria.store.positions import Position

if TYPE_CHECKING:
    from narratoria.store import Playthrough, Store

_log = logging.getLogger(__name__)


class UnsavedTurnRecovery:
    """Recovers the unsaved turns of one home, and removes branches that are not wanted."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders
        self._has_looked = self._has_tried_separated = False
        self._looking = asyncio.Lock()
        self._left_separated: set[Path] = set()  # tried in vain: their stories may be open by now
        self._waiting: dict[str, str] = {}  # branches with turns that cannot be written yet, and why
        self._unwanted: set[str] = set()

    def look_again(self) -> None:
        """Look for files again at the next call: a story was closed with unsaved turns."""
        self._has_looked = False

    def begin_anew(self) -> None:
        """Look for all files again at the next call: another store has taken the place of this one."""
        self._has_looked = self._has_tried_separated = False
        self._left_separated.clear()

    async def remove(self, line: str, store: Store) -> None:
        """Delete a branch, now or as soon as the store can be written."""
        self._unwanted.add(line)
        with contextlib.suppress(StoreUnavailable):
            await self._remove_unwanted(store)

    async def recover(self, store: Store) -> None:
        """Write every unsaved turn into the store, once."""
        async with self._looking:  # nobody sees it half written
            await self._remove_unwanted(store)
            if self._has_looked:
                return
            self._has_looked = True
            self._waiting.clear()
            await self._write_unsaved(store)
            if self._has_looked:  # a turn that was missing may have come from another place since
                await self._write_unsaved(store, again=True)
            if not self._has_tried_separated:
                await self._write_separated(store)

    async def _write_unsaved(self, store: Store, *, again: bool = False) -> None:
        """Write the unsaved turns, and separate the files that do not fit."""
        for file in find_unsaved_turns(self._folders):
            try:
                if await write_unsaved_turns(file, store) or not again:
                    continue
                reason = "the turn before them is missing, or is another one"
            except asyncio.CancelledError:  # whoever asked has gone; the next one finds the rest
                self._has_looked = False
                raise
            except (Busy, StoreUnavailable) as error:
                self._has_looked = False  # the file stays where it is
                self._waiting[file.header.branch] = str(error)
                continue
            except NarratoriaException as error:
                reason = str(error)
            _log.warning(
                "turns of %s cannot be recovered: %s; they wait in %s for the turn before",
                file.header.branch,
                reason,
                file.separate(),
            )

    async def _write_separated(self, store: Store) -> None:
        """Write separated turns whose missing turn has come since: once, before the story is open."""
        in_vain: dict[Path, str] = {}
        more = True
        while more:
            more, self._has_tried_separated = False, True
            for file in find_unsaved_turns(self._folders, SEPARATED_FILES):
                line = file.header.branch
                if file.file in self._left_separated:
                    continue
                if line in self._waiting:  # what was put aside comes first
                    self._has_tried_separated = False
                    continue
                try:
                    if await write_separated_turns(file, store):
                        _log.info("separated turns of %s are recovered", line)
                        more = True  # others may follow them
                    else:
                        in_vain[file.file] = line
                except asyncio.CancelledError:
                    self._has_looked = self._has_tried_separated = False
                    raise
                except (Busy, StoreUnavailable) as error:
                    self._has_looked = self._has_tried_separated = False
                    self._waiting[line] = str(error)  # who opened the story now would go on without them
                except NarratoriaException as error:
                    _log.info("%s stays where it is: %s", file.file, error)
        self._left_separated.update(file for file, line in in_vain.items() if line not in self._waiting)

    async def find_separated(self, story_id: str, store: Store) -> tuple[UnsavedTurns, ...]:
        """Return the separated turns of a story."""
        return tuple(
            [
                file
                for file in find_unsaved_turns(self._folders, SEPARATED_FILES)
                if await _story_of(file.header.branch, store) == story_id
            ]
        )

    async def find_obstacle(self, story_id: str, store: Store) -> str | None:
        """Return why the last turns of a story are not in the store, or None if they are."""
        for branch, reason in self._waiting.items():
            if await _story_of(branch, store) == story_id:
                return reason
        return None

    async def _remove_unwanted(self, store: Store) -> None:
        for line in tuple(self._unwanted):
            with contextlib.suppress(NoSuchRecord):  # it never came to be, or its removal was not heard of
                await store.playthroughs.delete(line)
            self._unwanted.discard(line)


async def _story_of(branch: str, store: Store) -> str:
    return await store.stories.of_branch(branch) or branch  # one that the store does not know is a new story


async def write_unsaved_turns(file: UnsavedTurns, store: Store) -> bool:
    """Write the turns of a file into the store and remove it; a second try writes nothing twice.

    Returns False, and leaves the file, if a turn before them is missing or differs.
    """
    header = file.header
    await create_story(store, header)
    line = header.branch
    for turn in file.turns:
        is_undone = turn.replaces_stored or turn.input is None
        stored = (
            await _undo_own(store, line, turn.number, header.session_id)
            if is_undone and store.database.is_shared
            else await undo_to(store, line, turn.number - 1 if is_undone else sys.maxsize)
        )
        line, there = stored.id, stored.turn
        if turn.number <= there:
            if turn.output and scene_digest(turn.output.scene) != await _stored_digest(
                store, line, turn.number
            ):
                return False  # the story has gone on without it
            continue
        if turn.number != there + 1 or (
            turn.previous_digest and turn.previous_digest != await _stored_digest(store, line, there)
        ):
            return False  # nothing may be stored out of its order
        if turn.input is None:
            own = header.session_id if store.database.is_shared else None
            await store.turns.abandon(line, session_id=own)
            continue
        store_turn = await store.turns.begin(
            line,
            msgspec.to_builtins(turn.input),
            session_id=header.session_id,
            follows=await _position(store, line, there) if store.database.is_shared else None,
        )
        if turn.output is None:
            break  # an input without a scene: it is played when the story is opened
        await save_records(store, line, header.session_id, turn.number, turn.records, fence=store_turn.fence)
        await store.turns.finish(
            store_turn, msgspec.to_builtins(turn.output), turn.state, game_time=turn.output.progress.game_time
        )
    file.remove()
    return True


async def _undo_own(store: Store, line: str, number: int, session_id: str) -> Playthrough:
    """Undo a turn and those after it; StoryConflict where another session has told one of them."""
    position = (await store.stories.at_branch(line)).position
    for stored in await store.turns.history(position.branch, first=number):
        if stored.session_id != session_id:
            raise StoryConflict(f"turn {stored.number} of {line} was told on another server since")
    return await undo_to(store, line, number - 1, follows=position, session_id=session_id)


async def _position(store: Store, line: str, turn: int) -> Position:
    """Return where a story stands; StoryConflict when that is not after this turn."""
    position = (await store.stories.at_branch(line)).position
    if (position.branch, position.turn) != (line, turn):
        raise StoryConflict(f"{line} has gone on elsewhere")
    return position


async def write_separated_turns(file: UnsavedTurns, store: Store) -> bool:
    """Write separated turns into the store if they follow exactly what is there, and return whether they do.

    What was played meanwhile stays, and so does an input that waits. NoSuchRecord: the story is gone.
    """
    stored = await undo_to(store, file.header.branch, sys.maxsize)
    for turn in file.turns:
        if turn.number <= stored.turn and (
            turn.output is None
            or scene_digest(turn.output.scene) != await _stored_digest(store, stored.id, turn.number)
        ):
            return False
    rest = tuple(turn for turn in file.turns if turn.number > stored.turn)
    if rest and (
        rest[0].number != stored.turn + 1
        or rest[0].input is None
        or rest[0].previous_digest != await _stored_digest(store, stored.id, stored.turn)
        or not await _is_free(store, stored.id, rest[0].input)
    ):
        return False
    return await write_unsaved_turns(msgspec.structs.replace(file, turns=rest), store)


async def _is_free(store: Store, line: str, turn_input: TurnInput) -> bool:
    """Return whether no other input waits; this one may, if writing it broke off before."""
    waits = await store.turns.unfinished(line)
    return waits is None or msgspec.convert(waits.choice, TurnInput) == turn_input


async def _stored_digest(store: Store, line: str, turn: int) -> str:
    """Return the digest of the scene of a stored turn, or "" for turn 0."""
    if turn == 0:
        return ""
    return scene_digest(msgspec.convert((await store.turns.get(line, turn)).scene, TurnOutput).scene)
