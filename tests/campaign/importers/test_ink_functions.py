"""Functions of ink are put in the place of their calls."""

from __future__ import annotations

import pytest

from narratoria.campaign.importers.ink_functions import InkFunctions
from narratoria.campaign.importers.logic import UnsupportedLogic

TEXT = """Text.
=== function raise(ref x)
~ x = x + 1
=== function raise_both(ref a, ref b)
~ raise(a)
~ raise(b)
=== function is_high(x)
~ return x > 5
=== function forever(x)
~ forever(x)
=== function speaks(x)
Hello.
=== knot ===
More text.
"""


@pytest.fixture
def functions() -> InkFunctions:
    functions = InkFunctions()
    functions.read(TEXT.splitlines())
    return functions


def test_a_call_becomes_what_the_function_does_to_its_variables(functions: InkFunctions) -> None:
    assert functions.expand_statement("raise(trust)") == ["trust = trust + 1"]
    assert functions.expand_statement("raise_both(trust, fear)") == ["trust = trust + 1", "fear = fear + 1"]
    assert functions.expand_statement("trust = 3") == ["trust = 3"]


def test_a_value_stands_in_a_condition_in_the_place_of_its_call(functions: InkFunctions) -> None:
    assert functions.expand_condition("is_high(trust) and not seen") == "(trust > 5) and not seen"
    assert functions.expand_condition("TURNS_SINCE(knot) > 3") == "TURNS_SINCE(knot) > 3"


@pytest.mark.parametrize("call", ["speaks(x)", "unknown(x)", "raise(a, b)", "forever(x)"])
def test_a_function_that_does_more_is_not_guessed(functions: InkFunctions, call: str) -> None:
    with pytest.raises(UnsupportedLogic):
        functions.expand_statement(call)


def test_the_lines_of_functions_are_no_part_of_the_story(functions: InkFunctions) -> None:
    assert [line for line in range(1, 15) if not functions.holds(line)] == [1, 13, 14]
