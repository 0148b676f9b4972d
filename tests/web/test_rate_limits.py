"""Each account may do so much in a minute, and is told when it may do more."""

from __future__ import annotations

import pytest

from narratoria.errors import NarratoriaException
from narratoria.web import rate_limits
from narratoria.web.rate_limits import AccountLimits, RateLimit, whole_seconds


def test_a_minute_s_worth_may_come_at_once_and_then_one_at_a_time() -> None:
    now = [100.0]
    limit = RateLimit(6, lambda: now[0])
    assert [limit.seconds_to_wait("a") for _ in range(6)] == [0.0] * 6
    assert limit.seconds_to_wait("a") == pytest.approx(10.0)
    now[0] += 9.0
    assert limit.seconds_to_wait("a") == pytest.approx(1.0)
    now[0] += 1.0
    assert limit.seconds_to_wait("a") == 0.0
    assert limit.seconds_to_wait("a") > 0


def test_one_account_s_haste_costs_another_nothing() -> None:
    limit = RateLimit(1, lambda: 0.0)
    assert limit.seconds_to_wait("a") == 0.0
    assert limit.seconds_to_wait("a") > 0
    assert limit.seconds_to_wait("b") == 0.0


def test_nought_is_no_limit() -> None:
    limit = RateLimit(0, lambda: 0.0)
    assert all(limit.seconds_to_wait("a") == 0.0 for _ in range(1000))


def test_no_more_accounts_are_counted_than_memory_should_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MOST_COUNTED", 10)
    limit = RateLimit(5, lambda: 0.0)
    for number in range(100):
        limit.seconds_to_wait(str(number))
    assert len(limit._full_at) == 10


def test_limits_are_read_from_the_environment_and_what_is_no_number_is_named() -> None:
    read = AccountLimits.read({"NARRATORIA_LIMIT_STORIES": "3", "NARRATORIA_LIMIT_TURNS_PER_MINUTE": "0"})
    assert (read.stories, read.turns_per_minute) == (3, 0)
    assert AccountLimits.read({}) == AccountLimits()
    with pytest.raises(NarratoriaException, match="NARRATORIA_LIMIT_STORIES is a whole number"):
        AccountLimits.read({"NARRATORIA_LIMIT_STORIES": "-1"})


@pytest.mark.parametrize(("wait", "seconds"), [(0.001, 1), (1.0, 1), (1.2, 2), (59.9, 60)])
def test_a_wait_is_told_in_whole_seconds_and_never_too_short(wait: float, seconds: int) -> None:
    assert whole_seconds(wait) == seconds
