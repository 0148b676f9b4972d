"""What remembering costs: searches beside other stores, questions with a limit, and skills that ask."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Contender, Effort, Row, Table, side_by_side, table
from benchmarks.store_engines import installed
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import Outcome, run
from narratoria.skills.host.services import Host
from narratoria.skills.host.transport import open_channel
from narratoria.skills.permissions import Permissions
from narratoria.skills.runnable import InvocationRequest
from narratoria.store import NewRecord, Scope, Store

SIZES = (1_000, 10_000, 100_000)
QUERIES = 100
INSERTING = 150.0  # seconds that an engine has for its events
SCAN = "a numpy scan"
READERS, WRITERS, CALLS = 8, 2, 20
STORY = "bench"
PATIENT = Limits(timeout=300)  # a busy machine is slow, not wrong
ME = Permissions.parse(["store:read", "store:write"])


async def measure(effort: Effort) -> list[Table]:
    return [
        await asyncio.to_thread(beside_others, effort),
        await budgets(effort),
        await cold_call(effort),
        await _at_once(effort),
    ]


# beside other stores of vectors


def beside_others(effort: Effort, sizes: Sequence[int] = SIZES, engines: Sequence[str] = ()) -> Table:
    """The engines that are named, the scan among them, or all that are installed."""
    rows: list[Row] = []
    names = engines or installed()
    for size in dict.fromkeys(max(effort.of(size), 200) for size in sizes):
        found = {name: _engine(name, size, effort) for name in names}
        scan = found[SCAN]["common p50"]
        rows += [_engine_row(f"{size:,}: {name}", figures, scan) for name, figures in found.items()]
    missing = {"sqlite-vec", "ObjectBox", "Chroma", "LanceDB"} - set(installed())
    note = (
        "The nearest ten under a filter that one event in twenty passes; recall is against the exact answer. "
        "Each engine in a process of its own, on the same vectors; events are inserted 1,000 at a time, each "
        "time to be kept, and memory is what the process grew by. Narratoria's search also weighs words and "
        "returns whole records; its vectors alone are the part that the others do."
    )
    if missing:
        note += f" Not installed here: {', '.join(sorted(missing))}; `make bench` installs them."
    return Table(
        "A search among remembered events, beside other stores",
        note,
        "ms",
        SCAN,
        "lower",
        rows,
        ("p50", "p95"),
    )


def _engine(name: str, size: int, effort: Effort) -> dict[str, float]:
    arguments = [name, str(size), str(max(effort.of(QUERIES), 5)), str(INSERTING)]
    command = [sys.executable, "-m", "benchmarks.store_engines", *arguments]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} failed with {size} events: {done.stderr[-2000:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name}, {size:,} events: {figures}", file=sys.stderr, flush=True)  # the next may take minutes
    return figures


def _engine_row(name: str, figures: dict[str, float], scan: float) -> Row:
    more = {
        "recall@10": figures["common recall"],
        "0.5 % filter: p50, ms": figures["rare p50"],
        "recall@10 there": figures["rare recall"],
        "no filter: p50, ms": figures["all p50"],
        "recall@10 then": figures["all recall"],
        "inserts/s": figures["inserts"],
        "memory, MB": figures["megabytes"],
        "events kept": figures["events"],
    }
    return Row(name, figures["common p50"], figures["common p95"], figures["common p50"] / scan, more=more)


# a store in use


class Letters:
    """An embedder that costs next to nothing, for where the model's own time is not the question."""

    model_id = "letters"

    def windows(self, text: str) -> list[str]:
        return [text]

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = [[text.count(chr(97 + letter)) + 0.01 for letter in range(26)] for text in texts]
        return np.array(counts, np.float32)

    async def close(self) -> None:
        pass


PEOPLE = ("Aldric", "Brenna", "Caspar", "Dunja", "Edda", "Falk", "Gesa", "Hanno")
DEEDS = ("mended the anvil of", "lied to", "hid a silver bell from", "sang for", "ran away with the horse of")
PLACES = ("in the mill", "at the ford", "under the lighthouse", "behind the chapel", "on the market")


def memories(count: int) -> list[NewRecord]:
    dice = np.random.default_rng(3)
    found = []
    for number in range(count):
        who, whom = (PEOPLE[index] for index in dice.integers(0, len(PEOPLE), 2))
        deed, where = DEEDS[dice.integers(0, len(DEEDS))], PLACES[dice.integers(0, len(PLACES))]
        record = {"summary": f"{who} {deed} {whom} {where} on day {number}", "characterIds": [who, whom]}
        found.append(NewRecord("memory", {**record, "location": where}))
    return found


@asynccontextmanager
async def filled(folder: Path, count: int, embedder: Any = None) -> AsyncIterator[Store]:
    store = await Store.open(folder / "narratoria.db", embedder or Letters())
    try:
        await store.playthroughs.create(STORY, identifier=STORY)
        scope = store.at(STORY)
        items = memories(count)
        for first in range(0, count, 1000):
            await scope.store_all(items[first : first + 1000])
        yield store
    finally:
        await store.close()


# what the specification asks of queries


@dataclass(frozen=True, slots=True)
class _Question:
    name: str
    limit: float  # ms, for 95 of 100 times
    ask: Callable[[Scope], Awaitable[Any]]


async def budgets(effort: Effort) -> Table:
    folder = find_embedder()
    embedder = Embedder(folder) if folder else None
    asked = iter(range(10**9))  # no two queries alike: a vector that was computed before costs nothing

    def search(scope: Scope, data_type: str = "memory") -> Awaitable[Any]:
        return scope.semantic_search(f"What did Aldric do on day {next(asked)}?", data_type, 5)

    async def five(scope: Scope) -> None:
        await asyncio.gather(
            search(scope),
            search(scope, "lore"),
            scope.exact_match("perception", {"npcId": "Aldric"}),
            scope.exact_match("reputation", {"factionId": "millers"}),
            scope.exact_match("portrait", {"character": "Aldric"}),
        )

    questions = [
        _Question("five memories out of 1,000, by meaning and words", 500, search),
        _Question("where the player stands with one of 20 factions", 100, _standing),
        _Question("where the player stands with all of them", 100, lambda s: s.exact_match("reputation")),
        _Question("what one scene needs: five questions at once", 200, five),
    ]
    with tempfile.TemporaryDirectory() as place:
        async with filled(Path(place), max(effort.of(1000), 20), embedder) as store:
            await _give_opinions(store)
            times = max(effort.of(200), 5)
            rows = [await _answered(question, store.at(STORY), times) for question in questions]
    if embedder is not None:
        await embedder.close()
    reads = "the real embedding model reads each query" if embedder else "no embedding model was installed"
    note = f"The limits are the specification's, for each question; {reads}. The store has 1,000 events."
    made = Table("Questions with a limit", note, "ms", "its limit", "lower", rows)
    return replace(made, figures=("p50", "p95"))


def _standing(scope: Scope) -> Awaitable[Any]:
    return scope.exact_match("reputation", {"factionId": "millers"})


async def _give_opinions(store: Store) -> None:
    scope = store.at(STORY)
    factions = ["millers", *(f"faction{number}" for number in range(19))]
    changes = [
        NewRecord("reputation", {"factionId": faction, "change": 1, "reason": f"deed {number}"})
        for faction in factions
        for number in range(20)
    ]
    changes.append(NewRecord("perception", {"npcId": "Aldric", "change": 3, "reason": "the anvil"}))
    await scope.store_all(changes)
    lore = {"filePath": "a.md", "chunkIndex": 0, "paragraphId": 0, "content": "Mills.", "tokenCount": 2}
    await store.campaign(STORY).store("lore", lore)


async def _answered(question: _Question, scope: Scope, times: int) -> Row:
    await question.ask(scope)
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        await question.ask(scope)
        taken.append((time.perf_counter() - begun) * 1000)
    p50, p95 = (float(np.percentile(taken, share)) for share in (50, 95))
    share = p95 / question.limit
    return Row(question.name, p50, p95, share, 1.0, share <= 1, more={"limit, ms": question.limit})


# a skill's call, from nothing to a memory

_ASKS = """
from narratoria import sdk
from narratoria.sdk import host
ANVIL = ("Aldric mended the anvil", "memory")
sdk.run(lambda request: {"found": len(host.semantic_search(*ANVIL, limit=5, min_relevance=0.0))})
"""
_SAYS = """
from narratoria import sdk
sdk.run(lambda request: {"found": 0})
"""


async def cold_call(effort: Effort) -> Table:
    bare = (sys.executable, "-c", "pass")
    with tempfile.TemporaryDirectory() as place:
        async with filled(Path(place), max(effort.of(10_000), 20)) as store:
            memory = _shared(store)
            contenders: dict[str, Contender] = {
                "a bare interpreter": lambda: asyncio.to_thread(subprocess.run, bare, check=True),
                "a skill that asks nothing": lambda: call(memory, _SAYS),
                "a skill that recalls five memories": lambda: call(memory, _ASKS),
            }
            timings = await side_by_side(contenders, effort.repeats * 3 if effort.repeats > 1 else 1)
    return table(
        "A skill's cold call to a stored memory",
        timings,
        amount=1,
        unit="ms",
        limit="a bare interpreter",
        better="lower",
        note="From the start of the skill's process to its end, over the host channel, with 10,000 events.",
    )


def _shared(store: Store) -> StoryMemory:
    async def opened(_: Any) -> Store:
        return store

    async def no_embedder() -> None:
        return None

    return StoryMemory(STORY, MemoryProvider(opened, no_embedder), branch=STORY)


async def call(memory: StoryMemory, script: str) -> Outcome:
    """One run of a skill with a channel to the host."""
    command = Command((sys.executable, "-c", script))
    request = InvocationRequest("ask", {}, {"playthroughId": STORY, "sessionId": "s"})
    async with open_channel(command, request, skill="bench", permissions=ME, host=Host(memory)) as opened:
        outcome = await run(opened, b"{}", NARRATORIA_V0, limits=PATIENT)
    if not outcome.ok:
        raise RuntimeError(f"the benchmark's own skill failed: {outcome.failure} {outcome.stderr_tail}")
    return outcome


# many skills at once

_MANY = """
import sys, time
from narratoria import sdk
from narratoria.sdk import host
kind, who, calls = {kind!r}, {who}, {calls}
def main(request):
    taken, found = [], 0
    for n in range(calls):
        begun = time.perf_counter()
        if kind == "writes":
            host.store("memory", {{"summary": f"Writer {{who}} saw wonder number {{n}}"}}, f"w{{who}}-{{n}}")
        else:
            hits = host.semantic_search("Aldric mended the anvil", "memory", limit=5, min_relevance=0.0)
            found += len(hits)
        taken.append(time.perf_counter() - begun)
    return {{"taken": taken, "found": found}}
sdk.run(main)
"""


@dataclass(frozen=True, slots=True)
class Together:
    """What processes that read and write at the same time saw."""

    reads: list[float]  # seconds
    writes: list[float]
    found: int
    kept: int
    seconds: float


async def together(store: Store, *, readers: int, writers: int, calls: int) -> Together:
    """So many processes at once, each with a channel of its own; RuntimeError when one of them fails."""
    memory = _shared(store)
    ask = partial(str.format, _MANY, calls=calls)
    scripts = [ask(kind="reads", who=who) for who in range(readers)]
    scripts += [ask(kind="writes", who=who) for who in range(writers)]
    begun = time.perf_counter()
    outcomes = await asyncio.gather(*(call(memory, script) for script in scripts))
    seconds = time.perf_counter() - begun
    outputs = [outcome.output for outcome in outcomes]
    kept = await store.at(STORY).exact_match("memory", {"skill": "bench"})
    return Together(
        reads=[taken for output in outputs[:readers] for taken in output["taken"]],
        writes=[taken for output in outputs[readers:] for taken in output["taken"]],
        found=sum(output["found"] for output in outputs[:readers]),
        kept=len(kept),
        seconds=seconds,
    )


async def _at_once(effort: Effort) -> Table:
    calls = max(effort.of(CALLS), 2)
    with tempfile.TemporaryDirectory() as place:
        async with filled(Path(place), max(effort.of(10_000), 20)) as store:
            alone = await together(store, readers=1, writers=0, calls=calls)
            crowd = await together(store, readers=READERS, writers=WRITERS, calls=calls)
    if crowd.kept != WRITERS * calls:
        raise RuntimeError(f"{crowd.kept} of {WRITERS * calls} memories were kept")

    def row(name: str, taken: list[float]) -> Row:
        p50, p95 = (float(np.percentile(taken, share)) * 1000 for share in (50, 95))
        limit = float(np.percentile(alone.reads, 50)) * 1000
        return Row(name, p50, p95, p50 / limit, more={"calls": float(len(taken))})

    rows = [
        row("one process reads", alone.reads),
        row(f"each of {READERS} that read", crowd.reads),
        row(f"each of {WRITERS} that write meanwhile", crowd.writes),
    ]
    note = (
        f"{READERS + WRITERS} skills at once over the host channel, {calls} calls each, 10,000 events; every "
        "call was answered, and every memory is there."
    )
    made = Table("Reading and writing at once, a call", note, "ms", "one process reads", "lower", rows)
    return replace(made, figures=("p50", "p95"))
