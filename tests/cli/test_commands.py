"""The command and its subcommands: each is found, and none is imported before it is called."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from narratoria import __version__
from narratoria.cli.commands import COMMANDS, narratoria


def test_help_waits_for_no_server() -> None:
    program = (
        "import sys; from click.testing import CliRunner; from narratoria.cli.commands import narratoria;"
        "CliRunner().invoke(narratoria, ['--help']); CliRunner().invoke(narratoria, ['play', '--help']);"
        "print([name for name in ('starlette', 'uvicorn', 'sqlalchemy', 'numpy') if name in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_helps(name: str) -> None:
    told = CliRunner().invoke(narratoria, [name, "--help"])
    assert told.exit_code == 0
    assert told.output.startswith(f"Usage: narratoria {name}")


def test_help_lists_the_commands_with_their_lines() -> None:
    told = CliRunner().invoke(narratoria, ["-h"]).output
    assert all(f"  {name} " in told and summary[:20] in told for name, (_, summary) in COMMANDS.items())


@pytest.mark.parametrize("name", ["plya", "", "narratoria.cli.play"])
def test_a_command_that_there_is_not_is_refused(name: str) -> None:
    told = CliRunner().invoke(narratoria, [name])
    assert told.exit_code == 2
    assert "No such command" in told.output


def test_the_version_is_that_of_the_package() -> None:
    assert CliRunner().invoke(narratoria, ["--version"]).output == f"narratoria {__version__}\n"
