from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.web.serving import Server

OFFLINE = {"NARRATORIA_HUB": "http://127.0.0.1:9"}  # no model can be had


@pytest.fixture
def ordinary_umask() -> Iterator[None]:
    """As most systems give it to their users: what is made may be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    before = os.umask(0o022)
    running = Server(tmp_path_factory.mktemp("security") / "home", env=OFFLINE).start()
    os.umask(before)
    yield running
    running.stop()
