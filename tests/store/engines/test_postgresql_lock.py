"""One Narratoria at a time uses a PostgreSQL database, whatever becomes of its connection."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.store.server import Server
from tests.store.telling import WordCounts, play

from narratoria.errors import StoreUnavailable
from narratoria.store import Store
from narratoria.store.engines.postgresql import ensure_unused

pytestmark = pytest.mark.slow
IN_USE = "another Narratoria server uses this database"
END_SESSIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'"


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    with server.database() as address:
        yield address


@pytest.fixture
async def store(address: str, words: WordCounts) -> AsyncIterator[Store]:
    opened = await Store.open(address, words)
    yield opened
    await opened.close()


@contextlib.contextmanager
def another_process(address: str, *, turns: int = 0) -> Iterator[subprocess.Popen[str]]:
    """A process that opens the database, plays some turns of the story "it", and keeps it open."""
    code = f"""
        import asyncio, sys
        from narratoria.errors import StoreUnavailable
        from narratoria.store import Store
        async def main():
            try:
                store = await Store.open({address!r}, None)
            except StoreUnavailable as error:
                print(error, flush=True)
                return
            for _ in range({turns}):
                begun = await store.turns.begin("it", {{"text": "wait"}})
                await store.turns.finish(begun, {{}}, {{}}, game_time=0.0)
            print("open", flush=True)
            await asyncio.to_thread(sys.stdin.read)
            await store.close()
        asyncio.run(main())
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def test_a_second_process_is_refused_and_told_who_has_the_database(store: Store, address: str) -> None:
    with another_process(address) as other:
        said = first_line(other)
    assert IN_USE in said
    assert f"(process {os.getpid()} on " in said
    assert said.endswith("; stop it first")


async def test_of_several_that_make_the_tables_at_once_one_has_the_database(
    server: Server,
) -> None:
    with server.database("template0") as address, contextlib.ExitStack() as running:
        lines = [
            first_line(process)
            for process in [running.enter_context(another_process(address)) for _ in range(3)]
        ]
    assert lines.count("open") == 1
    assert sum(IN_USE in line for line in lines) == 2


@pytest.mark.parametrize("ending", ["killed", "closed"])
async def test_the_next_one_opens_the_database_once_the_first_has_ended(address: str, ending: str) -> None:
    with another_process(address) as first:
        assert first_line(first) == "open"
        with pytest.raises(StoreUnavailable, match=IN_USE):
            await Store.open(address, None)
        if ending == "killed":
            first.kill()
        first.communicate()
        await (await Store.open(address, None)).close()


async def test_other_databases_of_the_server_are_free(store: Store, server: Server) -> None:
    with server.database() as another:
        await (await Store.open(another, None)).close()


async def test_a_lost_connection_takes_the_lock_again_before_it_writes(
    store: Store, server: Server, address: str
) -> None:
    story = await store.playthroughs.create("mill", identifier="it")
    server.run(END_SESSIONS)
    assert await play(store, story.id) == 1
    with another_process(address) as other:
        assert IN_USE in first_line(other)


async def test_nothing_is_written_while_another_has_taken_the_lock(
    store: Store, server: Server, address: str
) -> None:
    story = await store.playthroughs.create("mill", identifier="it")
    server.run(END_SESSIONS)
    with another_process(address) as other:
        assert first_line(other) == "open"
        with pytest.raises(StoreUnavailable, match=IN_USE):
            await play(store, story.id)
        assert await store.playthroughs.get("it") == story  # it can still be read
        other.communicate()
    assert await play(store, story.id) == 1  # nobody has written meanwhile


async def test_nothing_more_is_written_once_another_has_written(
    store: Store, server: Server, address: str
) -> None:
    await store.playthroughs.create("mill", identifier="it")
    await play(store, "it")
    server.run(END_SESSIONS)
    with another_process(address, turns=1) as other:
        assert first_line(other) == "open"
        other.communicate()
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="start this one again"):
            await play(store, "it")
    await store.close()
    again = await Store.open(address, None)
    assert await play(again, "it") == 3
    await again.close()


async def test_a_failed_transaction_is_not_taken_for_somebody_elses(store: Store) -> None:
    await store.playthroughs.create("mill", identifier="it")

    def fail(writing) -> None:
        writing.draw()
        raise RuntimeError("half way")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="half way"):
            await store.database.write(fail)
        await play(store, "it")
    assert (await store.playthroughs.get("it")).turn == 2


async def test_a_session_that_the_server_still_holds_is_ended_by_its_owner(
    store: Store, address: str
) -> None:
    """A broken network leaves the old session at the server, with its lock, for hours."""
    await store.playthroughs.create("mill", identifier="it")
    lost = store.database._engine.raw_connection()
    lost.detach()
    try:
        assert await play(store, "it") == 1
        with another_process(address) as other:
            assert IN_USE in first_line(other)
    finally:
        lost.close()


async def test_a_server_that_is_about_to_start_is_refused(store: Store, address: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=IN_USE):
        ensure_unused(address)
    started = subprocess.run(
        [sys.executable, "-m", "narratoria.cli", "play", "--no-browser", "--port", "0"],
        env={**os.environ, "NARRATORIA_HOME": str(tmp_path), "NARRATORIA_DATABASE_URL": address},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert started.returncode == 2
    assert IN_USE in " ".join(started.stderr.split())
    await store.close()
    ensure_unused(address)
    ensure_unused("postgresql:///nowhere?host=/nonexistent")  # told when the store is opened
