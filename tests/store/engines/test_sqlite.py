"""A database is opened when it can be trusted, and otherwise left as it is, with a word on what to do."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.store.telling import WordCounts

from narratoria.errors import StoreUnavailable
from narratoria.store import Playthrough, Scope, Store
from narratoria.store.engines.database import Writing
from narratoria.store.engines.sqlite import copy_database, find_damage, open_sqlite
from narratoria.store.migrations import FOLDER, known_revisions

NEXT = """
from alembic import op
revision = "0999"
down_revision = "{down}"
def upgrade():
    op.execute("CREATE TABLE novelty (id INTEGER)")
    {more}
"""


async def refused(file: Path, **options: Path) -> str:
    """What is said when the file cannot be used; and afterwards it is as it was."""
    before = file.read_bytes() if file.exists() else None
    with pytest.raises(StoreUnavailable) as refusal:
        open_sqlite(file, **options)
    assert (file.read_bytes() if file.exists() else None) == before
    return str(refusal.value)


def migrations(folder: Path, *, more: str = "pass") -> Path:
    """The migrations of a later version."""
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = NEXT.format(down=known_revisions()[-1], more=more)
    (folder / "versions" / "0999_something_new.py").write_text(text)
    return folder


async def test_a_home_that_does_not_exist_is_made(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/new/home/narratoria.db", None)
    assert await store.playthroughs.all() == ()
    await store.close()
    assert (tmp_path / "new/home/narratoria.db").stat().st_size > 0


async def test_what_was_stored_is_there_after_reopening(
    store: Store, scope: Scope, story: Playthrough, file: Path, words: WordCounts
) -> None:
    kept = [await scope.store("memory", {"summary": f"Event {number}."}) for number in range(50)]
    await store.close()
    again = await Store.open(file, words)
    assert await again.at(story.id).exact_match("memory") == tuple(kept)
    assert await again.playthroughs.all() == (story,)
    await again.close()


async def test_a_migration_keeps_everything_and_is_preceded_by_a_backup(
    store: Store, scope: Scope, file: Path, tmp_path: Path
) -> None:
    await scope.store("memory", {"summary": "From before."})
    await store.close()
    database = open_sqlite(file, migrations=migrations(tmp_path / "later"))
    await database.close()
    (backup,) = (file.parent / "backups").glob("*.db")
    assert "0003" in backup.name
    for copy, tables in ((file, {"novelty"}), (backup, set())):
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("SELECT text FROM record").fetchall() == [("From before.",)]
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            assert names & {"novelty"} == tables
    assert find_damage(backup) == []


async def test_a_new_or_current_database_is_not_backed_up(file: Path) -> None:
    await open_sqlite(file).close()
    assert not (file.parent / "backups").exists()


async def test_a_migration_that_fails_leaves_the_database_as_it_was(file: Path, tmp_path: Path) -> None:
    later = migrations(tmp_path / "later", more='op.execute("SELECT * FROM nowhere")')
    with pytest.raises(StoreUnavailable, match="a copy from before is"):
        open_sqlite(file, migrations=later)
    database = open_sqlite(file)  # this version still can
    await database.close()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert not connection.execute("SELECT * FROM sqlite_master WHERE name = 'novelty'").fetchall()


async def test_a_database_of_a_newer_version_is_refused(file: Path, tmp_path: Path) -> None:
    await open_sqlite(file, migrations=migrations(tmp_path / "later")).close()
    message = await refused(file)
    assert str(file) in message
    assert "newer version of Narratoria (its tables are version 0999" in message
    assert f"knows them up to {known_revisions()[-1]}" in message
    assert "Update Narratoria, or set NARRATORIA_HOME" in message


async def test_somebody_elses_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "narratoria.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    assert "is a database, but not one of Narratoria's" in await refused(file)


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "narratoria.db"
    file.write_text("Once upon a time. " * 1000)
    message = await refused(file)
    assert "is damaged (file is not a database); it was left as it is" in message
    assert "there is no backup beside it" in message


async def test_a_damaged_page_is_noticed_and_the_backup_named(
    store: Store, scope: Scope, file: Path, tmp_path: Path
) -> None:
    await scope.store_all([("memory", {"summary": f"Event {number}."}) for number in range(300)])
    backup = copy_database(file, file.parent / "backups" / "narratoria-friday.db")
    await store.close()
    with file.open("r+b") as content:
        content.seek(40 * 4096)
        content.write(b"\xff" * 8 * 4096)
    message = await refused(file)
    assert f"{file} is damaged" in message
    assert f"the latest backup is {backup}" in message
    assert find_damage(file) != []


async def test_damage_that_shows_while_playing_is_told_and_nothing_more_is_written(
    store: Store, scope: Scope, file: Path, words: WordCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narratoria.store.engines.sqlite.LOOKED_THROUGH", 0)  # as for a file of gigabytes
    await scope.store_all([("memory", {"summary": f"Event {number}."}) for number in range(300)])
    (story,) = await store.playthroughs.all()
    await store.close()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'record'").fetchone()
    with file.open("r+b") as content:
        content.seek((page - 1) * 4096)
        content.write(b"\xff" * 4096)
    again = await Store.open(file, words)
    with pytest.raises(StoreUnavailable, match="is damaged"):
        await again.at(story.id).exact_match("memory")
    await again.close()


async def test_a_full_disk_is_told_and_what_was_stored_is_still_there(store: Store, scope: Scope) -> None:
    kept = await scope.store("memory", {"summary": "Before."})

    def fill(writing: Writing) -> None:
        pages = writing.connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        writing.connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")

    def make_room(writing: Writing) -> None:
        writing.connection.exec_driver_sql("PRAGMA max_page_count = 1000000")

    await store.database.write(fill)
    with pytest.raises(StoreUnavailable, match="the disk is full; make room and try again"):
        await scope.store_all([("memory", {"summary": "After. " * 500}) for _ in range(50)])
    assert await scope.exact_match("memory") == (kept,)
    await store.database.write(make_room)
    await scope.store("memory", {"summary": "After."})
    assert len(await scope.exact_match("memory")) == 2


async def test_a_folder_that_cannot_be_written_is_told() -> None:
    message = await refused(Path("/proc/narratoria/narratoria.db"))
    assert message.startswith("/proc/narratoria/narratoria.db cannot be used: ")
    assert "make its folder writable, or set NARRATORIA_HOME" in message


async def test_a_store_that_could_not_be_opened_can_be_once_what_was_in_the_way_is_gone(
    tmp_path: Path,
) -> None:
    place = tmp_path / "narratoria.db"
    place.mkdir()
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="cannot be used"):
            await Store.open(place, None)
    place.rmdir()
    await (await Store.open(place, None)).close()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there")
async def test_a_file_that_is_read_only_is_told(file: Path) -> None:
    before = hashlib.sha256(file.read_bytes()).digest()
    code = f"""
        from pathlib import Path
        from narratoria.errors import StoreUnavailable
        from narratoria.store.engines.sqlite import open_sqlite
        import os
        os.seteuid({os.geteuid() or 65534})  # root may write everything
        try:
            open_sqlite(Path({str(file)!r}))
        except StoreUnavailable as refusal:
            print(refusal)
    """
    for place in (file, *file.parents[:1]):
        place.chmod(0o555)
    for above in file.parents[1:4]:
        above.chmod(0o755)
    said = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    ).stdout
    assert str(file) in said
    assert "writable, or set NARRATORIA_HOME" in said
    assert hashlib.sha256(file.read_bytes()).digest() == before
