"""`narratoria mcp` is refused clearly where it cannot be served, and costs other commands nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any


def test_a_short_token_is_refused(cave: Any) -> None:
    done = cave.narratoria("mcp", "--http", NARRATORIA_MCP_TOKEN="short")
    assert done.returncode == 2
    assert "NARRATORIA_MCP_TOKEN is too short" in done.stderr


def test_without_the_sdk_it_says_what_to_install() -> None:
    program = (
        "import importlib.util, sys\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'mcp' else found(name, *more)\n"
        "from narratoria.cli import main\n"
        "sys.argv = ['narratoria', 'mcp']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "pip install 'narratoria[mcp]'" in done.stderr


def test_the_sdk_is_imported_by_no_other_command() -> None:
    program = (
        "import sys, narratoria.cli.commands, narratoria.cli.mcp, narratoria.app; print('mcp' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"
