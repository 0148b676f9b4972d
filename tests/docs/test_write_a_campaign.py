"""The tutorial about campaigns does what it says, and two files are enough for a scene."""

from __future__ import annotations

from pathlib import Path

from tests.docs.walk import files_shown, run_commands, walk

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "write-a-campaign.md"


def test_every_command_of_the_page_shows_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    sessions = list(walk(PAGE, tmp_path / "work"))

    assert len(sessions) == 6
    assert [(session.shown, session.happened) for session in sessions if not session.agrees] == []


def test_a_campaign_of_two_files_can_be_played(tmp_path, monkeypatch):
    """SC-040"""
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    shown = files_shown(PAGE)
    for name in ("lighthouse/manifest.json", "lighthouse/plot/premise.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(shown[name][-1], encoding="utf-8")
    told = run_commands(
        ["printf '1\\n1\\nq\\n' | narratoria play ./lighthouse --new --seed 3 --plain"], tmp_path
    )

    assert "Tonight there are two." in told
    assert told.count("\n> ") == 3, "each of the choices led on"
