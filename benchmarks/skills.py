"""What a call of a bundled skill costs the player: its process, its box, the channel and the store.

SC-008 and SC-017: a standing is told, and a stranger's first opinion formed, within 100 ms. The limit is an
interpreter that is started in the same box and does nothing.
"""

from __future__ import annotations

import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import Effort, Table, side_by_side, table
from benchmarks.protocol import PYTHON_TOOL
from narratoria import paths
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.protocol.command import Command
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.skills.discovery import discover
from narratoria.skills.host.services import Host
from narratoria.skills.resolve import Tools
from narratoria.skills.sandbox import confine
from narratoria.skills.skill import compile_ahead
from narratoria.state import SessionState
from narratoria.store import Store

CALLS = 5
LIMIT = "an interpreter in a box"
FACTIONS = [f"The {name} Guild" for name in ("Salt", "Iron", "Lamp", "Rope", "Bell")]
STORY = "measured"
ASKED: Mapping[str, dict[str, Any]] = {
    "reputation/query-reputation": {"factions": FACTIONS},
    "npc-perception/query-perception": {"npcs": ["aldric"]},
    "npc-perception/initialize-perception": {"npcs": [{"id": "aldric", "faction": FACTIONS[0]}]},
    "dice-roller/roll-dice": {"formula": "2d6"},
    "player-choices/generate-choices": {"people": [{"id": "aldric", "name": "Aldric"}]},
}


async def measure(effort: Effort) -> list[Table]:
    calls = effort.of(CALLS)
    compile_ahead(paths.BUNDLED_SKILLS, paths.PACKAGE / "sdk")
    async with _story() as tools:
        changes = [{"faction": name, "change": 20, "reason": "a good deed"} for name in FACTIONS]
        await _call(tools, 1, "reputation/update-reputation", {"changes": changes})
        contenders = {LIMIT: partial(_bare, calls)}
        contenders |= {name: partial(_call, tools, calls, name, given) for name, given in ASKED.items()}
        timings = await side_by_side(contenders, effort.repeats)
    title = "A call of a bundled skill, from the plan to its result"
    return [table(title, timings, amount=calls, unit="ms a call", limit=LIMIT, better="lower")]


@asynccontextmanager
async def _story() -> AsyncIterator[Tools]:
    async def no_embedder() -> None:
        return None

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "narratoria.db"
        memory_provider = MemoryProvider(lambda found: Store.open(file, found), no_embedder)
        store = await memory_provider.store()
        await store.playthroughs.create("tales", seed=4, identifier=STORY)
        memory = StoryMemory(STORY, memory_provider, branch=STORY)
        try:
            yield Tools(discover([paths.BUNDLED_SKILLS]), host=Host(memory, memory))
        finally:
            await memory_provider.close()


async def _call(tools: Tools, times: int, script: str, given: Mapping[str, Any]) -> None:
    call = ToolInvocation(tool_id="t", tool_path=f"skills/{script}", input=dict(given))
    for _ in range(times):
        plan = Plan(request_id=str(uuid.uuid4()), tools=(call,))
        told = {"playthroughId": STORY, "sessionId": "s", "seed": 1}
        result = await execute(prepare_plan(plan, tools.resolve), SessionState(), context=told)
        if not result.success:
            raise RuntimeError(f"{script} failed: {result.tool_results[0].error}")


async def _bare(times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = Command((sys.executable, *PYTHON_TOOL[3:]), cwd=Path(folder))
        for _ in range(times):
            with confine(command, home=Path(folder)) as confined:
                await run(confined, b"{}", NARRATORIA_V0)
