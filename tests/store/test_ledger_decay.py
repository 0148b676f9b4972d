"""Opinions fade by a rule that does not care how the time is divided."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.store.ledger import STRONG, UNIT, decay

scores = st.floats(-100, 100)
spans = st.floats(0, 200 * UNIT)
rates = st.floats(0, 1)


@given(scores, spans, spans, rates)
def test_decay_over_two_spans_is_decay_over_both_together(
    score: float, one: float, other: float, rate: float
) -> None:
    apart = decay(decay(score, one, rate), other, rate)
    assert apart == pytest.approx(decay(score, one + other, rate), rel=1e-6, abs=1e-9)


@given(scores, spans, spans, rates)
def test_an_opinion_moves_towards_nothing_and_never_past_it(
    score: float, one: float, more: float, rate: float
) -> None:
    sooner, later = decay(score, one, rate), decay(score, one + more, rate)
    assert 0 <= abs(later) <= abs(sooner) * (1 + 1e-9) <= abs(score) * (1 + 1e-9)
    assert later == 0 or math.copysign(1, later) == math.copysign(1, score)


@given(st.floats(-49.999, 49.999), st.floats(0, 1))
def test_a_weak_opinion_loses_its_rate_in_a_week(score: float, rate: float) -> None:
    assert decay(score, UNIT, rate) == pytest.approx(score * (1 - rate))


@given(st.floats(0.001, 0.5), st.sampled_from([1, -1]))
def test_a_strong_opinion_loses_half_its_rate_in_a_week(rate: float, sign: int) -> None:
    score = sign * STRONG / (1 - rate / 2) * 1.0001  # still strong after that week
    assert decay(score, UNIT, rate) == pytest.approx(score * (1 - rate / 2))


@given(st.floats(50.001, 100), st.floats(0.01, 0.9), st.floats(0, 50))
def test_from_the_moment_it_is_no_longer_strong_an_opinion_fades_at_the_full_rate(
    score: float, rate: float, weeks_after: float
) -> None:
    weeks_strong = math.log(STRONG / score) / math.log(1 - rate / 2)
    after = decay(score, (weeks_strong + weeks_after) * UNIT, rate)
    assert after == pytest.approx(STRONG * (1 - rate) ** weeks_after, rel=1e-6)


@given(scores, rates, st.floats(-1e6, 0))
def test_time_that_stands_still_or_runs_backwards_changes_nothing(
    score: float, rate: float, minutes: float
) -> None:
    assert decay(score, minutes, rate) == score
