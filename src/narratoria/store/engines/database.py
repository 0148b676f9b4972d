"""Defines an asynchronous database: one connection that writes and a few that read, in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, update
from sqlalchemy.exc import DBAPIError

from narratoria.errors import StoreDamaged, StoreUnavailable
from narratoria.store.tables import clock

READERS = 4
ALONE = "outside_transactions"  # an execution option, which every engine heeds in its own way

T = TypeVar("T")
Explain = Callable[[DBAPIError], StoreUnavailable | None]
WithWords = Callable[[Connection, Sequence[str], str], list[int]]
Scan = Callable[[Connection, str, int, NDArray[np.float32]], dict[int, float]]


@dataclass(frozen=True, slots=True)
class Writing:
    """Is a transaction that may write; its rows are on the disk when `Database.write` returns."""

    connection: Connection

    def draw(self, rows: int = 1) -> range:
        """Return the next numbers in the order of all rows."""
        # one row of one table, so that nobody else writes between the numbers and the commit
        statement = update(clock).values(seq=clock.c.seq + rows).returning(clock.c.seq)
        last = self.connection.execute(statement).scalar_one()
        return range(last - rows + 1, last + 1)


class Database:
    """Reads and writes one database; `explain` describes a failure to players, None for a bug.

    `with_words` finds the rows of some branches that hold the rarest words of a query; `scan`, where there is
    one, compares a vector of a model with all of a branch without carrying them here.
    """

    def __init__(
        self,
        *,
        writer: Engine,
        readers: Engine,
        explain: Explain,
        release: Callable[[], None],
        compact: Callable[[Connection], None],
        erase: Callable[[Connection], None] = lambda _: None,
        with_words: WithWords,
        scan: Scan | None = None,
        file: Path | None = None,
        describe_damage: Callable[[str], StoreUnavailable] = StoreUnavailable,
        find_damage: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.with_words, self.scan = with_words, scan
        self.file = file  # None when the database is a server's
        self._engine, self._readers = writer, readers
        self._explain, self._release = explain, release
        self._describe_damage, self._find_damage = describe_damage, find_damage
        self._compact, self._erase = compact, erase
        self._write_thread = ThreadPoolExecutor(1, "store-writer")
        self._read_threads = ThreadPoolExecutor(READERS, "store-reader")
        self._closed = False
        self.damage: StoreDamaged | None = None  # that was met last
        self.removals = 0  # how often rows were removed for good; whoever keeps copies looks at it

    @property
    def is_shared(self) -> bool:
        """Return whether several servers can use it at once; a file has one user."""
        return self.file is None

    @property
    def dialect(self) -> str:
        return self._engine.dialect.name

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one consistent view of the database and return its result."""
        return await self._in(self._read_threads, lambda: self._with(self._readers, work))

    async def write(self, work: Callable[[Writing], T]) -> T:
        """Commit everything that `work` writes, or nothing of it."""
        return await self._in(
            self._write_thread, lambda: self._with(self._engine, lambda link: work(Writing(link)))
        )

    async def compact(self) -> None:
        """Give back the room that removed rows have left."""
        await self._alone(self._compact)

    async def erase(self) -> None:
        """Overwrite removed rows, as far as the database can."""
        await self._alone(self._erase)

    async def _alone(self, work: Callable[[Connection], None]) -> None:
        def alone() -> None:
            with self._engine.execution_options(**{ALONE: True}).connect() as connection:
                work(connection)

        await self._in(self._write_thread, lambda: self._run_explained(alone))

    async def close(self) -> None:
        """Finish what is under way, then close."""
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._write_thread.shutdown()
        self._read_threads.shutdown()
        self._readers.dispose()
        self._engine.dispose()
        self._release()

    async def _in(self, threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        if self._closed:
            raise StoreUnavailable("the store is closed; open it again")
        return await asyncio.get_running_loop().run_in_executor(threads, work)

    def _with(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        def inside() -> T:
            with engine.begin() as connection:
                return work(connection)

        return self._run_explained(inside)

    def _run_explained(self, work: Callable[[], T]) -> T:
        try:
            return self._explained(work)
        except StoreDamaged as damage:
            self.damage = damage
            raise

    def _explained(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except DBAPIError as error:
            reason = self._explain(error)
            if reason is None:
                raise
            raise reason from error
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise self._describe_damage(f"a row cannot be read: {error}") from error
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            if damage := self._find_damage():  # else it is a bug
                raise self._describe_damage(damage[0]) from error
            raise
