"""Opens the database on a PostgreSQL server with pgvector, locked for one runtime.

Records, their labels and their vectors are kept in a part of their own for each playthrough, so that a query
looks through what it may see and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import socket
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    URL,
    Connection,
    Dialect,
    Engine,
    Float,
    create_engine,
    event,
    func,
    inspect,
    literal,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError

from narratoria import __version__
from narratoria.errors import StoreUnavailable
from narratoria.store.engines.database import ALONE, READERS, Database
from narratoria.store.migrations import FOLDER, known_revisions, revision_of, upgrade
from narratoria.store.search.ranking import COUNTED, rarest_words
from narratoria.store.tables import Figures, vector

LOCK_TIMEOUT_S = 2.0  # a session that has just ended holds its lock for a moment longer
_KEY = 1315009906  # "Narr"; a second key is the schema, and PostgreSQL adds the database
_NAME = "narratoria, "  # the start of a session's name at the server; its process and machine follow

_ACQUIRE = f"SELECT pg_advisory_lock({_KEY}, hashtext(coalesce(current_schema(), '')))"
_HOLDERS = f"""
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND pg_locks.database =
            (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid::bigint = {_KEY}
        AND objid = hashtext(coalesce(current_schema(), ''))::bit(32)::bigint::oid
"""
_HOLDER_NAME = f"SELECT application_name {_HOLDERS}"
_STARTED = "extract(epoch FROM backend_start)::text"
_END_SESSION = f"SELECT pg_terminate_backend(pid) {_HOLDERS} AND pid = %s AND {_STARTED} = %s"
_OWN_SESSION = f"SELECT pid, {_STARTED} FROM pg_stat_activity WHERE pid = pg_backend_pid()"
# `xmin` is the transaction that wrote the row last, and every transaction that adds rows writes this one
_BEGIN = "SELECT xmin::text, pg_current_xact_id()::xid::text FROM clock FOR UPDATE"


class WriterLock:
    """Lets only the connection write that holds the database's advisory lock.

    The connection that writes is the one that holds the lock, so losing the connection ends both, and
    PostgreSQL releases the lock when the process dies. A new connection acquires it again first. If another
    runtime has written in between, stories held in memory are out of date: nothing more is written.
    """

    def __init__(self, address: str) -> None:
        self._address = address  # without the password
        self._session: tuple[int, str] | None = None  # the last one that held the lock
        self._expected: frozenset[str] = frozenset()  # transactions that may have written last
        self._outdated = False

    def connect(self, dialect: Dialect, _record: object, arguments: Any, parameters: dict[str, Any]) -> Any:
        """Return a new connection that holds the lock; handles SQLAlchemy's `do_connect`."""
        parameters.setdefault("fallback_application_name", _session_name())
        connection: Any = dialect.connect(*arguments, **parameters)
        try:
            self._acquire(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def begin(self, connection: Connection) -> None:
        """Begin a writing transaction, or raise StoreUnavailable when another runtime has written."""
        last_writer, own = connection.exec_driver_sql(_BEGIN).one()
        if self._outdated or (self._expected and last_writer not in self._expected):
            self._outdated = True
            raise StoreUnavailable(
                f"{self._address}: another Narratoria server has written to this database while the "
                "connection to it was lost; stop that one and start this one again"
            )
        # whether the transaction before was committed may never be known, so both answers are fine
        self._expected = frozenset((last_writer, own))

    def _acquire(self, connection: Any) -> None:
        from psycopg.errors import LockNotAvailable

        if self._session is not None:
            # after a broken network the server may keep the last session for hours, with its lock
            connection.execute(_END_SESSION, self._session)
        connection.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'")
        try:
            connection.execute(_ACQUIRE)
        except LockNotAvailable:
            connection.rollback()
            holder = connection.execute(_HOLDER_NAME).fetchone()
            who = f" ({holder[0].removeprefix(_NAME)})" if holder and holder[0] else ""
            raise StoreUnavailable(
                f"{self._address}: another Narratoria server uses this database{who}; stop it first"
            ) from None
        self._session = connection.execute(_OWN_SESSION).fetchone()
        connection.commit()  # the lock is the session's and stays


def _session_name() -> str:
    return f"{_NAME}process {os.getpid()} on {socket.gethostname()}"[:63]  # the server cuts longer ones


SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
PARTED = ("record", "label", "embedding")
LOGS = ("turn", "scene", "change")

_ALONE_AT_MIGRATING = "SELECT pg_advisory_xact_lock(1315009906)"  # "Narr"


def is_postgresql(place: str | Path) -> bool:
    return isinstance(place, str) and place.partition("://")[0] in SCHEMES


def open_postgresql(address: str, *, migrations: Path = FOLDER) -> Database:
    """Open the database at this address, created or migrated as needed; raise StoreUnavailable otherwise."""
    url = _url(address)
    place = _without_password(url)
    explain = _explain(place)
    with contextlib.ExitStack() as undo:
        lock = WriterLock(place)
        writer = _writer(url, lock)
        undo.callback(writer.dispose)
        try:
            with writer.execution_options(**{ALONE: True}).begin() as connection:
                _prepare(connection, place, migrations)
                lock.begin(connection)
        except DBAPIError as error:
            reason = explain(error)
            if reason is None:
                raise
            raise reason from error
        _let_write_alone(writer, lock)
        readers = _engine(url, connections=READERS, reading=True)
        undo.pop_all()
    return Database(
        writer=writer,
        readers=readers,
        explain=explain,
        release=_nothing,
        make_room=_make_room,
        compact=_compact,
        with_words=_with_words,
        scan=_scan,
    )


def ensure_unused(address: str) -> None:
    """Raise StoreUnavailable when another runtime uses the database at this address.

    Whatever else is in the way is left for `open_postgresql` to report.
    """
    url = _url(address)
    engine = _writer(url, WriterLock(_without_password(url)))
    try:
        with contextlib.suppress(DBAPIError), engine.connect():
            pass
    finally:
        engine.dispose()


def _without_password(url: URL) -> str:
    return url.render_as_string(hide_password=True).replace("+psycopg", "")


def _url(address: str) -> URL:
    try:
        import psycopg  # noqa: F401 - an extra: only those who have a server need it
    except ImportError:
        raise StoreUnavailable(
            "a postgresql:// address needs the PostgreSQL driver; install it with "
            "pip install 'narratoria[postgresql]', or unset NARRATORIA_DATABASE_URL"
        ) from None
    try:
        return make_url(address).set(drivername="postgresql+psycopg")
    except ArgumentError:
        raise StoreUnavailable(
            "the address of the database cannot be read; write postgresql://USER@HOST:5432/DATABASE"
        ) from None


def _prepare(connection: Connection, place: str, migrations: Path) -> None:
    """Migrate the tables, all or nothing; refuse a database that is not ours or too new."""
    connection.exec_driver_sql(_ALONE_AT_MIGRATING)
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise StoreUnavailable(
            f"{place} keeps its text as {encoding}; stories need UTF8: make another database "
            "(createdb --encoding=UTF8 --template=template0)"
        )
    revisions = known_revisions(migrations)
    revision = revision_of(connection)
    if inspect(connection).has_table("clock") != (revision is not None):
        raise StoreUnavailable(
            f"{place} holds tables, but not Narratoria's; it was left as it is. Give it a database of its own"
        )
    if revision is not None and revision not in revisions:
        raise StoreUnavailable(
            f"{place} was written by a newer version of Narratoria (its tables are version {revision}; "
            f"Narratoria {__version__} knows them up to {revisions[-1]}); it was left as it is. "
            "Update Narratoria"
        )
    if revision != revisions[-1]:
        upgrade(connection, migrations)


def _engine(url: URL, *, connections: int, reading: bool = False) -> Engine:
    engine = create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=True,  # a server that was restarted in between is no failure
        hide_parameters=True,
        isolation_level="REPEATABLE READ" if reading else "READ COMMITTED",
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        connection.read_only = reading
        _keep_every_character(connection)

    return engine


def _writer(url: URL, lock: WriterLock) -> Engine:
    engine = _engine(url, connections=1)
    event.listen(engine, "do_connect", lock.connect)
    return engine


def _let_write_alone(engine: Engine, lock: WriterLock) -> None:
    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if not connection.get_execution_options().get(ALONE):
            lock.begin(connection)


def _keep_every_character(connection: Any) -> None:
    """Escape U+0000 as two other characters on the way, because PostgreSQL does not take it in text."""
    from psycopg.types.string import StrDumperUnknown, TextLoader

    class Escaping(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            plain = "\0" not in obj and "\x1a" not in obj
            return super().dump(obj if plain else obj.replace("\x1a", "\x1a1").replace("\0", "\x1a0"))

    class Unescaping(TextLoader):
        def load(self, data: Any) -> str:
            escaped = str(super().load(data))
            return escaped.replace("\x1a0", "\0").replace("\x1a1", "\x1a") if "\x1a" in escaped else escaped

    connection.adapters.register_dumper(str, Escaping)
    for name in ("text", "varchar"):
        connection.adapters.register_loader(name, Unescaping)


def _make_room(connection: Connection, branch: str) -> None:
    """Create the partition of each partitioned table for this branch, unless there is one."""
    from psycopg import sql

    driver: Any = connection.connection.driver_connection
    for table in PARTED:
        part = f"{table}_{hashlib.sha256(branch.encode()).hexdigest()[:16]}"
        if connection.execute(text("SELECT to_regclass(:part)"), {"part": part}).scalar() is not None:
            continue
        # made first and added then: made as a part, it would wait for everybody who reads
        names = {"part": sql.Identifier(part), "table": sql.Identifier(table), "line": sql.Literal(branch)}
        for statement in (
            "CREATE TABLE {part} (LIKE {table} INCLUDING CONSTRAINTS INCLUDING GENERATED)",
            "ALTER TABLE {table} ATTACH PARTITION {part} FOR VALUES IN ({line})",
        ):
            driver.execute(sql.SQL(statement).format(**names))


def _with_words(connection: Connection, branches: Sequence[str], query: str) -> list[int]:
    """Return the rows that hold the rarest words, those with the most and the rarest of them first."""
    holding: dict[str, list[int]] = {}

    def count_of(word: str) -> int:
        bound = {"lines": list(branches), "word": word, "most": COUNTED}
        holding[word] = list(connection.execute(_HOLDING, bound).scalars())
        return len(holding[word])

    weights: defaultdict[int, float] = defaultdict(float)
    for word in rarest_words(query, count_of):
        for seq in holding[word]:
            weights[seq] += 1 / len(holding[word])
    return sorted(weights, key=lambda seq: (-weights[seq], seq))


_HOLDING = text("""
    SELECT seq FROM record WHERE line = ANY(CAST(:lines AS text[]))
        AND words @@ phraseto_tsquery('narratoria', letters_of(CAST(:word AS text))) LIMIT :most
""")


def _scan(connection: Connection, branch: str, model: int, meaning: NDArray[np.float32]) -> dict[int, float]:
    """Return the exact cosine of every record of a branch, by its best window."""
    asked = literal(meaning.astype("<f4").tobytes(), Figures())
    nearness = func.max(1 - vector.c.data.op("<=>", return_type=Float())(asked))
    statement = select(vector.c.seq, nearness).where(vector.c.line == branch, vector.c.model == model)
    rows = connection.execute(statement.group_by(vector.c.seq))
    return {seq: 0.0 if math.isnan(cosine) else cosine for seq, cosine in rows}  # no direction, no nearness


def _compact(connection: Connection) -> None:
    """Drop the partitions of removed stories, and let the server reuse the room of removed rows."""
    alone = connection.execution_options(isolation_level="AUTOCOMMIT")
    for table in PARTED:
        for part in alone.execute(_GONE, {"table": table}).scalars().all():
            alone.exec_driver_sql(f"DROP TABLE {part}")
    alone.exec_driver_sql(f"VACUUM (ANALYZE) {', '.join((*PARTED, *LOGS))}")


_GONE = text("""
    SELECT CAST(inhrelid AS regclass) FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid,
        LATERAL pg_get_expr(part.relpartbound, part.oid) AS bound
    WHERE inhparent = CAST(CAST(:table AS text) AS regclass)
        AND NOT starts_with(bound, 'FOR VALUES IN (''campaign:')
        AND bound NOT IN (SELECT format('FOR VALUES IN (%L)', id) FROM playthrough)
""")


def _nothing() -> None:
    pass


_REASONS = {  # by SQLSTATE, or by the class that its first two characters are
    "08": "the server does not answer; start it, or check the address",
    "28": "the server does not let us in; check the database, the user and the password",
    "3D000": "there is no such database; make it (createdb) or check the address",
    "42501": "the user may not do this; grant it the right, or have an administrator run "
    "CREATE EXTENSION vector in this database",
    "0A000": "the server has no pgvector; install it, then CREATE EXTENSION vector",
    "25006": "the server only reads; check the address, or wait until it writes again",
    "53100": "the server's disk is full; make room and try again",
    "53": "the server has no more room or connections; wait a moment and try again",
    "57": "the server is shutting down or starting; wait a moment and try again",
    "58": "the server's disk does not read or write; check it",
    "XX": "the server reports damage; check its disk and restore a backup",
}


def _explain(place: str) -> Callable[[DBAPIError], StoreUnavailable | None]:
    def explain(error: DBAPIError) -> StoreUnavailable | None:
        state = getattr(error.orig, "sqlstate", None)
        if state is None:  # the connection failed before the server could say anything
            if not error.connection_invalidated and type(error.orig).__name__ != "OperationalError":
                return None
            state = "28000" if "FATAL:" in str(error.orig) else "08000"  # it is there, and refuses
        reason = _REASONS.get(state) or _REASONS.get(state[:2])
        if reason is None:
            return None
        detail = str(error.orig).strip().partition("\n")[0]
        return StoreUnavailable(f"{place}: {reason} ({detail}); everything stored before is still there")

    return explain
