"""Every query leaves its latency, its results and where it looked."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from narratoria.errors import ContractViolation
from narratoria.store import Playthrough, Store
from narratoria.store.query_log import FILE, QueryLog


async def test_every_query_is_a_line_in_the_log(store: Store, story: Playthrough, logs: Path) -> None:
    scope = store.at(story.id, "evening", skill="memory")
    await scope.store("memory", {"summary": "A secret of hers.", "location": "mill"})
    await scope.exact_match("memory", {"location": "mill"})
    await scope.semantic_search("what nobody knows", "memory", min_relevance=0)
    with pytest.raises(ContractViolation):
        await scope.exact_match("memory", {"colour": "red"})
    text = (logs / FILE).read_text()
    lines = [msgspec.json.decode(line) for line in text.splitlines()]
    assert [line["method"] for line in lines] == ["store", "exactMatch", "semanticSearch", "exactMatch"]
    assert lines[1]["scope"] == {
        "playthrough": story.id,
        "session": "evening",
        "turn": None,
        "skill": "memory",
        "filters": ["location"],
    }
    assert [line["results"] for line in lines[:2]] == [1, 1]
    assert all(line["latencyMs"] > 0 for line in lines)
    assert lines[3]["failure"] == "ContractViolation"
    assert "secret" not in text  # where it looked, never what for
    assert "nobody knows" not in text


async def test_percentiles_are_at_hand(store: Store, story: Playthrough) -> None:
    assert store.stats() == {}
    for _ in range(20):
        await store.at(story.id).exact_match("memory")
    stats = store.stats()["exactMatch"]
    assert (stats.calls, stats.failures, stats.results) == (20, 0, 0)
    assert 0 < stats.p50_ms <= stats.p95_ms <= stats.p99_ms <= stats.max_ms


def test_the_log_rotates(tmp_path: Path) -> None:
    query_log = QueryLog(tmp_path, max_bytes=2000)
    for number in range(100):
        with query_log.measure("exactMatch", "memory", {"turn": number}):
            pass
    query_log.close()
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [FILE, f"{FILE}.1", f"{FILE}.2", f"{FILE}.3"]
    assert all(path.stat().st_size <= 2000 for path in tmp_path.iterdir())


def test_a_log_that_cannot_be_written_stops_no_query(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    query_log = QueryLog(tmp_path / "logs")
    with query_log.measure("exactMatch", "memory", {}) as measured:
        measured.results = 3
    assert query_log.stats()["exactMatch"].results == 3
