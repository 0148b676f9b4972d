"""Defines the store, which holds everything that stories keep."""

from __future__ import annotations

import asyncio
import contextlib
import time
from functools import partial
from pathlib import Path

import msgspec
from sqlalchemy import Connection, func, select

from narratoria.errors import ModelUnavailable, StoreUnavailable
from narratoria.store import retention
from narratoria.store.engines.database import Database
from narratoria.store.engines.postgresql import is_postgresql, open_postgresql
from narratoria.store.engines.sqlite import open_sqlite
from narratoria.store.leases import Presence
from narratoria.store.playthroughs import Playthroughs
from narratoria.store.query_log import QueryLog, QueryStats
from narratoria.store.query_scope import QueryScope
from narratoria.store.records import RetentionPolicy
from narratoria.store.retention import KIND, Removal, RetentionReport
from narratoria.store.scope import Core, Scope
from narratoria.store.search.vectors import Embeddings, TextEmbedder, count_pending
from narratoria.store.stories import Stories
from narratoria.store.tables import change, playthrough, record, scene
from narratoria.store.turns import TurnLog

FILE = "narratoria.db"
LOGS = "logs"


class Inventory(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Counts what a store holds, every version of it."""

    records: dict[str, int]  # rows by data type
    playthroughs: int
    turns: int
    pending: int  # records that wait for a vector
    model: str
    bytes: int  # of the file; 0 where a server keeps it


EMBEDDING = "embedding"  # background work that one server does at a time


class Store:
    """Gives access to one database; `Store.open` opens it, `close` closes it, and one event loop uses it."""

    def __init__(self, database: Database, embeddings: Embeddings, query_log: QueryLog) -> None:
        self.database, self.embeddings = database, embeddings
        self._query_log = query_log
        self._core = Core(database, embeddings, query_log)
        self.presence = Presence(database)
        self.stories = Stories(database)
        self.playthroughs = Playthroughs(database, self.presence)
        self.turns = TurnLog(database, self.presence)

    @classmethod
    async def open(cls, place: str | Path, embed: TextEmbedder | None, *, logs: Path | None = None) -> Store:
        """Open the store in a file (a path or sqlite:///…) or on a server, created or migrated as needed.

        StoreUnavailable says what is in the way. Queries are logged in `logs`, by default beside the file.
        """
        if isinstance(place, str) and is_postgresql(place):
            database = await asyncio.to_thread(open_postgresql, place)
        else:
            file = file_of(place)
            database = await asyncio.to_thread(open_sqlite, file)
            logs = logs or file.parent / LOGS
        try:
            embeddings = await Embeddings.open(database, embed)
        except BaseException:
            await database.close()
            raise
        return cls(database, embeddings, QueryLog(logs))

    async def close(self) -> None:
        await self.presence.close()
        await self.database.close()
        self._query_log.close()

    def at(
        self,
        playthrough_id: str,
        session_id: str = "",
        turn: int | None = None,
        *,
        game_time: float | None = None,
        skill: str = "",
        fence: int | None = None,
    ) -> Scope:
        """Return the scope of a playthrough, now or as of a turn.

        The in-game time is the last scene's unless it is given. With a `fence`, writing raises StoryConflict
        once another server has taken the story.
        """
        if not playthrough_id or ":" in playthrough_id:
            raise ValueError(f"{playthrough_id!r} is not a playthrough")
        return Scope(
            self._core,
            QueryScope(
                playthrough=playthrough_id,
                session_id=session_id,
                turn=turn,
                game_time=game_time,
                skill=skill,
                fence=fence,
            ),
        )

    def campaign(self, campaign: str) -> Scope:
        """Return the scope of what a campaign shares with all its playthroughs: lore and assets."""
        return Scope(self._core, QueryScope(campaign=campaign))

    def stats(self) -> dict[str, QueryStats]:
        """Return statistics of the queries since opening, by method."""
        return self._query_log.stats()

    async def inventory(self) -> Inventory:
        return await self.database.read(self._inventory)

    async def reembed_pending(self) -> int:
        """Embed all records that wait for a vector and return how many; raise ModelUnavailable on failure.

        What another server embeds is left to it."""
        try:
            return await self.embeddings.reembed(claim=partial(self.presence.claim, EMBEDDING))
        finally:
            await self.presence.release(EMBEDDING)

    async def reembed(self, embedder: TextEmbedder) -> int:
        """Switch to another model; searches use the old one until every record has its new vectors."""
        return await self.embeddings.reembed(embedder)

    async def plan_retention(self, policy: RetentionPolicy) -> RetentionReport:
        """Return what the policy would remove; nothing is changed."""
        return await self.database.read(lambda link: retention.plan_removals(link, policy))

    async def remove_planned(self, report: RetentionReport) -> tuple[Removal, ...]:
        """Remove what a report names and its policy still allows, and return what was removed."""
        with self._query_log.measure("retention", KIND, {}) as measured:  # the log tells when something went
            gone = await self.database.write(lambda writing: retention.remove_planned(writing, report))
            measured.results = len(gone)
        self.database.removals += bool(gone)
        return gone

    async def compact(self) -> None:
        """Give back the room that removed rows have left."""
        await self.database.compact()

    async def tidy_when_idle(
        self, policy: RetentionPolicy, *, idle_seconds: float = 30.0
    ) -> tuple[Removal, ...]:
        """Wait until the store has been idle for so long, then apply the policy and embed pending records."""
        await self.until_idle(idle_seconds)
        report = await self.plan_retention(policy)
        # nothing to do keeps nobody waiting who writes
        gone = await self.remove_planned(report) if report.removals else ()
        if gone:
            await self.compact()
        if self.embeddings.embedder is not None:
            with contextlib.suppress(ModelUnavailable):  # then memories are found by their words
                await self.reembed_pending()
        return gone

    async def until_idle(self, seconds: float) -> None:
        """Returns when nobody has asked for anything so long."""
        while (left := seconds - self.idle_seconds) > 0:  # noqa: ASYNC110 - nothing to wait for happens
            await asyncio.sleep(left)

    @property
    def idle_seconds(self) -> float:
        return time.monotonic() - self._query_log.last_used

    def _inventory(self, link: Connection) -> Inventory:
        rows = link.execute(select(record.c.data_type, func.count()).group_by(record.c.data_type))
        changes = link.execute(select(change.c.data_type, func.count()).group_by(change.c.data_type))
        stories = select(func.count()).where(playthrough.c.deleted_at.is_(None))
        file, embedder = self.database.file, self.embeddings.embedder
        return Inventory(
            records={kind: count for counts in (rows, changes) for kind, count in counts},
            playthroughs=link.execute(stories).scalar_one(),
            turns=link.execute(select(func.count()).select_from(scene)).scalar_one(),
            pending=count_pending(link, self.embeddings.number),
            model=embedder.model_id if embedder else "",
            bytes=sum(part.stat().st_size for part in file.parent.glob(f"{file.name}*")) if file else 0,
        )


def file_of(place: str | Path) -> Path:
    """Return the file that a path or a sqlite:/// address names."""
    if isinstance(place, Path) or "://" not in place:
        return Path(place)
    scheme, _, rest = place.partition(":///")
    if scheme not in ("sqlite", "sqlite+pysqlite") or not rest:
        raise StoreUnavailable(
            f"{place}: there is no such kind of database here; use sqlite:///PATH or postgresql://USER@HOST/DATABASE"
        )
    return Path(rest)
