"""What lies on the disk: what somebody else here can read of it, and what a deleted story leaves."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import subprocess
from itertools import islice
from pathlib import Path

import pytest
from tests.web.serving import Server

from narratoria import paths
from narratoria.cli.doctor import examine
from narratoria.files import file_lock, replace_file
from narratoria.planning.plan_log import PlanLog, delete_story_records
from narratoria.skills.skill import data_dir
from narratoria.store import Store
from narratoria.store.engines.sqlite import copy_database

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")

TITLE, TYPED = "Plughtitle", "Xyzzysecret"
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def open_to_others(folder: Path) -> list[str]:
    """What somebody else could read, list or go through."""
    found = (folder, *folder.rglob("*"))
    return [str(path) for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077]


@pytest.fixture(scope="module")
def story(server: Server) -> str:
    """In a home in which somebody has set something, chosen and written a line of their own."""
    assert server.ask("PUT", "/api/settings", {"freeText": True}).status == 200
    made = server.begin(title=TITLE)
    server.post(f"/api/stories/{made}/say", {"text": f"tell Aunt {TYPED} about the letter", "scene": 1}, 202)
    server.wait(made, 2)
    return made


@pytest.fixture(scope="module")
def played(server: Server, story: str) -> Server:
    return server


def test_nothing_in_a_home_that_was_played_in_is_open_to_others(played: Server) -> None:
    names = {path.name for path in played.home.rglob("*")}
    assert {"narratoria.db", "plans.jsonl", "store.jsonl", "events.jsonl", "secret", "server.json"} <= names
    assert open_to_others(played.home) == []


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which(NOBODY[0]) is None, reason="nobody else can be had")
def test_somebody_else_on_the_machine_reads_nothing_and_finds_a_locked_port(played: Server) -> None:
    files = [str(path) for path in played.home.rglob("*") if path.is_file()]
    program = (
        "import sys, urllib.request, urllib.error\n"
        "for path in sys.argv[2:]:\n"
        "    try: open(path, 'rb').read(1); print('READ', path)\n"
        "    except PermissionError: pass\n"
        "try: urllib.request.urlopen(sys.argv[1]); print('OPEN')\n"
        "except urllib.error.HTTPError as error: print(error.code)\n"
    )
    command = [*NOBODY, "/usr/bin/env", "python3", "-c", program, f"{played.origin}/api/stories", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.stdout == "401\n", done.stderr


@pytest.mark.usefixtures("ordinary_umask")
async def test_whoever_comes_first_makes_a_home_that_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def store(home: Path) -> None:
        await (await Store.open(home / "narratoria.db", None, logs=home / "logs")).close()

    async def setting(home: Path) -> None:
        with file_lock(home / "skills" / "a" / "config.json"):
            replace_file(home / "skills" / "a" / "config.json", b"{}", private=True)

    async def skill(home: Path) -> None:
        data_dir("somebody")

    async def model(home: Path) -> None:
        paths.make_folder(home / "models" / "x")

    async def journal(home: Path) -> None:
        paths.make_private(PlanLog(home / "logs").folder)

    for number, first in enumerate((store, setting, skill, model, journal)):
        home = tmp_path / f"{number}" / "home"
        monkeypatch.setenv("NARRATORIA_HOME", str(home))
        await first(home)
        assert stat.S_IMODE(home.stat().st_mode) == 0o700, first.__name__


@pytest.mark.usefixtures("ordinary_umask")
async def test_a_database_that_was_open_to_others_is_closed_when_it_is_used(tmp_path: Path) -> None:
    file = tmp_path / "narratoria.db"
    await (await Store.open(file, None, logs=tmp_path / "logs")).close()
    file.chmod(0o644)
    store = await Store.open(file, None, logs=tmp_path / "logs")
    await store.playthroughs.create("mill")
    beside = [path for path in tmp_path.iterdir() if path.name.startswith("narratoria.db")]
    assert len(beside) == 4  # itself, its log, that log's index, and the lock
    assert [path.name for path in beside if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
    copy = copy_database(file, tmp_path / "copy.db")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    await store.close()


@pytest.mark.usefixtures("ordinary_umask")
def test_the_doctor_says_when_a_home_is_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> str:
        about = (finding for finding in examine() if finding.section in ("This machine", "Folders"))
        return "\n".join(finding.text for finding in islice(about, 4))

    (tmp_path / "home").mkdir()
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    assert f"chmod 700 {tmp_path / 'home'}" in told()
    (tmp_path / "home").chmod(0o700)
    assert "chmod 700" not in told()


def holding(folder: Path, word: str) -> list[str]:
    """The files that hold a word, in any case, or are called by it."""
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if word in path.name or (path.is_file() and word.lower().encode() in path.read_bytes().lower())
    ]


def test_a_deleted_story_leaves_no_word_behind_while_the_server_still_runs(
    server: Server, story: str
) -> None:
    other = server.begin(title="Another")
    assert {"plans.jsonl", "events.jsonl"} <= set(holding(server.home, TYPED)), "or this test shows nothing"
    assert any(name.startswith("narratoria.db") for name in holding(server.home, TYPED))
    assert server.ask("DELETE", f"/api/stories/{story}").status == 204

    assert holding(server.home, TYPED) == []
    assert holding(server.home, TITLE) == []
    assert holding(server.home, story) == ["store.jsonl"]  # when queries ran, and nothing of what was found
    with contextlib.closing(
        sqlite3.connect(f"file:{server.home}/narratoria.db?mode=ro", uri=True)
    ) as database:
        terms = {row[0] for row in database.execute("SELECT term FROM record_terms")}
    assert not {term for term in terms if TYPED.lower()[:6] in term}

    assert server.get(f"/api/stories/{other}")["scenes"], "the other one is as it was"
    assert other in (server.home / "logs/plans.jsonl").read_text()


def test_forgetting_takes_one_storys_lines_and_no_others(tmp_path: Path) -> None:
    lines = [
        '{"kind":"generation","at":"","planId":null,"parentPlanId":null,"attempt":1,"outcome":"failed",'
        f'"durationMs":1,"playerInput":"{text}","story":"{name}"}}\n'
        for name, text in (("a", "one"), ("b", 'say \\"story\\":\\"a\\"'), ("a", "three"), ("", "four"))
    ]
    torn = '{"kind":"generation","story":"a","playerInput":"half a li'
    (tmp_path / "plans.jsonl").write_text("".join(lines) + torn)
    (tmp_path / "plans-20260101T000000000000-1.jsonl").write_text(lines[0] + lines[3])
    delete_story_records(tmp_path, "a")
    assert (tmp_path / "plans.jsonl").read_text() == lines[1] + lines[3]
    assert (tmp_path / "plans-20260101T000000000000-1.jsonl").read_text() == lines[3]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "plans-20260101T000000000000-1.jsonl",
        "plans.jsonl",
    ]
