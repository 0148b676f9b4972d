"""Acts of one line that belong together become one."""

from __future__ import annotations

from narratoria.planner.intent import Intent, Mention
from narratoria.planner.joined_intents import is_same_act, join_intents, join_speech

PIKE = Mention("Pike", "pike", "Pike")


def said(act: str, text: str, confidence: float = 0.5) -> Intent:
    return Intent(act=act, text=text, person=PIKE, confidence=confidence)


def test_what_is_said_in_one_breath_is_the_surest_of_its_acts() -> None:
    sorry, told = said("apologise", "I am sorry.", 0.4), said("confess", "I took it.", 0.8)
    (joined,) = join_speech([sorry, told], "I am sorry. I took it.")
    assert (joined.act, joined.text) == ("confess", "I am sorry. I took it.")


def test_what_is_said_after_something_stays_apart() -> None:
    acts = [said("apologise", "say sorry"), said("praise", "praise him")]
    assert join_speech(acts, "say sorry, then praise him") == acts


def test_two_questions_are_two_acts_and_a_question_that_goes_on_is_one() -> None:
    assert not is_same_act(said("ask", "who are you?"), said("ask", "where is your mother?"))
    assert is_same_act(said("ask", "who are you?"), said("ask", "why?"))


def test_an_act_that_goes_on_keeps_both_texts() -> None:
    first, second = Intent(act="dig", text="dig"), Intent(act="dig", text="dig deeper")
    assert is_same_act(first, second)
    assert join_intents(first, second).text == "dig and dig deeper"
