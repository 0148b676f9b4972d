"""Opinions fade as the story goes on, strong ones half as fast."""

from __future__ import annotations

import pytest

from narratoria.sdk.decay import UNIT, decay


def test_a_strong_opinion_fades_half_as_fast_until_it_is_weak() -> None:
    assert decay(80.0, UNIT, 0.2) == pytest.approx(72.0)
    assert decay(20.0, UNIT, 0.2) == pytest.approx(16.0)
    halfway, all_at_once = decay(decay(60.0, UNIT, 0.2), UNIT, 0.2), decay(60.0, 2 * UNIT, 0.2)
    assert halfway == pytest.approx(all_at_once)
    assert decay(-60.0, 2 * UNIT, 0.2) == -all_at_once


@pytest.mark.parametrize(
    ("score", "minutes", "rate"), [(9, -UNIT, 0.1), (0, UNIT, 0.1), (9, UNIT, 1e-20), (9, UNIT, 0)]
)
def test_what_has_no_reason_to_fade_does_not(score: float, minutes: float, rate: float) -> None:
    assert decay(score, minutes, rate) == score
