"""What write-for-questions.md shows of One Case Over stands there, word for word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.docs.blocks import all_blocks

from narratoria import paths

PAGE = "docs/how-to/write-for-questions.md"
CAMPAIGN = paths.BUNDLED_CAMPAIGNS / "one-case-over"


def entries(folder: Path) -> Iterator[dict[str, Any]]:
    yield from json.loads((folder / "plot/beats.json").read_text(encoding="utf-8"))["beats"]
    for profile in folder.glob("characters/npcs/*/profile.json"):
        yield from json.loads(profile.read_text(encoding="utf-8"))["topics"]


def holds(shown: dict[str, Any], entry: dict[str, Any]) -> bool:
    return all(entry.get(name) == value for name, value in shown.items())


def test_every_topic_and_beat_of_the_page_is_one_of_the_campaigns() -> None:
    shown = [json.loads(block.text) for block in all_blocks() if block.page == PAGE]
    written = list(entries(CAMPAIGN))
    assert len(shown) >= 5
    assert [one["id"] for one in shown if not any(holds(one, entry) for entry in written)] == []
