"""Puts a case to the skill as a story would: in its box, by a plan, with the past in the real store."""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.choices.cases import Case, Setting, cases_of
from evals.choices.scenarios import Scenario
from narratoria import paths
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder, install_embedder
from narratoria.planning.execute import execute
from narratoria.planning.plan import Plan, ToolInvocation
from narratoria.planning.prepare import prepare_plan
from narratoria.skills.discovery import discover
from narratoria.skills.host.services import Host
from narratoria.skills.resolve import Tools
from narratoria.state import SessionState
from narratoria.store import Store

CATALOGUE = discover([paths.BUNDLED_SKILLS])
SCRIPT = "skills/player-choices/generate-choices"
THRESHOLD = 0.7  # of the criterion


@dataclass(frozen=True, slots=True)
class Alike:
    """How like the text of a choice is to the memory that is likest."""

    relevance: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Asked:
    case: Case
    details: tuple[dict[str, Any], ...]
    alike: tuple[Alike, ...]  # of each choice
    seconds: float


@asynccontextmanager
async def opened() -> AsyncIterator[MemoryProvider]:
    """A store that is empty, with the embedding model; neither is left behind."""

    async def embedder() -> Embedder:
        return Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))

    with tempfile.TemporaryDirectory() as folder:
        memory_provider = MemoryProvider(
            lambda model: Store.open(Path(folder) / "choices.db", model), embedder
        )
        try:
            yield memory_provider
        finally:
            await memory_provider.close()


async def ask_setting(setting: Setting, memory_provider: MemoryProvider) -> list[Asked]:
    store = await memory_provider.store()
    asked = []
    names = {}
    for history in setting.histories:
        names[history.name] = name = f"{setting.setting}-{len(names)}"
        await _begin(store, name, [_record(memory) for memory in history.memories])
    for case in cases_of(setting):
        name = names[case.history.name]
        details, seconds = await _choices(name, memory_provider, case.input)
        alike = [await _likest(store, name, detail["text"]) for detail in details]
        asked.append(Asked(case, tuple(details), tuple(alike), seconds))
    return asked


async def ask_scenario(scenario: Scenario, memory_provider: MemoryProvider) -> bool:
    name = f"scenario-{uuid.uuid4().hex[:12]}"
    memories = [_record_of(memory) for memory in scenario.memories]
    await _begin(await memory_provider.store(), name, memories)
    details, _ = await _choices(name, memory_provider, scenario.input)
    return scenario.holds(details)


async def _begin(store: Store, name: str, memories: Sequence[tuple[dict[str, Any], str | None]]) -> None:
    await store.playthroughs.create("choices", seed=1, identifier=name)
    for record, identifier in memories:
        await store.at(name).store("memory", record, identifier)


async def _choices(
    name: str, memory_provider: MemoryProvider, given: dict[str, Any]
) -> tuple[list[dict[str, Any]], float]:
    memory = StoryMemory(name, memory_provider, branch=name)
    tools = Tools(CATALOGUE, host=Host(memory, memory))
    call = ToolInvocation(tool_id="choices", tool_path=SCRIPT, input=given)
    plan = prepare_plan(Plan(request_id=str(uuid.uuid4()), tools=(call,)), tools.resolve)
    begun = time.perf_counter()
    result = await execute(
        plan, SessionState({}), context={"playthroughId": name, "sessionId": "s", "seed": 1}
    )
    seconds = time.perf_counter() - begun
    (one,) = result.tool_results
    if one.output is None or not one.ok:
        raise RuntimeError(f"{name}: {one.error}")
    return one.output["details"], seconds


async def _likest(store: Store, name: str, text: str) -> Alike:
    found = await store.at(name).semantic_search(text, "memory", 5, min_relevance=0.0)
    if not found:
        return Alike(0.0, 0.0)
    return Alike(max(one.relevance for one in found), max(one.raw_scores.get("cosine", 0.0) for one in found))


def _record(memory: Any) -> tuple[dict[str, Any], str | None]:
    given = {
        "summary": memory.summary,
        "characters": list(memory.characters),
        "location": memory.location,
        "significance": memory.significance,
        "outcome": memory.outcome,
        "episodic": memory.major,
    }
    record, _ = _record_of(given)
    return record, memory.id


def _record_of(memory: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    record = {
        name: value for name, value in memory.items() if value not in ("", None) and name != "characters"
    }
    return {**record, "characterIds": memory["characters"]}, None
