"""Stories told in one go, and the same stories told by programs that are killed after every scene."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from narratoria import app
from narratoria.engine.scene import Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.story_session import StorySession

Tell = Callable[..., AbstractAsyncContextManager["Teller"]]

# loads once what no story changes; each line it reads is a fork that tells one scene and is killed
KILLED = """
import asyncio, gc, json, os, pathlib, signal, sys
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # no thread outlives a fork
from narratoria import app
from narratoria.contracts.struct_types import prepare_struct_types
from narratoria.inference import shipped_vectors
from narratoria.narrator.composer_lines import find_lines
from narratoria.skills.sandbox import probe
from narratoria.store import store

async def tell(home, asked):
    async with app.open_isolated_library(home) as library:
        if asked["story"]:
            telling = await library.open(asked["story"])
            await telling.choose(asked["choice"])
        else:
            telling = await library.begin(asked["campaign"], seed=asked["seed"])
            await telling.resume()
        while not await telling.turn_log.catch_up():
            await asyncio.sleep(0.05)
        os.write(1, (json.dumps({"story": telling.story.id}) + "\\n").encode())
        os.kill(os.getpid(), signal.SIGKILL)

prepare_struct_types()
probe()
list(find_lines(""))
asyncio.run(app.open_scorer())
gc.freeze()
for line in sys.stdin:
    child = os.fork()
    if not child:
        asyncio.run(tell(pathlib.Path(sys.argv[1]), json.loads(line)))
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, status
    os.write(1, b"over\\n")
"""


class Teller(Protocol):
    """Tells one story, scene by scene."""

    async def choose(self, index: int) -> Scene: ...

    async def session(self) -> StorySnapshot: ...


class Plain:
    def __init__(self, telling: StorySession) -> None:
        self._telling = telling

    async def choose(self, index: int) -> Scene:
        return await self._telling.choose(index)

    async def session(self) -> StorySnapshot:
        return self._telling.snapshot


class Killed:
    """Every scene by a program that is killed -9 once it has told it."""

    def __init__(self, home: Path, campaign: str, seed: int) -> None:
        self._home = home
        self._forks = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._story = ""
        self._story = self._ask({"story": "", "campaign": campaign, "seed": seed})

    async def choose(self, index: int) -> Scene:
        self._ask({"story": self._story, "choice": index})
        return (await self.session()).scenes[-1]

    async def session(self) -> StorySnapshot:
        async with app.open_isolated_library(self._home) as library:
            return (await library.open(self._story)).snapshot

    def close(self) -> None:
        assert self._forks.stdin is not None
        assert self._forks.stdout is not None
        self._forks.stdin.close()
        assert self._forks.wait(60) == 0
        self._forks.stdout.close()

    def _ask(self, asked: dict[str, Any]) -> str:
        assert self._forks.stdin is not None
        assert self._forks.stdout is not None
        self._forks.stdin.write(json.dumps(asked) + "\n")
        self._forks.stdin.flush()
        story = str(json.loads(self._forks.stdout.readline())["story"])
        assert self._forks.stdout.readline() == "over\n"  # it holds the store no longer
        return story


@pytest.fixture(
    params=[
        "plain",
        pytest.param(
            "killed", marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no SIGKILL there")
        ),
    ]
)
def tell(request: pytest.FixtureRequest, tmp_path: Path) -> Tell:
    """`async with tell(campaign, seed=…) as teller`: in one go, or killed and taken up after every scene."""

    @asynccontextmanager
    async def told(campaign: str, *, seed: int) -> AsyncIterator[Teller]:
        home = tmp_path / f"{request.param}-{seed}"
        if request.param == "killed":
            killed = Killed(home, campaign, seed)
            try:
                yield killed
            finally:
                killed.close()
            return
        async with app.open_isolated_library(home) as library:
            telling = await library.begin(campaign, seed=seed)
            await telling.resume()
            yield Plain(telling)

    return told
