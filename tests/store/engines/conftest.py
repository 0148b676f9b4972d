from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.store.telling import WordCounts

from narratoria.store import Store


@pytest.fixture
async def store(file: Path, words: WordCounts) -> AsyncIterator[Store]:
    """Here it is always a file."""
    opened = await Store.open(file, words)
    yield opened
    await opened.close()
