"""The acts an intent can name are complete, and mentions say whether the story knows them."""

from __future__ import annotations

from narratoria.planner.intent import Mention, load_acts
from narratoria.planner.word_lists import WORDS


def test_every_act_has_examples_and_takes_time() -> None:
    for name, act in load_acts().items():
        assert act.examples, name
        assert act.minutes >= 0, name


def test_every_spoken_act_is_an_act() -> None:
    assert set(load_acts()) >= WORDS.spoken_acts


def test_a_mention_without_an_id_is_unknown() -> None:
    assert Mention("the lamp", "lamp", "the lamp").is_known
    assert not Mention("a unicorn").is_known
