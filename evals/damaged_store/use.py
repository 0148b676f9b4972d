"""Makes a database with a story in it, and uses damaged copies as the program would."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
import traceback
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from evals.damaged_store.damage import damage_file
from narratoria import app
from narratoria.errors import NarratoriaException
from narratoria.store import Store
from narratoria.store.engines.sqlite import find_damage

CAMPAIGN = "comet-tea-room"
FILE = "narratoria.db"


@dataclass
class Tally:
    """Counts how damaged files ended."""

    refused: int = 0  # when they were opened
    refused_later: int = 0  # when what is damaged was needed
    opened: int = 0  # everything could be read
    seen: int = 0  # by `store check`
    by_way: Counter[str] = field(default_factory=Counter)  # of those refused, by how they were damaged
    tracebacks: list[str] = field(default_factory=list)


async def make_database(folder: Path) -> bytes:
    """Return a database with a story of three scenes."""
    async with app.open_isolated_library(folder) as library:
        session = await library.begin(CAMPAIGN, {}, seed=5)
        await session.resume()
        for _ in range(2):
            await session.choose(0)
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (folder / FILE).read_bytes()


async def use_damaged(whole: bytes, files: int, first: int = 0) -> Tally:
    """Use so many damaged files, each in a home of its own, and count how that ended."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        for seed in range(first, first + files):
            home = Path(name) / str(seed)
            home.mkdir()
            way = damage_file(whole, home / FILE, seed)
            await _use(home, f"{way} {seed}", way, tally)
            shutil.rmtree(home)
    return tally


async def _use(home: Path, what: str, way: str, tally: Tally) -> None:
    step = "check"
    try:
        tally.seen += bool(await asyncio.to_thread(find_damage, home / FILE))
        step = "open"
        store = await Store.open(home / FILE, None)
        try:
            step = "read"
            await read_everything(store)
        finally:
            await store.close()
        tally.opened += 1
    except NarratoriaException:
        tally.by_way[way] += 1
        if step == "open":
            tally.refused += 1
        else:
            tally.refused_later += 1
    except Exception:  # noqa: BLE001  whatever it is, it is what is looked for
        tally.tracebacks.append(f"{what}, {step}:\n{traceback.format_exc()}")


async def read_everything(store: Store) -> None:
    """Read what the program reads: counts, stories, their turns, memories and lore."""
    from narratoria.engine.persistence.repository import read_turn

    await store.inventory()
    for story in await store.playthroughs.all():
        for turn in await store.turns.history(story.id):
            read_turn(turn)
        scope = store.at(story.id)
        await scope.exact_match("memory")
        await scope.semantic_search("the comet over the tea room", "memory", 5)
    lore = store.campaign(CAMPAIGN)
    await lore.exact_match("lore")
    await lore.semantic_search("the comet", "lore", 5)
