"""What makes two launches of a script the same, and what a launch takes and gives back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.skills.conftest import MakeSkill

from narratoria.protocol.command import command_for
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run
from narratoria.skills.host.services import Host
from narratoria.skills.launch import MOST_FILES, LaunchIdentity, PreparedLaunch, ScriptLauncher
from narratoria.skills.manifest import read_manifest
from narratoria.skills.permissions import NOTHING, Permissions
from narratoria.skills.runnable import InvocationRequest
from narratoria.skills.sandbox import probe


class Stand:
    """A skill with one script, and a story's folders."""

    def __init__(self, folder: Path, make_skill: MakeSkill) -> None:
        self.skill = make_skill(
            folder / "skills",
            "lamp",
            {"scripts/light.py": "", "scripts/_oil.py": ""},
            scripts=[{"name": "light", "path": "light.py", "warmStart": True}],
        )
        self.assets = folder / "story" / "assets"
        self.assets.mkdir(parents=True)
        self.permissions = NOTHING
        self.config: dict[str, str] = {}

    @property
    def launcher(self) -> ScriptLauncher:
        skill = read_manifest(self.skill)
        return ScriptLauncher(
            "lamp/light", skill, self.permissions, Host(), 30, self.config, starts_among_assets=True
        )

    def identify(self) -> LaunchIdentity | None:
        script = self.launcher.skill.scripts[0]
        return self.launcher.identify(command_for(script.path), self.request)

    @property
    def request(self) -> InvocationRequest:
        return InvocationRequest("r", {}, {"assetDir": str(self.assets)})


@pytest.fixture
def stand(tmp_path: Path, make_skill: MakeSkill, monkeypatch: pytest.MonkeyPatch) -> Stand:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    return Stand(tmp_path, make_skill)


def test_a_launch_is_the_same_as_long_as_nothing_changes(stand: Stand) -> None:
    before = stand.identify()
    (stand.skill / "__pycache__").mkdir()
    (stand.skill / "__pycache__" / "oil.pyc").touch()
    (stand.assets / "portrait.png").touch()
    assert before is not None
    assert stand.identify() == before


def _edit(stand: Stand) -> None:
    (stand.skill / "scripts" / "_oil.py").write_text("x = 1")


def _add_module(stand: Stand) -> None:
    (stand.skill / "scripts" / "json.py").touch()


def _grant(stand: Stand) -> None:
    stand.permissions = Permissions.parse(["network"])


def _configure(stand: Stand) -> None:
    stand.config = {"wick": "long"}


def _remake_assets(stand: Stand) -> None:
    stand.assets.rename(stand.assets.with_name("before"))
    stand.assets.mkdir()


@pytest.mark.parametrize("change", [_edit, _add_module, _grant, _configure, _remake_assets])
def test_a_launch_is_another_after_a_change(stand: Stand, change: Callable[[Stand], None]) -> None:
    before = stand.identify()
    change(stand)
    after = stand.identify()
    assert after is not None
    assert after != before


def test_nothing_is_launched_ahead_for_a_story_that_is_gone(stand: Stand) -> None:
    stand.assets.rmdir()
    assert stand.identify() is None
    assert not stand.assets.exists()


def test_a_skill_of_very_many_files_is_not_launched_ahead(stand: Stand) -> None:
    for number in range(MOST_FILES):
        (stand.skill / f"{number}.txt").touch()
    assert stand.identify() is None


async def test_a_run_makes_the_folder_that_it_is_started_in(stand: Stand) -> None:
    stand.assets.rmdir()
    command = command_for(stand.skill / "scripts" / "light.py")
    async with stand.launcher(command, stand.request) as launched:
        assert launched.cwd == stand.assets
        assert stand.assets.is_dir()


async def test_what_was_prepared_and_not_started_is_given_back(stand: Stand) -> None:
    identity = stand.identify()
    assert identity is not None
    before = count_descriptors()
    await PreparedLaunch(identity.command, identity.box).close()
    assert count_descriptors() == before


async def test_after_a_boxed_run_that_ended_well_nobody_is_looked_for(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    if probe().best not in ("bubblewrap", "namespaces"):
        pytest.skip("without a process table of its own, what a tool left behind has to be looked for")
    searches: list[str] = []
    monkeypatch.setattr(
        "narratoria.protocol.child_posix.kill_marked", lambda mark, **_: searches.append(mark)
    )
    script = stand.skill / "scripts" / "light.py"
    script.write_text(LEAVES_SOMEBODY)
    async with stand.launcher(command_for(script), stand.request) as command:
        outcome = await run(command, b"{}", NARRATORIA_V0)
    assert outcome.ok, outcome.failure
    assert searches == []
    assert [entry for entry in Path("/proc").glob("[0-9]*/cmdline") if LEFT in _read(entry)] == []


LEFT = f"sleep\0{600 + os.getpid()}".encode()
LEAVES_SOMEBODY = f"""
import subprocess, time
from narratoria import sdk

def main(request):
    sdk.log("up")
    nothing = subprocess.DEVNULL
    subprocess.Popen(["sleep", "{600 + os.getpid()}"], start_new_session=True, env={{}},
                     stdin=nothing, stdout=nothing, stderr=nothing)
    time.sleep(0.3)

sdk.run(main)
"""


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
