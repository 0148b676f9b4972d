"""The lock of a home: held by one, told by whom, and free once its holder died."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from narratoria.errors import StoreUnavailable
from narratoria.store import Store
from narratoria.store.engines.sqlite import open_sqlite


async def test_a_second_runtime_on_one_home_is_told_who_has_it(file: Path) -> None:
    with another_runtime(file) as holder:
        with pytest.raises(StoreUnavailable) as refusal:
            open_sqlite(file)
        assert str(refusal.value) == (
            f"{file} is in use by process {holder.pid}; close that one, or give this one a home of its own "
            "(NARRATORIA_HOME)"
        )


async def test_the_lock_of_a_runtime_that_was_killed_is_taken_over(file: Path) -> None:
    with another_runtime(file) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert file.with_name("narratoria.db.lock").read_text() == f"{holder.pid}\n"
        store = await Store.open(file, None)
        (entry,) = await store.at("left-behind").exact_match("memory")
        assert entry.record.summary == "Acknowledged."
        assert file.with_name("narratoria.db.lock").read_text() == f"{os.getpid()}\n"
        await store.close()


async def test_one_process_does_not_open_a_store_twice(store: Store, file: Path) -> None:
    with pytest.raises(StoreUnavailable, match="in use by this very process"):
        open_sqlite(file)


@contextlib.contextmanager
def another_runtime(file: Path) -> Iterator[subprocess.Popen[str]]:
    code = f"""
        import asyncio, sys
        from pathlib import Path
        from narratoria.store import Store
        async def main():
            store = await Store.open(Path({str(file)!r}), None)
            story = await store.playthroughs.create("mill", identifier="left-behind")
            await store.at(story.id).store("memory", {{"summary": "Acknowledged."}})
            print("open", flush=True)
            sys.stdin.read()
        asyncio.run(main())
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
    finally:
        process.kill()
        process.communicate()
