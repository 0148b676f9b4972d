from __future__ import annotations

import json
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from narratoria.skills.decisions import SkillDecisions, change_decisions, load_decisions


def test_without_a_decision_every_skill_is_on_and_granted_nothing(tmp_path: Path) -> None:
    settings = load_decisions(tmp_path / "nowhere")
    assert settings.is_enabled("dice")
    assert settings.granted("dice") is None
    assert settings.problems == ()


def test_decisions_are_still_there_after_a_restart(tmp_path: Path) -> None:
    change_decisions(
        tmp_path, lambda s: s.with_enabled("dice", False).with_granted("lore", ["network", "network"])
    )
    change_decisions(tmp_path, lambda s: s.with_granted("dice", []))
    settings = load_decisions(tmp_path)
    assert not settings.is_enabled("dice")
    assert settings.disabled == {"dice"}
    assert settings.granted("lore") == ("network",)
    assert settings.granted("dice") == ()
    change_decisions(tmp_path, lambda s: s.without("dice"))
    assert load_decisions(tmp_path).is_enabled("dice")
    assert load_decisions(tmp_path).granted("lore") == ("network",)


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    written = {"theme": "dark", "skills": {"dice": {"enabled": False, "pinned": 3}}}
    (tmp_path / "skills.json").write_text(json.dumps(written))
    change_decisions(tmp_path, lambda s: s.with_enabled("dice", True))
    written["skills"]["dice"]["enabled"] = True  # type: ignore[index]
    assert json.loads((tmp_path / "skills.json").read_text()) == written


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"skills": []}', "\ufeff{nope}", '{"skills": {"a": {}, "a": {}}}']
)
def test_a_broken_file_is_told_and_counts_as_no_decision(text: str, tmp_path: Path) -> None:
    file = tmp_path / "skills.json"
    file.write_text(text, encoding="utf-8")
    settings = load_decisions(tmp_path)
    assert settings.is_enabled("dice")
    assert settings.granted("dice") is None
    assert [(p.file, p.line) for p in settings.problems] == [(str(file), 1)]
    assert "counts as not decided" in settings.problems[0].message
    assert file.read_text(encoding="utf-8") == text, "reading changes nothing"


def test_a_broken_file_is_kept_as_a_copy_before_it_is_written_anew(tmp_path: Path) -> None:
    for number, text in enumerate(["{half", "{half again"], 1):
        (tmp_path / "skills.json").write_text(text)
        change_decisions(tmp_path, lambda s: s.with_enabled("dice", False))
        assert (tmp_path / f"skills.json.broken-{number}").read_text() == text
        assert load_decisions(tmp_path) == SkillDecisions({"skills": {"dice": {"enabled": False}}})


def test_one_broken_decision_does_not_undo_the_others(tmp_path: Path) -> None:
    skills = {"dice": {"enabled": False}, "lore": {"enabled": "nein"}, "map": {"permissions": "network"}}
    (tmp_path / "skills.json").write_text(json.dumps({"skills": skills}, indent=1))
    settings = load_decisions(tmp_path)
    assert settings.disabled == {"dice"}
    assert settings.granted("map") is None
    assert [(p.pointer, p.line) for p in settings.problems] == [
        ("/skills/lore/enabled", 7),
        ("/skills/map/permissions", 10),
    ]


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "skills.json").mkdir()
    settings = load_decisions(tmp_path)
    assert settings.is_enabled("dice")
    assert "cannot be read" in settings.problems[0].message


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    change_decisions(tmp_path, lambda s: s.with_enabled("dice", False))
    assert stat.S_IMODE((tmp_path / "skills.json").stat().st_mode) == 0o600


def test_decisions_made_at_once_are_all_kept(tmp_path: Path) -> None:
    names = [f"skill-{number}" for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: change_decisions(tmp_path, lambda s: s.with_enabled(name, False)), names))
    assert load_decisions(tmp_path).disabled == set(names)
