"""The sources of the web app are formatted, linted and typed; no line of them is long."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
LONGEST_LINE = 120
CHECKS = {
    "format": ("prettier", "--check", "--log-level", "warn", "."),
    "lint": ("eslint", "--max-warnings", "0", "."),
    "types": ("svelte-check", "--tsconfig", "./tsconfig.json", "--fail-on-warnings"),
}


@pytest.mark.parametrize("name", CHECKS)
def test_the_sources_of_the_web_app_pass(name: str) -> None:
    if not shutil.which("node"):
        pytest.skip("Node is not installed")
    tool, *arguments = CHECKS[name]
    program = WEB / "node_modules" / ".bin" / tool
    if not program.exists():
        pytest.skip("web/node_modules is not there: `make check-web` installs it")
    done = subprocess.run([program, *arguments], cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_line_of_the_web_app_is_long() -> None:
    sources = [path for path in (WEB / "src").rglob("*") if path.suffix in (".ts", ".svelte", ".css")]
    long = [
        f"{path.relative_to(WEB)}:{number}"
        for path in sources
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []
