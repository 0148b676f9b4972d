"""Moves the rows of version 0001's partitions into one table each, some partitions at a time.

That version kept three partitions for each story. A transaction that read them all would need more locks than
a server has, so they are moved in several; one that is interrupted is gone on with at the next opening.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, text

from narratoria.store.engines.database import ALONE

TABLES = ("record", "label", "embedding")
AT_ONCE = 40  # partitions in a transaction: each needs up to eight locks

_PARTS = text("""
    SELECT CAST(CAST(inhrelid AS regclass) AS text) FROM pg_inherits
    WHERE inhparent = to_regclass(:parted) ORDER BY inhrelid LIMIT :most
""")
_COLUMNS = text("""
    SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
    WHERE attrelid = to_regclass(:table) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
""")


def move_partitions(engine: Engine, alone: str) -> None:
    """Move every row that is still in a partition; `alone` is run first in each transaction."""
    for table in TABLES:
        more = True
        while more:
            with engine.execution_options(**{ALONE: True}).begin() as connection:
                connection.exec_driver_sql(alone)
                more = _move_some(connection, table)


def _move_some(connection: Connection, table: str) -> bool:
    """Move the rows of some partitions of a table, and return whether there may be more."""
    parted = f"{table}_parted"
    if connection.execute(text("SELECT to_regclass(:parted)"), {"parted": parted}).scalar() is None:
        return False
    columns = connection.execute(_COLUMNS, {"table": table}).scalar_one()
    parts = connection.execute(_PARTS, {"parted": parted, "most": AT_ONCE}).scalars().all()
    for part in parts:
        connection.exec_driver_sql(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {part}")
        connection.exec_driver_sql(f"DROP TABLE {part}")
    if not parts:
        connection.exec_driver_sql(f"DROP TABLE {parted}")
    return bool(parts)
