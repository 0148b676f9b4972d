"""The texts of bundled campaigns have their vectors with them, and nothing else is taken for one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from evals.retrieval.ship import CAMPAIGNS, matched_texts, stored_texts

from narratoria import app
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder
from narratoria.inference.model_process import ModelProcess
from narratoria.inference.shipped_vectors import load_shipped_vectors
from narratoria.inference.text_matcher import TextMatcher, open_matcher

TEXTS = 3


@pytest.fixture(scope="module")
def folder() -> Path:
    return find_embedder() or pytest.skip("no embedding model is installed")


@pytest.fixture(scope="module")
def matcher(folder: Path) -> TextMatcher:
    return open_matcher(folder)


@pytest.mark.parametrize("name", CAMPAIGNS)
async def test_every_text_of_a_bundled_campaign_has_its_vector(
    name: str, folder: Path, matcher: TextMatcher
) -> None:
    campaign = app.open_campaign(name)
    embedder = Embedder(folder)
    searched = load_shipped_vectors("search", embedder.model_id)
    matched = load_shipped_vectors("match", matcher.model_id)
    assert searched is not None
    assert matched is not None
    texts = matched_texts(campaign)
    how = "run `python -m evals.retrieval.ship`"
    assert not [text for text in texts if matched.find(text) is None], how
    assert not [
        text for text in texts | await stored_texts(campaign, embedder) if searched.find(text) is None
    ], how


async def test_a_vector_that_ships_is_the_one_that_the_embedder_makes(folder: Path) -> None:
    embedder = Embedder(folder)
    texts = sorted(matched_texts(app.open_campaign("harrowmere")))[:TEXTS]
    try:
        shipped = await embedder.embed(texts)
        made = await embedder._embed(texts)
    finally:
        await embedder.close()
    assert np.allclose(shipped, made, atol=1e-3)


def test_a_vector_that_ships_is_the_one_that_the_matcher_makes(matcher: TextMatcher) -> None:
    texts = sorted(matched_texts(app.open_campaign("harrowmere")))[:TEXTS]
    without = TextMatcher(matcher.encoder, matcher.apart, matcher.model)
    assert np.allclose(matcher.encode(texts), without.encode(texts), atol=1e-3)


async def test_texts_of_a_bundled_campaign_are_embedded_without_the_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = []
    monkeypatch.setattr(ModelProcess, "start", starts.append)
    rows = await Embedder(folder).embed(sorted(matched_texts(app.open_campaign("harrowmere"))))
    assert len(rows) > 100
    assert not starts


def test_vectors_of_another_model_are_not_taken() -> None:
    assert load_shipped_vectors("search", "another model") is None
