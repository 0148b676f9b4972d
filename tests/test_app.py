"""The parts put together as a story has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from narratoria import app
from narratoria.errors import NotRunnable
from narratoria.skills.host.services import Host

MANIFEST = {
    "manifestVersion": 1,
    "id": "lamp",
    "version": "1.0.0",
    "name": "Lamp",
    "description": "Lights a lamp.",
    "runtime": "python",
    "entry": "main.py",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an m-control tool among its skills."""
    folder = tmp_path / "skills" / "lamp"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    (folder / "main.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("M_CONTROL_HOME", str(tmp_path / "m-control"))
    return tmp_path


def test_a_story_can_run_the_mcontrol_tools_that_it_is_offered(project: Path) -> None:
    with app.watch_skills() as tools:
        assert "lamp" in {skill.name for skill in tools(Host()).offered()}
        assert tools(Host()).resolve("lamp").name == "lamp"


def test_a_story_goes_on_without_an_mcontrol_config_that_can_be_used(project: Path) -> None:
    (project / ".m-control").mkdir()
    (project / ".m-control" / "config.json").write_text("{")
    with app.watch_skills() as tools:
        assert tools(Host()).resolve("dice-roller/roll-dice").name == "roll-dice"
        with pytest.raises(NotRunnable, match="config"):
            tools(Host()).resolve("lamp")
