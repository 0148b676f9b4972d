"""A damaged file of stories is told on the first page, and a backup takes its place by one request."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.web.serving import CAMPAIGN, Server

from narratoria.store.engines.backups import back_up_if_due

FILE = "narratoria.db"


@pytest.fixture
def damaged(servers: Any, tmp_path: Path) -> Server:
    """A server whose file of stories has been damaged since its backup was made."""
    first: Server = servers().start()
    first.begin()
    first.stop()
    damage(tmp_path / "home" / FILE)
    server: Server = servers()
    return server.start()


def damage(file: Path) -> None:
    """Back a database up, and change one byte of a table's name in it."""
    assert back_up_if_due(file, every_s=0)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = file.read_bytes()
    file.write_bytes(content.replace(b"CREATE TABLE playthrough", b"CREATE TABLE pleythrough", 1))


def test_a_damaged_store_is_told_with_its_backup_and_restored_by_one_request(damaged: Server) -> None:
    home = damaged.get("/api/home")
    assert "is damaged" in home["damage"]["message"]
    assert home["stories"] == []
    restored = damaged.post("/api/store/restore", {})
    assert restored["backup"] == home["damage"]["backup"]
    assert Path(restored["keptAside"]).is_file()
    home = damaged.get("/api/home")
    assert home["damage"] is None
    assert [story["campaign"] for story in home["stories"]] == [CAMPAIGN]


def test_a_damage_that_is_met_later_is_restored_with_stories_open(servers: Any, tmp_path: Path) -> None:
    server: Server = servers().start()
    story = server.begin()
    with closing(sqlite3.connect(tmp_path / "home" / FILE)) as connection:
        assert back_up_if_due(tmp_path / "home" / FILE, every_s=0)
        for (trigger,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'scene'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("UPDATE scene SET scene = '{'")
        connection.commit()
    assert server.ask("GET", f"/api/stories/{story}/tree").status < 500
    assert server.ask("GET", f"/api/stories/{story}/export").status == 503
    assert server.get("/api/home")["damage"]["backup"]
    server.post("/api/store/restore", {})
    assert server.get("/api/home")["damage"] is None
    assert server.choose(story)["scenes"][-1]["number"] == 2


def test_without_a_whole_backup_nothing_is_changed(servers: Any, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / FILE).write_bytes(b"SQLite format 3\0" + bytes(5000))
    server: Server = servers().start()
    home = server.get("/api/home")
    assert home["damage"]["backup"] is None
    refused = server.ask("POST", "/api/store/restore", {})
    assert refused.status == 503
    assert "no whole backup" in refused.json["error"]["message"]
    assert (tmp_path / "home" / FILE).stat().st_size == 5016


def test_a_whole_store_tells_of_no_damage(server: Server) -> None:
    assert server.get("/api/home")["damage"] is None
