"""A misbehaving model costs the player nothing: no word of it is shown, and the scene is told anyway."""

from __future__ import annotations

from collections import Counter

import pytest
from evals.narrator.misbehave import describe, measure, read_misbehaviour


def test_there_are_sixty_answers_in_ten_classes() -> None:
    counts = Counter(row.kind for row in read_misbehaviour())
    assert sum(counts.values()) >= 60
    assert set(counts.values()) == {6}


@pytest.mark.slow
async def test_none_of_each_class_reaches_the_player_and_none_costs_the_scene(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", "set by the evening itself, and put back")
    rows = read_misbehaviour()[2::6]
    turns = await measure(rows)
    assert all(turn.is_right for turn in turns), "\n".join(describe(turns))
    assert [turn.kind for turn in turns] == [row.kind for row in rows]
