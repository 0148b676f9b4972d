"""Slips in a skill that no contract forbids are found before the skill is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from narratoria import paths
from narratoria.skills.discovery import read_skill
from narratoria.skills.review import find_misspelt_keys, find_script_problems


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "omens" / "scripts").mkdir(parents=True)
    return tmp_path / "omens"


def write(folder: Path, code: str = "", name: str = "draw.py", **more: Any) -> None:
    (folder / "scripts" / name).write_text(code, encoding="utf-8")
    scripts = [{"name": "draw", "path": name, **more.pop("script", {})}]
    manifest = {"name": "omens", "version": "1.0.0", "description": "Omens.", "scripts": scripts, **more}
    (folder / "skill.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def messages(folder: Path) -> list[str]:
    problems, _ = find_script_problems(read_skill(folder))
    return [f"{Path(one.file).name}:{one.line} {one.message}" for one in problems]


def test_a_misspelt_key_says_what_was_meant_and_where(folder: Path):
    write(folder, exmples=["I look up"], script={"timout": 5}, retryPolicy={"maxRetrys": 1})
    slips = find_misspelt_keys(folder)
    assert {(slip.pointer, slip.message.partition("; ")[2]) for slip in slips} == {
        ("/exmples", "did you mean 'examples'?"),
        ("/scripts/0/timout", "did you mean 'timeout'?"),
        ("/retryPolicy/maxRetrys", "did you mean 'maxRetries'?"),
    }
    assert all(slip.line > 1 for slip in slips)


def test_keys_of_the_authors_own_are_nobodys_slip(folder: Path):
    write(folder, homepage="omens.example", version_notes="first")
    assert find_misspelt_keys(folder) == []


def test_a_misspelt_key_of_a_skill_md_is_found_with_its_line(folder: Path):
    (folder / "SKILL.md").write_text("---\nname: omens\ndescription: Omens.\nlicence: MIT\n---\nText.\n")
    (slip,) = find_misspelt_keys(folder)
    assert (slip.pointer, slip.line) == ("/licence", 4)
    assert "did you mean 'license'?" in slip.message


def test_a_module_that_is_not_installed_is_named_with_its_line(folder: Path):
    write(folder, "import json\nimport randon\nfrom tarot_decks import draw\nimport cards\n")
    (folder / "scripts" / "cards.py").write_text("")
    assert messages(folder) == [
        "draw.py:2 imports 'randon', which is not installed here; did you mean 'random'?",
        "draw.py:3 imports 'tarot_decks', which is not installed here; bring it along in scripts/",
    ]


def test_what_a_script_can_do_without_is_not_missed(folder: Path):
    write(folder, "try:\n    import tarot_decks\nexcept ImportError:\n    tarot_decks = None\n")
    assert messages(folder) == []


def test_a_script_that_is_no_python_says_where(folder: Path):
    write(folder, "x = 1\ndef main(:\n")
    (message,) = messages(folder)
    assert message.startswith("draw.py:2 is not Python")


def test_a_package_of_node_that_the_skill_does_not_hold_is_named(folder: Path):
    write(
        folder,
        'import fs from "node:fs";\nimport x from "left-pad";\nconst y = require("fss");\n',
        "draw.mjs",
    )
    assert messages(folder) == [
        "draw.mjs:2 imports 'left-pad', which the skill does not hold; bring it along in node_modules/",
        "draw.mjs:3 imports 'fss', which the skill does not hold; did you mean 'node:fs'?",
    ]


def test_a_listed_script_that_cannot_be_started_is_a_problem(folder: Path):
    write(folder, "#!/usr/bin/env lua\n", "draw.lua")
    (message,) = messages(folder)
    assert "is not executable" in message
    assert "chmod +x" in message


def test_a_program_without_its_executable_bit_is_pointed_out(folder: Path):
    write(folder)
    (folder / "scripts" / "other.sh").write_text("#!/bin/sh\n")
    (folder / "scripts" / "_shared.py").write_text("#!/usr/bin/env python3\n")
    (odd,) = find_script_problems(read_skill(folder))[1]
    assert odd.file.endswith("other.sh")
    assert "chmod +x" in odd.message


def test_a_typed_function_without_a_declared_input_is_pointed_out(folder: Path):
    code = "from narratoria import sdk\ndef main(request: sdk.Request, place: str): ...\nsdk.run(main)\n"
    write(folder, code)
    (odd,) = find_script_problems(read_skill(folder))[1]
    assert odd.message == (
        "takes place, and no input is declared for it; try: narratoria skills inputs omens --write"
    )
    write(folder, code, script={"input": {"properties": {"place": {"type": "string"}}}})
    assert find_script_problems(read_skill(folder))[1] == []


def test_the_bundled_skills_have_no_slips():
    for skill_folder in sorted(paths.BUNDLED_SKILLS.iterdir()):
        assert find_misspelt_keys(skill_folder) == []
        assert find_script_problems(read_skill(skill_folder)) == ([], [])
