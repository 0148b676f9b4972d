"""SKILL.md: lenient where the standard is about style, strict where a skill would be a riddle or a trap."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.skills.corpus import manifest, skill_md, write

from narratoria.contracts.front_matter import MAX_BYTES, UnreadableFrontMatter, read_front_matter
from narratoria.errors import ContractViolation
from narratoria.skills.discovery import discover, read_skill
from narratoria.skills.manifest import read_instructions
from narratoria.skills.skill import Skill


def read(folder: Path, text: str | bytes) -> Skill:
    return read_skill(write(folder, {"SKILL.md": text}))


def told(folder: Path, text: str | bytes) -> list[tuple[int, str, str]]:
    with pytest.raises(ContractViolation) as caught:
        read(folder, text)
    assert {problem.file for problem in caught.value.problems} == {str(folder / "SKILL.md")}
    return [(problem.line, problem.pointer, problem.message) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "must begin with a line ---"),
        ("# A page\n\n---\nname: x\n", 1, "must begin with a line ---"),
        ("---\nname: x\ndescription: y\n", 1, "no second line ---"),
        ("---\n- name\n- description\n---\n", 2, "not YAML fields"),
        ("---\njust words\n---\n", 2, "not YAML fields"),
        ("---\nname: [x\ndescription: y\n---\n", 3, "not YAML"),
        ("---\nname: x\n\tdescription: y\n---\n", 3, "not YAML"),
        ("---\nname: x\nname: y\ndescription: z\n---\n", 3, "'name' stands there twice"),
        ("---\nname: x\ndescription: !!python/object/apply:os.system [id]\n---\n", 3, "uses the tag"),
        ("---\nname: &n x\ndescription: *n\n---\n", 2, "anchor"),
        ("---\nname: x\ndescription: y\nmetadata: " + "[" * 50 + "]" * 50 + "\n---\n", 4, "nested deeper"),
        ("---\nname: x\ndescription: |\n" + "  long\n" * (MAX_BYTES // 7) + "---\n", 2, "more than 64 KiB"),
        ("---\n? [a]\n: b\n---\n", 2, "a field's name must be text"),
        ("---\nname: x\x07\ndescription: y\n---\n", 2, "not YAML"),
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_front_matter_that_cannot_be_read_is_told_with_its_line(tmp_path, text, line, words) -> None:
    ((where, _, message),) = told(tmp_path / "x", text)
    assert (where, words in message) == (line, True), message


@pytest.mark.parametrize("written", ["", " ", '""', "~", "null", "|\n  \n"])
def test_a_skill_must_say_what_it_does(tmp_path, written) -> None:
    ((line, pointer, message),) = told(tmp_path / "x", f"---\nname: x\ndescription: {written}\n---\n")
    assert (line, pointer) == (3, "/description")
    assert "is missing" in message


def test_a_description_that_is_no_text_is_refused(tmp_path) -> None:
    assert told(tmp_path / "x", "---\nname: x\ndescription: {a: b}\n---\n") == [
        (3, "/description", "must be text")
    ]


@pytest.mark.parametrize("name", ["../up", "a/b", "a\\\\b", ".hidden", "..", "C:", "dot.", "x" * 300])
def test_a_name_that_cannot_be_a_folder_is_refused(tmp_path, name) -> None:
    ((line, pointer, message),) = told(tmp_path / "x", f'---\nname: "{name}"\ndescription: y\n---\n')
    assert (line, pointer) == (2, "/name")
    assert "cannot be the name of a folder" in message


def test_what_looks_like_another_type_is_text(tmp_path) -> None:
    skill = read(
        tmp_path / "x", skill_md("x", "yes", "metadata:\n  version: 1.10\n  author: 2024-01-01\n  on: off")
    )
    assert (skill.description, skill.version, skill.author) == ("yes", "1.10", "2024-01-01")
    assert skill.metadata == {"version": "1.10", "author": "2024-01-01", "on": "off"}


def test_allowed_tools_may_be_a_list(tmp_path) -> None:
    skill = read(tmp_path / "x", skill_md("x", "y", "allowed-tools:\n  - Read\n  - Bash(git add:*)"))
    assert skill.allowed_tools == ("Read", "Bash(git add:*)")
    assert not skill.permissions


def test_the_body_is_read_when_the_skill_is_chosen_and_not_before(tmp_path) -> None:
    skill = read(tmp_path / "x", skill_md("x", body="first"))
    write(tmp_path / "x", {"SKILL.md": skill_md("x", body="second")})
    assert "first" not in repr(skill)
    assert read_instructions(skill) == "second"


def test_a_skill_without_instructions_discloses_nothing(tmp_path) -> None:
    assert read_instructions(read_skill(write(tmp_path / "x", {"skill.json": manifest("x")}))) == ""


def test_beside_a_manifest_the_manifest_has_the_last_word(tmp_path) -> None:
    files = {
        "skill.json": manifest("ours", license="MIT"),
        "SKILL.md": skill_md("theirs", "y", "license: GPL"),
    }
    skill = read_skill(write(tmp_path / "ours", files))
    assert (skill.name, skill.license, skill.description) == ("ours", "MIT", "What ours does.")
    assert read_instructions(skill).startswith("# How")
    assert any("skill.json calls it 'ours'" in warning.message for warning in skill.warnings)


def test_beside_a_manifest_it_must_be_readable_all_the_same(tmp_path) -> None:
    write(tmp_path / "x", {"skill.json": manifest("x"), "SKILL.md": "---\nname: x\n---\n"})
    (problem,) = discover([tmp_path]).problems
    assert (problem.file, problem.pointer) == (str(tmp_path / "x" / "SKILL.md"), "/description")


def test_a_skill_md_that_leads_out_of_its_folder_is_refused(tmp_path) -> None:
    write(tmp_path, {"secret": skill_md("x")})
    (tmp_path / "skills" / "x").mkdir(parents=True)
    (tmp_path / "skills" / "x" / "SKILL.md").symlink_to(tmp_path / "secret")
    (problem,) = discover([tmp_path / "skills"]).problems
    assert "leads out of the skill's folder" in problem.message


def test_a_file_in_another_encoding_is_told(tmp_path) -> None:
    ((_, _, message),) = told(tmp_path / "x", skill_md("x", "Würfel").encode("latin-1"))
    assert "not UTF-8" in message


# YAML also ends lines at these, editors do not
text = st.text(st.characters(codec="utf-8", exclude_characters="\r\x85\u2028\u2029"), max_size=200)


@settings(max_examples=300, deadline=None)
@given(text.map(lambda text: f"---\n{text}\n---\nbody") | text)
def test_whatever_stands_there_is_read_or_refused_with_a_line_of_the_text(text: str) -> None:
    line = body = 1
    try:
        body = read_front_matter(text).body
    except UnreadableFrontMatter as refused:
        line = refused.problem.line
    assert 1 <= line <= text.count("\n") + 1
    assert 0 < body <= max(len(text), 1)
