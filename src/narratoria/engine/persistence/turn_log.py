"""A story's turns on the disk: the choice before anything is done about it, the scene before it is shown.

When the store cannot be had, the turns wait here in memory and in a file of their own (`unsaved`), in their
order, and are written before the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput
from narratoria.engine.persistence.unsaved_turns import (
    UnsavedTurn,
    UnsavedTurnLog,
    UnsavedTurns,
    UnsavedTurnsHeader,
    mark_of,
)
from narratoria.engine.scene import Scene
from narratoria.engine.shield import whole
from narratoria.errors import NarratoriaException, RecordExists, StoreUnavailable

if TYPE_CHECKING:
    from narratoria.store import Playthrough, Store, Turn
    from narratoria.store.engines.database import Writing

T = TypeVar("T")
Record = tuple[str, dict[str, Any], str]  # its type, what it says, and its name
LAST_TRIES = 10  # some two seconds
IMPATIENT = 2.0  # seconds, once the store is known to be in trouble: nobody waits for it at every turn
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A turn that is told and not written yet."""

    number: int
    chosen: TurnInput
    begun: Turn | None  # of one whose choice is written
    ended: TurnOutput
    state: dict[str, Any]
    records: tuple[Record, ...] = ()  # what the store has not heard of it yet
    after: str = ""

    def as_kept(self) -> UnsavedTurn:
        return UnsavedTurn(
            number=self.number,
            after=self.after,
            chosen=self.chosen,
            ended=self.ended,
            state=self.state,
            records=self.records,
        )


class TurnLogWriter:
    """`line` is the story's name in the store, which changes when a turn is taken back; `on_trouble` hears
    once of each thing in the way."""

    def __init__(
        self,
        memory_provider: MemoryProvider,
        unsaved: UnsavedTurnLog,
        *,
        turn: int = 0,
        stored: bool = True,
    ) -> None:
        about = unsaved.heading
        self.line, self.stored = about.line, stored  # not stored: the store does not know the story yet
        self._memory_provider, self._unsaved_log = memory_provider, unsaved
        self.on_trouble: Callable[[str], None] = lambda _: None
        self._sitting = about.sitting
        self._turn = turn  # the last one that was told
        self._chosen: TurnInput | None = None
        self._after = ""  # the mark of the scene in which that was chosen
        self._begun: Turn | None = None
        self._waiting: list[_Waiting] = []
        self._spilled = 0  # turns that wait in the file too, the first of them
        self._ahead = False  # the store may have turns that were taken back
        self._given_up = False  # the store may have a choice that was taken back
        self._late = False  # something was given up on, and may still be written
        self._writing = asyncio.Lock()  # whoever writes what waits, or puts it aside, does it alone
        self._complaint = ""

    @property
    def unwritten(self) -> int:
        """How many turns are not in the store."""
        return len(self._waiting)

    @property
    def homeless(self) -> int:
        """How many turns would be lost if the program ended now."""
        return max(0, len(self._waiting) - self._spilled)

    @property
    def spilled_to(self) -> str:
        """The file with the turns that are not in the store."""
        return str(self._unsaved_log.file) if self._waiting and self._unsaved_log.file else ""

    @property
    def has_begun(self) -> bool:
        """Whether the turn under way is in the store: what its skills leave there belongs to it."""
        return self._begun is not None

    @property
    def stands(self) -> bool:
        """Whether the store is where the story is, or behind it: what it remembers did happen."""
        return self.stored and not (self._ahead or self._given_up)

    @property
    def complaint(self) -> str:
        """What is in the way at the moment."""
        return self._complaint

    async def begin(self, chosen: TurnInput, scene: Scene | None = None) -> None:
        """The choice is on the disk when this returns, or what is in the way has been told; `scene` is where
        it was made."""
        if self._begun is not None and self._chosen == chosen:
            return  # it has been there since the story was begun
        self._chosen, self._begun, self._after = chosen, None, mark_of(scene)
        if await self.catch_up():
            self._begun = await self._try(
                lambda store: store.turns.begin(
                    self.line, msgspec.to_builtins(chosen), session_id=self._sitting
                )
            )
        if self._begun is None:
            await self._put_aside(UnsavedTurn(number=self._turn + 1, after=self._after, chosen=chosen))

    async def finish(self, ended: TurnOutput, state: dict[str, Any], records: Sequence[Record] = ()) -> None:
        """The scene is on the disk when this returns, or waits for a better moment."""
        assert self._chosen is not None
        self._turn += 1
        waiting = _Waiting(self._turn, self._chosen, self._begun, ended, state, tuple(records), self._after)
        self._waiting.append(waiting)
        self._chosen = self._begun = None
        if waiting.begun or len(self._waiting) > 1 or not self._complaint:
            await self.catch_up()
        await self._put_rest_aside()

    async def begin_again(self, chosen: TurnInput) -> None:
        """The choice stays, and nothing of what was done about it."""
        self._begun = None
        await self.begin(chosen)

    async def abandon(self) -> None:
        """Takes the choice back."""
        self._chosen = self._begun = None
        if self._unsaved_log.file is not None:
            await self._put_aside(UnsavedTurn(number=self._turn + 1))
        if not self.stored or self._waiting:
            return  # it is not in the store
        # a write that was given up on may still come through before
        if await self._try(lambda store: store.turns.abandon(self.line)) is None:
            self._given_up = True
            await self._put_aside(UnsavedTurn(number=self._turn + 1))

    async def take_back(self) -> None:
        """The last turn was never told: in the store at once, or as soon as that can be had."""
        self._chosen = self._begun = None
        if self._waiting:
            self._waiting.pop()
            self._spilled = min(self._spilled, len(self._waiting))
        self._turn -= 1
        self._ahead = True  # one that waited may have come through all the same
        if not await self.catch_up():
            await self._put_aside(UnsavedTurn(number=self._turn + 1))

    async def catch_up(self) -> bool:
        """Writes what waits; whether nothing waits any more."""
        try:
            return bool(await self._try(self._catch_up))
        except Exception as error:  # noqa: BLE001  a bug of the store's costs nothing that was told: it waits
            _log.exception("turns of %s cannot be written", self.line)
            self._complain(f"the store broke down: {error}")
            return False

    async def close(self) -> None:
        """Writes what waits, with some patience: what cannot be written now waits in the file."""
        for number in range(LAST_TRIES):
            if not (self._waiting or self._ahead) or await self.catch_up() or not self.homeless:
                break
            await asyncio.sleep(0.01 * 2 ** min(number, 6))
        else:
            if self.homeless:  # the disk may have got room, if not for the store
                await self._put_rest_aside()
        self._unsaved_log.close()

    async def break_off(self) -> None:
        """The program ends in the middle of a turn: what no disk took before gets some more tries, and the
        choice is told by the next start."""
        for number in range(LAST_TRIES):
            await self._put_rest_aside()
            if not self.homeless or await self.catch_up():
                break
            await asyncio.sleep(0.01 * 2 ** min(number, 6))
        async with self._writing:
            if self._chosen is not None and self._begun is None:
                await self._add(UnsavedTurn(number=self._turn + 1, after=self._after, chosen=self._chosen))

    def discard(self) -> None:
        """Nothing of it is wanted any more: the story was deleted."""
        self._waiting.clear()
        self._spilled, self._ahead = 0, False
        self._unsaved_log.remove()

    async def _put_aside(self, kept: UnsavedTurn) -> None:
        await self._put_rest_aside()
        async with self._writing:
            await self._add(kept)

    async def _put_rest_aside(self) -> None:
        """What waits in memory alone, in its order: no turn can be brought in without the one before it."""
        async with self._writing:
            for waiting in self._waiting[self._spilled :]:
                if not await self._add(waiting.as_kept()):
                    break
                self._spilled += 1

    async def _add(self, kept: UnsavedTurn) -> bool:
        anew = self._ahead and kept.chosen is not None
        line = msgspec.structs.replace(kept, anew=anew)
        # a turn that is given up meanwhile is taken back after this line, not beside it
        return await whole(asyncio.to_thread(self._unsaved_log.add, line))

    async def _catch_up(self, store: Store) -> bool:
        async with self._writing:
            if self._late or self._ahead:
                await store.database.write(_nothing)  # after what is still being written, what is read is so
                self._late = False
            if not self.stored:
                await _create(store, self._unsaved_log.heading)
                self.stored = True
            if self._ahead:
                line = await back_to(store, self.line, self._turn - len(self._waiting))
                self.line, self._ahead = line.id, False
                self._unsaved_log.move_to(line.id)
            if self._given_up:  # the file says so, and is removed here
                await store.turns.abandon(self.line)
                self._given_up = False
            while self._waiting:
                await self._write(store, self._waiting[0])
                del self._waiting[0]
                self._spilled = max(0, self._spilled - 1)
            self._unsaved_log.remove()
            return True

    async def _write(self, store: Store, waiting: _Waiting) -> None:
        if (await store.playthroughs.get(self.line)).turn >= waiting.number:
            return  # a write that took too long has come through
        begun = waiting.begun
        if begun is None or begun.playthrough_id != self.line:  # before an undoing, which left that line
            begun = await store.turns.begin(
                self.line, msgspec.to_builtins(waiting.chosen), session_id=self._sitting
            )
            self._waiting[0] = replace(waiting, begun=begun)
        await _remember(store, self.line, self._sitting, waiting.number, waiting.records)
        await store.turns.finish(
            begun,
            msgspec.to_builtins(waiting.ended),
            waiting.state,
            game_time=waiting.ended.progress.game_time,
        )

    async def _try(self, work: Callable[[Store], Coroutine[Any, Any, T]]) -> T | None:
        patience = (
            min(self._memory_provider.patience, IMPATIENT)
            if self._complaint
            else self._memory_provider.patience
        )
        try:
            store = await self._memory_provider.store(patience)
            async with asyncio.timeout(patience):
                done = await work(store)
        except StoreUnavailable as error:
            self._complain(str(error))
            return None
        except asyncio.CancelledError:
            self._late = True
            raise
        except TimeoutError:
            self._late = True
            if not self._complaint:
                self._complain(f"the store has not answered in {patience:g} s")
            return None
        self._complaint = ""
        return done

    def _complain(self, reason: str) -> None:
        if reason != self._complaint:
            self._complaint = reason
            self.on_trouble(reason)


async def bring_in(found: UnsavedTurns, store: Store) -> bool:
    """Writes what was put aside into the store, once however often it is tried, and removes the file; not
    where a turn is missing before one that it holds, or is another than the one it followed."""
    about = found.heading
    await _create(store, about)
    line = about.line
    for kept in found.turns:
        taken_back = kept.anew or kept.chosen is None
        told = await back_to(store, line, kept.number - 1 if taken_back else sys.maxsize)
        line, there = told.id, told.turn
        if kept.number <= there:
            if kept.ended and mark_of(kept.ended.scene) != await _mark(store, line, kept.number):
                return False  # the story has gone on without it
            continue
        if kept.number != there + 1 or (kept.after and kept.after != await _mark(store, line, there)):
            return False  # nothing may be told out of its order
        if kept.chosen is None:
            await store.turns.abandon(line)
            continue
        begun = await store.turns.begin(line, msgspec.to_builtins(kept.chosen), session_id=about.sitting)
        if kept.ended is None:
            break  # a choice that was made and not told: it is told when the story is opened
        await _remember(store, line, about.sitting, kept.number, kept.records)
        await store.turns.finish(
            begun, msgspec.to_builtins(kept.ended), kept.state, game_time=kept.ended.progress.game_time
        )
    found.remove()
    return True


async def bring_back(found: UnsavedTurns, store: Store) -> bool:
    """Writes turns that were set apart into the store, where they go on from just what is there now.

    What was played meanwhile stays: nothing is taken back for them, nor a choice that waits to be told.
    NoSuchRecord when the story is gone.
    """
    told = await back_to(store, found.heading.line, sys.maxsize)
    for kept in found.turns:
        if kept.number <= told.turn and (
            kept.ended is None or mark_of(kept.ended.scene) != await _mark(store, told.id, kept.number)
        ):
            return False
    rest = tuple(kept for kept in found.turns if kept.number > told.turn)
    if rest and (
        rest[0].number != told.turn + 1
        or rest[0].chosen is None
        or rest[0].after != await _mark(store, told.id, told.turn)
        or not await _is_free(store, told.id, rest[0].chosen)
    ):
        return False
    return await bring_in(msgspec.structs.replace(found, turns=rest), store)


async def _is_free(store: Store, line: str, chosen: TurnInput) -> bool:
    """Whether no choice waits to be told, other than this one: its writing broke off before."""
    waits = await store.turns.unfinished(line)
    return waits is None or msgspec.convert(waits.choice, TurnInput) == chosen


async def _mark(store: Store, line: str, turn: int) -> str:
    """Of the scene in which a turn of the store ended."""
    if turn == 0:
        return ""
    return mark_of(msgspec.convert((await store.turns.get(line, turn)).scene, TurnOutput).scene)


async def back_to(store: Store, line: str, turn: int) -> Playthrough:
    """The line on which the story has no turn after this one, however often it is asked for."""
    told = await store.playthroughs.get(line)
    while told.superseded_by is not None:  # an undoing that took too long has come through
        told = await store.playthroughs.get(told.superseded_by)
    while told.turn > turn:
        told = await store.playthroughs.undo(told.id)
    return told


def _nothing(_: Writing) -> None:
    """All that was to be written before is."""


async def _create(store: Store, about: UnsavedTurnsHeader) -> None:
    with contextlib.suppress(RecordExists):  # a write that took too long has come through
        await store.playthroughs.create(
            about.campaign, title=about.title, seed=about.seed, identifier=about.line
        )


async def _remember(store: Store, line: str, sitting: str, turn: int, records: Sequence[Record]) -> None:
    """A turn is worth more than the memory of it."""
    if not records:
        return
    try:
        await store.at(line, sitting, turn).store_all(records)
    except StoreUnavailable:
        raise
    except NarratoriaException as error:
        _log.info("turn %d of %s is not remembered: %s", turn, line, error)
