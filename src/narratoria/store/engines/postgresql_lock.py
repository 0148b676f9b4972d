"""Defines the lock that lets one runtime at a time use a PostgreSQL database."""

from __future__ import annotations

import os
import socket
from typing import Any

from sqlalchemy import Connection, Dialect

from narratoria.errors import StoreUnavailable

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
