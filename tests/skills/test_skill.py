"""A skill's own files: its data folder, and modules that are compiled ahead."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from narratoria.skills.skill import InvalidSkillName, compile_ahead, data_dir, data_path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    return tmp_path


def test_it_is_made_on_first_use_and_closed_to_others(home: Path) -> None:
    assert not data_path("memory").exists()
    assert data_dir("memory") == home / "skills" / "memory" / "data"
    assert stat.S_IMODE(data_dir("memory").stat().st_mode) == 0o700


def test_what_is_in_it_stays_when_it_is_asked_for_again() -> None:
    (data_dir("memory") / "kept").write_text("yes")
    assert (data_dir("memory") / "kept").read_text() == "yes"


def test_a_folder_that_others_could_read_is_closed(home: Path) -> None:
    path = home / "skills" / "memory" / "data"
    path.mkdir(parents=True)
    path.chmod(0o755)
    assert stat.S_IMODE(data_dir("memory").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["", ".", "..", "../other", "a/b", "a\\b", "c:", "nul\0"])
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(InvalidSkillName, match="no name for a folder"):
        data_dir(name)


def test_a_link_instead_of_the_folder_is_refused(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / "skills" / "memory").mkdir(parents=True)
    (home / "skills" / "memory" / "data").symlink_to(elsewhere)
    with pytest.raises(InvalidSkillName, match="is a link"):
        data_dir("memory")


def test_names_in_any_script_have_a_folder() -> None:
    assert data_dir("gedächtnis-記憶").is_dir()


def test_what_is_compiled_ahead_is_used_and_made_anew_when_the_source_changes(tmp_path: Path) -> None:
    module = tmp_path / "_words.py"
    for text in ("WORD = 'one'", "WORD = 'another'"):
        module.write_text(text)
        compile_ahead(tmp_path)
        told = subprocess.run(
            [sys.executable, "-v", "-c", "import _words; print(_words.WORD)"],
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=True,
            text=True,
        )
        assert told.stdout.strip() in text
        assert f"matches {module}" in told.stderr


def test_a_broken_module_and_a_folder_that_is_not_there_are_no_matter(tmp_path: Path) -> None:
    broken = tmp_path / "_broken.py"
    broken.write_text("def (")
    compile_ahead(tmp_path, tmp_path / "nothing")
    assert not Path(cache_from_source(str(broken))).exists()
