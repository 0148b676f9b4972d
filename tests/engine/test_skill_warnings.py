"""A skill that cannot be used is named to the player, and its mistakes are kept for its author."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from narratoria.engine.skill_warnings import describe_broken_skills
from narratoria.skills.discovery import discover

SOUND = '{{"name": "{name}", "version": "1.0.0", "description": "Draws omens."}}'
BROKEN = '{\n  "name": "omens",\n  "version": 1\n}'
Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_manifest(folder: str, manifest: str) -> None:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "skill.json").write_text(manifest)

    return write_manifest


def test_a_broken_manifest_is_named_in_plain_words_and_placed_for_its_author(tmp_path, write) -> None:
    write("skills/omens", BROKEN)
    (warning,) = describe_broken_skills(discover([tmp_path / "skills"]))
    assert warning.message == "The omens skill cannot be used as it is. The story continues without it."
    assert f"{tmp_path}/skills/omens/skill.json:3 /version" in warning.reason
    assert len(warning.reason.splitlines()) > 1, "every mistake is there: no description, a wrong version"


def test_a_skill_that_was_broken_while_a_story_runs_is_used_as_it_was(tmp_path, write) -> None:
    write("skills/omens", SOUND.format(name="omens"))
    before = discover([tmp_path / "skills"])
    write("skills/omens", BROKEN)
    (warning,) = describe_broken_skills(discover([tmp_path / "skills"], previous=before))
    assert "used as it was before" in warning.message
    assert "skill.json:3" in warning.reason


def test_of_two_skills_with_one_name_the_second_is_told_of(tmp_path, write) -> None:
    for root in ("mine", "theirs"):
        write(f"{root}/omens", SOUND.format(name="omens"))
    (warning,) = describe_broken_skills(discover([tmp_path / "mine", tmp_path / "theirs"]))
    assert warning.message == "There is a second omens skill. The story uses the first."
    assert str(tmp_path / "theirs") in warning.reason


def test_sound_skills_need_no_warning(tmp_path, write) -> None:
    write("skills/omens", SOUND.format(name="omens"))
    assert not list(describe_broken_skills(discover([tmp_path / "skills"])))
