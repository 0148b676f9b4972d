from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.serving import Server, read_until


@pytest.fixture(name="read_until")
def _read_until() -> Any:
    return read_until


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Shared by all tests that leave it as they found it; no model can be had from it."""
    env = {"NARRATORIA_HUB": "http://127.0.0.1:9"}
    running = Server(tmp_path_factory.mktemp("web") / "home", env=env).start()
    yield running
    running.stop()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Any]:
    """Makes servers that are a test's own; what still runs at its end is ended."""
    made: list[Server] = []

    def make(**fields: Any) -> Server:
        made.append(Server(tmp_path / "home", **fields))
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            one.stop(signal.SIGKILL)
        elif one.process.stdout is not None:
            one.process.stdout.close()
