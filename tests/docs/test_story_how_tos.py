"""The pages about installing skills, exporting stories and moving a home do what they say."""

from __future__ import annotations

import re

import pytest
from tests.docs.blocks import REPOSITORY
from tests.docs.walk import walk


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "page", ["install-a-skill.md", "export-a-story.md", "move-a-home.md", "use-an-mcp-server.md"]
)
def test_every_command_of_the_page_shows_what_the_page_shows(tmp_path, monkeypatch, page):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    for session in walk(REPOSITORY / "docs" / "how-to" / page, tmp_path / "work"):
        happened = re.sub(r"(?<=tomorrows-post)-[0-9a-f]{8}", "-1a2b3c4d", session.happened)
        assert re.sub(r"\d+ min", "0 min", happened) == session.shown
