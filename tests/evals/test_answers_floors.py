"""What every answer to own words holds, whatever a reader thinks of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from evals.answers.walk import answer_cases, read_cases

EVERY = 6  # of the cases
SOURCES = ("evidence", "topic", "unit", "beat", "go", "journal", "offers", "asks back", "limit")
OF_SUCCESS = {"takes", "gives", "opens", "makes", "heals", "follows"}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    async def answer() -> list[dict[str, Any]]:
        return [row async for row in answer_cases(read_cases("own-words-unseen")[::EVERY])]

    return asyncio.run(answer())


def test_every_answer_has_a_source_and_says_something(rows: list[dict[str, Any]]) -> None:
    assert len(rows) == 120 // EVERY
    for row in rows:
        assert row["source"].partition(":")[0] in SOURCES, row["words"]
        assert all(any(part.strip() for part in told) for told in row["told"].values()), row["words"]


def test_what_failed_is_kept_as_tried_and_has_no_effect_of_success(rows: list[dict[str, Any]]) -> None:
    failures = [row for row in rows if "failure" in row.get("facts", {})]
    assert failures
    for row in failures:
        assert "failure" in row["attempts"], row["words"]
        assert not OF_SUCCESS & set(row["effects"]["failure"]), row["words"]


def test_sensible_words_are_seldom_asked_back(rows: list[dict[str, Any]]) -> None:
    sensible = [row for row in rows if row["expects"] != "asks back"]
    assert sum(row["source"] == "asks back" for row in sensible) <= len(sensible) // 20
