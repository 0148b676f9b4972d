"""Opens the database on a PostgreSQL server with pgvector, which several servers of ours can use at once."""

from __future__ import annotations

import contextlib
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
from narratoria.store.engines.partitions import move_partitions
from narratoria.store.migrations import FOLDER, known_revisions, revision_of, upgrade
from narratoria.store.search.ranking import COUNTED, rarest_words
from narratoria.store.tables import Figures, vector

LOCK_TIMEOUT_S = 8.0  # for a row that another server writes
PAUSE_TIMEOUT_S = 5.0  # a server that falls asleep in the middle of writing keeps the others no longer
_NAME = "narratoria, "  # the start of a session's name at the server; its process and machine follow
# rows get their numbers in the order in which they are written, so one transaction writes at a time
_BEGIN = "SELECT seq FROM clock FOR UPDATE"


def _session_name() -> str:
    return f"{_NAME}process {os.getpid()} on {socket.gethostname()}"[:63]  # the server cuts longer ones


SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
TABLES = ("record", "label", "embedding", "turn", "scene", "change", "playthrough", "story")

_ALONE_AT_MIGRATING = """
    SET LOCAL lock_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SELECT pg_advisory_xact_lock(1315009906)
"""  # "Narr"


def is_postgresql(place: str | Path) -> bool:
    return isinstance(place, str) and place.partition("://")[0] in SCHEMES


def open_postgresql(address: str, *, migrations: Path = FOLDER) -> Database:
    """Open the database at this address, created or migrated as needed; raise StoreUnavailable otherwise."""
    url = _url(address)
    place = _without_password(url)
    explain = _explain(place)
    with contextlib.ExitStack() as undo:
        writer = _engine(url, connections=1)
        undo.callback(writer.dispose)
        try:
            with writer.execution_options(**{ALONE: True}).begin() as connection:
                _prepare(connection, place, migrations)
            if migrations == FOLDER:
                move_partitions(writer, _ALONE_AT_MIGRATING)
        except DBAPIError as error:
            reason = explain(error)
            if reason is None:
                raise
            raise reason from error
        _write_one_at_a_time(writer)
        readers = _engine(url, connections=READERS, reading=True)
        undo.pop_all()
    return Database(
        writer=writer,
        readers=readers,
        explain=explain,
        release=_nothing,
        compact=_compact,
        with_words=_with_words,
        scan=_scan,
    )


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

    @event.listens_for(engine, "do_connect")
    def _name(_dialect: object, _record: object, _arguments: object, parameters: dict[str, Any]) -> None:
        parameters.setdefault("fallback_application_name", _session_name())

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        for setting, seconds in (
            ("lock_timeout", LOCK_TIMEOUT_S),
            ("idle_in_transaction_session_timeout", PAUSE_TIMEOUT_S),
        ):
            connection.execute(f"SET {setting} = '{seconds}s'")
        connection.commit()
        connection.read_only = reading
        _keep_every_character(connection)

    return engine


def _write_one_at_a_time(engine: Engine) -> None:
    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if not connection.get_execution_options().get(ALONE):
            connection.exec_driver_sql(_BEGIN)


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
    """Let the server reuse the room of removed rows."""
    alone = connection.execution_options(isolation_level="AUTOCOMMIT")
    alone.exec_driver_sql(f"VACUUM (ANALYZE) {', '.join(TABLES)}")


def _nothing() -> None:
    pass


_REASONS = {  # by SQLSTATE, or by the class that its first two characters are
    "08": "the server does not answer; start it, or check the address",
    "28": "the server does not let us in; check the database, the user and the password",
    "3D000": "there is no such database; make it (createdb) or check the address",
    "42501": "the user may not do this; grant it the right, or have an administrator run "
    "CREATE EXTENSION vector in this database",
    "0A000": "the server has no pgvector; install it, then CREATE EXTENSION vector",
    "25P03": "this server was asleep in the middle of writing, and what it wrote was taken back; try again",
    "55P03": "another server is writing for long; wait a moment and try again",
    "40": "another server was writing the same; try again",
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
