"""Keeps processes of likely scripts started ahead: in their boxes, with their imports done, waiting.

    started   after a turn, for the scripts that ran most often lately; at most MOST, within MEMORY; where
              several stories are played by turns, only while there is room: to end each other's would cost
              more than it saves
    used      once, by the run that would be launched in exactly the same way (`LaunchIdentity`)
    given up  when the skill, a grant, the settings, the environment or a folder changed; when it ended by
              itself or used too much; when nobody has played for a while; when the pool is closed

A run for which none waits starts its own process. What waits is ended like any other process when the runtime
is killed: by the watchdog, and by the box itself.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from narratoria.errors import NarratoriaException
from narratoria.protocol.child import Child
from narratoria.protocol.process_limits import (
    MIB,
    ProcessTreeLimits,
    find_exceeded_limit,
    list_limited_tree,
    resident_memory,
)
from narratoria.skills.launch import LaunchIdentity, PreparedLaunch
from narratoria.skills.runnable import InvocationRequest, Runnable

MOST = 4  # processes
MEMORY = 128 * MIB  # of all of them together
IDLE_S = 600.0  # without a turn, after which none is worth its memory
CHECK_S = 1.0  # between two looks at those that wait
IDENTIFY_EVERY = 5  # looks: only at each of these the files of all skills are looked at, too
REMEMBERED_TURNS = 8  # whose scripts are likely to run again
PLAYED_S = 60.0  # since a story's turn, in which it counts as being played
START_AFTER_S = 0.1  # the scene that was just told goes out first

_FOLDERS = ("campaignDir", "assetDir")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class WarmProcess:
    """Holds a process that waits for its request."""

    script: str
    request: InvocationRequest  # with the folders of the story, and nothing else
    identity: LaunchIdentity
    launch: PreparedLaunch
    child: Child


class WarmPool:
    """Holds the processes that wait; used and closed in one event loop."""

    def __init__(
        self,
        resolve: Callable[[str], Runnable],
        *,
        most: int = MOST,
        memory: int = MEMORY,
        idle_s: float = IDLE_S,
        check_s: float = CHECK_S,
        start_after_s: float = START_AFTER_S,
    ) -> None:
        """`resolve` finds a script by its path, with skills, grants and settings as they are at that time."""
        self._resolve, self._most, self._memory = resolve, most, memory
        self._idle_s, self._check_s, self._start_after_s = idle_s, check_s, start_after_s
        self._processes: list[WarmProcess] = []
        self._unfit: dict[str, LaunchIdentity] = {}  # scripts that did not wait, as they were then
        self._turns: deque[frozenset[str]] = deque(maxlen=REMEMBERED_TURNS)
        self._this_turn: set[str] = set()
        self._stories: deque[tuple[float, InvocationRequest]] = deque()  # when turns ended, and of which
        self._used_at = 0.0
        self._watching: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # that start processes, or end them
        self._is_closed = False

    @property
    def waiting(self) -> tuple[WarmProcess, ...]:
        return tuple(self._processes)

    def note_run(self, script: str, context: Mapping[str, Any]) -> bool:
        """Note that a script runs; return whether any process waits for a run of it in this story."""
        self._this_turn.add(script)
        request = _story_request(context)
        return any((process.script, process.request) == (script, request) for process in self._processes)

    def take(self, identity: LaunchIdentity) -> PreparedLaunch | None:
        """Return the launch whose process waits for exactly this run; it is nobody else's from then on."""
        for process in self.waiting:
            if process.identity == identity:
                if not process.child.has_ended():
                    self._processes.remove(process)
                    return process.launch
                self._give_up(process)
        return None

    def expect_turn(self, context: Mapping[str, Any]) -> asyncio.Task[None]:
        """Start what is likely to run in the next turn of a story, whose folders the context names.

        That is done in the background; the task that is returned ends with it."""
        if self._this_turn:
            self._turns.append(frozenset(self._this_turn))
            self._this_turn.clear()
        return self._run_task(self._start_likely(_story_request(context)))

    async def _start_likely(self, request: InvocationRequest) -> None:
        self._used_at = asyncio.get_running_loop().time()
        self._note_story(request)
        await asyncio.sleep(self._start_after_s)
        likely = self._rank_scripts()
        for process in self.waiting:
            if process.script not in likely:
                self._give_up(process)
        for script in likely:
            await asyncio.sleep(0)  # starting one takes a moment, in which nothing else is done
            waits = any((one.script, one.request) == (script, request) for one in self._processes)
            if not self._is_closed and not waits and self._make_room(request):
                self._start(script, request)

    def _make_room(self, request: InvocationRequest) -> bool:
        """Return whether another process may wait, for which the oldest of another story is given up."""
        kept = self._list_played() if self._is_shared() else ()
        others = [one for one in self._processes if one.request != request and one.request not in kept]
        if len(self._processes) >= self._most and others:
            self._give_up(others[0])
        return len(self._processes) < self._most

    def _note_story(self, request: InvocationRequest) -> None:
        self._stories.append((self._used_at, request))
        while self._stories[0][0] < self._used_at - PLAYED_S:
            self._stories.popleft()

    def _list_played(self) -> list[InvocationRequest]:
        """Return the stories that are being played, each once."""
        played: list[InvocationRequest] = []
        for _, request in self._stories:
            if request not in played:
                played.append(request)
        return played

    def _is_shared(self) -> bool:
        """Return whether stories are played by turns: one was gone on with after another's turn."""
        turns = [request for _, request in self._stories]
        switches = sum(one != other for one, other in itertools.pairwise(turns))
        return switches >= len(self._list_played())

    def _rank_scripts(self) -> list[str]:
        """Return the scripts that ran in the most of the last turns, the latest first among equals."""
        counts = Counter(script for turn in self._turns for script in turn)
        latest = {script: number for number, turn in enumerate(self._turns) for script in turn}
        ranked = sorted(counts, key=lambda script: (-counts[script], -latest[script], script))
        return ranked[: self._most]

    def _start(self, script: str, request: InvocationRequest) -> None:
        identity = self._identify(script, request)
        if identity is None or self._unfit.get(script) == identity:
            return
        try:
            launch = PreparedLaunch(identity.command, identity.box)
        except OSError as error:
            _log.debug("%s is not started ahead: %s", script, error)
            return
        try:
            child = launch.start()
        except (OSError, ValueError) as error:
            _log.debug("%s is not started ahead: %s", script, error)
            self._end(launch)
            return
        self._processes.append(WarmProcess(script, request, identity, launch, child))
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())

    # those that wait are looked at

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop().time
        looks = itertools.cycle(range(IDENTIFY_EVERY))
        while self._processes:
            await asyncio.sleep(self._check_s)
            for process in self.waiting:
                if process.child.exited.is_set():
                    if (process.child.exit_code or 0) >= 0:  # it did not wait; who was killed may again
                        self._unfit[process.script] = process.identity
                    self._give_up(process)
            if clock() - self._used_at > self._idle_s:
                for process in self.waiting:
                    self._give_up(process)
            is_whole = not next(looks)  # who is taken is identified anyway: this only frees memory sooner
            changed, unfit = await asyncio.to_thread(self._survey, self.waiting, identify=is_whole)
            for process in (*changed, *unfit):
                if process in self._processes:  # it may have been taken meanwhile
                    self._give_up(process)
                    if process in unfit:
                        self._unfit[process.script] = process.identity

    def _survey(
        self, processes: Sequence[WarmProcess], *, identify: bool
    ) -> tuple[list[WarmProcess], list[WarmProcess]]:
        """Return the processes that would be launched otherwise now, and those that use too much."""
        changed = [
            process
            for process in processes
            if identify and self._identify(process.script, process.request) != process.identity
        ]
        unfit = [process for process in processes if _exceeds_limit(process)]
        sizes = {process: _measure_memory(process) for process in processes}
        by_size = sorted(sizes, key=lambda process: sizes[process])
        while by_size and sum(sizes[process] for process in by_size) > self._memory:
            unfit.append(by_size.pop())
        return changed, unfit

    def _identify(self, script: str, request: InvocationRequest) -> LaunchIdentity | None:
        """Return how a script would be launched now; None where it may not be started ahead."""
        try:
            tool = self._resolve(script)
            return tool.launcher.identify(tool.command, request) if tool.launcher else None
        except (NarratoriaException, OSError):
            return None  # it is gone, off, or not configured any more

    # their end

    def _give_up(self, process: WarmProcess) -> None:
        self._processes.remove(process)
        self._end(process.launch)

    def _end(self, launch: PreparedLaunch) -> None:
        self._run_task(launch.close())

    def _run_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """End all that wait; none is started afterwards."""
        self._is_closed = True
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        for process in self.waiting:
            self._give_up(process)
        while self._tasks:
            await asyncio.wait(self._tasks)


def _story_request(context: Mapping[str, Any]) -> InvocationRequest:
    """Return the request that a process waits with: the folders of the story, and nothing else."""
    return InvocationRequest("", {}, {name: context[name] for name in _FOLDERS if name in context})


def _exceeds_limit(process: WarmProcess) -> bool:
    limits = process.launch.command.tree_limits
    return limits is not None and bool(find_exceeded_limit(process.child.pid, limits))


def _measure_memory(process: WarmProcess) -> int:
    limits = process.launch.command.tree_limits or ProcessTreeLimits()
    return resident_memory(list_limited_tree(process.child.pid, limits))
