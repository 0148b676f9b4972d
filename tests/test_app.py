"""The parts put together as a story has them."""

from __future__ import annotations

import asyncio
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


async def test_likely_skills_wait_for_the_next_turn_and_none_when_the_library_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    async with app.open_isolated_library(tmp_path) as library:
        session = await library.begin("harrowmere", seed=2)
        await session.resume()
        async with asyncio.timeout(60):
            while not {"narrate.py", "generate-choices.py"} <= _waiting_scripts(tmp_path):
                await asyncio.sleep(0.05)
        scene = await session.choose(0)
        assert scene.text
    assert _waiting_scripts(tmp_path) == set()


def _waiting_scripts(folder: Path) -> set[str]:
    """The scripts of processes whose box shows a folder."""
    scripts = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(argument.startswith(bytes(folder)) for argument in arguments):
            scripts |= {Path(argument.decode()).name for argument in arguments if argument.endswith(b".py")}
    return scripts
