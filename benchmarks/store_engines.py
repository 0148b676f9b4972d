"""Stores of vectors, each as its own documentation tells to use it, asked the same questions.

`python -m benchmarks.store_engines NAME EVENTS QUERIES SECONDS` prints one JSON object. Every engine keeps
the same events and answers the same queries, in its own process; the exact answer is computed beside it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import version

DIMENSIONS = 384
NEAREST = 10
BATCH = 1000
COMMON, RARE = 20, 200  # one in 20 events passes the 5 % filter, one in 200 the 0.5 % filter

Vectors = NDArray[np.float32]
Filter = str  # "", "common" or "rare"


class Engine(Protocol):
    def insert(self, first: int, vectors: Vectors) -> None:
        """Keeps events with the numbers from `first` on; durable when this returns, where the engine is."""
        ...

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]: ...

    def close(self) -> None: ...


def events(count: int) -> Vectors:
    """Vectors of length one, in clusters as those of texts are."""
    dice = np.random.default_rng(7)
    centres = dice.normal(size=(100, DIMENSIONS))
    rows = centres[dice.integers(0, len(centres), count)] + dice.normal(size=(count, DIMENSIONS))
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def questions(count: int, among: Vectors) -> Vectors:
    dice = np.random.default_rng(8)
    rows = among[dice.integers(0, len(among), count)] + dice.normal(scale=0.03, size=(count, DIMENSIONS))
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def passes(count: int, only: Filter) -> NDArray[np.int64]:
    step = {"": 1, "common": COMMON, "rare": RARE}[only]
    return np.arange(0, count, step)


# the engines


class Narratoria:
    def __init__(self, folder: Path, vectors: Vectors, queries: Vectors) -> None:
        from narratoria.store import Store

        self._vectors, self._queries = vectors, queries
        self._runner = asyncio.Runner()
        self._store = self._runner.run(Store.open(folder / "narratoria.db", _Known(self._vector)))
        self._runner.run(self._store.playthroughs.create("bench", identifier="bench"))
        self._scope = self._store.at("bench")

    def insert(self, first: int, vectors: Vectors) -> None:
        items = [
            (
                "memory",
                {
                    "summary": f"event{number}",
                    "location": f"l{number % COMMON}",
                    "semanticTags": [f"t{number % RARE}"],
                },
                f"e{number}",
            )
            for number in range(first, first + len(vectors))
        ]
        self._runner.run(self._store_all(items))

    async def _store_all(self, items: Sequence[Any]) -> None:
        from narratoria.store import NewRecord

        await self._scope.store_all([NewRecord(*item) for item in items])

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]:
        filters = {"": {}, "common": {"location": "l0"}, "rare": {"tags": "t0"}}[only]
        search = self._scope.semantic_search(f"q{number}", "memory", NEAREST, filters, min_relevance=0.0)
        return [int(found.identifier[1:]) for found in self._runner.run(search)]

    def close(self) -> None:
        self._runner.run(self._store.close())
        self._runner.close()

    def _vector(self, text: str) -> Vectors:
        number = int(text.lstrip("qevnt"))
        found: Vectors = self._queries[number] if text.startswith("q") else self._vectors[number]
        return found


class Index:
    """Narratoria's vectors without the database: what finding the nearest takes of a search."""

    def __init__(self, folder: Path, vectors: Vectors, queries: Vectors) -> None:
        from narratoria.store.search.vectors import VectorIndex

        self._index = VectorIndex(DIMENSIONS)

    def insert(self, first: int, vectors: Vectors) -> None:
        self._index.put_all(dict(enumerate(vectors, first)))

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]:
        among = passes(len(self._index), only) if only else None
        return [event for event, _ in self._index.cosines(query, among).nearest(NEAREST)]

    def close(self) -> None:
        pass


class _Known:
    """An embedder that looks vectors up: no engine here is timed with a model at work."""

    model_id = "known"

    def __init__(self, vector: Callable[[str], Vectors]) -> None:
        self._vector = vector

    def windows(self, text: str) -> list[str]:
        return [text]

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector(text) for text in texts])


class NumpyScan:
    """The least that an exact answer takes: everything in memory, nothing kept."""

    def __init__(self, folder: Path, vectors: Vectors, queries: Vectors) -> None:
        self._rows: Vectors = np.empty((0, DIMENSIONS), np.float32)

    def insert(self, first: int, vectors: Vectors) -> None:
        self._rows = np.concatenate([self._rows, vectors])

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]:
        among = passes(len(self._rows), only)
        near = (self._rows if not only else self._rows[among]) @ query
        best = np.argpartition(-near, min(NEAREST, len(near) - 1))[:NEAREST]
        return [int(among[row]) for row in best[np.argsort(-near[best])]]

    def close(self) -> None:
        pass


class SqliteVec:
    def __init__(self, folder: Path, vectors: Vectors, queries: Vectors) -> None:
        import apsw  # the standard library's module cannot load extensions everywhere
        import sqlite_vec

        self._link = apsw.Connection(str(folder / "vec.db"))
        self._link.enable_load_extension(True)
        self._link.load_extension(sqlite_vec.loadable_path())
        self._link.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        self._link.execute(
            "CREATE VIRTUAL TABLE events USING "
            f"vec0(embedding float[{DIMENSIONS}], common integer, rare integer)"
        )

    def insert(self, first: int, vectors: Vectors) -> None:
        with self._link:
            self._link.executemany(
                "INSERT INTO events(rowid, embedding, common, rare) VALUES (?, ?, ?, ?)",
                ((n, row.tobytes(), n % COMMON, n % RARE) for n, row in enumerate(vectors, first)),
            )

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]:
        where = f"AND {only} = 0" if only else ""
        statement = (
            f"SELECT rowid FROM events WHERE embedding MATCH ? AND k = {NEAREST} {where} ORDER BY distance"
        )
        return [row[0] for row in self._link.execute(statement, (query.tobytes(),))]

    def close(self) -> None:
        self._link.close()


class ObjectBox:
    def __init__(self, folder: Path, vectors: Vectors, queries: Vectors) -> None:
        import objectbox

        @objectbox.Entity()
        class Event:
            id = objectbox.Id
            number = objectbox.Int64
            common = objectbox.Int64
            rare = objectbox.Int64
            embedding = objectbox.Float32Vector(
                index=objectbox.HnswIndex(
                    dimensions=DIMENSIONS, distance_type=objectbox.VectorDistanceType.COSINE
                )
            )

        self._event: Any = Event
        self._store = objectbox.Store(
            model_json_file=str(folder / "model.json"),
            directory=str(folder / "objectbox"),
            max_db_size_in_kb=8 * 1024 * 1024,
        )
        self._box = self._store.box(Event)

    def insert(self, first: int, vectors: Vectors) -> None:
        self._box.put(
            [
                self._event(number=n, common=n % COMMON, rare=n % RARE, embedding=row)
                for n, row in enumerate(vectors, first)
            ]
        )

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]:
        wanted = self._event.embedding.nearest_neighbors(query, NEAREST)
        if only:
            wanted = wanted & getattr(self._event, only).equals(0)
        found = self._box.query(wanted).build().find_with_scores()
        return [int(event.number) for event, _ in sorted(found, key=lambda pair: pair[1])]

    def close(self) -> None:
        self._store.close()


class Chroma:
    def __init__(self, folder: Path, vectors: Vectors, queries: Vectors) -> None:
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(path=str(folder / "chroma"), settings=settings)
        self._events = self._client.create_collection(
            "events", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )

    def insert(self, first: int, vectors: Vectors) -> None:
        numbers = range(first, first + len(vectors))
        self._events.add(
            ids=[str(n) for n in numbers],
            embeddings=vectors,
            metadatas=[{"common": n % COMMON, "rare": n % RARE} for n in numbers],
        )

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]:
        where = {only: 0} if only else None
        found = self._events.query(query_embeddings=[query], n_results=NEAREST, where=where, include=[])
        return [int(name) for name in found["ids"][0]]

    def close(self) -> None:
        pass


class LanceDb:
    def __init__(self, folder: Path, vectors: Vectors, queries: Vectors) -> None:
        import lancedb

        self._database = lancedb.connect(str(folder / "lance"))
        self._table: Any = None

    def insert(self, first: int, vectors: Vectors) -> None:
        import pyarrow as pa

        numbers = np.arange(first, first + len(vectors))
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSIONS)
        rows = pa.table(
            {"vector": column, "number": numbers, "common": numbers % COMMON, "rare": numbers % RARE}
        )
        if self._table is None:
            self._table = self._database.create_table("events", rows)
        else:
            self._table.add(rows)

    def search(self, number: int, query: Vectors, only: Filter) -> list[int]:
        wanted = (
            self._table.search(query).distance_type("cosine").limit(NEAREST).select(["number", "_distance"])
        )
        if only:
            wanted = wanted.where(f"{only} = 0", prefilter=True)
        return [int(row["number"]) for row in wanted.to_list()]

    def close(self) -> None:
        pass


ENGINES: dict[str, tuple[Callable[[Path, Vectors, Vectors], Engine], tuple[str, ...]]] = {
    "a numpy scan": (NumpyScan, ()),
    "Narratoria": (Narratoria, ()),
    "Narratoria, its vectors alone": (Index, ()),
    "sqlite-vec": (SqliteVec, ("sqlite-vec", "apsw")),
    "ObjectBox": (ObjectBox, ("objectbox",)),
    "Chroma": (Chroma, ("chromadb",)),
    "LanceDB": (LanceDb, ("lancedb", "pyarrow")),
}


def installed() -> list[str]:
    return [name for name, (_, needs) in ENGINES.items() if all(version(package) for package in needs)]


# the measuring


def measured(name: str, count: int, asked: int, seconds: float) -> dict[str, float]:
    """What one engine does with so many events, or with those it can take in so many seconds."""
    vectors = events(count)
    queries = questions(asked, vectors)
    gc.collect()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        before = resident()
        begun = time.perf_counter()
        engine = ENGINES[name][0](Path(folder), vectors, queries)
        kept = 0
        for first, batch in batches(vectors):
            engine.insert(first, batch)
            kept = first + len(batch)
            if time.perf_counter() - begun > seconds:
                break
        inserting = time.perf_counter() - begun
        found = {"events": float(kept), "inserts": kept / inserting}
        only: Filter
        for only in ("", "common", "rare"):
            found |= asked_for(engine, vectors[:kept], queries, only)
        found["megabytes"] = max(resident() - before, 0) / 2**20
        engine.close()
    return found


def batches(vectors: Vectors) -> Iterator[tuple[int, Vectors]]:
    for first in range(0, len(vectors), BATCH):
        yield first, vectors[first : first + BATCH]


def asked_for(engine: Engine, vectors: Vectors, queries: Vectors, only: Filter) -> dict[str, float]:
    among = passes(len(vectors), only)
    candidates = vectors[among]
    engine.search(0, queries[0], only)  # what is read once is read now
    taken: list[float] = []
    right = 0
    possible = 0
    for number, query in enumerate(queries):
        begun = time.perf_counter()
        answer = engine.search(number, query, only)
        taken.append(time.perf_counter() - begun)
        nearest = among[np.argsort(-(candidates @ query), kind="stable")[:NEAREST]]
        right += len(set(answer) & {int(n) for n in nearest})
        possible += len(nearest)
    label = only or "all"
    return {
        f"{label} p50": float(np.percentile(taken, 50)) * 1000,
        f"{label} p95": float(np.percentile(taken, 95)) * 1000,
        f"{label} recall": right / possible,
    }


def resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))))
