"""The real embedder, and the smallest real model as a file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narratoria import paths
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import InstalledModel, install_embedder


@pytest.fixture(scope="session")
def model_folder() -> Path:
    return install_embedder(paths.INSTALLED_MODELS)


@pytest.fixture(scope="session")
def model_file(embedded: InstalledModel) -> Path:
    return embedded.path


@pytest.fixture
async def embedder(model_folder: Path) -> AsyncIterator[Embedder]:
    embedder = Embedder(model_folder)
    yield embedder
    await embedder.close()
