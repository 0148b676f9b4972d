"""What the pages for authors show of the bundled campaigns stands there, word for word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.docs.blocks import all_blocks

from narratoria import paths

PAGES = {
    "docs/how-to/write-for-questions.md": "one-case-over",
    "docs/how-to/write-for-one-person.md": "harrowmere",
}


def entries(folder: Path) -> Iterator[dict[str, Any]]:
    yield from json.loads((folder / "plot/beats.json").read_text(encoding="utf-8"))["beats"]
    for profile in folder.glob("characters/npcs/*/profile.json"):
        yield from json.loads(profile.read_text(encoding="utf-8"))["topics"]
    for units in folder.glob("repertoire/*.jsonl"):
        yield from map(json.loads, units.read_text(encoding="utf-8").splitlines())


def holds(shown: dict[str, Any], entry: dict[str, Any]) -> bool:
    return all(entry.get(name) == value for name, value in shown.items())


@pytest.mark.parametrize(("page", "campaign"), PAGES.items())
def test_every_topic_beat_and_unit_of_the_page_is_one_of_the_campaigns(page: str, campaign: str) -> None:
    shown = [
        json.loads(block.text) for block in all_blocks() if block.page == page and block.language == "json"
    ]
    written = list(entries(paths.BUNDLED_CAMPAIGNS / campaign))
    assert len(shown) >= 3
    assert [one for one in shown if not any(holds(one, entry) for entry in written)] == []
