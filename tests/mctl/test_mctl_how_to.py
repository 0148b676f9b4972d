"""The how-to does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "use-m-control.md"


@pytest.fixture
def harbour(workshop):
    """A project in which the page's steps have been taken."""
    text = PAGE.read_text(encoding="utf-8")
    manifest, config = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    folder = workshop.root / "tools" / "tide-table"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(manifest, encoding="utf-8")
    (folder / "tide.py").write_text(program, encoding="utf-8")
    assert workshop.mctl("init").returncode == 0
    (workshop.root / ".m-control" / "config.json").write_text(config, encoding="utf-8")
    return workshop


def shown_for(command: str) -> str:
    """What the page shows below a command, up to the next one."""
    after = PAGE.read_text(encoding="utf-8").split(f"$ {command}\n", 1)[1]
    return re.split(r"^(?:\$ |```)", after, maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize(
    ("command", "code"),
    [("mctl list", 0), ("mctl run tide-table day=3", 0), ("mctl run tide-table day=soon", 1)],
)
def test_a_command_of_the_page_shows_what_the_page_shows(harbour, command, code):
    done = harbour.mctl(*command.split()[1:])

    assert done.returncode == code
    assert (done.stdout + done.stderr).decode() == shown_for(command)


def test_the_doctor_of_the_page_is_content(harbour):
    assert harbour.mctl("doctor").stdout.endswith(b"All is well.\n")
