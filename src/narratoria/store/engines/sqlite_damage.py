"""Finds damage in a SQLite file that SQLite itself does not see, and reads its errors as what they mean.

`sqlite_schema.json` holds a digest of every table, index and trigger of a whole file, by migration: a name in
which one byte has changed is a valid name to SQLite, and the table is gone.
"""

from __future__ import annotations

import json
import re
import sqlite3
from functools import cache
from hashlib import sha256
from importlib.resources import files

_SCHEMA_FILE = "sqlite_schema.json"
_SHADOW = re.compile(
    r"record_text_(?:data|idx|docsize|config|content)$"
)  # SQLite makes and words these itself
_OF_DAMAGE = re.compile(
    r"no such (?:table|column|index|module)|malformed|has no column|could not decode to utf-8|"
    r"unrecognized token|database schema|vtable constructor failed|datatype mismatch|fts5|"
    r"string or blob too big|out of memory",
    re.IGNORECASE,
)
_DOCUMENTS = (("turn", "choice"), ("scene", "scene"), ("scene", "state"), ("record", "body"))
_TABLES = ("playthrough", "story", "turn", "scene", "record", "label", "change", "clock")
_TYPES = {  # a value's type by its column's
    "INTEGER": ("integer",),
    "BIGINT": ("integer",),
    "BOOLEAN": ("integer",),
    "TEXT": ("text",),
    "FLOAT": ("real", "integer"),
    "BLOB": ("blob",),
}
_CODES = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_TOOBIG,
}


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error says that the file is damaged: our statements are right about a whole one."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in _CODES or (code in (0, sqlite3.SQLITE_ERROR) and bool(_OF_DAMAGE.search(str(error))))


def find_schema_damage(connection: sqlite3.Connection, revision: str) -> list[str]:
    """Return every table, index and trigger that is missing, strange, or other than it was made."""
    expected = _expected_schemas().get(revision)
    if expected is None:
        return []
    digests = digest_schema(connection)
    missing = [f"'{name}' is missing" for name in expected if name not in digests]
    strange = [f"'{name}' does not belong there" for name in digests if name not in expected]
    changed = [
        f"'{name}' is not as it was made"
        for name, digest in expected.items()
        if name in digests and digests[name] != digest
    ]
    return [*missing, *strange, *changed]


def find_row_damage(connection: sqlite3.Connection) -> list[str]:
    """Return the tables with values of another type than was stored, or documents that are none any more."""
    problems = []
    for table in _TABLES:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        if not columns:  # a backup of an earlier version; what is missing from this one is told before
            continue
        wrong = [
            f"typeof({name}) NOT IN ({', '.join(map(repr, ('null', *_TYPES[kind])))})"
            for _, name, kind, *_ in columns
            if kind in _TYPES
        ]
        wrong += [f"json_valid({column}) = 0" for one, column in _DOCUMENTS if one == table]
        count = connection.execute(f"SELECT count(*) FROM {table} WHERE {' OR '.join(wrong)}").fetchone()[0]
        if count:
            problems.append(f"{count} of '{table}' cannot be read")
    return problems


def digest_schema(connection: sqlite3.Connection) -> dict[str, str]:
    """Return a digest of each table, index and trigger by name."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {
        str(name): "" if _SHADOW.search(str(name)) else _digest(f"{kind} {table} {sql}")
        for kind, name, table, sql in rows
        if not str(name).startswith(("sqlite_stat", "sqlite_autoindex"))
    }


def _digest(text: str) -> str:
    return sha256(" ".join(text.split()).encode()).hexdigest()[:16]


@cache
def _expected_schemas() -> dict[str, dict[str, str]]:
    schemas: dict[str, dict[str, str]] = json.loads(
        files(__package__).joinpath(_SCHEMA_FILE).read_text(encoding="utf-8")
    )
    return schemas
