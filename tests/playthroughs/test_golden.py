"""The bundled stories read as they did when somebody last read them; `make golden` after a change."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.playthroughs.transcripts import FOLDER, PATIENCE, STORIES, transcript

from narratoria.engine.memory import recall, save


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("campaign", STORIES)
async def test_a_bundled_story_reads_as_it_was_read(
    campaign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path))
    for waiting in (recall, save):
        monkeypatch.setattr(waiting, "STORE_TIMEOUT_S", PATIENCE)
    told = await transcript(campaign, STORIES[campaign], tmp_path)
    assert told == (FOLDER / f"{campaign}.md").read_text(encoding="utf-8"), "`make golden` writes it anew"
