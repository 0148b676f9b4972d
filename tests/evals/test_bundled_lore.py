"""What an author asks of the bundled campaigns' lore is answered, divided as it is for a story."""

from __future__ import annotations

import pytest
from evals.retrieval.bundled import read_bundled
from evals.retrieval.methods import answer, ask_all
from evals.retrieval.metrics import figures

from narratoria import paths
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import install_embedder
from narratoria.store.search.ranking import load_calibration


def test_there_are_queries_about_every_page_of_lore():
    for corpus in read_bundled():
        root = paths.BUNDLED_CAMPAIGNS / corpus.name
        pages = {path.relative_to(root).as_posix() for path in root.glob("lore/**/*.md")}
        asked = {
            name.partition("/")[2].rpartition("#")[0] for query in corpus.queries for name in query.relevant
        }
        assert asked == pages


@pytest.mark.slow
async def test_nine_queries_in_ten_have_an_answer_among_the_first_five():
    """SC-042"""
    embedder = Embedder(install_embedder(paths.INSTALLED_MODELS))
    try:
        asked = await ask_all(read_bundled(), embedder)
    finally:
        await embedder.close()

    assert figures(answer("ours", asked, asked, load_calibration())).hit_at_5 >= 0.9
