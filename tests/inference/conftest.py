"""The real embedder, and the smallest real model as a file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from narratoria import paths
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import InstalledModel, install_embedder
from narratoria.inference.model import LocalModel


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


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def model(model_file: Path) -> AsyncIterator[LocalModel]:
    model = LocalModel(model_file, threads=1)
    yield model
    await model.close()
