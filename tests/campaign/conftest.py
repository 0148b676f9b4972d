from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narratoria.store import Store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "narratoria.db", None)
    yield opened
    await opened.close()
