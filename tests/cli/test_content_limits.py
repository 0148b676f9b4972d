"""`/limits` in the terminal: shows the content limits, sets them, and says what it does not understand."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.cli.content_limits import run_limits_command
from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.engine.content_limits import load_content_limits
from narratoria.errors import ContractViolation


def test_limits_are_shown_set_and_lifted(tmp_path: Path) -> None:
    assert run_limits_command("", tmp_path) == "Content limits: violence full, fear full, romance full."
    assert not (tmp_path / "settings.json").exists()
    assert run_limits_command("Fear mild", tmp_path).endswith("fear mild, romance full.")
    assert load_content_limits(tmp_path).limits == ContentLimits(fear="mild")
    assert "children" in run_limits_command("children", tmp_path)
    assert load_content_limits(tmp_path).limits.limit_of("drink") == "none"
    run_limits_command("off", tmp_path)
    assert load_content_limits(tmp_path).limits == NO_LIMITS


@pytest.mark.parametrize("words", ["violence", "violence some", "gore none"])
def test_what_is_no_limit_is_refused(tmp_path: Path, words: str) -> None:
    with pytest.raises(ContractViolation, match="/limits children"):
        run_limits_command(words, tmp_path)


def test_a_damaged_file_is_said_and_its_limits_are_set_anew(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{torn")
    said = run_limits_command("", tmp_path)
    assert "children" in said
    assert "settings.json is damaged" in said
    assert (tmp_path / "settings.json").read_text() == "{torn", "looking changes nothing"
    assert "damaged" not in run_limits_command("off", tmp_path)
    assert load_content_limits(tmp_path).limits == NO_LIMITS
