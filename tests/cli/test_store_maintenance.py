"""`narratoria store retention`: nothing goes before it was told what would go and why."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from narratoria.cli.commands import narratoria
from narratoria.store import Store


async def fill(home: Path) -> None:
    """A story with a memory of each of the last ten days, the oldest a major event."""
    store = await Store.open(home / "narratoria.db", None)
    await store.playthroughs.create("mill", identifier="mill-1")
    today = datetime.now(UTC)
    await store.at("mill-1").store_all(
        [
            (
                "memory",
                {
                    "summary": f"Day {day}.",
                    "timestamp": (today - timedelta(days=9 - day)).isoformat(),
                    "episodic": day == 0,
                },
                str(day),
            )
            for day in range(10)
        ]
    )
    await store.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("NARRATORIA_HOME", str(home))
    asyncio.run(fill(home))
    return home


def retention(*options: str) -> Result:
    return CliRunner().invoke(narratoria, ["store", "retention", *options])


def answered(*options: str) -> dict[str, Any]:
    told = retention(*options, "--json")
    assert told.exit_code == 0, told.output
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def test_without_a_decision_every_memory_stays(home: Path) -> None:
    told = retention("--now")
    assert told.exit_code == 0, told.output
    assert told.stdout.count("none") == 3
    assert "Nothing went; 10 memories kept." in told.stdout
    assert not (home / "retention.json").exists()


@pytest.mark.parametrize(
    ("option", "limit", "reason", "goes"),
    [
        ("--max-age-days", "4.5", "age", "1234"),
        ("--max-records", "3", "count", "123456"),
        ("--max-bytes", "1", "size", "123456789"),
    ],
)
def test_a_limit_is_saved_and_what_would_go_is_told_with_the_reason(
    home: Path, option: str, limit: str, reason: str, goes: str
) -> None:
    told = answered(option, limit)
    assert told["carriedOut"] is False
    assert [removal["identifier"] for removal in told["removals"]] == list(goes)
    assert {removal["reason"] for removal in told["removals"]} == {reason}
    assert answered() == told  # it is saved, and nothing went
    words = retention().stdout
    assert f"{len(goes)} memories would go" in words
    assert f"{reason:<8}Day 1." in words


def test_it_goes_when_that_is_said_and_then_there_is_nothing_more_to_do(home: Path) -> None:
    told = answered("--max-records", "3", "--now")
    assert (told["carriedOut"], len(told["removals"]), told["kept"]) == (True, 6, 4)
    after = answered()
    assert (after["removals"], after["kept"]) == ([], 4)


def test_none_lifts_a_limit_and_the_others_stay(home: Path) -> None:
    retention("--max-records", "3", "--deleted-after-days", "7")
    policy = answered("--max-records", "none")["policy"]
    assert policy == {"maxAgeDays": None, "maxRecords": None, "maxBytes": None, "deletedAfterDays": 7.0}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-records", "few"], "neither a number nor none"),
        (["--max-records", "0"], "/maxRecords: 0 is too small"),
        (["--max-bytes", "1.5"], "/maxBytes: a whole number or null is expected"),
        (["--max-age-days", "nan"], "nan"),
    ],
)
def test_what_is_no_limit_is_refused_and_nothing_is_saved(home: Path, options: list[str], said: str) -> None:
    refused = retention(*options, "--now")
    assert refused.exit_code == 2
    assert said in refused.stderr.lower() or said in refused.stderr
    assert not (home / "retention.json").exists()
    assert answered()["kept"] == 10


def test_a_broken_file_is_told_by_the_command_and_by_the_doctor(home: Path) -> None:
    (home / "retention.json").write_text('{"maxRecord": 3}')
    for options in ([], ["--now"], ["--max-records", "3"]):
        refused = retention(*options)
        assert refused.exit_code == 2
        assert "retention.json:1 /maxRecord: " in refused.stderr
    assert "/maxRecord: " in CliRunner().invoke(narratoria, ["doctor"]).stdout
    assert (home / "retention.json").read_text() == '{"maxRecord": 3}'


async def test_while_a_story_is_played_a_limit_can_be_saved_and_why_no_more_is_told(
    cave: Any,
) -> None:
    await fill(cave.home)
    store = await Store.open(cave.home / "narratoria.db", None)
    try:
        told = cave.narratoria("store", "retention", "--max-records", "3")
    finally:
        await store.close()
    assert told.returncode == 2
    assert "the limits are saved; what would go cannot be told" in told.stderr
    assert "is in use by process" in told.stderr
    assert json.loads((cave.home / "retention.json").read_text())["maxRecords"] == 3
