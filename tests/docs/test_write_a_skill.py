"""The tutorial about skills does what it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.docs.walk import walk

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "write-a-skill.md"


def test_every_command_of_the_page_shows_what_the_page_shows(tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("NARRATORIA_HOME", str(home))
    monkeypatch.setenv("M_CONTROL_HOME", str(home))
    (tmp_path / "work").mkdir()
    sessions = [
        replace(session, happened=session.happened.replace(str(home), "~/.local/share/narratoria"))
        for session in walk(PAGE, tmp_path / "work")
    ]

    assert len(sessions) == 11
    assert [(session.shown, session.happened) for session in sessions if not session.agrees] == []
