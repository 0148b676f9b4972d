"""The programs in scripts/: which count, what they are called, and what is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.skills.corpus import SPEAKS, manifest, skill_md, write

from narratoria.skills.discovery import discover, read_skill

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no such bit elsewhere")


def executable(*paths: Path) -> None:
    for path in paths:
        path.chmod(0o755)


def test_executables_are_scripts_beside_those_of_the_manifest(tmp_path) -> None:
    folder = write(
        tmp_path / "dice",
        {
            "skill.json": manifest("dice", scripts=[{"name": "roll-dice", "path": "roll.py", "timeout": 5}]),
            "scripts/roll.py": SPEAKS,
            "scripts/flip": "#!/bin/sh\n",
            "scripts/deep/er/toss.sh": "",
            "scripts/module.py": "",
            "scripts/.hidden": "",
            "scripts/_private.py": "",
            "scripts/node_modules/x.js": "",
        },
    )
    executable(*(path for path in (folder / "scripts").rglob("*") if path.name != "module.py"))
    skill = read_skill(folder)
    assert [(script.name, script.protocol) for script in skill.scripts] == [
        ("roll-dice", "narratoria-0"),
        ("deep/er/toss", "narratoria-0"),
        ("flip", "narratoria-0"),
    ]
    assert skill.scripts[0].timeout == 0.005
    assert discover([tmp_path]).find("dice/deep/er/toss")[1].path == folder / "scripts/deep/er/toss.sh"
    assert discover([tmp_path]).find("skills/dice/scripts/flip")[1].name == "flip"


def test_two_that_differ_by_their_ending_keep_it(tmp_path) -> None:
    files = {"SKILL.md": skill_md("x"), "scripts/go.py": "", "scripts/go.sh": "", "scripts/stay.js": ""}
    assert [script.name for script in read_skill(write(tmp_path / "x", files)).scripts] == [
        "go.py",
        "go.sh",
        "stay",
    ]


def test_a_name_that_the_manifest_has_taken_is_not_taken_again(tmp_path) -> None:
    scripts = [{"name": "roll", "path": "lib/roll.py"}]
    folder = write(
        tmp_path / "x",
        {"skill.json": manifest("x", scripts=scripts), "lib/roll.py": "", "scripts/roll.sh": ""},
    )
    executable(folder / "scripts/roll.sh")
    assert [script.name for script in read_skill(folder).scripts] == ["roll", "roll.sh"]


def test_a_program_behind_a_link_that_leads_out_is_not_used_and_that_is_told(tmp_path) -> None:
    folder = write(tmp_path / "skills" / "x", {"SKILL.md": skill_md("x"), "scripts/fine.py": ""})
    (folder / "scripts" / "shell.sh").symlink_to("/bin/sh")
    (folder / "scripts" / "home").symlink_to(Path.home())
    catalogue = discover([tmp_path / "skills"])
    assert [script.name for script in catalogue.skills[0].scripts] == ["fine"]
    (warning,) = catalogue.warnings
    assert warning.file == str(folder / "scripts" / "shell.sh")
    assert "leads out of the skill's folder" in warning.message


def test_what_a_skill_has_written_never_becomes_a_skill(tmp_path) -> None:
    write(tmp_path / "dice" / "data" / "evil", {"skill.json": manifest("evil"), "scripts/run.py": SPEAKS})
    write(tmp_path / "dice", {"config.json": "{}"})
    assert discover([tmp_path]).skills == ()
    assert discover([tmp_path]).problems == ()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"scripts/x.py": ""}, "it has neither skill.json nor SKILL.md nor manifest.json"),
        ({"prompt.md": ""}, "it has neither skill.json"),
        ({"skill.md": ""}, "rename its skill.md to SKILL.md"),
        ({"Skill.json": ""}, "rename its Skill.json to skill.json"),
    ],
)
def test_a_folder_that_was_meant_as_a_skill_is_told(tmp_path, files, words) -> None:
    write(tmp_path / "meant", files)
    (problem,) = discover([tmp_path]).problems
    assert problem.file == str(tmp_path / "meant")
    assert words in problem.message


def test_names_that_some_file_systems_take_for_one_are_one(tmp_path) -> None:
    for folder, name in (("a", "Caf\u00e9"), ("b", "cafe\u0301")):
        write(tmp_path / folder, {"SKILL.md": skill_md(name)})
    catalogue = discover([tmp_path])
    assert [skill.folder.name for skill in catalogue.skills] == ["a"]
    assert "was found in" in catalogue.problems[0].message


@pytest.mark.parametrize("name", ["skill.json", "SKILL.md", "manifest.json"])
def test_a_pipe_in_place_of_a_description_does_not_hang_anybody(tmp_path, name) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / name)
    (problem,) = discover([tmp_path]).problems
    assert problem.file == str(tmp_path / "pipe" / name)


def test_a_description_of_many_megabytes_is_refused_unread(tmp_path) -> None:
    write(tmp_path / "big", {"skill.json": b" " * (2 << 20) + b"{}"})
    (problem,) = discover([tmp_path]).problems
    assert "longer than 1024 KiB" in problem.message
