"""What is forked from a warm process is as one that was started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.warm_process import run_warm, start_warm, warm_commands

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="real processes are started there")
COMMANDS = [("--version",), ("frobnicate",), ("stories", "list"), ("tool", "check", "nowhere")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_it_says_and_returns_what_a_started_one_does(command: tuple[str, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "NARRATORIA_HOME": str(tmp_path / "home")}
    real = [sys.executable, "-m", "narratoria.cli", *command]
    started = subprocess.run(real, capture_output=True, cwd=tmp_path, env=environment, check=False)
    forked = run_warm("narratoria.cli", *command, cwd=tmp_path, env=environment)
    assert (forked.returncode, forked.stdout, forked.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_its_input_folder_home_and_mask_are_its_own(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        environment = {**os.environ, "NARRATORIA_HOME": "home"}
        done = run_warm("narratoria.cli", "play", "--plain", input=b"q\n", cwd=tmp_path, env=environment)
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "home" / "narratoria.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_is_sent_signals_and_its_end_is_heard_of(number: signal.Signals, tmp_path: Path) -> None:
    tool = Path(__file__).parent / "tools" / "v0" / "hangs.py"
    process = start_warm("narratoria.cli", "tool", "run", str(tool), stdout=subprocess.PIPE, cwd=tmp_path)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"info   still fine\n"
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(60) == (-9 if number == signal.SIGKILL else 128 + number)


def test_a_shell_finds_the_commands_and_hears_how_they_end(tmp_path: Path) -> None:
    with warm_commands() as (folder, descriptor):
        done = subprocess.run(
            ["bash", "-c", "narratoria --version | cat; mctl frobnicate; echo $?"],
            env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
            pass_fds=[descriptor],
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout.startswith("narratoria ")
    assert done.stdout.endswith("\n2\n")
    assert "No such command 'frobnicate'" in done.stderr
