"""The pages about campaigns do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.walk import walk

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


@pytest.mark.parametrize("page", ["fill-up-a-campaign.md", "share-a-campaign.md", "import-a-campaign.md"])
def test_every_command_of_the_page_shows_what_the_page_shows(tmp_path, monkeypatch, page):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    for session in walk(HOW_TO / page, tmp_path / "work"):
        happened = re.sub(r"sha256 [0-9a-f]{64}", "sha256 SUM", session.happened)
        assert happened == session.shown
