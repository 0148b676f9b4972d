"""A new file is made at once, and is the one that the migrations make."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from narratoria.store.engines.sqlite import open_sqlite
from narratoria.store.engines.sqlite_tables import TABLES_FILE, read_statements, write_statements
from narratoria.store.migrations import FOLDER


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that went through every migration."""
    folder = tmp_path_factory.mktemp("migrated")
    migrations = Path(shutil.copytree(FOLDER, folder / "migrations"))
    open_sqlite(folder / "narratoria.db", migrations=migrations)._shut()
    return folder / "narratoria.db"


def dump(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return sorted(connection.iterdump())


def test_the_statements_are_those_of_the_migrations(migrated: Path) -> None:
    with closing(sqlite3.connect(migrated)) as connection:
        expected = write_statements(connection)
    made = files("narratoria.store.engines").joinpath(TABLES_FILE).read_text(encoding="utf-8")
    assert made == expected, f"{TABLES_FILE} has to say:\n{expected}"


def test_a_new_file_is_the_one_that_the_migrations_make(migrated: Path, tmp_path: Path) -> None:
    open_sqlite(tmp_path / "narratoria.db")._shut()
    assert dump(tmp_path / "narratoria.db") == dump(migrated)


def test_a_trigger_is_one_statement_with_those_it_holds() -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM b;\nEND"
    assert list(read_statements(f"CREATE TABLE a (x);\n{trigger};\n")) == ["CREATE TABLE a (x)", trigger]


def test_nobody_waits_for_the_import_of_migrations_where_there_are_none(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from narratoria.store.engines.sqlite import open_sqlite\n"
        "open_sqlite(Path(sys.argv[1]))._shut(); print('alembic.command' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "narratoria.db")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
