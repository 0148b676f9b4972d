"""What only a server has: its own ways to keep and to fail."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text
from tests.store.server import Server
from tests.store.telling import WordCounts

from narratoria.errors import StoreUnavailable
from narratoria.store import Store
from narratoria.store.engines.postgresql import open_postgresql
from narratoria.store.migrations import FOLDER

pytestmark = pytest.mark.slow
LORE = {"filePath": "lore/mill.md", "chunkIndex": 0, "paragraphId": 0, "content": "Old.", "tokenCount": 2}
Open = Callable[..., Awaitable[Store]]


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    with server.database() as address:
        yield address


@pytest.fixture
async def open_store(words: WordCounts) -> AsyncIterator[Open]:
    """Opens stores that are closed in the end, whatever happens."""
    opened: list[Store] = []

    async def open_at(place: str | Path, embedder: WordCounts = words) -> Store:
        opened.append(await Store.open(place, embedder))
        return opened[-1]

    yield open_at
    for store in opened:
        await store.close()


def name_of(address: str) -> str:
    return address.split("/")[3].partition("?")[0]


async def test_vectors_come_back_to_the_last_bit(open_store: Open, address: str) -> None:
    class Awkward(WordCounts):
        async def embed(self, texts: list[str]) -> np.ndarray:
            return np.random.default_rng(7).standard_normal((len(texts), 384)).astype(np.float32)

    store = await open_store(address, Awkward())
    story = await store.playthroughs.create("mill")
    await store.at(story.id).store("memory", {"summary": "Rain."}, "it")
    (kept,) = await store.at(story.id).vectors("memory", "it")
    made = await Awkward().embed(["Rain."])
    assert kept.tobytes() == (made / np.linalg.norm(made, axis=1, keepdims=True)).astype("<f4").tobytes()


@pytest.mark.parametrize(
    "name", ["a\0b", "\x1a0", "\0\x1a\x1a1", "ß" * 4000, "'; DROP TABLE record; --", "%s"], ids=ascii
)
async def test_any_name_can_be_given_looked_for_and_read(open_store: Open, address: str, name: str) -> None:
    store = await open_store(address)
    scope = store.at((await store.playthroughs.create("mill")).id, name)
    kept = await scope.store("memory", {"summary": name}, name)
    assert (kept.identifier, kept.record.summary, kept.session_id) == (name, name, name)
    assert await scope.exact_match("memory", {"identifier": name, "sessionId": name}) == (kept,)
    await store.campaign(name[:50]).store("lore", {**LORE, "content": name})
    assert (await store.campaign(name[:50]).exact_match("lore"))[0].record.content == name


async def test_a_newer_database_is_refused_and_left_as_it_is(
    open_store: Open, server: Server, address: str
) -> None:
    database = name_of(address)
    server.run("UPDATE alembic_version SET version_num = '9999'", database)
    with pytest.raises(StoreUnavailable, match=r"newer version of Narratoria \(its tables are version 9999"):
        await open_store(address)
    server.run("UPDATE alembic_version SET version_num = '0003' WHERE version_num = '9999'", database)
    await open_store(address)


async def test_somebody_elses_database_is_refused_and_left_as_it_is(open_store: Open, server: Server) -> None:
    with server.database("template0") as address:
        database = name_of(address)
        server.run("CREATE TABLE clock (hours integer)", database)
        with pytest.raises(StoreUnavailable, match="holds tables, but not Narratoria's"):
            await open_store(address)
        server.run("INSERT INTO clock (hours) VALUES (1)", database)


async def test_a_migration_that_fails_leaves_the_database_as_it_was(
    open_store: Open, address: str, tmp_path: Path
) -> None:
    store = await open_store(address)
    story = await store.playthroughs.create("mill")
    await store.close()
    folder = Path(shutil.copytree(FOLDER, tmp_path / "migrations"))
    newer = folder / "versions" / "0004_more.py"
    head = 'from alembic import op\nrevision = "0004"\ndown_revision = "0003"\ndef upgrade():\n'
    newer.write_text(f"{head}    op.execute('DELETE FROM playthrough')\n    raise RuntimeError('half way')\n")
    with pytest.raises(RuntimeError, match="half way"):
        open_postgresql(address, migrations=folder)
    newer.write_text(f"{head}    op.execute('ALTER TABLE playthrough ADD COLUMN colour text')\n")
    await open_postgresql(address, migrations=folder).close()
    with pytest.raises(StoreUnavailable, match="newer version"):
        await open_store(address)
    database = open_postgresql(address, migrations=folder)
    assert await database.read(
        lambda link: list(link.execute(text("SELECT id FROM playthrough")).scalars())
    ) == [story.id]
    await database.close()


async def test_a_server_that_cannot_be_reached_is_told_without_the_password(
    open_store: Open, server: Server
) -> None:
    absent = f"postgresql://ada:s3cret@/nowhere?host={server.folder}"
    silent = "postgresql://ada:s3cret@/mill?host=/nonexistent"
    for address, reason in (
        (absent, "does not let us in; check the database"),
        (silent, "the server does not answer"),
    ):
        with pytest.raises(StoreUnavailable, match=reason) as refused:
            await open_store(address)
        assert "s3cret" not in str(refused.value)


async def test_a_server_that_comes_back_is_used_again(open_store: Open, server: Server, address: str) -> None:
    store = await open_store(address)
    story = await store.playthroughs.create("mill")
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'")
    assert await store.playthroughs.get(story.id) == story
    await store.playthroughs.rename(story.id, "The Mill")


async def test_without_the_driver_it_is_told_how_to_get_it(
    open_store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreUnavailable, match=r"pip install 'narratoria\[postgresql\]'"):
        await open_store("postgresql://localhost/mill")


async def test_one_story_told_on_both_engines_is_the_same_story(
    open_store: Open, address: str, file: Path
) -> None:
    async def tell(store: Store) -> list[object]:
        await store.playthroughs.create("mill", identifier="it")
        await store.campaign("mill").store("lore", LORE, "lore")
        scope = store.at("it")
        for number, place in enumerate(("Mill", "mill", "Élan", "zoo", "_", "Zürich", "élan")):
            begun = await store.turns.begin("it", {"text": place})
            await scope.store(
                "memory",
                {"summary": f"A day at {place}.", "location": place},
                f"m{number}",
            )
            await scope.store("perception", {"npcId": place, "change": number * 13 - 30})
            await store.turns.finish(begun, {}, {}, game_time=number * 5000)
        await scope.update("memory", "m2", {"summary": "A day elsewhere."})
        await scope.delete("memory", "m3")
        found = await scope.semantic_search("a day at mill", limit=20, min_relevance=0)
        entries = [
            *await scope.exact_match(),
            *await scope.exact_match("memory", {"turn": {"from": 1.5, "to": 4.5}}),
            *await scope.exact_match("memory", {"turn": {"from": -(2**40), "to": 2**40}}),
            *await scope.exact_match("memory", {"turn": [2.5, 2.0, 3, 2**40]}),
            *await scope.exact_match("memory", {"gameTime": {"to": 10**6}}),
            *await scope.exact_match("memory", {"identifier": [7, 7.0, True, "m1"]}),
        ]
        return [
            [(hit.identifier, hit.relevance, dict(hit.raw_scores)) for hit in found],
            [(entry.identifier, entry.data_type, entry.turn) for entry in entries],
            [
                (entry.identifier, entry.record.perception_score)
                for entry in await scope.exact_match("perception")
            ],
            (await store.inventory()).records,
        ]

    one, other = [await tell(await open_store(place)) for place in (address, file)]
    assert one == other


async def test_among_hundreds_both_engines_find_the_same(open_store: Open, address: str, file: Path) -> None:
    things = ["mill", "bridge", "inn", "well", "forge", "tower", "ferry"]
    deeds = ["burnt", "built", "sold", "haunted", "flooded"]
    summaries = [
        f"On day {day} the {things[day % 7]} was {deeds[day % 5]} by somebody{day % 97}."
        for day in range(700)
    ]
    summaries[123] = "An ocarina was found in the well-house of Zoë."
    found = []
    for place in (address, file):
        store = await open_store(place)
        await store.playthroughs.create("mill", identifier="it")
        await store.at("it").store_all(
            [("memory", {"summary": text}, str(n)) for n, text in enumerate(summaries)]
        )
        found.append(
            [
                await store.at("it").semantic_search(query, "memory", 20, min_relevance=0)
                for query in ("the ocarina", "haunted towers of somebody13", "Zoe's well", "day 600")
            ]
        )
    for one, other in zip(*found, strict=True):
        assert [hit.identifier for hit in one] == [hit.identifier for hit in other]
        assert [hit.relevance for hit in one] == [hit.relevance for hit in other]
        assert [hit.raw_scores for hit in one] == [hit.raw_scores for hit in other]
    assert found[0][0][0].identifier == "123"


async def test_the_server_compares_vectors_as_exactly_as_memory_does(
    open_store: Open, address: str, words: WordCounts
) -> None:
    store = await open_store(address)
    await store.playthroughs.create("mill", identifier="it")
    texts = [
        f"The {what} was {deed}." for what in ("mill", "inn", "well") for deed in ("sold", "built", "lost")
    ]
    long = " ".join(f"word{number}" for number in range(60))
    await store.at("it").store_all([("memory", {"summary": text}) for text in (*texts, long)])
    asked = await store.embeddings.query("the mill was sold near word59")
    near = await store.database.read(
        lambda link: store.database.scan(link, "it", store.embeddings.number, asked)
    )
    vectors = [
        await store.at("it").vectors("memory", entry.identifier)
        for entry in await store.at("it").exact_match("memory")
    ]
    assert len(vectors[-1]) > 1
    expected = [max(float(window @ asked) for window in windows) for windows in vectors]
    assert [near[seq] for seq in sorted(near)] == pytest.approx(expected, abs=1e-6)


TEXTS = [
    "The miller's daughters were running to Saint-Malo.",
    "O’Brien’s ponies: caresses, cities, relational operators!",
    "Élodie sat in a CAFÉ; the façade was 3.5 fathoms (about 21 feet) high.",
    "see https://example.org/mill/index.html or write to ada@example.org",
    "<b>bold</b> &amp; plain_text_with_underscores, a/b/c, 1e5, -7, +8",
    "Привет, мельница. 水車小屋 and Straße",
]
ASKED = """daughter run malo saint o'brien brien pony caress city relate operate elodie cafe facade
    fathom feet 21 3 5 example org mill index ada bold amp plain text underscore 1e5 7 8
    Привет мельница 水車小屋 straße saint-malo unheard"""


async def test_both_engines_find_the_same_words(open_store: Open, address: str, file: Path) -> None:
    found = []
    for place in (address, file):
        store = await open_store(place)
        await store.playthroughs.create("mill", identifier="it")
        await store.at("it").store_all([("memory", {"summary": text}) for text in TEXTS])
        found.append(
            await store.database.read(
                lambda link, find=store.database.with_words: {
                    word: sorted(find(link, ["it"], word)) for word in ASKED.split()
                }
            )
        )
    assert found[0] == found[1]
    assert sum(map(bool, found[0].values())) >= len(ASKED.split()) - 2
