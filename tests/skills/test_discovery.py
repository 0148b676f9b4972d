"""Finding skills: every valid one, a word on each of the others, and nothing outside a skill's folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from narratoria.errors import SkillScriptNotFoundError
from narratoria.skills.discovery import Catalogue, discover

if TYPE_CHECKING:
    from tests.skills.conftest import MakeSkill

ROLL = {"name": "roll-dice", "path": "roll.py"}


def names(catalogue: Catalogue) -> list[str]:
    return [skill.name for skill in catalogue.skills]


def problem_of(root: Path) -> Any:
    (problem,) = discover([root]).problems
    return problem


def test_skills_are_found_in_all_roots_in_the_order_of_roots_and_names(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    for root, name in (("two", "zeta"), ("one", "memory"), ("one", "dice"), ("two", "alpha")):
        make_skill(tmp_path / root, name)
    found = discover([tmp_path / "one", tmp_path / "nowhere", tmp_path / "two"])
    assert names(found) == ["dice", "memory", "alpha", "zeta"]
    assert found.problems == ()


def test_a_root_that_is_missing_a_file_or_empty_holds_no_skills(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    assert discover([tmp_path / "nowhere", tmp_path / "file", tmp_path / "empty"]) == Catalogue()


def test_of_two_skills_with_one_name_the_first_stays_and_the_second_is_named(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    first = make_skill(tmp_path / "bundled", "dice", description="ours")
    second = make_skill(tmp_path / "home", "dice", description="theirs")
    found = discover([tmp_path / "bundled", tmp_path / "home"])
    assert [skill.description for skill in found.skills] == ["ours"]
    (problem,) = found.problems
    assert problem.file == str(second / "skill.json")
    assert str(first) in problem.message


def test_a_folder_beside_it_does_not_take_the_name_of_an_installed_skill(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    """With the name go the permissions, the settings and the data."""
    make_skill(tmp_path, "memory", description="theirs").rename(tmp_path / "aardvark")
    make_skill(tmp_path / "collection", "memory", description="theirs")
    make_skill(tmp_path, "memory", description="ours")
    found = discover([tmp_path])
    assert [skill.description for skill in found.skills] == ["ours"]
    assert len(found.problems) == 2


def test_a_root_named_twice_is_no_reason_to_lose_a_skill(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path, "dice")
    assert names(discover([tmp_path, tmp_path])) == ["dice"]


def test_what_a_manifest_says_and_what_it_leaves_open(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(
        tmp_path,
        "dice",
        {"prompt.md": "Röll fairly.", "scripts/roll.py": ""},
        displayName="Dice Roller",
        author="A",
        license="MIT",
        capabilities=["randomness"],
        priority=80,
        retryPolicy={"maxRetries": 1, "backoffMs": 7},
        scripts=[{**ROLL, "description": "rolls", "timeout": 1500, "required": False}],
    )
    make_skill(tmp_path, "plain", {"p.md": "x", "scripts/roll.py": ""}, prompt="p.md", scripts=[ROLL])
    dice, plain = discover([tmp_path]).skills
    assert (dice.display_name, dice.author, dice.license, dice.priority) == ("Dice Roller", "A", "MIT", 80)
    assert (dice.prompt, dice.capabilities) == ("Röll fairly.", ("randomness",))
    assert (dice.max_retries, dice.backoff_ms) == (1, 7)
    script = dice.script("roll-dice")
    assert script is not None
    assert (script.description, script.timeout, script.required) == ("rolls", 1.5, False)
    assert (plain.display_name, plain.prompt, plain.priority) == ("plain", "x", 50)
    assert (plain.max_retries, plain.backoff_ms) == (3, 100)
    assert (plain.scripts[0].timeout, plain.scripts[0].required) == (30.0, True)
    assert plain.script("unheard-of") is None


def test_a_skill_may_be_a_prompt_alone(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path, "mood", {"prompt.md": "Be grim."})
    (skill,) = discover([tmp_path]).skills
    assert (skill.prompt, skill.scripts) == ("Be grim.", ())


# what is wrong with a skill is said, with file and line, and the others load


@pytest.mark.parametrize(
    ("text", "line", "pointer"),
    [
        ("", 1, ""),
        ("{\n", 2, ""),
        ("[]", 1, ""),
        ('{\n "name": "Dice Roller",\n "version": "1.0.0",\n "description": "x"}', 2, "/name"),
        ('{\n "name": "dice",\n "version": "1",\n "description": "x"}', 3, "/version"),
        ('{"name": "dice",\n "version": "1.0.0"}', 1, ""),
        ('{"name":"a", "version":"1.0.0", "description":"x",\n"scripts":[\n{"name":"a"}]}', 3, "/scripts/0"),
    ],
)  # fmt: skip
def test_an_invalid_manifest_is_told_with_file_and_line_while_the_rest_loads(
    tmp_path: Path, make_skill: MakeSkill, text: str, line: int, pointer: str
) -> None:
    make_skill(tmp_path, "memory")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "skill.json").write_text(text)
    found = discover([tmp_path])
    assert names(found) == ["memory"]
    (problem,) = found.problems
    assert (problem.file, problem.line, problem.pointer) == (
        str(tmp_path / "broken" / "skill.json"),
        line,
        pointer,
    )


def test_all_problems_of_a_manifest_are_told(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path, "broken", priority=101, version="x", prompt="")
    assert sorted(problem.pointer for problem in discover([tmp_path]).problems) == [
        "/priority",
        "/prompt",
        "/version",
    ]


def test_a_manifest_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "odd" / "skill.json").mkdir(parents=True)
    assert "directory" in problem_of(tmp_path).message


def test_a_script_without_a_file_is_told_with_its_line(tmp_path: Path, make_skill: MakeSkill) -> None:
    folder = make_skill(tmp_path, "dice", {"scripts/other.py": ""}, scripts=[ROLL])
    problem = problem_of(tmp_path)
    assert (problem.file, problem.pointer) == (str(folder / "skill.json"), "/scripts/0/path")
    assert "roll.py" in (folder / "skill.json").read_text().splitlines()[problem.line - 1]
    assert "'roll.py'" in problem.message


def test_two_scripts_of_one_name_are_told(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path, "dice", {"a.py": "", "roll.py": ""}, scripts=[ROLL, {**ROLL, "path": "a.py"}])
    assert problem_of(tmp_path).pointer == "/scripts/1/name"


def test_the_problems_of_scripts_and_prompt_are_told_together(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path, "dice", scripts=[ROLL, {**ROLL, "name": "b"}], prompt="../skill.md")
    (tmp_path / "skill.md").write_text("out there")
    assert [problem.pointer for problem in discover([tmp_path]).problems] == [
        "/scripts/0/path",
        "/scripts/1/path",
        "/prompt",
    ]


# where scripts lie


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("scripts/roll.py",), "scripts/roll.py"),
        (("roll.py",), "roll.py"),
        (("roll.py", "scripts/roll.py"), "scripts/roll.py"),
    ],
)
def test_a_script_is_looked_for_in_scripts_and_then_in_the_root(
    tmp_path: Path, make_skill: MakeSkill, files: tuple[str, ...], found: str
) -> None:
    folder = make_skill(tmp_path, "dice", dict.fromkeys(files, ""), scripts=[ROLL])
    assert discover([tmp_path]).skills[0].scripts[0].path == folder / found


@pytest.mark.parametrize(
    "path",
    ["../../outside.py", "../outside.py", "link.py", "linked/outside.py", "ABSOLUTE", "/bin/sh", "..", ".",
     "loop", "a\x00b", "x" * 5000, "folder", ""],
    ids=lambda path: path[:20].replace("\x00", "NUL"),
)  # fmt: skip
def test_a_path_that_leads_out_of_the_skill_or_nowhere_is_refused(
    tmp_path: Path, make_skill: MakeSkill, path: str
) -> None:
    outside = tmp_path / "outside.py"
    outside.touch()
    folder = make_skill(
        tmp_path / "skills",
        "dice",
        {"scripts/folder/x.py": ""},
        scripts=[{"name": "out", "path": str(outside) if path == "ABSOLUTE" else path}],
    )
    (tmp_path / "skills" / "outside.py").touch()
    (folder / "link.py").symlink_to(outside)
    (folder / "linked").symlink_to(tmp_path)
    (folder / "scripts" / "loop").symlink_to("loop")
    make_skill(tmp_path / "skills", "fine")
    found = discover([tmp_path / "skills"])
    assert names(found) == ["fine"]
    assert [problem.pointer for problem in found.problems] == ["/scripts/0/path"]


def test_a_link_that_stays_inside_the_skill_is_followed(tmp_path: Path, make_skill: MakeSkill) -> None:
    folder = make_skill(tmp_path, "dice", {"lib/roll.py": ""}, scripts=[ROLL])
    (folder / "roll.py").symlink_to("lib/roll.py")
    assert discover([tmp_path]).skills[0].scripts[0].path == folder / "lib" / "roll.py"


# prompts


def test_a_prompt_out_of_the_folder_never_reaches_the_planner(tmp_path: Path, make_skill: MakeSkill) -> None:
    (tmp_path / "secret.md").write_text("secret")
    for name, prompt in (("up", "../../secret.md"), ("whole", str(tmp_path / "secret.md"))):
        make_skill(tmp_path / "skills", name, prompt=prompt)
    linking = make_skill(tmp_path / "skills", "link")
    (linking / "prompt.md").symlink_to(tmp_path / "secret.md")
    found = discover([tmp_path / "skills"])
    assert found.skills == ()
    assert all("leads out of" in problem.message for problem in found.problems)
    assert len(found.problems) == 3


def test_a_prompt_that_cannot_be_read_costs_one_skill_and_not_all(
    tmp_path: Path, make_skill: MakeSkill
) -> None:
    (make_skill(tmp_path, "latin") / "prompt.md").write_bytes("Schöne Würfel".encode("latin-1"))
    (make_skill(tmp_path, "folder") / "prompt.md").mkdir()
    (make_skill(tmp_path, "loop") / "prompt.md").symlink_to("prompt.md")
    make_skill(tmp_path, "nul", prompt="a\x00b")
    make_skill(tmp_path, "fine")
    found = discover([tmp_path])
    assert names(found) == ["fine"]
    assert [(Path(problem.file).parent.name, problem.pointer) for problem in found.problems] == [
        (name, "/prompt") for name in ("folder", "latin", "loop", "nul")
    ]


# how a plan may call a script


@pytest.fixture
def dice(tmp_path: Path, make_skill: MakeSkill) -> Catalogue:
    make_skill(tmp_path, "memory", {"roll.py": ""}, scripts=[ROLL])
    make_skill(tmp_path, "dice", {"scripts/roll.py": ""}, scripts=[ROLL])
    return discover([tmp_path])


@pytest.mark.parametrize(
    "tool_path",
    [
        "dice/roll-dice",
        "skills/dice/roll-dice",
        "skills/dice/roll.py",
        "skills/dice/scripts/roll.py",
        "ROOT/dice/scripts/roll.py",
        "ROOT/memory/../dice/scripts/roll.py",
        "ROOT//dice/./scripts/roll.py",
    ],
)
def test_a_script_answers_to_these_names(dice: Catalogue, tmp_path: Path, tool_path: str) -> None:
    skill, script = dice.find(tool_path.replace("ROOT", str(tmp_path)))
    assert (skill.name, script.name) == ("dice", "roll-dice")


@pytest.mark.parametrize(
    "tool_path",
    [
        "", ".", "/", "dice", "dice/", "roll-dice", "roll.py", "dice/ROLL-DICE", "Dice/roll-dice",
        "dice/roll-dice/", "skills/dice", "dice/../dice/roll-dice", "skills/dice/../../etc/passwd",
        "/etc/passwd", "/bin/sh", "skills/dice/skill.json", "ROOT/dice/skill.json", "ROOT/dice/roll.py",
        "other/roll-dice", "dice/roll-dice ", "dice\\roll-dice", "a\x00b", "x" * 100_000, "file://ROOT/dice/scripts/roll.py",
    ],
    ids=lambda path: repr(path[:30]),
)  # fmt: skip
def test_nothing_else_is_a_script(dice: Catalogue, tmp_path: Path, tool_path: str) -> None:
    with pytest.raises(SkillScriptNotFoundError):
        dice.find(tool_path.replace("ROOT", str(tmp_path)))


def test_a_file_may_be_named_from_the_working_directory(
    dice: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert dice.find("./dice/scripts/roll.py")[0].name == "dice"
    assert dice.find("memory/roll.py")[0].name == "memory"


def test_a_skill_behind_a_link_is_found_by_both_its_places(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path / "elsewhere", "dice", {"scripts/roll.py": ""}, scripts=[ROLL])
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "dice").symlink_to(tmp_path / "elsewhere" / "dice")
    found = discover([tmp_path / "skills"])
    for place in ("skills", "elsewhere"):
        assert found.find(str(tmp_path / place / "dice" / "scripts" / "roll.py"))[1].name == "roll-dice"
    assert found.find("skills/dice/scripts/roll.py")[1].name == "roll-dice"


def test_a_relative_root_works_like_any_other(
    tmp_path: Path, make_skill: MakeSkill, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_skill(tmp_path / "skills", "dice", {"scripts/roll.py": ""}, scripts=[ROLL])
    monkeypatch.chdir(tmp_path)
    found = discover([Path("skills")])
    assert found.find("skills/dice/scripts/roll.py")[1].path == tmp_path / "skills/dice/scripts/roll.py"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_root_that_may_not_be_read_holds_no_skills(tmp_path: Path, make_skill: MakeSkill) -> None:
    make_skill(tmp_path / "closed", "dice")
    (tmp_path / "closed").chmod(0)
    assert names(discover([tmp_path / "closed"])) == []
    (tmp_path / "closed").chmod(0o700)
