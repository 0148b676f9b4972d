"""A home with stories in it: the real store, the real skills, and a library that can be closed and opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from narratoria import app
from narratoria.campaign.campaign import Campaign
from narratoria.engine.persistence.library import Library
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.text_matcher import TextMatcher, open_matcher

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


@pytest.fixture(scope="module")
def matcher() -> TextMatcher:
    folder = find_embedder()
    assert folder is not None
    return open_matcher(folder)


@pytest.fixture(scope="module")
def harrowmere() -> Campaign:
    return app.open_campaign("harrowmere")
