"""A home with stories in it: the real store, the real skills, and a library that can be closed and opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from narratoria import app
from narratoria.engine.persistence.library import Library

OpenLibrary = Callable[[], AbstractAsyncContextManager[Library]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def open_library(home: Path) -> OpenLibrary:
    """The library of one home; each call is a program that was started anew."""
    return lambda: app.open_isolated_library(home)


@pytest.fixture
def as_after_kill(home: Path) -> Callable[[Path], OpenLibrary]:
    """The library on the files as they lie there now, as a kill -9 at this moment would leave them."""

    def copied(place: Path) -> OpenLibrary:
        shutil.copytree(home, place, ignore=shutil.ignore_patterns("*.lock"))
        return lambda: app.open_isolated_library(place)

    return copied
