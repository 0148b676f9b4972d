"""Logs the numbered events of one story, in memory and on disk, and passes them to listeners."""

from __future__ import annotations

import asyncio
import contextlib
import os
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.engine.events import SceneReady, StoryEvent, StoryRevised, TurnUndone
from narratoria.engine.scene import Scene
from narratoria.paths import make_private

MAX_EVENTS = 1200  # events, those of some fifty turns; a scene holds all that the older ones said
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)


class EventLog:
    """Holds the latest events; without a writable file they are lost at a restart, and nothing else is."""

    def __init__(self, file: Path | None = None, *, max_events: int = MAX_EVENTS) -> None:
        self._file, self._max_events = file, max_events
        self._events: list[StoryEvent] = list(_read_events(file)) if file else []
        self._lines = len(self._events)  # in the file
        self._last = self._events[-1].id if self._events else 0
        self._descriptor: int | None = None
        self._change = asyncio.Event()
        self._is_closed = False
        self._listeners: list[Callable[[StoryEvent], None]] = []
        self._subscribers = 0

    @property
    def has_listeners(self) -> bool:
        """Return whether anybody listens."""
        return bool(self._subscribers or self._listeners)

    @property
    def last(self) -> int:
        """Return the number of the newest event, or 0."""
        return self._last

    def append(self, event: StoryEvent, *, turn: int = 0) -> StoryEvent:
        """Append an event, and return it with its number and time."""
        self._last += 1
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        event = msgspec.structs.replace(event, id=self._last, turn=turn, at=now)
        self._events.append(event)
        self._write(event)
        if len(self._events) > 2 * self._max_events:
            self._events = self._events[-self._max_events :]
        change, self._change = self._change, asyncio.Event()
        change.set()
        for listener in self._listeners:
            listener(event)
        return event

    def since(self, after: int) -> tuple[StoryEvent, ...]:
        """Return the events after this number that are still held."""
        return tuple(self._events[bisect_right(self._events, after, key=attrgetter("id")) :])

    async def subscribe(self, after: int = 0) -> AsyncIterator[StoryEvent]:
        """Yield the events there are and those to come, until the log is closed."""
        self._subscribers += 1
        try:
            while True:
                change = self._change  # taken first: what is added meanwhile is not missed
                for event in self.since(after):
                    after = event.id
                    yield event
                if self._is_closed:
                    return
                if after == self._last:
                    await change.wait()
        finally:
            self._subscribers -= 1

    @contextlib.contextmanager
    def listening(self, listener: Callable[[StoryEvent], None], *, after: int) -> Iterator[None]:
        """Call `listener` with the events after this number, then with each new one."""
        for event in self.since(after):
            listener(event)
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def close(self) -> None:
        self._is_closed = True
        self._change.set()
        self._shut()

    def _write(self, event: StoryEvent) -> None:
        if self._file is None:
            return
        try:
            if self._lines >= 2 * self._max_events:
                self._rewrite()
            if self._descriptor is None:
                make_private(self._file.parent)
                self._descriptor = os.open(self._file, _FLAGS, 0o600)
            os.write(self._descriptor, b"\n" + msgspec.json.encode(event))  # a torn line ends before the next
            self._lines += 1
        except OSError:
            self._shut()

    def _rewrite(self) -> None:
        """Rewrite the file with the newer half of the events."""
        assert self._file is not None
        self._shut()
        events = self._events[-self._max_events : -1]
        fresh = self._file.with_name(f".{self._file.name}.new")
        fresh.write_bytes(b"".join(b"\n" + msgspec.json.encode(event) for event in events))
        fresh.replace(self._file)
        self._lines = len(events)

    def _shut(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def read_logged_scenes(file: Path) -> tuple[Scene, ...]:
    """Return the latest scenes of a story as its log of events tells them, for when the store cannot."""
    scenes: dict[int, Scene] = {}
    for event in _read_events(file):
        match event:
            case SceneReady(scene=Scene() as scene) | StoryRevised(scene=Scene() as scene):
                scenes[scene.number] = scene
            case TurnUndone(scene=last):
                scenes = {number: scene for number, scene in scenes.items() if last and number <= last.number}
            case _:
                pass
    return tuple(scenes[number] for number in sorted(scenes))


def _read_events(file: Path) -> Iterator[StoryEvent]:
    """Yield the events of a file, without lines that were cut off."""
    decoder = msgspec.json.Decoder(StoryEvent)
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError:
        return
    last = 0
    for line in lines:
        with contextlib.suppress(*UNDECODABLE):
            event: StoryEvent = decoder.decode(line)
            if event.id > last:
                last = event.id
                yield event
