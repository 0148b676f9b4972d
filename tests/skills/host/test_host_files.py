"""The store over plain files: what was confirmed is there, whoever wrote it and whatever crashed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narratoria.errors import HostRefusal
from narratoria.skills.host import Caller
from narratoria.skills.host_files import FileStore
from narratoria.state import deep_merge

ME = Caller("memory", "p1", "s1")


async def everything(store: FileStore, caller: Caller = ME, **options: Any) -> list[dict[str, Any]]:
    wanted = {"data_type": None, "filters": {}, "limit": 1_000_000, "offset": 0, "newest_first": False}
    return [entry.record for entry in await store.exact_match(caller, **{**wanted, **options})]


async def search(store: FileStore, query: str, **options: Any) -> list[tuple[Any, float]]:
    wanted = {"data_type": None, "filters": {}, "limit": 10, "min_relevance": None}
    found = await store.semantic_search(ME, query, **{**wanted, **options})
    return [(one.record["n"], round(one.relevance, 2)) for one in found]


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "records")


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "records").iterdir())


async def test_records_outlive_the_store(store, tmp_path):
    kept = await store.store(ME, "n", {"n": 1, "tags": [None]}, None)
    await store.store(ME, "n", {"n": 2}, "two")
    await store.update(ME, "n", "two", {"n": 3, "more": {"a": 1}})
    await store.delete(ME, "n", kept.identifier)
    await store.store(ME, "n", {"n": 4}, None)
    again = FileStore(tmp_path / "records")
    assert await everything(again) == await everything(store) == [{"n": 3, "more": {"a": 1}}, {"n": 4}]
    assert [path.stat().st_mode & 0o777 for path in files(tmp_path)] == [0o600]


@pytest.mark.parametrize(
    "names",
    [["A", "a"], ["../x", "x", "/x", "..", "."], ["ä", "ae", "\x00"], ["p" * 300, "p" * 301], ["CON"]],
)
async def test_playthroughs_with_odd_names_stay_apart_and_in_the_folder(store, tmp_path, names):
    for name in names:
        await store.store(Caller("memory", name), "n", {"name": name}, "same")
    for name in names:
        assert await everything(store, Caller("other", name)) == [{"name": name}]
    paths = files(tmp_path)
    assert len({path.name.casefold() for path in paths}) == len(names)
    assert [path.name for path in tmp_path.iterdir()] == ["records"]


async def test_relevance_is_the_share_of_the_words_that_occur(store):
    texts = [
        "The blacksmith mended an ANVIL",
        "An anvil of gold",
        "A quiet evening",
        "blacksmith, anvil; blacksmith",
    ]
    for n, text in enumerate(texts):
        await store.store(ME, "even" if n % 2 == 0 else "odd", {"n": n, "deep": [{"text": text}]}, None)
    assert await search(store, "blacksmith anvil") == [(3, 1.0), (0, 1.0), (1, 0.5)]
    assert await search(store, "blacksmith anvil", limit=1) == [(3, 1.0)]
    assert await search(store, "blacksmith anvil", min_relevance=0.7) == [(3, 1.0), (0, 1.0)]
    assert await search(store, "blacksmith anvil", data_type="even") == [(0, 1.0)]
    assert await search(store, "blacksmith anvil", filters={"n": [1, 2]}) == [(1, 0.5)]
    assert await search(store, "dragon") == []
    assert await search(store, "?!") == []


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, [0, 1, 2, 3]),
        ({"place": "smithy"}, [0, 2]),
        ({"place": ["smithy", "harbour"]}, [0, 1, 2]),
        ({"who": "aldric"}, [0, 1]),
        ({"who": ["aldric", "mira"], "place": "smithy"}, [0]),
        ({"place": None}, [3]),
        ({"score": {"from": -5, "to": 10}}, [0, 1]),
        ({"score": {"from": 11}}, [2]),
        ({"score": 1}, []),
        ({"flag": True}, [1]),
        ({"flag": 1}, [3]),
        ({"when": {"from": "2026-01-02", "to": "2026-01-31"}}, [1]),
        ({"when": {"from": 3}}, []),
        ({"place": {"to": "i"}}, [1]),
        ({"skill": "memory"}, [0, 1, 2, 3]),
        ({"sessionId": "s2"}, []),
        ({"identifier": "2"}, [2]),
        ({"storedAt": {"from": "2020"}, "updatedAt": {"to": "2020"}}, []),
    ],
)
async def test_filters_match_values_lists_and_ranges(store, filters, found):
    records = [
        {"place": "smithy", "who": ["player", "aldric"], "score": 10, "when": "2026-01-01"},
        {"place": "harbour", "who": ["aldric"], "score": -5, "flag": True, "when": "2026-01-02"},
        {"place": "smithy", "who": [], "score": 11.5, "when": "2026-02-02"},
        {"place": None, "flag": 1, "score": "many"},
    ]
    for n, record in enumerate(records):
        await store.store(ME, "n", {"n": n, **record}, str(n))
    assert [record["n"] for record in await everything(store, filters=filters)] == found


async def test_half_a_line_of_a_crash_is_dropped_and_nothing_else(store, tmp_path):
    await store.store(ME, "n", {"n": 1}, None)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    for cut in range(1, len(whole) - 1, 7):
        path.write_bytes(whole + whole[:cut])
        again = FileStore(tmp_path / "records")
        assert await everything(again) == [{"n": 1}]
        await again.store(ME, "n", {"n": 2}, None)
        assert await everything(FileStore(tmp_path / "records")) == [{"n": 1}, {"n": 2}]


async def test_a_damaged_line_is_skipped_and_told(store, tmp_path, caplog):
    for n in range(3):
        await store.store(ME, "n", {"n": n}, None)
    (path,) = files(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[1] = b'{"what": "eaten"}'
    path.write_bytes(b"\n".join(lines))
    assert await everything(FileStore(tmp_path / "records")) == [{"n": 0}, {"n": 2}]
    assert "line 2" in caplog.text


async def test_a_file_that_was_removed_or_restored_is_read_anew(store, tmp_path):
    await store.store(ME, "n", {"n": 1}, None)
    (path,) = files(tmp_path)
    saved = path.read_bytes()
    await store.store(ME, "n", {"n": 2}, None)
    path.unlink()
    assert await everything(store) == []
    path.write_bytes(saved)
    assert await everything(store) == [{"n": 1}]


WRITER = """
import asyncio, sys
from pathlib import Path
from narratoria.skills.host import Caller
from narratoria.skills.host_files import FileStore

async def main(folder, name, count):
    store, me = FileStore(Path(folder)), Caller(name, "p1")
    for n in range(int(count)):
        await store.store(me, "n", {"by": name, "n": n}, None)
        await store.update(me, "c", "counter", {name: n})
        print(n, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def writer(folder: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", WRITER, str(folder), name, str(count)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE)


async def test_several_runtimes_and_tasks_lose_nothing_of_each_other(store, tmp_path):
    await store.store(ME, "c", {"a": -1, "b": -1}, "counter")
    processes = [writer(tmp_path / "records", name, 60) for name in "ab"]
    await asyncio.gather(*(store.store(ME, "n", {"by": "us", "n": n}, None) for n in range(60)))
    assert [await asyncio.to_thread(process.wait) for process in processes] == [0, 0]
    for process in processes:
        process.stdout.close()
    for name in ("a", "b", "us"):
        found = await everything(store, filters={"by": name})
        assert sorted(record["n"] for record in found) == list(range(60))
    assert await everything(store, data_type="c") == [{"a": 59, "b": 59}]


async def test_what_was_confirmed_survives_a_kill(store, tmp_path):
    await store.store(ME, "c", {"a": -1}, "counter")
    for _ in range(3):
        process = writer(tmp_path / "records", "a", 1_000_000)
        confirmed = [process.stdout.readline() for _ in range(20)]
        os.kill(process.pid, signal.SIGKILL)
        confirmed += process.stdout.read().splitlines(keepends=True)
        process.wait()
        process.stdout.close()
        last = max(int(line) for line in confirmed if line.endswith(b"\n"))
        found = {record["n"] for record in await everything(store, data_type="n")}
        assert set(range(last + 1)) <= found


async def test_a_full_disk_leaves_the_file_as_it_was(store, tmp_path):
    code = f"""
import asyncio, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from pathlib import Path
from narratoria.skills.host import Caller
from narratoria.skills.host_files import FileStore
store, me = FileStore(Path({str(tmp_path / "records")!r})), Caller("memory", "p1", "s1")
async def main():
    await store.store(me, "n", {{"n": 1}}, None)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        await store.store(me, "n", {{"text": "x" * 2000}}, None)
    except OSError:
        await store.store(me, "n", {{"n": 2}}, None)
asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert await everything(store) == [{"n": 1}, {"n": 2}]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
records = st.dictionaries(st.text(max_size=3), values, min_size=1, max_size=4)
deeds = st.lists(
    st.tuples(st.sampled_from(["store", "update", "delete", "reopen"]), st.sampled_from("abc"), records),
    max_size=15,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=deeds)
def test_a_file_remembers_what_a_dictionary_would(tmp_path_factory, deeds):
    folder = tmp_path_factory.mktemp("records")

    async def act() -> None:
        store, model = FileStore(folder), {}
        for what, name, record in deeds:
            if what == "reopen":
                store = FileStore(folder)
            elif what == "delete":
                assert await store.delete(ME, "n", name) == (model.pop(name, None) is not None)
            elif (name in model) == (what == "store"):
                with pytest.raises(HostRefusal):
                    await (
                        store.store(ME, "n", record, name)
                        if what == "store"
                        else store.update(ME, "n", name, record)
                    )
            elif what == "store":
                model[name] = (await store.store(ME, "n", record, name)).record
                assert model[name] == record
            else:
                model[name] = deep_merge(model[name], record)
                assert (await store.update(ME, "n", name, record)).record == model[name]
            assert await everything(store) == list(model.values())

    asyncio.run(act())


def test_lines_are_plain_json(tmp_path):
    asyncio.run(FileStore(tmp_path / "records").store(ME, "n", {"a": "ä\n"}, "one"))
    (path,) = files(tmp_path)
    (line,) = path.read_text(encoding="utf-8").splitlines()
    written = json.loads(line)
    assert written.pop("at")
    assert written == {
        "what": "stored",
        "dataType": "n",
        "identifier": "one",
        "record": {"a": "ä\n"},
        "skill": "memory",
        "sessionId": "s1",
    }
