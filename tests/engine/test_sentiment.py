"""What people think, and how it fades while the story's days go by."""

from __future__ import annotations

import pytest

from narratoria.engine import sentiment
from narratoria.sdk.decay import DAY, decay

WEEK = 7 * DAY


def test_opinions_of_people_and_factions_fade_by_ten_percent_a_week() -> None:
    state = {
        "perception": {"ada": 20.0, "bo": -80.0, "cy": 0},
        "reputation": {"watch": 10},
        "flags": {"a": 1},
    }
    faded = sentiment.fade(state, 0.0, WEEK)
    assert faded == {"perception": {"ada": 18.0, "bo": -76.0}, "reputation": {"watch": 9.0}}


def test_within_a_day_what_was_added_stays_as_it_was_added() -> None:
    state = {"perception": {"ada": 20}}
    assert sentiment.fade(state, 0.0, DAY - 1) == {}
    assert sentiment.fade(state, DAY - 1, DAY)["perception"]["ada"] == pytest.approx(decay(20, DAY), abs=1e-3)
    assert sentiment.fade(state, WEEK, 0.0) == {}, "a story that begins again turns back its clock"


def test_night_for_night_as_much_fades_as_all_at_once() -> None:
    state = {"perception": {"ada": 55.0}}
    for night in range(14):
        state |= sentiment.fade(state, night * DAY, (night + 1) * DAY)
    assert state["perception"]["ada"] == pytest.approx(decay(55.0, 14 * DAY), abs=0.02)


def test_a_skill_may_keep_more_beside_a_score_and_the_player_may_set_the_rate() -> None:
    state = {
        "perception": {"ada": {"score": 40.0, "why": "bread"}},
        "reputation": {"watch": 40.0},
        "decayRates": {"perception": 0.5},
    }
    assert sentiment.fade(state, 0.0, WEEK) == {
        "perception": {"ada": {"score": 20.0}},
        "reputation": {"watch": 36.0},
    }


@pytest.mark.parametrize(
    ("score", "tone"), [(19.4, "neutral"), (19.6, "warm"), (-20, "cold"), (-19.2, "neutral")]
)
def test_the_tone_goes_by_whole_points(score: float, tone: str) -> None:
    assert sentiment.tone_of("ada", {"perception": {"ada": score}}) == tone
