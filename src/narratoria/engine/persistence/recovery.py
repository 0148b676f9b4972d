"""What the store could not be told in its time: brought in before anybody looks at it again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from narratoria.engine.persistence.story import Lines
from narratoria.engine.persistence.turn_log import create_story, save_records, undo_to
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput
from narratoria.engine.persistence.unsaved_turns import (
    APART,
    UnsavedTurns,
    find_unsaved_turns,
    scene_digest,
)
from narratoria.errors import NarratoriaException, NoSuchRecord, StoreUnavailable

if TYPE_CHECKING:
    from narratoria.store import Store

_log = logging.getLogger(__name__)


class UnsavedTurnRecovery:
    """Of one home: turns that wait in files, by an earlier run or since a story was closed, and lines that
    nobody wants."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        self._places = places
        self._looked = self._brought_back = False
        self._looking = asyncio.Lock()
        self._left_apart: set[Path] = set()  # looked at in vain: their stories may be open by now
        self._waiting: dict[str, str] = {}  # lines of which something cannot be written yet, and why
        self._unwanted: set[str] = set()

    def look_again(self) -> None:
        """Something was put aside."""
        self._looked = False

    async def remove(self, line: str, store: Store) -> None:
        """Now, or as soon as the store can be had."""
        self._unwanted.add(line)
        with contextlib.suppress(StoreUnavailable):
            await self._remove_unwanted(store)

    async def settle(self, store: Store) -> None:
        async with self._looking:  # nobody sees it half written
            await self._remove_unwanted(store)
            if self._looked:
                return
            self._looked = True
            self._waiting.clear()
            await self._write_unsaved(store)
            if self._looked:  # a turn that was missing may have come from another place since
                await self._write_unsaved(store, again=True)
            if not self._brought_back:
                await self._write_separated(store)

    async def _write_unsaved(self, store: Store, *, again: bool = False) -> None:
        """What cannot be brought in is set apart: a story that goes on would write over it."""
        for found in find_unsaved_turns(self._places):
            try:
                if await write_unsaved_turns(found, store) or not again:
                    continue
                reason = "the turn before them is missing, or is another one"
            except asyncio.CancelledError:  # whoever asked has gone; the next one finds the rest
                self._looked = False
                raise
            except StoreUnavailable as error:
                self._looked = False  # the file stays where it is
                self._waiting[found.header.branch] = str(error)
                continue
            except NarratoriaException as error:
                reason = str(error)
            _log.warning(
                "turns of %s cannot be brought in: %s; they wait in %s for the turn before",
                found.header.branch,
                reason,
                found.set_apart(),
            )

    async def _write_separated(self, store: Store) -> None:
        """What was set apart, where the turns before it have come since: once, before its story is open."""
        in_vain: dict[Path, str] = {}
        more = True
        while more:
            more, self._brought_back = False, True
            for found in find_unsaved_turns(self._places, APART):
                line = found.header.branch
                if found.file in self._left_apart:
                    continue
                if line in self._waiting:  # what was put aside comes first
                    self._brought_back = False
                    continue
                try:
                    if await write_separated_turns(found, store):
                        _log.info("turns of %s that were set apart are brought in", line)
                        more = True  # others may follow them
                    else:
                        in_vain[found.file] = line
                except asyncio.CancelledError:
                    self._looked = self._brought_back = False
                    raise
                except StoreUnavailable as error:
                    self._looked = self._brought_back = False
                    self._waiting[line] = str(error)  # who opened the story now would go on without them
                except NarratoriaException as error:
                    _log.info("%s stays where it is: %s", found.file, error)
        self._left_apart.update(file for file, line in in_vain.items() if line not in self._waiting)

    def forget(self, story_id: str, lines: Lines) -> None:
        """Nothing is left of a story that is deleted."""
        for found in find_unsaved_turns(self._places, APART):
            if lines.story_of(found.header.branch) == story_id:
                found.remove()

    def in_the_way(self, line: str, lines: Lines) -> str | None:
        """Why the last turns of a line are not in the store."""
        return next(
            (reason for waiting, reason in self._waiting.items() if lines.told_on(waiting) == line), None
        )

    async def _remove_unwanted(self, store: Store) -> None:
        for line in tuple(self._unwanted):
            with contextlib.suppress(NoSuchRecord):  # it never came to be, or its removal was not heard of
                await store.playthroughs.delete(line)
            self._unwanted.discard(line)


async def write_unsaved_turns(found: UnsavedTurns, store: Store) -> bool:
    """Writes what was put aside into the store, once however often it is tried, and removes the file; not
    where a turn is missing before one that it holds, or is another than the one it followed."""
    about = found.header
    await create_story(store, about)
    line = about.branch
    for kept in found.turns:
        taken_back = kept.replaces_stored or kept.input is None
        told = await undo_to(store, line, kept.number - 1 if taken_back else sys.maxsize)
        line, there = told.id, told.turn
        if kept.number <= there:
            if kept.output and scene_digest(kept.output.scene) != await _stored_digest(
                store, line, kept.number
            ):
                return False  # the story has gone on without it
            continue
        if kept.number != there + 1 or (
            kept.previous_digest and kept.previous_digest != await _stored_digest(store, line, there)
        ):
            return False  # nothing may be told out of its order
        if kept.input is None:
            await store.turns.abandon(line)
            continue
        begun = await store.turns.begin(line, msgspec.to_builtins(kept.input), session_id=about.session_id)
        if kept.output is None:
            break  # a choice that was made and not told: it is told when the story is opened
        await save_records(store, line, about.session_id, kept.number, kept.records)
        await store.turns.finish(
            begun, msgspec.to_builtins(kept.output), kept.state, game_time=kept.output.progress.game_time
        )
    found.remove()
    return True


async def write_separated_turns(found: UnsavedTurns, store: Store) -> bool:
    """Writes turns that were set apart into the store, where they go on from just what is there now.

    What was played meanwhile stays: nothing is taken back for them, nor a choice that waits to be told.
    NoSuchRecord when the story is gone.
    """
    told = await undo_to(store, found.header.branch, sys.maxsize)
    for kept in found.turns:
        if kept.number <= told.turn and (
            kept.output is None
            or scene_digest(kept.output.scene) != await _stored_digest(store, told.id, kept.number)
        ):
            return False
    rest = tuple(kept for kept in found.turns if kept.number > told.turn)
    if rest and (
        rest[0].number != told.turn + 1
        or rest[0].input is None
        or rest[0].previous_digest != await _stored_digest(store, told.id, told.turn)
        or not await _is_free(store, told.id, rest[0].input)
    ):
        return False
    return await write_unsaved_turns(msgspec.structs.replace(found, turns=rest), store)


async def _is_free(store: Store, line: str, chosen: TurnInput) -> bool:
    """Whether no choice waits to be told, other than this one: its writing broke off before."""
    waits = await store.turns.unfinished(line)
    return waits is None or msgspec.convert(waits.choice, TurnInput) == chosen


async def _stored_digest(store: Store, line: str, turn: int) -> str:
    """Of the scene in which a turn of the store ended."""
    if turn == 0:
        return ""
    return scene_digest(msgspec.convert((await store.turns.get(line, turn)).scene, TurnOutput).scene)
