"""Writes the turns of one open story to the store, and to a file of unsaved turns when the store fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.persistence.store_steps import (
    create_story,
    mark_scene,
    require_own_turn,
    save_records,
    undo_to,
)
from narratoria.engine.persistence.turn_record import MemoryRecord, TurnInput, TurnOutput
from narratoria.engine.persistence.unsaved_turns import (
    UnsavedTurn,
    UnsavedTurnLog,
    scene_digest,
)
from narratoria.engine.scene import Scene
from narratoria.engine.shield import shield
from narratoria.errors import Busy, StoreUnavailable, StoryConflict
from narratoria.store.positions import Position

if TYPE_CHECKING:
    from narratoria.store import Playthrough, Store, Turn
    from narratoria.store.engines.database import Writing

T = TypeVar("T")
CLOSE_ATTEMPTS = 10  # some two seconds
RETRY_TIMEOUT_S = 2.0  # once the store is known to be in trouble, no turn waits longer for it
_log = logging.getLogger(__name__)


class StoreState(Enum):
    """Says what the store holds of a story, compared with the story as the player sees it."""

    ABSENT = "absent"
    VALID = "valid"
    STALE_INPUT = "stale input"
    STALE_TURNS = "stale turns"
    STALE = "stale"


# what each state becomes when a turn is undone, and when the store does not take an abandoned input back
_AFTER_UNDO = {
    StoreState.ABSENT: StoreState.ABSENT,
    StoreState.VALID: StoreState.STALE_TURNS,
    StoreState.STALE_INPUT: StoreState.STALE,
    StoreState.STALE_TURNS: StoreState.STALE_TURNS,
    StoreState.STALE: StoreState.STALE,
}
_AFTER_FAILED_ABANDON = {
    StoreState.ABSENT: StoreState.ABSENT,
    StoreState.VALID: StoreState.STALE_INPUT,
    StoreState.STALE_INPUT: StoreState.STALE_INPUT,
    StoreState.STALE_TURNS: StoreState.STALE,
    StoreState.STALE: StoreState.STALE,
}
_WITH_UNDONE_TURNS = (StoreState.STALE_TURNS, StoreState.STALE)


@dataclass(frozen=True, slots=True)
class _FinishedTurn:
    """Holds a finished turn until the store has taken it."""

    number: int
    input: TurnInput
    store_turn: Turn | None  # the turn in the store, when the input was written there
    output: TurnOutput
    state: dict[str, Any]
    records: tuple[MemoryRecord, ...] = ()  # memories of this turn that the store has not taken
    after: str = ""  # the digest of the scene before

    def as_unsaved(self) -> UnsavedTurn:
        return UnsavedTurn(
            number=self.number,
            previous_digest=self.after,
            input=self.input,
            output=self.output,
            state=self.state,
            records=self.records,
        )


class TurnLogWriter:
    """Writes the player's input before a turn is run, and the scene before it is shown.

    When a store of one's own fails, finished turns wait in memory and in the file of unsaved turns, in their
    order, and are written before the next one; a store that servers share refuses the turn instead. `state`
    says what has to be done in the store before that:

    | state       | the store …                  | `undo`      | failed `abandon` | `catch_up`     |
    | ----------- | ---------------------------- | ----------- | ---------------- | -------------- |
    | ABSENT      | does not know the story      | ABSENT      | ABSENT           | creates        |
    | VALID       | has the story, or less of it | STALE_TURNS | STALE_INPUT      |                |
    | STALE_INPUT | may have an abandoned input  | STALE       | STALE_INPUT      | abandons       |
    | STALE_TURNS | may have undone turns        | STALE_TURNS | STALE            | undoes         |
    | STALE       | may have both                | STALE       | STALE            | undoes, abandons |

    A store in which the story is ABSENT has no turn of it, so nothing has to be undone there. In every state
    `catch_up` then writes the turns that wait, and leaves VALID. Independently of the state, a write that
    timed out or was cancelled may still reach the store (`_write_pending`): `catch_up` lets it pass first.

    `branch` is the name of the story in the store, which changes when a turn is undone there. `on_trouble` is
    called once for each problem.
    """

    def __init__(
        self,
        memory_provider: MemoryProvider,
        unsaved_log: UnsavedTurnLog,
        *,
        turn: int = 0,
        state: StoreState = StoreState.VALID,
        position: Position | None = None,
        fence: int | None = None,
        resumes: int | None = None,
        story_id: str = "",
    ) -> None:
        """`position` is where the story stood in the store when it was read, and `resumes` the number of a
        choice that waited there to be told."""
        header = unsaved_log.header
        self.branch, self.state = header.branch, state
        self.on_trouble: Callable[[str], None] = lambda _: None
        self._memory_provider, self._unsaved_log = memory_provider, unsaved_log
        self._session_id, self._story_id = header.session_id, story_id or header.branch
        self._turn = turn  # the last finished one
        self._position, self._resumes = position, resumes
        self.fence = fence  # of the story in the store, as it was last given to this session
        self.is_outdated = False  # another server has gone on with the story: nothing is written any more
        self._input: TurnInput | None = None  # of the turn under way
        self._after = ""  # the digest of the scene in which it was chosen
        self._store_turn: Turn | None = None  # the turn under way in the store
        self._finished: list[_FinishedTurn] = []  # and not in the store
        self._in_file = 0  # how many of them are in the file too, from the first on
        self._write_pending = False
        self._lock = asyncio.Lock()  # one at a time writes finished turns, to the store or to the file
        self._trouble = ""

    @property
    def is_stored(self) -> bool:
        """Return whether the store knows the story."""
        return self.state is not StoreState.ABSENT

    @property
    def is_valid(self) -> bool:
        """Return whether everything that the store has of the story did happen."""
        return self.state is StoreState.VALID

    @property
    def has_stored_input(self) -> bool:
        """Return whether the turn under way is in the store, so that memories can belong to it."""
        return self._store_turn is not None

    @property
    def _is_shared(self) -> bool:
        """Return whether other servers use the same store: nothing is then shown that it has not taken."""
        store = self._memory_provider.open_store
        return store is not None and store.database.is_shared

    @property
    def position(self) -> Position | None:
        """Return where the story stood in the store after the last write of this session."""
        return self._position

    @property
    def unsaved(self) -> int:
        """Return how many finished turns are not in the store."""
        return len(self._finished)

    @property
    def in_memory_only(self) -> int:
        """Return how many finished turns would be lost if the program ended now."""
        return max(0, len(self._finished) - self._in_file)

    @property
    def unsaved_file(self) -> str:
        """Return the file with the turns that are not in the store, or "" when there are none."""
        return str(self._unsaved_log.file) if self._finished and self._unsaved_log.file else ""

    @property
    def trouble(self) -> str:
        """Return why the store cannot be written at the moment, or "" when it can."""
        return self._trouble

    async def begin(
        self, turn_input: TurnInput, scene: Scene | None = None, *, is_resumed: bool = False
    ) -> None:
        """Write the input of the next turn, which the player chose in `scene`, or which waited to be told."""
        if self._store_turn is not None and self._input == turn_input:
            return  # written when the story was created
        self._input, self._store_turn, self._after = turn_input, None, scene_digest(scene)
        if self._is_shared and not is_resumed:
            self._resumes = (
                None  # a choice that waits was accepted, by another server perhaps: it is told first
            )
        try:
            if await self.catch_up():
                self._store_turn = await self._try(lambda store: self._begin(store, turn_input))
        except (Busy, StoryConflict):
            self._input = None
            raise
        if self._store_turn is None and self._is_shared:  # another server would go on without it
            self._input = None
            raise StoreUnavailable(f"this cannot be written down now: {self._trouble}")
        if self._store_turn is None:
            await self._write_to_file(
                UnsavedTurn(number=self._turn + 1, previous_digest=self._after, input=turn_input)
            )

    async def finish(
        self, output: TurnOutput, state: dict[str, Any], records: Sequence[MemoryRecord] = ()
    ) -> None:
        """Write the outcome of the turn under way to the store, or keep it until that is possible."""
        assert self._input is not None
        self._turn += 1
        turn = _FinishedTurn(
            self._turn, self._input, self._store_turn, output, state, tuple(records), self._after
        )
        self._finished.append(turn)
        self._input = self._store_turn = None
        try:
            if turn.store_turn or len(self._finished) > 1 or not self._trouble:
                await self.catch_up()
            is_lost = bool(self._finished) and self._is_shared and not await self._finish_late()
        except (Busy, StoryConflict):  # nobody has seen it: whoever has taken the story tells it
            self._drop_last()
            raise
        if is_lost:
            self._drop_last()
            raise StoryConflict(f"the scene cannot be written down now ({self._trouble}); its choice waits")
        await self._write_finished_to_file()

    async def _finish_late(self) -> bool:
        """Try to write a finished turn for as long as another server waits for this one."""
        for attempt in range(CLOSE_ATTEMPTS):
            await asyncio.sleep(0.01 * 2 ** min(attempt, 6))
            if await self.catch_up():
                return True
        return False

    def _drop_last(self) -> None:
        self._finished.pop()
        self._turn -= 1

    def give_up(self) -> None:
        """Let other servers tell the choice that waits, if one does: this session does not go on with it."""
        if (store := self._memory_provider.open_store) is not None:
            store.presence.give_up(self._story_id)

    async def restart(self, turn_input: TurnInput) -> None:
        """Write the input again, without anything that the store has of the turn."""
        self._store_turn = None
        await self.begin(turn_input)

    async def abandon(self) -> None:
        """Remove the input of the turn under way."""
        self._input = self._store_turn = self._resumes = None
        if self._unsaved_log.file is not None:
            await self._write_to_file(UnsavedTurn(number=self._turn + 1))
        if not self.is_stored or self._finished:
            return  # it is not in the store
        # a write that timed out may still come through before
        if await self._try(self._abandon) is None:
            self.state = _AFTER_FAILED_ABANDON[self.state]
            if self._is_shared:
                self.give_up()
                return  # the choice waits in the store until then
            await self._write_to_file(UnsavedTurn(number=self._turn + 1))

    async def revise(self, turn_input: TurnInput) -> None:
        """Write the input of the last finished turn anew, with the player's revisions; StoreUnavailable."""
        builtins, number = msgspec.to_builtins(turn_input), self._turn

        async def write(store: Store) -> bool:
            self.fence = await store.turns.revise(self.branch, number, builtins, follows=self._position)
            return True

        if not await self.catch_up() or not await self._try(write):
            raise StoreUnavailable(f"this cannot be written down now: {self._trouble}")

    async def redo(self) -> None:
        """Bring the turn back that the last undo took; StoreUnavailable where the store cannot."""

        async def move(store: Store) -> Playthrough:
            redone = await store.playthroughs.redo(
                self.branch, follows=self._position, session_id=self._session_id
            )
            await self._stand_at(store, redone)
            return redone

        playthrough = await self._try(move) if await self.catch_up() else None
        if playthrough is None:
            raise StoreUnavailable(f"this cannot be brought back now: {self._trouble}")
        self.branch, self._turn, self._resumes = playthrough.id, playthrough.turn, None
        self._unsaved_log.move_to(playthrough.id)

    async def undo(self) -> None:
        """Remove the last finished turn, from the store as soon as that is possible."""
        if self._is_shared and self._resumes is not None:
            raise StoryConflict("a choice was made before that waits; it is told first")
        self._input = self._store_turn = self._resumes = None
        if self._finished:
            self._finished.pop()
            self._in_file = min(self._in_file, len(self._finished))
        self._turn -= 1
        self.state = _AFTER_UNDO[self.state]  # a turn that waited may have come through all the same
        if await self.catch_up():
            return
        if self._is_shared:
            raise StoryConflict(f"this cannot be taken back now ({self._trouble}); the story is loaded anew")
        await self._write_to_file(UnsavedTurn(number=self._turn + 1))

    async def catch_up(self) -> bool:
        """Write every turn that waits, and return whether none waits any more."""
        try:
            return bool(await self._try(self._catch_up))
        except (Busy, StoryConflict):
            raise
        except Exception as error:  # noqa: BLE001  a bug in the store loses no turn: it waits
            _log.exception("turns of %s cannot be written", self.branch)
            self._report(f"the store broke down: {error}")
            return False

    async def close(self) -> None:
        """Write what waits, trying several times; what cannot be written stays in the file."""
        if self.is_outdated:
            await self._write_finished_to_file()
            self._unsaved_log.close()
            return
        for attempt in range(CLOSE_ATTEMPTS):
            has_work = self._finished or self.state in _WITH_UNDONE_TURNS
            try:
                if not has_work or await self.catch_up() or not self.in_memory_only:
                    break
            except (Busy, StoryConflict):
                await self._write_finished_to_file()
                break
            await asyncio.sleep(0.01 * 2 ** min(attempt, 6))
        else:
            if self.in_memory_only:  # the disk may have got room, if not for the store
                await self._write_finished_to_file()
        self._unsaved_log.close()

    async def save_before_exit(self) -> None:
        """Put everything on a disk before the program ends in the middle of a turn."""
        for attempt in range(CLOSE_ATTEMPTS):
            await self._write_finished_to_file()
            if not self.in_memory_only or await self.catch_up():
                break
            await asyncio.sleep(0.01 * 2 ** min(attempt, 6))
        async with self._lock:
            if self._input is not None and self._store_turn is None:
                await self._append(
                    UnsavedTurn(number=self._turn + 1, previous_digest=self._after, input=self._input)
                )

    def discard(self) -> None:
        """Forget every unsaved turn: the story was deleted."""
        self._finished.clear()
        self._in_file = 0
        if self.state in _WITH_UNDONE_TURNS:
            self.state = StoreState.STALE_INPUT if self.state is StoreState.STALE else StoreState.VALID
        self._unsaved_log.remove()

    async def _write_to_file(self, turn: UnsavedTurn) -> None:
        await self._write_finished_to_file()
        async with self._lock:
            await self._append(turn)

    async def _write_finished_to_file(self) -> None:
        """Write the turns that are only in memory, in order: each needs the one before it to be recovered."""
        async with self._lock:
            for turn in self._finished[self._in_file :]:
                if not await self._append(turn.as_unsaved()):
                    break
                self._in_file += 1

    async def _append(self, turn: UnsavedTurn) -> bool:
        replaces = self.state in _WITH_UNDONE_TURNS and turn.input is not None
        line = msgspec.structs.replace(turn, replaces_stored=replaces)
        # a turn that is cancelled meanwhile is removed after this line is written, not beside it
        return await shield(asyncio.to_thread(self._unsaved_log.append, line))

    async def _catch_up(self, store: Store) -> bool:
        async with self._lock:
            await self._reconcile(store)
            while self._finished:
                await self._write(store, self._finished[0])
                del self._finished[0]
                self._in_file = max(0, self._in_file - 1)
            self._unsaved_log.remove()
            return True

    async def _reconcile(self, store: Store) -> None:
        """Make the store `VALID`, one step of the table at a time."""
        if self._write_pending or self.state in _WITH_UNDONE_TURNS:
            await store.database.write(_nothing)  # returns after every earlier write
            self._write_pending = False
        if self.state is StoreState.ABSENT:
            await create_story(store, self._unsaved_log.header)
            self._position = Position(self.branch)
            self.state = StoreState.VALID
        if self.state in _WITH_UNDONE_TURNS:
            target = self._turn - len(self._finished)
            line = await undo_to(
                store, self.branch, target, follows=self._position, session_id=self._session_id
            )
            await self._stand_at(store, line)
            self.branch = line.id
            self.state = StoreState.STALE_INPUT if self.state is StoreState.STALE else StoreState.VALID
            self._unsaved_log.move_to(line.id)
        if self.state is StoreState.STALE_INPUT:  # the file says so too, and is removed afterwards
            await self._abandon(store)
            self.state = StoreState.VALID

    async def _write(self, store: Store, turn: _FinishedTurn) -> None:
        output = msgspec.to_builtins(turn.output)
        after = Position(self.branch, turn.number, mark_scene(output))
        if (await store.playthroughs.get(self.branch)).turn >= turn.number:
            # a write that timed out has come through, or another server was quicker
            await require_own_turn(store, after, self._session_id)
            self._position = after
            return
        store_turn = turn.store_turn
        if store_turn is None or store_turn.playthrough_id != self.branch:  # undoing a turn left that branch
            store_turn = await self._begin(store, turn.input)
            self._finished[0] = replace(turn, store_turn=store_turn)
        await save_records(store, self.branch, self._session_id, turn.number, turn.records, fence=self.fence)
        await store.turns.finish(store_turn, output, turn.state, game_time=turn.output.progress.game_time)
        self._position = after

    async def _begin(self, store: Store, turn_input: TurnInput) -> Turn:
        begun = await store.turns.begin(
            self.branch,
            msgspec.to_builtins(turn_input),
            session_id=self._session_id,
            follows=self._position,
            resumes=self._resumes,
        )
        self.fence, self._resumes = begun.fence, None
        return begun

    async def _abandon(self, store: Store) -> bool:
        # where servers share a database, the choice that waits may be another one's
        session_id = self._session_id if store.database.is_shared else None
        return await store.turns.abandon(self.branch, session_id=session_id)

    async def _stand_at(self, store: Store, playthrough: Playthrough) -> None:
        """Take over where the story stands in the store after an undo or a redo."""
        summary = await store.stories.at_branch(playthrough.id)
        if (summary.line, summary.turn) != (playthrough.id, playthrough.turn):
            raise StoryConflict(f"the story {summary.id!r} has gone on elsewhere")
        self._position, self.fence = summary.position, summary.fence

    async def _try(self, work: Callable[[Store], Coroutine[Any, Any, T]]) -> T | None:
        timeout = self._memory_provider.timeout
        if self._trouble:
            timeout = min(timeout, RETRY_TIMEOUT_S)
        try:
            store = await self._memory_provider.store(timeout)
            async with asyncio.timeout(timeout):
                result = await work(store)
        except StoreUnavailable as error:
            self._report(str(error))
            return None
        except asyncio.CancelledError:
            self._write_pending = True
            raise
        except TimeoutError:
            self._write_pending = True
            if not self._trouble:
                self._report(f"the store has not answered in {timeout:g} s")
            return None
        self._trouble = ""
        return result

    def _report(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self.on_trouble(trouble)


def _nothing(_: Writing) -> None:
    """Write nothing: the store runs this after all that was to be written before."""
