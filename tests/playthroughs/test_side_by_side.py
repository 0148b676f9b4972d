"""Skills of one turn run side by side: which of them is quicker makes no difference to the story."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from narratoria import app
from narratoria.engine.scene import Scene
from narratoria.planning import execute

STORE, CHOICES = "store-memory.py", "generate-choices.py"
WORDS = "I promise Imani Yilmaz that I will find the extra container, and she will remember it"


def hold_back(script: str, until: str, run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return `run`, with one script started only once another one has ended, as on a busy machine."""
    ended = asyncio.Event()
    order: list[str] = []

    async def run_in_order(command: Any, *arguments: Any, **options: Any) -> Any:
        name = next((one for one in (script, until) if one in str(command)), "")
        if name == script:
            async with asyncio.timeout(30):
                await ended.wait()
        result = await run(command, *arguments, **options)
        if name == until:
            ended.set()
        if name:
            order.append(name)  # once more where it was run again
        return result

    run_in_order.order = order  # type: ignore[attr-defined]
    return run_in_order


async def play_two_scenes(
    home: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Awaitable[Any]]
) -> list[Scene]:
    monkeypatch.setenv("NARRATORIA_HOME", str(home))
    async with app.open_isolated_library(home) as library:
        session = await library.begin("comet-tea-room", {"name": "Ada"}, seed=11)
        await session.resume()
        if run is not None:
            monkeypatch.setattr(execute, "run", run)
        await session.say(WORDS)
        return [msgspec.structs.replace(scene, assets=(), portraits={}) for scene in session.snapshot.scenes]


async def test_choices_are_the_same_whether_a_memory_of_the_turn_is_stored_before_or_after_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = execute.run
    memory_first = hold_back(CHOICES, STORE, run)
    choices_first = hold_back(STORE, CHOICES, run)
    first = await play_two_scenes(tmp_path / "memory", monkeypatch, memory_first)
    second = await play_two_scenes(tmp_path / "choices", monkeypatch, choices_first)

    assert list(dict.fromkeys(memory_first.order)) == [STORE, CHOICES]  # type: ignore[attr-defined]
    assert list(dict.fromkeys(choices_first.order)) == [CHOICES, STORE]  # type: ignore[attr-defined]
    assert first == second
