from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a story's store is to be, in a home of its own."""
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    return tmp_path / "narratoria.db"
