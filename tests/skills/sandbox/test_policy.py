"""What a skill may see of the machine: no home is opened by where a program lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.skills.sandbox.test_backends import runnable

from narratoria.protocol.command import Command
from narratoria.skills.permissions import NOTHING
from narratoria.skills.sandbox.policy import build_policy


def test_an_interpreter_that_was_installed_over_a_home_does_not_open_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "node"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    place = build_policy(Command((str(program),)), NOTHING, home=tmp_path / "x", read_only=(), writable=())
    assert str(program) in place.read_only or str(program.parent) in place.read_only
    assert str(tmp_path) not in place.read_only


@pytest.mark.parametrize("line", ["{0}", "/usr/bin/env {0}"])
def test_a_script_does_not_open_a_folder_by_naming_a_program_in_it(tmp_path: Path, line: str) -> None:
    """The first line is its author's choice, not the user's."""
    program = runnable(tmp_path / "private" / "bin" / "tool", "#!/bin/sh\n")
    script = runnable(tmp_path / "skill" / "steal", f"#!{line.format(program)}\n")
    place = build_policy(
        Command((str(script),)), NOTHING, home=tmp_path / "x", read_only=[script.parent], writable=()
    )
    assert not any(Path(path).is_relative_to(tmp_path / "private") for path in place.read_only)


def test_a_program_on_the_path_inside_the_home_shows_its_usual_parts_and_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = runnable(tmp_path / ".cargo" / "bin" / "cargo", "#!/bin/sh\n")
    script = runnable(tmp_path / "skill" / "build", "#!/usr/bin/env cargo\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    place = build_policy(
        Command((str(script),)), NOTHING, home=tmp_path / "x", read_only=[script.parent], writable=()
    )
    assert str(program.parent) in place.read_only
    assert str(tmp_path / ".cargo") not in place.read_only
