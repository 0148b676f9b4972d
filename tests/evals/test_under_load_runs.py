"""What counts as real choices is counted rightly, and a short sitting on a busy machine has them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from evals.under_load.__main__ import report, share_of
from evals.under_load.load import busy_machine
from evals.under_load.play import is_real, play_sittings

from narratoria.engine.scene import GENERIC_CHOICES, Choice, Receipt

WHY = (Receipt("place", "mill", "you are there"),)
ASK = Choice(text="Ask Ada about the bells", kind="talk", because=WHY)
GO = Choice(text="Go to the inn", kind="go", because=WHY)


def test_two_choices_about_the_story_are_real_if_every_choice_says_why() -> None:
    assert is_real((ASK, GO))
    assert not is_real((ASK, *GENERIC_CHOICES))
    assert not is_real((ASK, GO, Choice(text="Sing")))


@pytest.mark.slow
def test_a_sitting_on_a_busy_machine_keeps_its_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    with busy_machine(tmp_path, model=None) as processes:
        turns = asyncio.run(play_sittings(3, 1))
    assert share_of(turns) == 1.0, report(turns, processes)
    assert not any(turn.skills_off for turn in turns)
