"""What is read together decides conditions better than relevance does."""

from __future__ import annotations

import pytest
from evals.conditions.__main__ import main
from evals.conditions.situations import read_pairs


def test_no_world_and_no_condition_fits_and_scores() -> None:
    fit, score = read_pairs("fit"), read_pairs("score")
    assert not {pair.world for pair in fit} & {pair.world for pair in score}
    assert not {pair.phrase for pair in fit} & {pair.phrase for pair in score}


async def test_few_conditions_are_taken_for_so_that_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert await main([]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("read together"))
    right, true, wrong, _ = (int(word) for word in line.split() if word.isdigit())
    assert right / true > 0.55
    assert right / (right + wrong) > 0.85
