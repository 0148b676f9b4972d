"""A small story with many people: each is drawn, met again, asked for in other words, and met much later."""

from __future__ import annotations

import json
import os
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narratoria import paths
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.errors import RecordExists
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

CASES = Path(__file__).with_name("cases")
CATALOGUE = discover([paths.BUNDLED_SKILLS])
STORY = "portraits"


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str
    description: str
    again: str  # how a later scene tells of them
    queries: tuple[str, ...]  # how a player might


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of it."""

    seconds: tuple[float, ...]  # of each first drawing
    reappeared: tuple[tuple[str, bool], ...]  # met again by id: the same picture
    meant: tuple[tuple[str, bool], ...]  # asked for in words: the right person
    strangers: tuple[tuple[str, bool], ...]  # nobody who was drawn: nobody found
    later: tuple[tuple[str, bool], ...]  # in another sitting: the same picture


def people() -> list[Person]:
    rows = map(json.loads, (CASES / "people.jsonl").read_text(encoding="utf-8").splitlines())
    return [Person(**{**row, "queries": tuple(row["queries"])}) for row in rows]


def strangers() -> list[str]:
    return [json.loads(line) for line in (CASES / "strangers.jsonl").read_text(encoding="utf-8").splitlines()]


async def tell(cast: Sequence[Person], unknown: Sequence[str]) -> Figures:
    with _home() as folder:
        drawn, seconds = {}, []
        async with _sitting(folder) as tools:
            for person in cast:
                given = {"characterId": person.id, "name": person.name, "description": person.description}
                begun = time.perf_counter()
                drawn[person.id] = (await _ask(tools, "generate-portrait", given))["path"]
                seconds.append(time.perf_counter() - begun)
            reappeared = []
            for person in cast:
                given = {"characterId": person.id, "description": person.again}
                again = await _ask(tools, "generate-portrait", given)
                reappeared.append((person.again, again["path"] == drawn[person.id]))
            meant = []
            for person in cast:
                for query in person.queries:
                    found = await _ask(tools, "lookup-portrait", {"query": query})
                    meant.append((query, found.get("path") == drawn[person.id]))
            none = [
                (query, not (await _ask(tools, "lookup-portrait", {"query": query}))["found"])
                for query in unknown
            ]
        later = []
        async with _sitting(folder) as tools:
            for person in cast:
                found = await _ask(tools, "lookup-portrait", {"characterId": person.id})
                later.append((person.name, found.get("path") == drawn[person.id]))
    return Figures(tuple(seconds), tuple(reappeared), tuple(meant), tuple(none), tuple(later))


@contextmanager
def _home() -> Iterator[Path]:
    """A home of its own, so that nothing drawn before counts."""
    before = os.environ.get("NARRATORIA_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NARRATORIA_HOME"] = folder
        try:
            yield Path(folder)
        finally:
            if before is None:
                del os.environ["NARRATORIA_HOME"]
            else:
                os.environ["NARRATORIA_HOME"] = before


@asynccontextmanager
async def _sitting(folder: Path) -> AsyncIterator[Tools]:
    async def embedder() -> Embedder:
        return Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))

    memory_provider = MemoryProvider(lambda model: Store.open(folder / "portraits.db", model), embedder)
    store = await memory_provider.store()
    with suppress(RecordExists):  # it goes on
        await store.playthroughs.create("portraits", seed=1, identifier=STORY)
    memory = StoryMemory(STORY, memory_provider, branch=STORY)
    try:
        yield Tools(CATALOGUE, host=Host(memory, memory))
    finally:
        await memory_provider.close()


async def _ask(tools: Tools, script: str, given: Mapping[str, Any]) -> dict[str, Any]:
    call = ToolInvocation(
        tool_id="portrait", tool_path=f"skills/character-portraits/{script}", input=dict(given)
    )
    plan = prepare_plan(Plan(request_id=str(uuid.uuid4()), tools=(call,)), tools.resolve)
    context = {"playthroughId": STORY, "sessionId": "s", "seed": 1}
    (one,) = (await execute(plan, SessionState({}), context=context)).tool_results
    if one.output is None or not one.ok:
        raise RuntimeError(f"{script} {given}: {one.error}")
    return one.output
