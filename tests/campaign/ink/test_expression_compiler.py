"""Names in expressions become variables, counts of visits, constants and items of lists."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.compiler import compile_story
from narratoria.campaign.ink.parser import Parser
from narratoria.campaign.ink.program import (
    ConstantValue,
    FunctionCall,
    NativeCall,
    SayValue,
    Variable,
    VisitCount,
)

HEAD = """VAR v = 1
CONST C = 3
LIST l = one, two
-> k(1)
== function f(ref x)
~ return x
== k(p)
- (lab) {EXPRESSION}
-> END
"""


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("v", Variable),
        ("p", Variable),
        ("C", ConstantValue),
        ("one", ConstantValue),
        ("k", VisitCount),
        ("lab", VisitCount),
        ("k.lab", VisitCount),
        ("(v)", Variable),
        ("(one, l.two)", ConstantValue),
        ("f(v)", FunctionCall),
        ("l(2)", NativeCall),
        ("TURNS_SINCE(-> lab)", NativeCall),
        ("READ_COUNT(lab)", NativeCall),
    ],
)
def test_a_name_becomes_what_it_stands_for(expression: str, kind: type):
    program, problems = compile_story(
        Parser(lambda _: None).parse("a.ink", HEAD.replace("EXPRESSION", expression))
    )
    values = [one.value for one in program.code if isinstance(one, SayValue)]

    assert problems == []
    assert [type(value) for value in values] == [kind]


def test_only_what_is_asked_for_is_counted():
    program, _ = compile_story(Parser(lambda _: None).parse("a.ink", HEAD.replace("EXPRESSION", "lab")))

    assert program.counted == {"k.lab"}
    assert program.timed == set()
