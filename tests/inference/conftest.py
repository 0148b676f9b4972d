"""The real embedder and the smallest real model, installed by `make test`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from narratoria import places
from narratoria.inference.catalogue import EMBEDDED
from narratoria.inference.embedder import Embedder
from narratoria.inference.models import install_embedder, install_model


@pytest.fixture(scope="session")
def model_folder() -> Path:
    return install_embedder(places.INSTALLED_MODELS)


@pytest.fixture(scope="session")
def model_file() -> Path:
    return install_model(EMBEDDED, places.INSTALLED_MODELS).path


@pytest.fixture
async def embedder(model_folder: Path) -> AsyncIterator[Embedder]:
    embedder = Embedder(model_folder)
    yield embedder
    await embedder.close()
