"""Lets one server at a time tell a story, and another go on when that one is gone.

A server takes a story when it begins a turn and gives it back when the turn has ended. A server that has not
said for `LEASE_S` that it is there is taken for gone. Each taking gives the story a higher fence: what a
server writes that was only asleep carries the old one, and is refused. A server that could not end a turn
gives the story up: the choice waits, and any server tells it. A file has one user, which its lock
proves, so there nobody else is ever there.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, delete, text, update

from narratoria.errors import Busy, StoreUnavailable
from narratoria.store.engines.database import Database, Writing
from narratoria.store.tables import server, story

LEASE_S = 8.0  # without a sign, after which a server is taken for gone
SIGNS_PER_LEASE = 4

_SILENCE = text("SELECT extract(epoch FROM clock_timestamp()) - seen_at FROM server WHERE id = :id")
_SIGN = text("""
    INSERT INTO server (id, seen_at) VALUES (:id, extract(epoch FROM clock_timestamp()))
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
""")
_IS_CLAIMED = text("""
    SELECT EXISTS (SELECT FROM server WHERE starts_with(reverse(id), reverse(:claim)) AND id != :own
        AND seen_at > extract(epoch FROM clock_timestamp()) - :seconds)
""")
_FORGET_OTHERS = text("DELETE FROM server WHERE seen_at < extract(epoch FROM clock_timestamp()) - :seconds")


class Presence:
    """Says from time to time that this server is there, once it tells a story."""

    def __init__(self, database: Database, *, lease_s: float = LEASE_S) -> None:
        self._database, self.lease_s = database, lease_s
        self.id = secrets.token_hex(8)
        self._signs: asyncio.Task[None] | None = None
        self._given_up: set[str] = set()  # stories that this server holds and does not tell

    def begin(self) -> None:
        """Begin to give signs, where others could take this server for gone."""
        if self._database.is_shared and self._signs is None:
            self._signs = asyncio.create_task(self._give_signs())

    async def close(self) -> None:
        """Give every story back: others need not wait until this server is taken for gone."""
        if self._signs is None:
            return
        self._signs.cancel()
        await asyncio.wait([self._signs])
        self._signs = None
        with contextlib.suppress(StoreUnavailable):
            await self._database.write(self._leave)

    def give_up(self, story_id: str) -> None:
        """Give a story back with the next sign, if this server still holds it and takes it no more."""
        if self._database.is_shared:
            self._given_up.add(story_id)

    def take(self, writing: Writing, row: Row[*tuple[Any, ...]]) -> int:
        """Take a story for a turn and return its new fence; raise Busy while another server tells one."""
        link = writing.connection
        self.refuse_held(link, row.holder)
        self._given_up.discard(row.id)
        if self._database.is_shared:
            link.execute(_SIGN, {"id": self.id})
        link.execute(update(story).where(story.c.id == row.id).values(holder=self.id, fence=row.fence + 1))
        return int(row.fence) + 1

    async def claim(self, work: str) -> bool:
        """Claim background work for the time of a lease; return False while another server has it."""
        if not self._database.is_shared:
            return True
        return await self._database.write(partial(self._claim, work=work))

    async def release(self, work: str) -> None:
        """Leave a kind of background work to others."""
        if self._database.is_shared:
            own = server.c.id == self._claim_id(work)
            with contextlib.suppress(StoreUnavailable):
                await self._database.write(
                    lambda writing: writing.connection.execute(delete(server).where(own))
                )

    def _claim_id(self, work: str) -> str:
        return f"{self.id} at {work}"

    def _claim(self, writing: Writing, work: str) -> bool:
        own = self._claim_id(work)
        asked = {"claim": f" at {work}", "own": own, "seconds": self.lease_s}
        if writing.connection.execute(_IS_CLAIMED, asked).scalar():
            return False
        writing.connection.execute(_SIGN, {"id": own})
        return True

    def refuse_held(self, link: Connection, holder: str) -> None:
        """Raise Busy when this holder of a story is another server, and is there."""
        if self.is_elsewhere(link, holder):
            raise Busy("the story is being told on another server; wait for the scene")

    def is_elsewhere(self, link: Connection, holder: str) -> bool:
        if not holder or holder == self.id or not self._database.is_shared:
            return False
        silence = link.execute(_SILENCE, {"id": holder}).scalar()
        return silence is not None and silence < self.lease_s

    async def _give_signs(self) -> None:
        while True:
            with contextlib.suppress(StoreUnavailable):
                await self._database.write(self._sign)
            await asyncio.sleep(self.lease_s / SIGNS_PER_LEASE)

    def _sign(self, writing: Writing) -> None:
        writing.connection.execute(_SIGN, {"id": self.id})
        writing.connection.execute(_FORGET_OTHERS, {"seconds": 100 * self.lease_s})

        given_up = set(self._given_up)
        if given_up:
            held = (story.c.id.in_(given_up), story.c.holder == self.id)
            writing.connection.execute(update(story).where(*held).values(holder=""))
            self._given_up -= given_up

    def _leave(self, writing: Writing) -> None:
        writing.connection.execute(update(story).where(story.c.holder == self.id).values(holder=""))
        writing.connection.execute(delete(server).where(server.c.id.startswith(self.id)))
