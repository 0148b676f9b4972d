"""Damage that SQLite does not see is seen before the file is used, and said with what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from narratoria.errors import StoreUnavailable
from narratoria.store.engines.sqlite import find_damage, open_sqlite
from narratoria.store.engines.sqlite_damage import digest_schema, find_schema_damage, is_damage
from narratoria.store.migrations import known_revisions


@pytest.fixture
def whole_file(tmp_path: Path) -> Path:
    file = tmp_path / "narratoria.db"
    open_sqlite(file)._shut()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return file


def test_a_file_as_it_is_made_is_as_it_is_expected(whole_file: Path) -> None:
    with closing(sqlite3.connect(whole_file)) as connection:
        newest = known_revisions()[-1]
        assert find_schema_damage(connection, newest) == [], (
            f"sqlite_schema.json has to say of {newest}: {digest_schema(connection)}"
        )
    assert find_damage(whole_file) == []


@pytest.mark.parametrize("name", [b"playthrough", b"record_name", b"turn_is_a_log"])
def test_one_byte_in_a_name_is_damage_and_the_file_is_refused_with_advice(
    whole_file: Path, name: bytes
) -> None:
    content = whole_file.read_bytes()
    whole_file.write_bytes(content.replace(name, name[:-1] + b"q"))
    assert any(name.decode() in line for line in find_damage(whole_file))
    with pytest.raises(StoreUnavailable, match=r"is damaged .*narratoria store restore"):
        open_sqlite(whole_file)


def test_a_document_that_is_none_any_more_is_seen_by_a_check(whole_file: Path) -> None:
    with closing(sqlite3.connect(whole_file)) as connection:
        row = dict.fromkeys(_columns(connection, "turn"), 1) | {"choice": '{"text": '}
        marks = ", ".join(f":{name}" for name in row)
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(f"INSERT INTO turn ({', '.join(row)}) VALUES ({marks})", row)
        connection.commit()
    assert "1 of 'turn' cannot be read" in find_damage(whole_file)


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def test_errors_about_what_must_be_there_are_read_as_damage() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        with pytest.raises(sqlite3.OperationalError) as missing:
            connection.execute("SELECT * FROM turn")
        with pytest.raises(sqlite3.OperationalError) as wrong:
            connection.execute("SELECT FROM")
    assert is_damage(missing.value)
    assert not is_damage(wrong.value), "a statement of ours that is wrong is a bug"
