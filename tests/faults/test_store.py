"""The store under the worst that a machine does: everything acknowledged is there, or the reason is told."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from narratoria.errors import StoreUnavailable
from narratoria.store import Store
from narratoria.store.engines.sqlite import copy_database, find_damage, put_in_place

KILLS = Path(__file__).with_name("kills.py")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, mounts and limits as POSIX has them")

# opens the store at argv[1], says so, then stores until it is told to stop, or until it cannot
WRITER = """
import asyncio, sys
from narratoria.errors import NarratoriaException, RecordExists
from narratoria.store import Store

async def main(file, most, size):
    store = await Store.open(file, None)
    try:
        await store.playthroughs.create("mill", identifier="mill")
    except RecordExists:
        pass
    print("opened", flush=True)
    for n in range(most):
        await store.at("mill").store("memory", {"summary": "bell " * size}, f"{sys.argv[4]}-{n}")
        print(f"kept {sys.argv[4]}-{n}", flush=True)
    sys.stdin.read()
    await store.close()

try:
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
except NarratoriaException as error:
    print(f"{type(error).__name__}: {error}", flush=True)
"""


def writer(file: Path, *, most: int = 3, size: int = 10, name: str = "a") -> list[str]:
    return [sys.executable, "-c", WRITER, str(file), str(most), str(size), name]


def written(command: Sequence[str], **options: object) -> tuple[set[str], str]:
    """What a writer was told is kept, and its last word."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False, **options
    )  # type: ignore[call-overload]
    lines = done.stdout.splitlines()
    assert lines, done.stderr
    return {line.split()[1] for line in lines if line.startswith("kept ")}, lines[-1]


async def kept(file: Path) -> set[str]:
    store = await Store.open(file, None)
    try:
        return {entry.identifier for entry in await store.at("mill").exact_match("memory")}
    finally:
        await store.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "narratoria.db"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_whatever_was_acknowledged_survives_200_kills(file: Path) -> None:
    command = [sys.executable, str(KILLS), str(file), "200", "11"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=True)
    seen = json.loads(done.stdout)
    assert seen["lost"] == []
    assert seen["opened"] >= 100, "most rounds get as far as writing"
    assert {line.split()[0] for line in seen["acknowledged"]} == {"memory", "change", "turn"}
    assert find_damage(file) == []


def test_a_few_kills_lose_nothing(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(KILLS), str(file), "8", "3"],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    seen = json.loads(done.stdout)
    assert seen["lost"] == []
    assert seen["acknowledged"]
    assert find_damage(file) == []


# a full disk


@pytest.mark.parametrize("small_disk", ["2m"], indirect=True)
async def test_a_full_disk_is_told_and_costs_only_what_was_not_acknowledged(small_disk: Path) -> None:
    file, ballast = small_disk / "home" / "narratoria.db", small_disk / "ballast"
    ballast.write_bytes(bytes(1024 * 1024))
    acknowledged, last = written(writer(file, most=500, size=2000))
    assert "the disk is full; make room and try again" in last
    assert str(file) in last
    ballast.unlink()
    assert acknowledged
    assert await kept(file) >= acknowledged
    more, _ = written(writer(file, most=3, name="b"))
    assert await kept(file) >= acknowledged | more == acknowledged | {"b-0", "b-1", "b-2"}
    assert find_damage(file) == []


async def test_a_file_that_may_not_grow_is_told_and_costs_only_what_was_not_acknowledged(file: Path) -> None:
    written(writer(file, most=1, name="first"))
    most = file.stat().st_size + 400_000
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
    acknowledged, last = written(writer(file, most=500, size=2000), preexec_fn=limit)
    assert last.startswith("StoreUnavailable: ")
    assert "make room" in last
    assert acknowledged
    assert await kept(file) >= acknowledged | {"first-0"}
    assert find_damage(file) == []


# a file that may not be written


@pytest.mark.parametrize("what", ["file", "folder"])
async def test_a_read_only_store_is_told_and_stays_as_it_is(file: Path, what: str) -> None:
    acknowledged, _ = written(writer(file))
    before = file.read_bytes()
    locked = file if what == "file" else file.parent
    mode = locked.stat().st_mode
    file.with_name(f"{file.name}.lock").unlink()
    locked.chmod(0o444 if what == "file" else 0o555)
    try:
        refused, last = written([*_without_powers(), *writer(file, name="b")])
    finally:
        locked.chmod(mode)
    assert refused == set()
    assert last.startswith("StoreUnavailable: ")
    assert str(file) in last
    assert "writable" in last
    assert file.read_bytes() == before
    assert await kept(file) == acknowledged


def _without_powers() -> list[str]:
    """Root may write whatever it likes; without its capabilities it may not."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root here, and setpriv is not installed")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


# damage


def _damage(file: Path) -> None:
    """Another file's bytes in the middle of ours, as a failing disk or a bad copy leaves them."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        page = connection.execute("PRAGMA page_size").fetchone()[0]
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'record'").fetchone()[0]
    with file.open("r+b") as raw:
        raw.seek((root - 1) * page)
        raw.write(b"\xde\xad\xbe\xef" * (page // 4))


async def test_a_damaged_page_is_told_and_a_backup_brings_everything_back(file: Path, tmp_path: Path) -> None:
    acknowledged, _ = written(writer(file))
    backup = copy_database(file, tmp_path / "backup.db")
    _damage(file)
    damaged = file.read_bytes()
    with pytest.raises(StoreUnavailable) as refused:
        await kept(file)
    assert "damaged" in str(refused.value)
    assert "store restore" in str(refused.value)
    assert file.read_bytes() == damaged, "left as it was"
    aside = put_in_place(file, backup)
    assert aside is not None
    assert aside.read_bytes() == damaged
    assert await kept(file) == acknowledged


async def test_a_damaged_or_strange_or_newer_backup_is_refused_and_nothing_changes(
    file: Path, tmp_path: Path
) -> None:
    acknowledged, _ = written(writer(file))
    backups = [copy_database(file, tmp_path / f"{name}.db") for name in ("damaged", "newer", "strange")]
    before = file.read_bytes()
    _damage(backups[0])
    with contextlib.closing(sqlite3.connect(backups[1])) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.commit()
    with contextlib.closing(sqlite3.connect(backups[2])) as strange:
        strange.execute("PRAGMA application_id = 1")
    (tmp_path / "text.db").write_text("a letter")
    reasons = ["damaged", "newer version", "not a backup", "damaged", "not a file"]
    for backup, reason in zip([*backups, tmp_path / "text.db", tmp_path / "none.db"], reasons, strict=True):
        with pytest.raises(StoreUnavailable, match=reason):
            put_in_place(file, backup)
    assert file.read_bytes() == before
    assert await kept(file) == acknowledged
    assert list(file.parent.glob("*replaced*")) == []


async def test_what_a_killed_writer_left_in_its_log_is_put_aside_with_the_file(
    file: Path, tmp_path: Path
) -> None:
    written(writer(file, name="old"))
    backup = copy_database(file, tmp_path / "backup.db")
    with subprocess.Popen(writer(file), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        while other.stdout.readline() != "kept a-2\n":
            pass
        with pytest.raises(StoreUnavailable, match=f"process {other.pid}"):
            put_in_place(file, backup)
        other.kill()
    aside = put_in_place(file, backup)
    assert await kept(file) == {"old-0", "old-1", "old-2"}
    assert aside is not None
    assert await kept(aside) == {"old-0", "old-1", "old-2", "a-0", "a-1", "a-2"}


# two runtimes


async def test_of_two_runtimes_on_one_home_the_second_is_told_whose_it_is(file: Path) -> None:
    with subprocess.Popen(writer(file), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "opened\n"
        _, last = written(writer(file, name="b"))
        assert f"in use by process {first.pid}" in last
        assert "NARRATORIA_HOME" in last
        lines, _ = first.communicate("", timeout=60)
    assert lines.splitlines()[-1] == "kept a-2"
    assert await kept(file) == {"a-0", "a-1", "a-2"}


async def test_the_lock_of_a_dead_runtime_holds_nobody_up(file: Path) -> None:
    with subprocess.Popen(writer(file), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        while first.stdout.readline() != "kept a-2\n":
            pass
        first.send_signal(signal.SIGKILL)
    assert file.with_name(f"{file.name}.lock").read_text().strip() == str(first.pid), (
        "its name is still there"
    )
    assert await kept(file) == {"a-0", "a-1", "a-2"}
