"""`narratoria store`, as a real command in a home of its own; and `narratoria play` beside a broken store."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from narratoria import paths
from narratoria.cli.commands import narratoria
from narratoria.store import Store
from narratoria.store.engines.backups import back_up_if_due

MEMORIES = {
    "mill-1": ["The miller hid the silver bell under the floor", "Aldric mended the anvil for a penny"],
    "mill-2": ["A raven told the captain about the storm"],
}
LORE = "The lighthouse was built by the drowned queen."


async def fill(home: Path) -> None:
    store = await Store.open(home / "narratoria.db", None)
    for story, summaries in MEMORIES.items():
        await store.playthroughs.create("mill", identifier=story, title="The Mill")
        begun = await store.turns.begin(story, {"text": "Listen"})
        scope = store.at(story, "evening")
        for number, summary in enumerate(summaries):
            await scope.store("memory", {"summary": summary, "location": "mill"}, f"{story}-{number}")
        await store.turns.finish(begun, {"text": "It rings."}, {}, game_time=10)
    await store.at("mill-1").store("perception", {"npcId": "miller", "change": -5, "reason": "the bell"})
    lore = {"filePath": "lore.md", "chunkIndex": 0, "paragraphId": 0, "content": LORE, "tokenCount": 9}
    await store.campaign("mill").store("lore", lore, "lighthouse")
    await store.close()


@pytest.fixture
def home(cave: Any) -> Path:
    home: Path = cave.home
    asyncio.run(fill(home))
    return home


def test_stats_tell_what_there_is_and_what_queries_cost(cave: Any, home: Path) -> None:
    told = cave.narratoria("store", "stats")
    assert told.returncode == 0, told.stderr
    assert "2 stories, 2 turns" in told.stdout
    assert "memory" in told.stdout
    assert "p95 ms" in told.stdout
    figures = json.loads(cave.narratoria("store", "stats", "--json").stdout)
    assert figures["inventory"]["records"] == {"memory": 3, "lore": 1, "perception": 1}
    assert figures["queries"]["store"]["calls"] == 5
    assert figures["queries"]["store"]["p50Ms"] > 0


def test_every_command_says_what_is_wrong_with_a_damaged_store_and_one_mends_it(
    cave: Any, home: Path
) -> None:
    file = home / "narratoria.db"
    copy = back_up_if_due(file)
    file.write_bytes(file.read_bytes().replace(b"playthrough", b"playthroagh"))
    for command in (("stories", "list"), ("store", "stats"), ("stories", "export", "mill-1")):
        told = cave.narratoria(*command)
        assert told.returncode == 2, command
        assert "is damaged ('playthrough' is missing" in told.stderr
        assert "narratoria store restore" in told.stderr
        assert "Traceback" not in told.stderr
    assert "is damaged" in cave.narratoria("doctor").stdout
    assert cave.narratoria("store", "check").returncode == 1
    mended = cave.narratoria("store", "restore")
    assert mended.returncode == 0, mended.stderr
    assert copy is not None
    assert copy.name in mended.stdout
    assert "2 stories, 2 turns" in cave.narratoria("store", "stats").stdout


def test_a_line_that_is_no_line_in_the_log_of_queries_is_passed_over(cave: Any, home: Path) -> None:
    log = home / "logs" / "store.jsonl"
    log.write_bytes(log.read_bytes() + b'{"method": "st\n\xff\n')
    assert json.loads(cave.narratoria("store", "stats", "--json").stdout)["queries"]["store"]["calls"] == 5


def test_search_finds_by_meaning_in_every_story_or_in_one(cave: Any, home: Path) -> None:
    found = cave.narratoria("store", "search", "who hid the silver bell", "--json")
    assert found.returncode == 0, found.stderr
    first = json.loads(found.stdout.splitlines()[0])
    assert (first["playthrough"], first["record"]["summary"]) == ("mill-1", MEMORIES["mill-1"][0])
    assert 0 < first["relevance"] <= 1
    elsewhere = cave.narratoria("store", "search", "who hid the silver bell", "--playthrough", "mill-2")
    assert elsewhere.returncode == 1
    assert elsewhere.stdout == "Nothing was found.\n"


def test_search_can_be_for_lore_alone(cave: Any, home: Path) -> None:
    found = cave.narratoria("store", "search", "who built the lighthouse", "--type", "lore")
    assert found.returncode == 0, found.stderr
    assert LORE in found.stdout
    assert found.stdout.count("lighthouse") == found.stdout.count("lore lighthouse") + 1, (
        "shared, and told once"
    )


def test_search_without_the_model_goes_by_words_and_says_so(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "INSTALLED_MODELS", tmp_path / "no models")
    monkeypatch.setenv("NARRATORIA_HOME", str(home))
    found = CliRunner().invoke(narratoria, ["store", "search", "the miller hid the silver bell"])
    assert found.exit_code == 0, found.output
    assert MEMORIES["mill-1"][0] in found.stdout
    assert "compares words" in found.stderr


def test_a_story_that_does_not_exist_is_refused(cave: Any, home: Path) -> None:
    for command in (["search", "bell"], ["export"]):
        refused = cave.narratoria("store", *command, "--playthrough", "mill-9")
        assert refused.returncode == 2
        assert "there is no playthrough 'mill-9'" in refused.stderr
        assert refused.stdout == ""


def test_an_export_has_everything_a_line_each(cave: Any, home: Path) -> None:
    done = cave.narratoria("store", "export", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [line["kind"] for line in lines]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "campaign": 1,
        "playthrough": 2,
        "turn": 2,
        "record": 4,
        "change": 1,
    }
    (change,) = [line for line in lines if line["kind"] == "change"]
    assert change["entry"]["reason"] == "the bell"
    only = cave.narratoria("store", "export", "--playthrough", "mill-2").stdout
    assert "raven" in only
    assert "silver bell" not in only


def test_a_backup_brings_back_what_was_there_and_keeps_what_is(cave: Any, home: Path) -> None:
    assert cave.narratoria("store", "backup", "copy.db").returncode == 0
    before = cave.narratoria("store", "export").stdout
    (home / "narratoria.db").unlink()
    assert "0 stories" in cave.narratoria("store", "stats").stdout
    done = cave.narratoria("store", "restore", "copy.db", "--json")
    assert done.returncode == 0, done.stderr
    assert Path(json.loads(done.stdout)["keptAside"]).is_file()
    assert cave.narratoria("store", "export").stdout == before


def test_a_backup_is_not_written_over_a_file_unless_told(cave: Any, home: Path) -> None:
    (cave.root / "copy.db").write_text("precious")
    refused = cave.narratoria("store", "backup", "copy.db")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (cave.root / "copy.db").read_text() == "precious"
    assert cave.narratoria("store", "backup", "copy.db", "--force").returncode == 0
    itself = cave.narratoria("store", "backup", str(home / "narratoria.db"), "--force")
    assert itself.returncode == 2
    assert "the store itself" in itself.stderr


def test_a_damaged_backup_is_refused_and_the_store_stays(cave: Any, home: Path) -> None:
    before = (home / "narratoria.db").read_bytes()
    (cave.root / "bad.db").write_bytes(before[:5000])
    refused = cave.narratoria("store", "restore", "bad.db")
    assert refused.returncode == 2
    assert "bad.db is damaged" in refused.stderr
    assert (home / "narratoria.db").read_bytes() == before


def test_check_says_whether_the_file_is_whole(cave: Any, home: Path) -> None:
    whole = cave.narratoria("store", "check")
    assert (whole.returncode, whole.stdout) == (0, f"{home / 'narratoria.db'} is whole.\n")
    data = (home / "narratoria.db").read_bytes()
    (home / "narratoria.db").write_bytes(data[:8192] + b"\xab" * 4096 + data[12288:])
    damaged = cave.narratoria("store", "check", "--json")
    assert damaged.returncode == 1
    assert json.loads(damaged.stdout)["damage"]
    assert "restore" in cave.narratoria("store", "check").stdout


@pytest.mark.parametrize("command", [["check"], ["backup", "copy.db"]])
def test_where_there_is_no_store_yet_that_is_said(cave: Any, command: list[str]) -> None:
    refused = cave.narratoria("store", *command)
    assert refused.returncode == 2
    assert "there is no store yet" in refused.stderr
    assert not (cave.home / "narratoria.db").exists()


async def test_while_a_story_is_played_a_backup_can_be_made_and_the_rest_is_told_why_not(
    cave: Any, home: Path
) -> None:
    store = await Store.open(home / "narratoria.db", None)
    try:
        assert cave.narratoria("store", "backup", "copy.db").returncode == 0
        assert cave.narratoria("store", "check").returncode == 0
        for command in (["stats"], ["search", "bell"], ["export"], ["restore", "copy.db"]):
            refused = cave.narratoria("store", *command)
            assert refused.returncode == 2
            assert "is in use by process" in refused.stderr
        told = cave.narratoria("play", "--new", "--seed", "3", stdin=b"1\n")
        assert told.returncode == 0, told.stderr
        assert "in use by process" in " ".join(told.stdout.split())
        assert "The story goes on in memory" in " ".join(told.stdout.split())
        assert "The story rests here" in told.stdout
    finally:
        await store.close()


def test_a_story_goes_on_beside_a_database_that_is_none(cave: Any) -> None:
    cave.home.mkdir()
    (cave.home / "narratoria.db").write_text("a letter home\n" * 500)
    told = cave.narratoria("play", "--new", "--seed", "3", stdin=b"1\n2\n")
    assert told.returncode == 0, told.stderr
    assert " ".join(told.stdout.split()).count("The story goes on in memory") == 1
    assert (cave.home / "narratoria.db").read_text() == "a letter home\n" * 500


def test_a_story_that_is_played_is_in_the_store(cave: Any) -> None:
    assert cave.narratoria("play", "--new", "--seed", "3", stdin=b"1\n").returncode == 0
    lines = [json.loads(line) for line in cave.narratoria("store", "export").stdout.splitlines()]
    (story,) = (line for line in lines if line["kind"] == "playthrough")
    assert story["id"].startswith("tomorrows-post-")
    assert story["campaign"] == "tomorrows-post"
    assert story["seed"] == "3"
