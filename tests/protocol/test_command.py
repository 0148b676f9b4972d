"""How a file is run: by its interpreter, by itself, or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from narratoria.errors import NotRunnable
from narratoria.protocol.command import Command, command_for, interpreter_for


@pytest.mark.parametrize(
    ("name", "content", "mode", "reason"),
    [
        ("absent", None, 0, "there is no such file"),
        ("plain.txt", "hello", 0o644, "not executable"),
        ("tool.ps1", "", 0o644, "needs pwsh or powershell"),
    ],
)
def test_what_cannot_be_run_is_refused_with_advice(
    tmp_path: Path, name: str, content: str | None, mode: int, reason: str
) -> None:
    from narratoria.errors import NotRunnable

    path = tmp_path / name
    if content is not None:
        path.write_text(content)
        path.chmod(mode)
    with pytest.raises(NotRunnable, match=reason):
        command_for(path)
    with pytest.raises(NotRunnable, match="is a directory"):
        command_for(tmp_path)


def test_a_python_script_is_run_by_the_runtimes_own_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "tool.py"
    script.touch()
    command = command_for(script, "--fast")
    assert command.argv == (sys.executable, str(script), "--fast")
    assert command.cwd == tmp_path


def test_a_link_keeps_the_name_it_was_called_by(tmp_path: Path) -> None:
    (tmp_path / "real.py").touch()
    (tmp_path / "link.py").symlink_to(tmp_path / "real.py")
    assert command_for(tmp_path / "x" / ".." / "link.py").argv[1] == str(tmp_path / "link.py")


def test_a_program_of_its_own_needs_no_interpreter(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.touch(mode=0o700)
    assert interpreter_for(program) == ()


def test_an_executable_script_without_its_first_line_is_run_by_its_ending(tmp_path: Path) -> None:
    script = tmp_path / "tool.sh"
    script.write_text("echo hello\n")
    script.chmod(0o700)
    (program,) = interpreter_for(script)
    assert program.rpartition("/")[2] in ("bash", "sh")
    script.write_text("#!/bin/sh\necho hello\n")
    assert interpreter_for(script) == ()


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tool.mjs").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotRunnable, match="needs node, which is not on the PATH"):
        command_for(tmp_path / "tool.mjs")


def test_an_environment_is_inherited_unless_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOD", "calm")
    assert Command(("x",), env={"A": "1"}).environment()["MOOD"] == "calm"
    alone = Command(("x",), env={"A": "1"}, inherit_env=False).environment()
    assert alone == {"A": "1", "PYTHONUNBUFFERED": "1"}
