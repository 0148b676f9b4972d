"""The audit log has a line for each change and refusal, the newest first, and survives damage."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.web.profile_browser import Browser
from tests.web.serving import Server

from narratoria.web import audit
from narratoria.web.accounts import Account
from narratoria.web.audit import FILE, AuditLog

ADA = Account(id="ada-1", name="Ada")


def note(log: AuditLog, what: str) -> None:
    log.note(ADA, address="192.0.2.4", what=what, target="/api/x", status=200)


def test_what_was_noted_is_shown_the_newest_first(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    for what in ("one", "two", "three"):
        note(log, what)
    assert [entry.what for entry in log.latest(2)] == ["three", "two"]
    assert log.latest(1)[0].account == "ada-1"


def test_a_damaged_line_hides_no_other(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    note(log, "one")
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"half\n\xff\n')
    note(log, "two")
    assert [entry.what for entry in log.latest(10)] == ["two", "one"]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    note(AuditLog(tmp_path / "logs"), "one")
    assert (tmp_path / "logs" / FILE).stat().st_mode & 0o077 == 0


def test_a_large_file_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "LARGEST", 100)
    log = AuditLog(tmp_path)
    for what in ("one", "two"):
        note(log, what)
    assert [entry.what for entry in log.latest(10)] == ["two"]
    (aside,) = tmp_path.glob("*.1.jsonl")
    assert json.loads(aside.read_bytes())["what"] == "one"


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    log = AuditLog(tmp_path / "logs")
    note(log, "one")
    assert log.latest(1) == ()


def test_changes_and_refusals_are_noted_with_who_and_never_a_pin(servers: object) -> None:
    server: Server = servers().start()  # type: ignore[operator]
    owner = Browser(server).open()
    owner.ask("POST", "/api/profiles", {"name": "Olga", "pin": "731942"})
    Browser(server).open().ask("POST", "/api/profiles/enter", {"profile": "home", "pin": "000000"})
    owner.ask("POST", "/api/skills/storyteller/disable", {})
    entries = owner.get("/api/audit")["entries"]
    assert [(entry["what"], entry["status"], entry["who"]) for entry in entries] == [
        ("disable_skill", 200, "Olga"),
        ("enter_profile", 403, ""),
        ("add_profile", 201, ""),
    ]
    assert entries[0]["address"] == "127.0.0.1"
    content = (server.home / "logs" / FILE).read_bytes()
    assert b"731942" not in content
    assert b"000000" not in content
