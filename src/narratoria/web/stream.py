"""Sends each tab on a story the events it missed, then each event as it happens, over a WebSocket.

Every tab has a place of its own in the story's log and is sent the next event when it has taken the one
before: a slow one holds up nobody, and one that takes nothing is let go. It comes back for what it missed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from narratoria.engine.events import AssetMade, StoryEvent
from narratoria.engine.persistence.event_log import EventLog
from narratoria.errors import NarratoriaException
from narratoria.web.app_state import AppState
from narratoria.web.authorization import require_story
from narratoria.web.files import asset_address
from narratoria.web.operation import ACCOUNT

HEARTBEAT_S = 15.0  # without an event
FRAME_TIMEOUT_S = 30.0  # for one frame to be taken
NO_SUCH_STORY, TOO_SLOW, GOING_AWAY, WRONG_NUMBER = 4404, 4408, 1001, 4422


class Heartbeat(msgspec.Struct, frozen=True, tag_field="type", tag="alive"):
    """Sent when nothing happened for long."""


class Reload(msgspec.Struct, frozen=True, tag_field="type", tag="reload"):
    """Sent when events that the reader has not seen are gone: the story is to be loaded anew."""


ALIVE = msgspec.json.encode(Heartbeat()).decode()
RELOAD = msgspec.json.encode(Reload()).decode()


class EventStreams:
    """Holds the open WebSockets of all stories."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._open: set[asyncio.Task[None]] = set()

    async def follow(self, socket: WebSocket) -> None:
        await socket.accept()
        after = socket.query_params.get("after", "0")
        if not after.isascii() or not after.isdigit() or len(after) > 15:
            await socket.close(WRONG_NUMBER, "after is the number of an event")
            return
        story = socket.path_params["story"]
        state = self._app_state.on_behalf_of(socket.scope[ACCOUNT])
        try:
            await require_story(state, story, reading=True)
            session = await state.open_story(story)
        except NarratoriaException:
            await socket.close(NO_SUCH_STORY, "there is no such story")
            return
        sending = asyncio.create_task(_send(socket, story, session.log, int(after)))
        leaving = asyncio.create_task(_until_left(socket))
        self._open.add(sending)
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._open.discard(sending)
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it may be closed already
            await socket.close(GOING_AWAY)

    def close(self) -> None:
        for task in self._open:
            task.cancel()


async def _send(socket: WebSocket, story: str, log: EventLog, after: int) -> None:
    if after > log.last:  # a reader of another log
        await socket.send_text(RELOAD)
        after = log.last
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(None) as frame_timeout:
            async for event in _with_heartbeats(log.subscribe(after)):
                frame_timeout.reschedule(loop.time() + FRAME_TIMEOUT_S)
                if event is None:
                    await socket.send_text(ALIVE)
                else:
                    if event.id != after + 1:  # it was forgotten before it could be sent
                        await socket.send_text(RELOAD)
                    await socket.send_text(frame(event, story))
                    after = event.id
                frame_timeout.reschedule(None)
    except TimeoutError:
        await socket.close(TOO_SLOW, "nothing was taken")


async def _with_heartbeats(events: AsyncIterator[StoryEvent]) -> AsyncIterator[StoryEvent | None]:
    """Yield each event, and None after each `HEARTBEAT_S` without one."""
    coming: asyncio.Task[StoryEvent] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({coming}, timeout=HEARTBEAT_S)
            if not done:
                yield None
                continue
            try:
                event = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield event
    finally:
        if coming is not None:
            coming.cancel()


def frame(event: StoryEvent, story: str) -> str:
    """Return the event as the app gets it, with the addresses of its files."""
    if isinstance(event, AssetMade):
        event = msgspec.structs.replace(event, url=asset_address(story, event.asset_id))
    return msgspec.json.encode(event).decode()


async def _until_left(socket: WebSocket) -> None:
    """Read until the other side has gone; what it says is ignored."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.receive_text()
