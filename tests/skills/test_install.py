"""Skills come and go whole, and what is the user's stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.skills.corpus import SPEAKS, manifest, skill_md, write
from tests.skills.published_skills import SKILLS, Files

from narratoria.errors import ContractViolation
from narratoria.skills.discovery import discover
from narratoria.skills.install import finish_interrupted_installs, install_skill, remove_skill, stage_skill


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "home" / "skills"


def package(folder: Path, name: str = "weather", **fields: object) -> Path:
    scripts = [{"name": "forecast", "path": "forecast.py"}]
    files = {"skill.json": manifest(name, scripts=scripts, **fields), "scripts/forecast.py": SPEAKS}
    return write(folder, files)


def zipped(folder: Path, archive: Path, inside: str = "") -> Path:
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            file.write(path, f"{inside}{path.relative_to(folder)}")
    return archive


def install(source: Path, root: Path) -> Path:
    with stage_skill(source, root) as skill:
        return install_skill(skill, root)


def contents(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def lay_out(files: Files, folder: Path) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.parametrize("form", ["a folder", "a zip archive", "a repository"])
@pytest.mark.parametrize("name", SKILLS)
def test_an_agent_skill_installs_in_the_form_in_which_it_was_published(tmp_path, root, name, form) -> None:
    source = lay_out(SKILLS[name], tmp_path / name)
    if form == "a zip archive":
        source = zipped(source, tmp_path / f"{name}.skill", f"{name}/")
    elif form == "a repository":
        source = zipped(source, tmp_path / "main.zip", f"skills-main/skills/{name}/")
    assert install(source, root) == root / name
    catalogue = discover([root])
    assert catalogue.problems == ()
    (skill,) = catalogue.skills
    assert (skill.name, bool(skill.description)) == (name, True)
    scripts = {Path(path).stem for path in SKILLS[name] if Path(path).parent.name == "scripts"}
    assert {script.name for script in skill.scripts} <= scripts - {"__init__"}


@pytest.mark.parametrize("inside", ["", "weather-main/", "repository/skills/weather/"])
def test_the_skill_of_a_package_may_lie_at_its_top_or_further_down(tmp_path, root, inside) -> None:
    source = zipped(package(tmp_path / "p"), tmp_path / "p.zip", inside)
    assert install(source, root) == root / "weather"
    (skill,) = discover([root]).skills
    assert (skill.name, skill.folder, skill.warnings) == ("weather", root / "weather", ())


def test_a_skill_of_a_folder_gets_the_folder_of_its_name(tmp_path, root) -> None:
    install(write(tmp_path / "elsewhere", {"SKILL.md": skill_md("forms")}), root)
    assert discover([root]).warnings == ()
    assert contents(root) == [".installed.lock", "forms/SKILL.md"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"README.md": "hello"}, "holds no skill"),
        ({"a/skill.json": manifest("a"), "b/skill.json": manifest("b")}, "holds 2 skills.*: a, b"),
        ({"skill.json": manifest("a", priority=1000)}, "/priority"),
        ({"skill.json": "{"}, "skill.json:1"),
        ({"SKILL.md": "---\nname: a\n---\n"}, "SKILL.md:1 /description"),
    ],
)
def test_what_is_not_the_package_of_one_valid_skill_leaves_no_trace(tmp_path, root, files, words) -> None:
    source = zipped(write(tmp_path / "p", files), tmp_path / "p.zip")
    with pytest.raises(ContractViolation, match=words) as caught, stage_skill(source, root):
        pass
    assert all(problem.file.startswith(str(source)) for problem in caught.value.problems)
    assert contents(root) == []
    assert list(root.iterdir()) == []


def test_a_package_that_is_looked_at_and_not_wanted_leaves_no_trace(tmp_path, root) -> None:
    with stage_skill(package(tmp_path / "p"), root) as skill:
        assert skill.name == "weather"
        assert discover([root]).skills == ()  # not before it is placed
    assert list(root.iterdir()) == []


def test_an_upgrade_replaces_the_skill_and_keeps_settings_and_data(tmp_path, root) -> None:
    install(write(package(tmp_path / "old", version="1.0.0"), {"scripts/gone.py": ""}), root)
    write(root / "weather", {"config.json": '{"key": "mine"}', "data/deep/kept.db": "kept"})
    newer = write(package(tmp_path / "new", version="2.0.0"), {"config.json": "{}", "data/kept.db": "theirs"})
    install(newer, root)
    assert discover([root]).skills[0].version == "2.0.0"
    assert json.loads((root / "weather" / "config.json").read_text()) == {"key": "mine"}
    assert contents(root / "weather") == [
        "config.json",
        "data/deep/kept.db",
        "scripts/forecast.py",
        "skill.json",
    ]


def test_a_package_may_bring_data_to_begin_with_and_never_settings(tmp_path, root) -> None:
    install(write(package(tmp_path / "p"), {"config.json": '{"x": 1}', "data/words.csv": "a"}), root)
    assert contents(root / "weather") == ["data/words.csv", "scripts/forecast.py", "skill.json"]


def test_settings_that_were_there_before_the_skill_stay(tmp_path, root) -> None:
    write(root / "weather", {"config.json": "{}", "data/x": ""})
    install(package(tmp_path / "p"), root)
    assert {"config.json", "data/x", "skill.json"} <= set(contents(root / "weather"))


def test_a_link_is_not_written_through(tmp_path, root) -> None:
    mine = package(tmp_path / "mine", description="mine")
    root.mkdir(parents=True)
    (root / "weather").symlink_to(mine)
    with pytest.raises(ContractViolation, match="is a link to a skill elsewhere"):
        install(package(tmp_path / "p"), root)
    assert discover([root]).skills[0].description == "mine"


def test_a_removed_skill_is_gone_with_everything_or_leaves_what_is_the_users(tmp_path, root) -> None:
    for name in ("weather", "tides"):
        install(package(tmp_path / name, name), root)
        write(root / name, {"config.json": "{}", "data/x": ""})
    remove_skill(root / "weather")
    remove_skill(root / "tides", keep_data=True)
    assert contents(root) == [".installed.lock", "tides/config.json", "tides/data/x"]
    assert discover([root]).skills == discover([root]).problems == ()


def test_a_skill_behind_a_link_is_unlinked_and_not_deleted(tmp_path, root) -> None:
    mine = package(tmp_path / "mine")
    root.mkdir(parents=True)
    (root / "weather").symlink_to(mine)
    remove_skill(root / "weather")
    assert contents(mine) == ["scripts/forecast.py", "skill.json"]
    assert not (root / "weather").exists()


# cut short


CUT_SHORT = """
import os, sys
from pathlib import Path
from narratoria.skills import install

source, root, stop = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
steps = 0

def counted(step):
    def run(*arguments, **named):
        global steps
        if steps == stop:
            os._exit(9)  # as after a power cut: nothing of ours runs any more
        steps += 1
        return step(*arguments, **named)
    return run

Path.rename = counted(Path.rename)
install.shutil.rmtree = counted(install.shutil.rmtree)
with install.staged(source, root) as skill:
    install.place(skill, root)
os._exit(0 if steps <= stop else 9)
"""


@pytest.mark.parametrize("stop", range(7))
def test_an_upgrade_that_is_cut_short_leaves_the_old_or_the_new_skill_and_all_data(
    tmp_path, root, stop
) -> None:
    install(package(tmp_path / "old", version="1.0.0"), root)
    write(root / "weather", {"config.json": '{"mine": 1}', "data/x": "kept"})
    newer = package(tmp_path / "new", version="2.0.0")
    arguments = [sys.executable, "-c", CUT_SHORT, str(newer), str(root), str(stop)]
    subprocess.run(arguments, check=False, timeout=60)

    finish_interrupted_installs(root)

    (skill,) = discover([root]).skills
    assert skill.version in ("1.0.0", "2.0.0")
    assert (root / "weather" / "config.json").read_text() == '{"mine": 1}'
    assert (root / "weather" / "data" / "x").read_text() == "kept"
    assert [path.name for path in root.iterdir() if path.name.startswith((".replaced", ".removed"))] == []


def test_data_that_a_run_has_made_meanwhile_is_put_aside_and_not_lost(tmp_path, root) -> None:
    install(package(tmp_path / "p"), root)
    write(root / ".replaced-weather", {"data/old": "old"})
    write(root / "weather", {"data/new": "new"})
    finish_interrupted_installs(root)
    assert (root / "weather" / "data" / "old").read_text() == "old"
    (aside,) = root.glob("weather/data.*/new")
    assert aside.read_text() == "new"


def test_an_installation_that_somebody_thinks_about_is_left_alone(tmp_path, root) -> None:
    with stage_skill(package(tmp_path / "p"), root) as skill:
        install(package(tmp_path / "q", "tides"), root)
        assert install_skill(skill, root) == root / "weather"
    forgotten = write(root / ".installing-forgotten", {"x": ""})
    os.utime(forgotten, (0, 0))
    finish_interrupted_installs(root)
    assert not forgotten.exists()


def test_mending_needs_nothing_to_be_there(tmp_path) -> None:
    finish_interrupted_installs(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
