"""Recorded evenings are played again over HTTP: a narrator's words, facts and choices reach the player."""

from __future__ import annotations

import pytest
from evals.narrator.__main__ import list_recordings, measure
from evals.narrator.evening import read_recording

TURNS = 3


def test_every_recording_can_be_read() -> None:
    assert list_recordings()
    for name in list_recordings():
        turns = read_recording(name)
        assert sum(bool(turn.answer) for turn in turns) >= len(turns) / 2
        assert all(turn.brief for turn in turns if turn.answer)


@pytest.mark.slow
async def test_an_evening_begins_as_a_narrator_told_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", "set by the evening itself, and put back")
    measured, played = await measure("kettle-station", TURNS)
    recording = read_recording("kettle-station")[:TURNS]
    assert measured.asked == TURNS
    assert measured.told >= TURNS - 1  # the gate may refuse one
    for turn, recorded in zip(played, recording, strict=True):
        if any(passage.by == "model" for passage in turn.scene.passages):
            first = recorded.answer.split("\n\n")[0].split()
            assert " ".join(first) in " ".join(turn.scene.text.split())
    assert measured.facts >= measured.told - 1
    assert measured.choices > 0.5
