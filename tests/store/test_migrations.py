"""A database of the version before is brought up to date on both engines, and nothing of it is lost."""

from __future__ import annotations

import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text
from tests.store.server import Server
from tests.store.telling import WordCounts, play

from narratoria.store import Store, StorySummary
from narratoria.store.engines import partitions
from narratoria.store.engines.postgresql import open_postgresql
from narratoria.store.migrations import FOLDER

ARCHIVE = Path("tests/playthroughs/home-0.1.tar.xz")
PARTED = ("record", "label", "embedding")
OTHERS = ("playthrough", "turn", "scene", "change", "embedding_model")
TO_0001 = (
    "DROP INDEX playthrough_superseded",
    "DROP TABLE story",
    "DROP TABLE server",
    "DROP TABLE story_reader",
    "ALTER TABLE playthrough DROP COLUMN story",
    "UPDATE alembic_version SET version_num = '0001'",
)


async def all_stories(store: Store) -> dict[str, StorySummary]:
    return {one.id: one for one in await store.stories.page(limit=None)}


def scene(place: str) -> dict[str, object]:
    return {"progress": {"place": place, "ended": ""}, "seconds": 2.5}


async def tell(store: Store, story: str, place: str) -> None:
    begun = await store.turns.begin(story, {"persona": {"name": "Ada"}})
    await store.turns.finish(begun, scene(place), {"persona": {"name": "Ada  B"}}, game_time=0)


async def test_the_migration_writes_the_rows_that_playing_writes(file: Path) -> None:
    """Undone, branched, renamed, deleted and only just begun stories among them."""
    store = await Store.open(file, None)
    for name in ("a", "b", "c", "d"):
        await store.playthroughs.create("mill", title="The Mill", identifier=name, seed=7)
    for place in ("mill", "inn", "well"):
        await tell(store, "a", place)
    await store.playthroughs.branch("a", 2, title="Otherwise")
    undone = await store.playthroughs.undo("a")
    twice = await store.playthroughs.undo(undone.id)
    await tell(store, twice.id, "tower")
    of_undone = await store.playthroughs.branch(twice.id, 1)
    await store.playthroughs.undo(of_undone.id)
    await tell(store, "b", "ferry")
    await store.playthroughs.branch("b", 1)
    await store.playthroughs.delete("b")
    await store.turns.begin("c", {"persona": {"name": "Cy"}})
    await store.playthroughs.rename("d", "Another")
    before = await all_stories(store)
    await store.close()
    with closing(sqlite3.connect(file)) as connection:
        for statement in TO_0001:
            connection.execute(statement)
        connection.commit()
    store = await Store.open(file, None)
    after = await all_stories(store)
    ephemeral = {"fence": 0, "holder": "", "number": 0, "display_title": ""}
    assert {name: msgspec.structs.replace(one, **ephemeral) for name, one in after.items()} == {
        name: msgspec.structs.replace(one, **ephemeral) for name, one in before.items()
    }
    titles = [one.display_title for one in after.values()]
    assert len(set(titles)) == len(titles)
    await play(store, twice.id)
    assert (await store.stories.get("a")).turn == before["a"].turn + 1
    await store.close()


@pytest.fixture
def home_of_0_1(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "home" / "narratoria.db"


@pytest.fixture
def parted(server: Server, home_of_0_1: Path, tmp_path: Path) -> Iterator[str]:
    """A database as 0.1 kept it on a server, with three partitions for each story, and the home's rows."""
    folder = Path(shutil.copytree(FOLDER, tmp_path / "migrations"))
    for newer in [*folder.glob("versions/0*.py")][:]:
        if not newer.name.startswith("0001"):
            newer.unlink()
    with server.database("template0") as address:
        open_postgresql(address, migrations=folder)._shut()
        with closing(sqlite3.connect(home_of_0_1)) as source, psycopg.connect(address) as target:
            source.row_factory = sqlite3.Row
            for table in (*OTHERS, *PARTED):
                for row in source.execute(f"SELECT * FROM {table}").fetchall():
                    add(target, table, dict(row))
            clock = source.execute("SELECT seq FROM clock").fetchone()[0]
            target.execute("UPDATE clock SET seq = %s", (clock,))
        yield address


def add(target: psycopg.Connection, table: str, row: dict[str, object]) -> None:
    if table in PARTED:
        part = f"{table}_{sha256(str(row['line']).encode()).hexdigest()[:16]}"
        if target.execute("SELECT to_regclass(%s)", (part,)).fetchone() == (None,):
            names = {"part": sql.Identifier(part), "table": sql.Identifier(table), "line": row["line"]}
            for statement in (
                "CREATE TABLE {part} (LIKE {table} INCLUDING CONSTRAINTS INCLUDING GENERATED)",
                "ALTER TABLE {table} ATTACH PARTITION {part} FOR VALUES IN ({line})",
            ):
                target.execute(sql.SQL(statement).format(**names))
    for name in ("gone", "forgotten", "active"):
        if name in row:
            row[name] = bool(row[name])
    if table == "embedding":
        row["data"] = str(np.frombuffer(row["data"], "<f4").tolist())
    columns = sql.SQL(", ").join(map(sql.Identifier, row))
    values = sql.SQL(", ").join(sql.Placeholder() * len(row))
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(sql.Identifier(table), columns, values)
    target.execute(statement, list(row.values()))


async def contents(store: Store) -> dict[str, object]:
    stories = await all_stories(store)
    return {
        "stories": stories,
        "turns": {name: await store.turns.history(one.line) for name, one in stories.items()},
        "records": {name: await store.at(one.line).exact_match() for name, one in stories.items()},
        "found": {
            name: [hit.identifier for hit in await store.at(one.line).semantic_search("the bell")]
            for name, one in stories.items()
        },
    }


@pytest.mark.slow
async def test_the_partitions_of_a_server_become_tables_with_every_row(
    parted: str, home_of_0_1: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "AT_ONCE", 2)  # so that it takes several transactions
    move, left = partitions._move_some, [2]

    def break_off(*given):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return move(*given)

    monkeypatch.setattr(partitions, "_move_some", break_off)
    with pytest.raises(KeyboardInterrupt):
        await Store.open(parted, WordCounts())
    monkeypatch.setattr(partitions, "_move_some", move)
    server_store = await Store.open(parted, WordCounts())
    file_store = await Store.open(home_of_0_1, WordCounts())
    on_server, in_file = await contents(server_store), await contents(file_store)
    assert len(in_file["stories"]) == 4
    assert on_server == in_file
    rest = "SELECT count(*) FROM pg_class WHERE relname LIKE '%parted%' OR relkind IN ('p', 'I')"
    assert await server_store.database.read(lambda link: link.execute(text(rest)).scalar()) == 0
    for one in in_file["stories"].values():
        assert await play(server_store, one.line) == one.turn + 1
    await server_store.close()
    await file_store.close()
