"""A time limit counts work: a tool that is kept from the processor or from the host has longer."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.protocol.waiting_time import OwnWaitingTime, WaitingTime, wait_for_work, wait_until_done

WORKS = """
import json, os, sys, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {int(sys.argv[1])})
while time.process_time() < float(sys.argv[2]):
    pass
print(json.dumps({"version": "0", "type": "done", "ok": True}))
"""
SLEEPS = "import time; time.sleep(600)"


@pytest.fixture
def busy_core() -> Iterator[int]:
    """A core that two other processes keep busy all the time."""
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("processes cannot be tied to a core here")
    core = min(os.sched_getaffinity(0))
    source = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    hogs = [subprocess.Popen((sys.executable, "-I", "-S", "-c", source)) for _ in range(2)]
    yield core
    for hog in hogs:
        hog.kill()
        hog.wait()


def tool(*argv: str) -> Command:
    return Command((sys.executable, "-I", "-S", "-c", *argv))


async def test_a_tool_that_others_keep_from_the_processor_has_its_whole_time_to_work(busy_core: int) -> None:
    command = tool(WORKS, str(busy_core), "0.8")
    outcome = await run(command, b"", NARRATORIA_V0, limits=Limits(timeout=1.2))
    assert outcome.ok, outcome.failure


async def test_a_tool_that_does_nothing_is_stopped_however_busy_the_machine_is(busy_core: int) -> None:
    outcome = await run(tool(SLEEPS), b"", NARRATORIA_V0, limits=Limits(timeout=0.5, kill_grace=0.5))
    assert outcome.failure is not None
    assert outcome.failure.category == "timeout"


async def test_waiting_for_the_hosts_answers_is_not_counted(tmp_path: Path) -> None:
    source = 'import time; time.sleep(1.0); print(\'{"version": "0", "type": "done", "ok": true}\')'
    limits = Limits(timeout=0.5, kill_grace=0.5)
    assert not (await run(tool(source), b"", NARRATORIA_V0, limits=limits)).ok
    kept_waiting = replace(tool(source), seconds_kept_waiting=lambda: 2.0)
    assert (await run(kept_waiting, b"", NARRATORIA_V0, limits=limits)).ok


async def test_no_waiting_takes_a_run_past_its_longest_time(tmp_path: Path) -> None:
    command = replace(tool(SLEEPS), seconds_kept_waiting=lambda: 1000.0)
    limits = Limits(timeout=0.3, longest_run=0.6, kill_grace=0.5)
    outcome = await run(command, b"", NARRATORIA_V0, limits=limits, has_more_time=lambda: True)
    assert not outcome.ok


def test_a_process_that_is_gone_waits_for_nothing() -> None:
    ended = subprocess.Popen(("true",))
    ended.wait()
    assert WaitingTime(ended.pid).seconds() >= 0


async def test_work_of_this_process_is_waited_for_and_ended_when_its_time_is_up() -> None:
    ended = asyncio.Event()

    async def hang() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    async def answer() -> str:
        return "read"

    assert await wait_for_work(answer(), 5) == "read"
    with pytest.raises(TimeoutError):
        await wait_for_work(hang(), 0.01)
    assert ended.is_set()


async def test_work_goes_on_while_this_process_has_no_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    work: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def starve(_: OwnWaitingTime) -> float:
        work.get_loop().call_later(0.01, work.set_result, None)
        return 5.0

    monkeypatch.setattr(OwnWaitingTime, "seconds", starve)
    assert await wait_until_done(work, 0.1)


async def test_work_that_nothing_keeps_waiting_has_its_time_and_is_left_alone() -> None:
    work: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    assert not await wait_until_done(work, 0.01)
    assert not work.done()
