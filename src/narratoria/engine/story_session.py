"""Runs one open story: takes what the player does, and gives back events and scenes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Protocol, TypeAlias

import msgspec

from narratoria.contracts.content_limits import NO_LIMITS
from narratoria.engine import events
from narratoria.engine.content_limits import LoadedLimits
from narratoria.engine.event_relay import EventRelay, state_patch
from narratoria.engine.events import StoryEvent
from narratoria.engine.memory.follow import follow_revision
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.persistence.event_log import EventLog
from narratoria.engine.persistence.story import Story
from narratoria.engine.persistence.turn_log import TurnLogWriter
from narratoria.engine.persistence.turn_record import TurnInput, TurnOutput, TurnTrace
from narratoria.engine.revisions import ParagraphEdit, Revision, apply_revisions, is_about
from narratoria.engine.scene import BEGIN, Choice, Scene
from narratoria.engine.shield import log_failure, run_to_completion, wait_until_done
from narratoria.engine.skill_warnings import StoryWarning
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.turn import TurnDependencies, play_turn, read_ahead, read_or_give_up
from narratoria.errors import (
    Busy,
    ContractViolation,
    NarratoriaException,
    Problem,
    StoreUnavailable,
    StoryConflict,
    TurnGivenUp,
)
from narratoria.planner.intent import Question
from narratoria.planning.replan import Fallback

LONGEST_PAUSE = 300.0  # seconds between a scene and the choice that still count as playing
MOST_IN_MEMORY = 20  # earlier snapshots, to undo turns that were never written
_log = logging.getLogger(__name__)
LONGEST_ACTION = 2000  # characters of an action that is typed
OFF = "The {skill} skill is off because it failed before."


# the snapshot before the last turn, and the input that led to it
Before: TypeAlias = tuple[StorySnapshot, TurnInput | None]
BuildDependencies: TypeAlias = Callable[[], TurnDependencies]  # called for every turn: skills come and go


class SessionHistory(Protocol):
    """Reads and branches the log of an open story."""

    async def before(self, session: StorySession) -> Before: ...

    async def can_redo(self, session: StorySession) -> bool: ...

    async def after_redo(
        self, session: StorySession
    ) -> tuple[StorySnapshot, TurnInput, Sequence[Revision]]: ...

    async def create_branch(self, session: StorySession, at_turn: int, title: str | None) -> Story: ...


class Activity(Enum):
    """Says what a story session is doing."""

    IDLE = "idle"
    TURN = "turn"
    UNDO = "undo"
    REVISION = "revision"


class StorySession:
    """Runs the turns of one open story, one at a time; `Library.begin` and `Library.open` make it.

    | activity | choose, say, resume, retry | undo, redo | revise   | cancel              | close           |
    | -------- | -------------------------- | ---------- | -------- | ------------------- | --------------- |
    | IDLE     | TURN                       | UNDO       | REVISION | nothing             | closes          |
    | TURN     | Busy                       | Busy       | Busy     | stops it, then IDLE | cancels, closes |
    | UNDO     | Busy                       | Busy       | Busy     | waits for it        | waits, closes   |
    | REVISION | Busy                       | Busy       | Busy     | waits for it        | waits, closes   |

    Once `is_closed` is set, which happens before the activity under way has ended, everything is refused with
    Busy. Reading ahead for the next turn (`_read_ahead`) goes on beside all of this.
    """

    def __init__(
        self,
        story: Story,
        snapshot: StorySnapshot,
        *,
        build_dependencies: BuildDependencies,
        turn_log: TurnLogWriter,
        memory: StoryMemory,
        log: EventLog,
        last: TurnInput | None = None,
        interrupted_input: TurnInput | None = None,
        history: SessionHistory,
        on_close: Callable[[StorySession], None],
        own_words: bool = True,
        content_rating: str = "",
        read_limits: Callable[[], LoadedLimits] = lambda: LoadedLimits(NO_LIMITS),
    ) -> None:
        self.story, self.snapshot, self.log = story, snapshot, log
        self.turn_log, self.memory = turn_log, memory
        self._read_limits = read_limits
        self.own_words = own_words  # whether the campaign lets players say what they do
        self.content_rating = content_rating  # of the campaign
        self.interrupted_input = interrupted_input  # an input that the program ended before it was played
        # of a story without a scene: who plays it, too
        self._beginning = interrupted_input or TurnInput(choice=BEGIN)
        self.opened_at = log.last  # later events belong to this session
        self._build_dependencies, self._history = build_dependencies, history
        self._on_close = on_close
        self._activity = Activity.IDLE
        self._task: asyncio.Task[Any] | None = None  # of the turn or the undo under way
        self._read_ahead: asyncio.Task[None] | None = None
        self._last = last  # the input that led to the present scene
        self.takes = last.take + 1 if last else 1  # how often the present scene was told
        self._earlier: deque[Before] = deque(maxlen=MOST_IN_MEMORY)
        self._under_way = 0  # the number of the turn under way
        self._warnings_shown: set[StoryWarning] = set()
        self._shown_at = self._used_at = time.monotonic()
        self.is_closed = False
        self.is_told_elsewhere = False  # another server tells the next turn
        self._begun = asyncio.Event()  # set when the choice of the turn under way is written down
        turn_log.on_trouble = self._on_store_trouble

    @property
    def busy(self) -> bool:
        return self._activity is not Activity.IDLE

    def is_idle(self, seconds: float) -> bool:
        """Return whether nobody has used it for so long, nor listens to its events."""
        return not (self.busy or self.log.has_listeners) and time.monotonic() - self._used_at >= seconds

    def touch(self) -> None:
        """Record that it is used now."""
        self._used_at = time.monotonic()

    @property
    def scene(self) -> Scene | None:
        return self.snapshot.scene

    @property
    def take(self) -> int:
        """Return which telling of the present scene this is, from 0 on."""
        return self._last.take if self._last else 0

    @property
    def mark(self) -> str:
        """Return the mark of the present scene in the store; empty while the store has not taken it."""
        position = self.turn_log.position
        return position.mark if position is not None and self.is_saved else ""

    @property
    def is_saved(self) -> bool:
        """Return whether every finished turn is in the store."""
        return not self.turn_log.unsaved

    async def resume(self) -> Scene:
        """Return the present scene, after the first or the interrupted turn has been played."""
        if self.interrupted_input is not None:
            return await self._run(self.interrupted_input)
        return self.scene or await self._run(TurnInput(choice=BEGIN))

    async def choose(self, choice: int | Choice) -> Scene:
        """Play a turn with one of the choices, given by its index or itself, and return the scene.

        Raises Busy while another turn is played, and TurnGivenUp when the turn is cancelled."""
        if isinstance(choice, int):
            choices = self.scene.choices if self.scene else (BEGIN,)
            if not 0 <= choice < len(choices):
                message = f"there are choices 0 to {len(choices) - 1}, and no choice {choice}"
                raise ContractViolation([Problem(message, "/choice")])
            choice = choices[choice]
        return await self._run(TurnInput(choice=choice))

    async def say(self, text: str) -> Scene:
        """Play a turn with an action in the player's own words, and return the scene.

        Words that cannot be made out play no turn: `AskedBack` is emitted, and the present scene returned."""
        words = " ".join(text.split())
        if not words or len(words) > LONGEST_ACTION:
            message = f"an action has 1 to {LONGEST_ACTION} characters, and this one {len(words)}"
            raise ContractViolation([Problem(message, "/text")])
        scene = self.scene
        if scene is not None and (question := await self._find_question(words)):
            self._emit(events.AskedBack(words=words, question=question.text, readings=question.readings))
            return scene
        if self.scene is not scene:  # while the words were read
            raise StoryConflict("the story has gone on meanwhile; read on, and say it there")
        return await self._run(TurnInput(choice=Choice(text=words)))

    async def _find_question(self, words: str) -> Question | None:
        """Return what is asked back where the words cannot be made out; asking costs no turn."""
        self._refuse_when_busy()
        dependencies = self._build_dependencies()
        if dependencies.ask_back is None or self.snapshot.progress.ending:
            return None
        reading = dependencies.ask_back(words, self.snapshot)
        return await read_or_give_up(reading, dependencies.reading_timeout_s)

    async def cancel(self) -> None:
        """Stop the turn under way; the story is as it was before the choice.

        Raises Busy where another server tells it."""
        if self.is_told_elsewhere and not (self.busy or self.is_closed):
            raise Busy("the story is being told on another server; wait for the scene")
        if self._activity in (Activity.UNDO, Activity.REVISION) and self._task is not None:
            await asyncio.wait([self._task])
            await asyncio.sleep(0)  # a retry begins its turn after it
        if self._activity is Activity.TURN and (turn := self._task) is not None:
            turn.cancel()
            await asyncio.wait([turn])

    async def retry(self, take: int | None = None) -> Scene:
        """Play the last turn again in other words, or in those of an earlier take.

        Dice that were shown stay as they fell."""
        if self.interrupted_input is not None or self.scene is None:
            return await self.resume()
        last = self._last
        if last is None:
            raise ContractViolation([Problem("there is no last choice to tell anew")])
        takes = self.takes
        take = takes if take is None else take
        if not 0 <= take <= takes:
            raise ContractViolation([Problem(f"there are takes 0 to {takes - 1}, and no {take}", "/take")])
        luck = last.luck if self.scene.roll else take
        await self.undo()
        health = self.snapshot.health.with_another_chance()
        self.snapshot = msgspec.structs.replace(self.snapshot, health=health)
        scene = await self._run(msgspec.structs.replace(last, take=take, luck=luck))
        self.takes = max(takes, take + 1)
        return scene

    async def undo(self) -> None:
        """Undo the last turn, with what its skills have stored."""
        self._refuse_when_busy()
        if len(self.snapshot.scenes) < 2:
            raise ContractViolation([Problem("there is nothing to undo: this is where the story begins")])
        await self._alone(Activity.UNDO, self._undo())

    async def _alone(self, activity: Activity, work: Coroutine[Any, Any, None]) -> None:
        """Run an undo, a redo or a revision to its end, and nothing beside it."""
        running = self._task = asyncio.create_task(work)
        self._activity = activity
        try:
            await asyncio.shield(running)
        except StoryConflict:
            self.leave_to_others()
            raise
        except asyncio.CancelledError:  # it is not stopped halfway
            await wait_until_done(running)
            if not running.cancelled() and (error := running.exception()):
                _log.warning("the %s of a turn of %s failed: %s", activity.value, self.story.id, error)
            raise
        finally:
            self._activity, self._task = Activity.IDLE, None
            self.touch()

    async def _undo(self) -> None:
        # read before anything is changed: a store that breaks off then leaves the story as it is
        snapshot, last = self._earlier[-1] if self._earlier else await self._history.before(self)
        if self._earlier:
            self._earlier.pop()
        revisions = self.snapshot.revisions
        await self.turn_log.undo()
        self._stand_at(snapshot, last)
        await self._carry(revisions)
        self._emit(events.TurnUndone(scene=self.scene))

    async def can_redo(self) -> bool:
        """Return whether the last undo can be taken back: nothing was told since."""
        try:
            return self.turn_log.is_valid and await self._history.can_redo(self)
        except StoreUnavailable:
            return False

    async def redo(self) -> Scene:
        """Bring back the turn that the last undo took, with all that was remembered of it."""
        self._refuse_when_busy()
        await self._alone(Activity.UNDO, self._redo())
        assert self.scene is not None
        return self.scene

    async def _redo(self) -> None:
        if not await self.can_redo():
            raise ContractViolation([Problem("there is nothing to redo")])
        await self.turn_log.redo()
        snapshot, last, made_since = await self._history.after_redo(self)
        self._earlier.clear()  # an undo reads what is before it from the log of the branch that is back
        self._stand_at(snapshot, last)
        await self._carry(made_since)
        assert self.scene is not None
        self._emit(events.SceneReady(scene=self.scene, mark=self.mark))

    def _stand_at(self, snapshot: StorySnapshot, last: TurnInput | None) -> None:
        self.snapshot, self._last, self.interrupted_input = snapshot, last, None
        self.takes = last.take + 1 if last else 1
        self.memory.branch = self.turn_log.branch if self.turn_log.is_valid else None
        self.memory.turn, self.memory.fence = snapshot.progress.scene, self.turn_log.fence
        self._update(self.story.seconds_played)

    async def revise(self, plan: Callable[[], Awaitable[Revision | None]]) -> None:
        """Write down what the player changes besides playing; the story goes on from it.

        Raises StoreUnavailable where it cannot be written; the story is then as it was."""
        self._refuse_when_busy()
        if self.scene is None:
            raise ContractViolation([Problem("the story has not begun")])
        await self._alone(Activity.REVISION, self._revise(plan))

    async def _revise(self, plan: Callable[[], Awaitable[Revision | None]]) -> None:
        revision = await plan()
        if revision is None:
            return  # it is so already
        number = revision.scene if isinstance(revision, ParagraphEdit) else 0
        before = next((scene for scene in self.snapshot.scenes if scene.number == number), None)
        snapshot = apply_revisions(self.snapshot, (revision,))
        await self._log_revisions(snapshot)
        await follow_revision(self.memory, revision, before)
        self.snapshot = snapshot
        self._stop_reading_ahead()
        after = next((scene for scene in snapshot.scenes if scene.number == number), None)
        self._emit(events.StoryRevised(scene=after))

    async def _log_revisions(self, snapshot: StorySnapshot) -> None:
        assert self._last is not None
        self._last = msgspec.structs.replace(self._last, revisions=snapshot.revisions)
        await self.turn_log.revise(self._last)
        self.memory.fence = self.turn_log.fence

    async def _carry(self, revisions: Sequence[Revision]) -> None:
        """Keep what the player has changed, as far as it says something of the story as it stands."""
        last, logged = self.snapshot.progress.scene, self.snapshot.revisions
        carried_revisions = [one for one in revisions if is_about(one, last) and one not in logged]
        if not carried_revisions:
            return
        self.snapshot = apply_revisions(self.snapshot, carried_revisions)
        try:
            await self._log_revisions(self.snapshot)
            for revision in carried_revisions:
                await follow_revision(self.memory, revision)
        except NarratoriaException as error:
            _log.warning("what the player changed in %s is not written down: %s", self.story.id, error)

    async def branch(self, at_turn: int, title: str | None = None) -> Story:
        """Create another story that shares the scenes up to a turn with this one."""
        self._refuse_when_busy()
        return await self._history.create_branch(self, at_turn, title)

    async def wait_until_begun(self, turn: asyncio.Task[Any]) -> None:
        """Wait until the choice of a turn is written down, or the turn has ended without that."""
        begun = asyncio.create_task(self._begun.wait())
        await asyncio.wait({turn, begun}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()

    def leave_to_others(self) -> None:
        """Write nothing more: another server has gone on with the story, which is to be loaded anew."""
        if not self.turn_log.is_outdated:
            self.turn_log.is_outdated = True
            self.turn_log.give_up()
            self._emit(events.StoryMoved())

    async def close(self, *, is_deleted: bool = False) -> None:
        """Stop the turn under way and write what is unsaved, or drop it if the story was deleted."""
        if self.is_closed:
            return
        self.is_closed = True
        self._stop_reading_ahead()
        self.memory.late_recall.discard()
        try:
            await self.cancel()
            if is_deleted:
                self.turn_log.discard()
            await self.turn_log.close()
        except asyncio.CancelledError:
            self.is_closed = False  # unsaved turns wait in memory for the next try
            raise
        self.log.close()
        self._on_close(self)

    # one turn

    async def _run(self, turn_input: TurnInput) -> Scene:
        self._refuse_when_busy()
        if self.scene is None and turn_input.choice == BEGIN:
            turn_input = self._beginning
        loaded = self._read_limits()
        self._warn((StoryWarning(loaded.problem),) if loaded.problem else (), kind="settings")
        turn_input = msgspec.structs.replace(turn_input, limits=loaded.limits, revisions=())
        self._begun.clear()
        running = self._task = asyncio.create_task(self._turn(turn_input))
        self._activity = Activity.TURN
        try:
            return await asyncio.shield(running)
        except StoryConflict:
            self.leave_to_others()
            raise
        except asyncio.CancelledError:
            running.cancel()  # the caller was cancelled: so is the turn
            await wait_until_done(running)
            if asyncio.current_task() is not None and not _is_cancelling():
                raise TurnGivenUp(
                    "the turn was cancelled; the story is as it was before the choice"
                ) from None
            raise
        finally:
            self._activity, self._task, self._under_way = Activity.IDLE, None, 0
            self._begun.clear()
            self.touch()

    async def _turn(self, turn_input: TurnInput) -> Scene:
        before = self.snapshot
        number = self._under_way = before.progress.scene + 1
        waiting = self.interrupted_input
        is_resumed = waiting is not None and waiting.choice == turn_input.choice
        has_begun = False
        try:
            scene = before.scene.as_told if before.scene else None
            await self.turn_log.begin(turn_input, scene, is_resumed=is_resumed)
            has_begun = True
            self.interrupted_input, self.is_told_elsewhere = None, False
            self.memory.branch, self.memory.turn, self.memory.fence = (
                (self.turn_log.branch if self.turn_log.has_stored_input else None),
                number,
                self.turn_log.fence,
            )
            self.memory.pending_records.clear()
            self._begun.set()
            self._emit(events.TurnStarted(choice=turn_input.choice))
            dependencies = self._build_dependencies()
            self._warn(dependencies.warnings)
            relay = EventRelay(self._emit, dependencies.planner)
            after, trace = await play_turn(
                before,
                turn_input.choice,
                replace(dependencies, planner=relay),
                take=turn_input.take,
                luck=turn_input.luck,
                limits=turn_input.limits,
                on_progress=relay.on_progress,
            )
        except (
            Busy,
            StoryConflict,
        ):  # another server tells a turn, or has told one: it is not taken back here
            raise
        except (asyncio.CancelledError, Exception) as error:  # a bug, too, leaves the story as it was
            if is_resumed and not has_begun and isinstance(error, StoreUnavailable):
                raise  # the choice was accepted before, on another server perhaps: it waits
            try:
                if before.scene is None:  # who plays, and in which folder, is written nowhere else
                    await run_to_completion(self.turn_log.restart(turn_input))
                else:
                    await run_to_completion(self.turn_log.abandon())
            finally:
                self._emit(events.TurnCancelled())
            raise
        await run_to_completion(self._save(after, trace))  # too late to cancel
        self._earlier.append((before, self._last))
        self._last, self.takes = turn_input, turn_input.take + 1
        self._start_reading_ahead(after, dependencies)
        return self._show(before, after, trace, relay)

    async def _save(self, after: StorySnapshot, trace: TurnTrace) -> None:
        now = time.monotonic()
        seconds = self.story.seconds_played + min(now - self._shown_at, LONGEST_PAUSE)
        self._shown_at = now
        assert after.scene is not None
        output = TurnOutput(
            scene=after.scene, progress=after.progress, trace=trace.pack(), seconds=round(seconds, 3)
        )
        await self.turn_log.finish(output, after.state.to_dict(), self.memory.pending_records)
        self.memory.branch = self.turn_log.branch if self.turn_log.is_valid else None
        self.snapshot = after
        self._update(seconds)
        played_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        self.story = msgspec.structs.replace(self.story, played_at=played_at)

    def _start_reading_ahead(self, after: StorySnapshot, dependencies: TurnDependencies) -> None:
        """Prepare the next plan in the background; nothing waits for it."""
        self._stop_reading_ahead()
        if self.is_closed:
            return  # during the turn
        self._read_ahead = asyncio.create_task(read_ahead(after, dependencies))
        on_failure = log_failure(_log.warning, "the next plan is made without being prepared")
        self._read_ahead.add_done_callback(on_failure)

    def _stop_reading_ahead(self) -> None:
        if self._read_ahead is not None:
            self._read_ahead.cancel()
            self._read_ahead = None

    def _show(
        self, before: StorySnapshot, after: StorySnapshot, trace: TurnTrace, relay: EventRelay
    ) -> Scene:
        scene = after.scenes[-1]
        if isinstance(trace.outcome, Fallback):
            errors = tuple(failure.reason for failure in trace.outcome.failures)
            self._emit(events.ReplanExhausted(attempts=len(errors), errors=errors))
            self._emit(
                events.Notice(
                    kind="plan_failure",
                    message="No plan could be carried out; the scene is told without its skills.",
                )
            )
        for skill in sorted(before.health.disabled & after.health.disabled):
            notice = events.Notice(kind="tool_failure", skill=skill, message=OFF.format(skill=skill))
            self._emit(msgspec.structs.replace(notice, details={"state": "off"}))
        if patch := state_patch(before.state.to_dict(), after.state.to_dict()):
            self._emit(events.StateChanged(patch=patch))
        relay.finish(scene)
        self._emit(events.SceneReady(scene=scene, mark=self.mark))
        return scene

    def _on_store_trouble(self, reason: str) -> None:
        message = f"{reason}. The story goes on in memory, and is written down as soon as that can be done."
        self._emit(events.Notice(kind="store", message=message))

    def _warn(self, warnings: tuple[StoryWarning, ...], *, kind: events.NoticeKind = "tool_failure") -> None:
        for warning in warnings:
            if warning not in self._warnings_shown:
                self._warnings_shown.add(warning)
                details = {"reason": warning.reason} if warning.reason else {}
                self._emit(events.Notice(kind=kind, message=warning.message, details=details))
                if warning.reason:
                    _log.info("%s %s", warning.message, warning.reason)

    def _update(self, seconds: float) -> None:
        progress = self.snapshot.progress
        self.story = msgspec.structs.replace(
            self.story,
            scenes=len(self.snapshot.scenes),
            place=progress.place,
            ended=progress.ending,
            seconds_played=seconds,
            branch=self.turn_log.branch,
        )

    def _emit(self, event: StoryEvent) -> None:
        self.log.append(event, turn=self._under_way or self.snapshot.progress.scene)

    def _refuse_when_busy(self) -> None:
        if self.busy:
            raise Busy("the story is being told; wait for the scene, or cancel it")
        if self.turn_log.is_outdated:
            raise StoryConflict("the story has gone on elsewhere; load it anew")
        if self.is_closed:  # two that tell it would tell it differently
            raise Busy("the story was closed; open it again")


def _is_cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
