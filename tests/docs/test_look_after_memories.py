"""The how-to about the store does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.walk import walk

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "look-after-memories.md"


def test_every_command_of_the_page_shows_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    sessions = list(walk(PAGE, tmp_path / "here"))
    assert len(sessions) == 7
    for session in sessions:
        assert session.happened == session.shown
