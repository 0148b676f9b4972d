"""Makes the tables of a new SQLite file at once, as all migrations together leave them.

`sqlite_tables.sql` holds the statements; a migration that is added changes it, and the tests print it anew.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from sqlalchemy import Connection

TABLES_FILE = "sqlite_tables.sql"
_MADE_BY_OTHERS = re.compile(r"^(?:sqlite_|record_text_(?:data|idx|docsize|config|content)$)")


def create_tables(connection: Connection) -> None:
    """Create every table, index and trigger, inside the caller's transaction."""
    for statement in read_statements(
        files("narratoria.store.engines").joinpath(TABLES_FILE).read_text(encoding="utf-8")
    ):
        connection.exec_driver_sql(statement)


def read_statements(text: str) -> Iterator[str]:
    """Yield the statements of a text one by one; a trigger is one, with those that it holds."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip().removesuffix(";")
            statement = ""


def write_statements(connection: sqlite3.Connection) -> str:
    """Return the statements that make the tables of a file, and the rows that a new one has."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    statements = [sql for name, sql in rows if not _MADE_BY_OTHERS.search(name)]
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    statements += [
        f"INSERT INTO {name} VALUES ({', '.join(map(repr, row))})"
        for (name,) in tables
        if not name.startswith("record_")  # those of the search for words fill themselves
        for row in connection.execute(f"SELECT * FROM {name}")
    ]
    return "".join(f"{statement};\n" for statement in statements)
