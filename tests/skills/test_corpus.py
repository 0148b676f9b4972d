"""Fifty skills, ten of them broken: forty load, ten are told with place and reason, nothing falls over."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.skills.corpus import Fault, build

from narratoria.skills.discovery import Catalogue, discover
from narratoria.skills.manifest import read_instructions


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Fault], Catalogue]:
    root = tmp_path_factory.mktemp("corpus") / "skills"
    faults = build(root)
    return root, faults, discover([root])


def test_forty_load(built) -> None:
    _, _, catalogue = built
    assert len(catalogue.skills) == 40
    assert len({skill.name for skill in catalogue.skills}) == 40


def test_ten_are_told_once_each_with_file_line_pointer_and_reason(built) -> None:
    root, faults, catalogue = built
    told = {(problem.file, problem.line, problem.pointer): problem.message for problem in catalogue.problems}
    assert len(catalogue.problems) == len(faults) == 10
    for fault in faults:
        message = told[str(root / fault.folder / fault.file), fault.line, fault.pointer]
        assert fault.words in message


def test_what_is_put_up_with_is_told_as_well(built) -> None:
    _, _, catalogue = built
    told = {(Path(warning.file).parent.name, warning.pointer) for warning in catalogue.warnings}
    assert told == {
        ("other-folder", "/name"),
        ("shouting", "/name"),
        ("long-winded", "/description"),
        ("nameless", "/name"),
        ("unquoted", "/description"),
        ("unquoted", "/argument-hint"),
    }
    assert all(warning.line > 0 for warning in catalogue.warnings)


def test_a_published_package_is_read_as_it_was_meant(built) -> None:
    _, _, catalogue = built
    skill = catalogue.skill("pdf-forms")
    assert (skill.version, skill.author) == ("2.1.0", "somebody")
    assert skill.license == "Proprietary. LICENSE.txt has complete terms"
    assert skill.compatibility == "Needs Python 3.11"
    assert skill.allowed_tools == ("Bash(python:*)", "Read")
    assert [(script.name, script.protocol) for script in skill.scripts] == [
        ("fill_form", "text"),
        ("rotate", "text"),
    ]
    assert skill.prompt == ""
    assert read_instructions(skill) == "# How\n\nLike so."


def test_names_in_any_script_are_kept(built) -> None:
    _, _, catalogue = built
    skill = catalogue.skill("würfel-künstler")
    assert skill.description == "Würfelt. 掷骰子 🎲"
    assert skill.warnings == ()


def test_a_package_may_say_that_its_scripts_speak_the_protocol_and_what_it_needs(built) -> None:
    _, _, catalogue = built
    skill = catalogue.skill("speaking")
    assert [script.protocol for script in skill.scripts] == ["narratoria-0"]
    assert list(skill.permissions) == ["model", "network"]


def test_skills_in_folders_of_folders_are_found(built) -> None:
    root, _, catalogue = built
    assert catalogue.skill("inner-two").folder == root / "collection" / "deeper" / "inner-two"


def test_tools_of_m_control_are_skills_with_one_script(built) -> None:
    _, _, catalogue = built
    skill, script = catalogue.find("lamp")
    assert (skill.display_name, script.protocol) == ("Lamp", "m-control-1")
    assert catalogue.find("lamp/lamp") == (skill, script)
