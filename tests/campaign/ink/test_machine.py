"""A program runs from choice to choice, and its state is all that is carried over."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.compiler import compile_story
from narratoria.campaign.ink.machine import MOST_STEPS, Machine
from narratoria.campaign.ink.parser import Parser
from narratoria.campaign.ink.program import Program
from narratoria.campaign.ink.state import RunState
from narratoria.campaign.ink.values import InkRuntimeError


def compile_ink(text: str) -> Program:
    program, problems = compile_story(Parser(lambda _: None).parse("a.ink", text))
    assert problems == []
    return program


def test_a_choice_goes_on_from_the_state_alone():
    program = compile_ink("VAR n = 1\n~ temp t = 5\n* a\n  ~ n = n + t\n  {n}\n* b\n- {t}\n")
    state = RunState(seed=1)
    Machine(program, state).begin()
    assert [choice.text for choice in state.choices] == ["a", "b"]

    machine = Machine(program, state)
    machine.choose(0)
    assert machine.take_output()[0] == ["a", "6", "5"]
    assert state.has_ended
    assert state.choices == []


def test_a_story_without_a_choice_or_an_end_is_stopped():
    machine = Machine(compile_ink("- (top) -> top\n"), RunState(seed=1))

    with pytest.raises(InkRuntimeError, match="comes to no end"):
        machine.begin()
    assert MOST_STEPS <= 200_000


def test_the_line_of_a_mistake_is_known():
    machine = Machine(compile_ink("One.\n{1 / 0}\n"), RunState(seed=1))

    with pytest.raises(InkRuntimeError, match="divided by zero"):
        machine.begin()
    assert machine.line == 2


def test_a_fallback_is_followed_and_never_offered():
    state = RunState(seed=1)
    machine = Machine(compile_ink("* {false} a\n* -> b\n== b\nB. -> END\n"), state)
    machine.begin()

    assert machine.take_output()[0] == ["B."]
    assert state.has_ended
