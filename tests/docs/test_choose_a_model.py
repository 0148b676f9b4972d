"""The how-to about models does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.walk import walk

from narratoria import paths
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.installed_models import install_model

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "choose-a-model.md"


def test_every_command_of_the_page_shows_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("MODEL", str(install_model(EMBEDDED, paths.INSTALLED_MODELS).path))
    monkeypatch.delenv("NARRATORIA_MODEL", raising=False)
    (tmp_path / "here").mkdir()
    sessions = list(walk(PAGE, tmp_path / "here"))
    assert len(sessions) == 3
    for session in sessions:
        assert session.happened == session.shown
