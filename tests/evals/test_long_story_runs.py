"""A long life: what was promised, owed and met in its first twenty turns is known at its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from evals.long_story.play import play
from evals.long_story.probes import ask, names

from narratoria import paths
from narratoria.engine.memory import recall, save
from narratoria.inference.embedder import Embedder
from narratoria.inference.installed_models import find_embedder, install_embedder

TURNS = 160
ROOM = 96 * 1024  # bytes of what goes from one turn to the next, however long the story is


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_after_many_turns_names_promises_and_debts_of_the_first_ones_are_recalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for waiting in (recall, save):
        monkeypatch.setattr(waiting, "STORE_TIMEOUT_S", waiting.STORE_TIMEOUT_S)  # restored afterwards
    embedder = Embedder(find_embedder() or install_embedder(paths.INSTALLED_MODELS))
    try:
        played = await play(TURNS, tmp_path, embedder)
        try:
            recalled = await ask(played)
        finally:
            await played.store.close()
    finally:
        await embedder.close()
    assert len(played.session.scenes) == TURNS
    assert all(one.kept and one.found and one.read for one in recalled), recalled
    met, known = names(played)
    assert len(met) >= 4
    assert known == met
    assert max(played.sizes) < ROOM
