"""A story as its skills find it: the real store and embedder behind the channel, real plans, real boxes."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from narratoria import paths
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.errors import RecordExists
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder, install_embedder
from narratoria.planning.aggregate import aggregate_results
from narratoria.planning.execute import Bounds, execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.result import ExecutionResult, ToolResult
from narratoria.skills.config import change_config
from narratoria.skills.discovery import discover
from narratoria.skills.host.services import Host
from narratoria.skills.resolve import Tools
from narratoria.state import SessionState
from narratoria.store import Store

NAME = "tale-1"


def configure(name: str, /, **values: Any) -> None:
    """Sets these values of a bundled skill, as its user would."""
    (skill,) = (one for one in discover([paths.BUNDLED_SKILLS]).skills if one.name == name)
    change_config(skill, paths.home(), values)


@dataclass
class Tale:
    """One story that is being played, through plans like any other."""

    store: Store
    tools: Tools
    state: SessionState = field(default_factory=SessionState)
    turn: int = 0

    async def play(self, *calls: ToolInvocation, **context: Any) -> ExecutionResult:
        """Carries out a plan of these calls, and keeps what it did to the state."""
        self.turn += 1
        plan = Plan(request_id=str(uuid.uuid4()), tools=calls, parallel=True)
        told = {"playthroughId": NAME, "sessionId": "s1", "seed": self.turn, **context}
        result = await execute(
            prepare_plan(plan, self.tools.resolve),
            self.state,
            bounds=Bounds(concurrency=2),
            context=told,
        )
        self.state = aggregate_results(result.tool_results, self.state).state
        return result

    async def call(self, script: str, given: Mapping[str, Any], **context: Any) -> ToolResult:
        (result,) = (await self.play(step("t", script, given), **context)).tool_results
        return result

    async def ask(self, script: str, **given: Any) -> Any:
        """What a script answers; fails where it does."""
        result = await self.call(script, given)
        assert result.ok, result.error
        return result.output

    async def weeks_later(self, weeks: float) -> None:
        """Lets the story's clock run."""
        begun = await self.store.turns.begin(NAME, {"text": "wait"})
        turn = await self.store.turns.finish(begun, {}, {}, game_time=weeks * 7 * 24 * 60)
        assert turn.scene is not None


def step(name: str, script: str, given: Mapping[str, Any], after: Sequence[str] = ()) -> ToolInvocation:
    return ToolInvocation(
        tool_id=name,
        tool_path=f"skills/{script}",
        input=dict(given),
        dependencies=tuple(after),
        required=False,
    )


@asynccontextmanager
async def tale(file: Path, *, by_meaning: bool = False) -> AsyncIterator[Tale]:
    """The story in this file, begun or gone on with; its memories are found by words unless by meaning."""

    async def embedder() -> Embedder | None:
        if not by_meaning:
            return None
        return Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))

    memory_provider = MemoryProvider(lambda found: Store.open(file, found), embedder)
    store = await memory_provider.store()
    with suppress(RecordExists):
        await store.playthroughs.create("tales", seed=4, identifier=NAME)
    memory = StoryMemory(NAME, memory_provider, branch=NAME)
    try:
        yield Tale(store, Tools(discover([paths.BUNDLED_SKILLS]), host=Host(memory, memory)))
    finally:
        await memory_provider.close()
