"""Gives a tool that is run by hand a story's services: a store that is thrown away, or a named story's."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narratoria.skills.host.services import Host

if TYPE_CHECKING:  # what is heavy is imported when the tool first asks for something
    from narratoria.engine.memory.host_services import StoryMemory

THROW_AWAY = "try-out"  # what the story is called whose store is thrown away
SEED = 7  # so that two runs with one input roll the same dice


@dataclass(frozen=True, slots=True)
class RunHost:
    """The services of one run by hand, and what its tools are told of the story."""

    host: Host
    context: dict[str, Any]
    state: dict[str, Any] = field(default_factory=dict)
    is_thrown_away: bool = True


class LazyMemory:
    """Implements the host's store and embedder; opens them when they are first asked for something."""

    def __init__(self, open_memory: Callable[[], Awaitable[StoryMemory]]) -> None:
        self._open = open_memory
        self._memory: asyncio.Task[StoryMemory] | None = None

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **more: Any) -> Any:
            if self._memory is None:
                self._memory = asyncio.ensure_future(self._open())
            return await getattr(await asyncio.shield(self._memory), name)(*args, **more)

        return call


@asynccontextmanager
async def open_run_host(story_id: str | None) -> AsyncIterator[RunHost]:
    """Open the services of the named story, or those of a new one that is thrown away at the end."""
    async with AsyncExitStack() as stack:
        yield await (_open_named(story_id, stack) if story_id else _open_throw_away(stack))


async def _open_throw_away(stack: AsyncExitStack) -> RunHost:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="narratoria-")))

    async def open_memory() -> StoryMemory:
        from narratoria import app
        from narratoria.engine.memory.host_services import StoryMemory
        from narratoria.engine.memory.provider import MemoryProvider
        from narratoria.store import Store

        provider = MemoryProvider(
            lambda embedder: Store.open(folder / "narratoria.db", embedder), app.open_embedder
        )
        stack.push_async_callback(provider.close)
        await (await provider.store()).playthroughs.create(THROW_AWAY, identifier=THROW_AWAY)
        return StoryMemory(THROW_AWAY, provider, branch=THROW_AWAY)

    memory: Any = LazyMemory(open_memory)
    context = {
        "playthroughId": THROW_AWAY,
        "sessionId": THROW_AWAY,
        "seed": SEED,
        "dataDir": str(folder / "data"),
        "assetDir": str(folder / "assets"),
    }
    for name in ("data", "assets"):
        (folder / name).mkdir()
    return RunHost(Host(memory, memory), context)


async def _open_named(story_id: str, stack: AsyncExitStack) -> RunHost:
    """Return what the skills of a story have between two turns; what is stored belongs to its last turn."""
    from narratoria import app

    library = await stack.enter_async_context(app.open_library())
    session = await library.open(story_id)
    session.memory.turn = session.snapshot.progress.scene
    context = {
        "playthroughId": session.story.id,
        "sessionId": session.memory.session_id,
        "seed": session.snapshot.seed,
        "assetDir": str(app.assets_folder() / session.story.id / "assets"),
    }
    host = app.open_host(session.memory)
    return RunHost(host, context, session.snapshot.state.to_dict(), is_thrown_away=False)
