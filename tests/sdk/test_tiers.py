"""Opinions on the dice: nothing within ±30, one to three beyond."""

from __future__ import annotations

import pytest

from narratoria.sdk.tiers import tier_of


@pytest.mark.parametrize(
    ("score", "tier"),
    [(0, 0), (30, 0), (30.04, 0), (30.1, 1), (53, 1), (54, 2), (76, 2), (77, 3), (100, 3), (400, 3)],
)
def test_a_good_opinion_counts_as_much_for_a_roll_as_a_bad_one_counts_against_it(
    score: float, tier: int
) -> None:
    assert tier_of(score) == tier
    assert tier_of(-score) == -tier
