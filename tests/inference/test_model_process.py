"""The process of a model: what befalls it costs one answer, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest
from tests.inference.test_model import ENDLESS, LONG, STORY, works

from narratoria.errors import ModelUnavailable
from narratoria.inference import model_process
from narratoria.inference.model import LocalModel

pytestmark = pytest.mark.asyncio(loop_scope="module")


def worker_of(model: LocalModel) -> psutil.Process:
    assert model.pid
    return psutil.Process(model.pid)


async def test_loading_goes_on_in_the_background_and_tells_its_state(model_file: Path) -> None:
    model = LocalModel(model_file, threads=1)
    try:
        assert model.state.phase == "idle"
        model.start_loading()
        assert model.state.phase == "loading"
        seen = set()
        while model.state.phase == "loading":
            seen.add(model.state.progress)
            await asyncio.sleep(0.02)
        assert model.state.phase == "ready"
        assert model.state.seconds > 0
        assert any(progress is not None and 0 < progress < 1 for progress in seen)
    finally:
        await model.close()
    assert model.state.phase == "idle"


async def test_no_port_is_opened(model: LocalModel) -> None:
    await works(model)
    assert worker_of(model).net_connections(kind="inet") == []


async def test_a_crash_in_the_middle_of_an_answer_costs_that_answer(model: LocalModel) -> None:
    async def read() -> None:
        await works(model)
        worker = worker_of(model)
        async for _ in model.generate(STORY, max_tokens=4000, grammar=ENDLESS, within=LONG):
            if worker.is_running():
                worker.kill()

    with pytest.raises(ModelUnavailable, match="signal 9"):
        await read()
    assert await works(model)


async def test_a_hang_is_killed_soon_after_the_deadline(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    await works(model)
    worker = worker_of(model)
    monkeypatch.setattr(model_process, "GRACE", 0.3)
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(ModelUnavailable, match="took too long"):
        await model.complete(STORY, within=0.3)
    assert not worker.is_running()
    assert await works(model)


async def test_a_hang_does_not_keep_a_cancelled_request(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    await works(model)
    worker = worker_of(model)
    monkeypatch.setattr(model_process, "GRACE", 0.3)
    os.kill(worker.pid, signal.SIGSTOP)
    task = asyncio.create_task(model.complete(STORY, within=LONG))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not worker.is_running()
    assert await works(model)


async def test_too_little_memory_is_told_and_more_of_it_helps(model_file: Path) -> None:
    model = LocalModel(model_file, threads=1, memory=150 * 2**20)
    try:
        with pytest.raises(ModelUnavailable, match="could not be loaded"):
            await works(model)
        assert model.state.phase == "failed"
        model._memory = None
        assert await works(model)
    finally:
        await model.close()


@pytest.mark.parametrize("line", ["not JSON", "[]", '{"id": 77, "text": "for somebody else"}', "[" * 100_000])
async def test_garbage_from_the_process_is_an_unavailable_model(
    model_file: Path, tmp_path: Path, line: str
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(
        'import sys\nsys.stdin.readline()\nprint(\'{"id": 0, "ready": true}\', flush=True)\n'
        f"sys.stdin.readline()\nprint({line!r}, flush=True)\nsys.stdin.readline()\n"
    )
    model = LocalModel(model_file, worker=worker, threads=1)
    try:
        for starts in (1, 2):
            with pytest.raises(ModelUnavailable, match="process failed"):
                await model.complete(STORY, within=LONG)
            assert model.starts == starts
    finally:
        await model.close()


async def test_closing_while_it_loads_leaves_no_process(model_file: Path) -> None:
    model = LocalModel(model_file, threads=1)
    waiting = asyncio.create_task(model.complete(STORY, within=LONG))
    while model.pid is None:
        await asyncio.sleep(0.01)
    worker = worker_of(model)
    await model.close()
    with pytest.raises(ModelUnavailable, match="closed"):
        await waiting
    assert not worker.is_running()


async def test_whoever_waits_while_it_is_closed_is_refused_and_starts_it_no_more(model_file: Path) -> None:
    model = LocalModel(model_file, threads=1)
    assert await works(model)
    asked = [
        asyncio.create_task(model.complete(STORY, max_tokens=900, grammar=ENDLESS, within=LONG))
        for _ in range(3)
    ]
    await asyncio.sleep(0.2)
    await model.close()
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(each) for each in told] == [ModelUnavailable] * 3
    assert (model.starts, model.state.phase) == (1, "idle")
    assert await works(model), "whoever comes later does"
    await model.close()
