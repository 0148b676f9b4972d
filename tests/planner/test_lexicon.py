"""The lexicon matches verbs in their forms, and what denies or considers an act."""

from __future__ import annotations

import pytest

from narratoria.planner.lexicon import DENIED, SIGNS, Verbs, compile_alternatives


@pytest.mark.parametrize("text", ["climb", "climbs", "climbed", "climbing", "Climb"])
def test_a_verb_is_matched_in_its_regular_forms(text: str) -> None:
    assert compile_alternatives([Verbs(("climb",))]).fullmatch(text)


@pytest.mark.parametrize("text", ["hide", "hides", "hiding", "hided"])
def test_a_silent_e_falls_away(text: str) -> None:
    assert compile_alternatives([Verbs(("hide",))]).fullmatch(text)


def test_a_verb_is_a_whole_word() -> None:
    assert not compile_alternatives([Verbs(("climb",))]).search("the climber")


def test_any_alternative_is_enough() -> None:
    pattern = compile_alternatives([r"\bnever\b", Verbs(("refuse",))])
    assert pattern.search("I never do")
    assert pattern.search("I refused")


def test_the_signs_that_ship_match_plain_words() -> None:
    assert SIGNS["force"].search("I attack the guard")
    assert DENIED.search("I do not go")
