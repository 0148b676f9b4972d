"""How long the start page and the opening of a story take in a home of very many stories, on both engines.

`python -m benchmarks.stories [STORIES …]` prints a table; 100, 10,000 and 100,000 stories unless named.
Each is a copy of a story that was played, so that a home of any size is made in minutes.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, text

from benchmarks.measure import Row, Table, as_markdown
from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.memory.host_services import StoryMemory
from narratoria.engine.memory.provider import MemoryProvider
from narratoria.engine.persistence.library import Library
from narratoria.engine.turn import TurnDependencies
from narratoria.store import Store
from narratoria.store.engines.database import Writing
from narratoria.store.tables import change, label, playthrough, record, scene, story, turn
from narratoria.web.app_state import AppState, OpenLibrary
from narratoria.web.stories import list_stories, show_home, show_story

SIZES = (100, 10_000, 100_000)  # the first shows what does not grow with them
CAMPAIGN = "comet-tea-room"
TURNS = 4
OPENED = 30  # stories, each once: nobody opens the same one again and again
LIMIT_S = 0.1
COPIES = 1000  # stories that are copied in one transaction
_COPIED = (playthrough, story, turn, scene, record, change, label)  # in this order


async def measure_stories(place: str | Path, count: int, home: Path) -> list[Row]:
    """Return the time of each page, in milliseconds, in a store of so many stories."""
    open_library = _opener(place, home)
    template = await _play(open_library)
    store = await Store.open(place, None, logs=home / "logs")
    step = await store.database.read(_last_number) + 1
    for first in range(1, count, COPIES):
        numbers = (first, min(first + COPIES, count) - 1)
        await store.database.write(partial(_copy, template=template, step=step, numbers=numbers))
    await store.compact()
    await store.close()
    state = AppState(home, open_library)
    async with state.run():
        await show_home(state)  # opens the store
        names = random.Random(7).sample(range(1, count), min(OPENED, count - 1))
        timed = {
            "who tells, which both of them show": [await _time(asyncio.to_thread(app.who_tells))],
            "start page": [await _time(show_home(state)) for _ in range(OPENED)],
            "next page of the list": [
                await _time(list_stories(state, after=f"{template}-{n}")) for n in names
            ],
            "open a story": [await _time(show_story(state, f"{template}-{n}")) for n in names],
        }
    return [_row(name, seconds) for name, seconds in timed.items()]


def _row(name: str, seconds: list[float]) -> Row:
    best, median = min(seconds), sorted(seconds)[len(seconds) // 2]
    return Row(name, best * 1000, median * 1000, median / LIMIT_S, 1.0, median <= LIMIT_S)


async def _time(work: Awaitable[object]) -> float:
    begun = time.perf_counter()
    await work
    return time.perf_counter() - begun


def _opener(place: str | Path, home: Path) -> OpenLibrary:
    tools = app.open_tools()

    async def open_store(_: object) -> Store:
        return await Store.open(place, None, logs=home / "logs")

    async def no_embedder() -> None:
        return None

    def dependencies(campaign: Campaign, memory: StoryMemory) -> TurnDependencies:
        return replace(app.build_dependencies(campaign, tools, memory), skills=[], assets=home)

    @contextlib.asynccontextmanager
    async def open_library() -> AsyncIterator[Library]:
        provider = MemoryProvider(open_store, no_embedder)
        library = Library(provider, app.open_campaign, dependencies, home)
        try:
            yield library
        finally:
            await library.close()

    return open_library


async def _play(open_library: OpenLibrary) -> str:
    """Play a story for some turns and return its id."""
    async with open_library() as library:
        session = await library.begin(CAMPAIGN, {"name": "Ada"}, seed=7)
        await session.resume()
        for _ in range(TURNS - 1):
            await session.choose(0)
        return str(session.story.id)


def _last_number(link: Connection) -> int:
    return int(link.execute(text("SELECT seq FROM clock")).scalar_one())


def _copy(writing: Writing, template: str, step: int, numbers: tuple[int, int]) -> None:
    """Copy every row of the template for each of these numbers, under names and numbers of its own."""
    link = writing.connection
    series = (
        "generate_series(CAST(:first AS integer), CAST(:last AS integer)) AS series(i)"
        if link.dialect.name == "postgresql"
        else "(WITH RECURSIVE n(i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i < :last) "
        "SELECT i FROM n)"
    )
    own = f"'{template}-' || i"
    day = "'2026-01-01T' || CAST(1000000 + i AS text)"
    for table in _COPIED:
        values = {name: name for name in table.c.keys()}  # noqa: SIM118 - names, not columns
        values |= {name: f"{name} + i * {step}" for name in ("seq", "origin") if name in values}
        values |= {name: own for name in ("line", "root", "story") if name in values}
        if table in (playthrough, story):
            values["id"] = own
        if table is story:
            values |= {"number": "i + 1", "played_at": day}
        columns = ", ".join(values)
        chosen = "id" if table in (playthrough, story) else "line"
        link.execute(
            text(
                f"INSERT INTO {table.name} ({columns}) SELECT {', '.join(values.values())} "
                f"FROM {table.name} AS copied, {series} WHERE copied.{chosen} = :template"
            ),
            {"template": template, "first": numbers[0], "last": numbers[1]},
        )
    link.execute(text("UPDATE clock SET seq = :seq"), {"seq": (numbers[1] + 1) * step})


@contextlib.contextmanager
def _places(folder: Path) -> Iterator[dict[str, str | Path]]:
    from tests.store.server import Server

    with Server.started() as server, server.database() as address:
        yield {"SQLite": folder / "narratoria.db", "PostgreSQL": address}


def main(sizes: list[int]) -> None:
    for count in sizes:
        with tempfile.TemporaryDirectory() as folder, _places(Path(folder)) as places:
            for engine, place in places.items():
                begun = time.perf_counter()
                rows = asyncio.run(measure_stories(place, count, Path(folder) / engine))
                title = f"{count:,} stories on {engine}"
                print(as_markdown(Table(title, "", "ms", "100 ms", "lower", rows)), flush=True)
                print(f"made and measured in {time.perf_counter() - begun:.0f} s\n", flush=True)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(SIZES))
