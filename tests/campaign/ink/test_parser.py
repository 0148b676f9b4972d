"""What is outside ink, or is called wrongly, is refused by its line, with what to do."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.parser import Parser
from narratoria.campaign.ink.story import parse_ink
from narratoria.campaign.ink.syntax import ChoicePoint, Gather

REFUSED = {
    "EXTERNAL play(x)\nHello.": (1, "write what it does as a function"),
    "Hello.\n-> nowhere": (2, "leads nowhere"),
    "~ x = 2": (1, "VAR x = 0"),
    "VAR x = \n": (1, "expected a value"),
    "CONST X = 1\n~ X = 2": (2, "is a constant"),
    "{unknown}": (1, "nothing is called “unknown”"),
    "{ x": (1, ""),
    "Text }": (1, "not understood"),
    "* [Open": (1, "expected “]”"),
    "{f(1)}": (1, "there is no function “f”"),
    "{f(1)}\n== function f(a, b)\n~ return a": (1, "takes 2 values"),
    "~ f(1 + 1)\n== function f(ref a)\n~ a = 1": (1, "is a reference"),
    "~ 5 + 4": (1, "after “~” stands"),
    "x\n= stitch\ny": (2, "stands in no knot"),
    "== a\nx\n== a\ny": (3, "two knots"),
    "- (a) x\n- (a) y": (2, "stands twice"),
    "{true:\n* choice\n}": (2, "leads on by a divert"),
    "VAR x = 1\n{x:\n- 1: one\n- else: two\n- 3: three\n}": (5, "stands last"),
    "{true: a|b|c}": (1, "one alternative"),
    "-> f\n== function f()\n~ return 1": (1, "is a function; call it"),
    "{RANDOM(1)}": (1, "takes 2 values"),
    "CONST A = B\nCONST B = A\n{A}": (2, "stands for itself"),
    "LIST l = a, b\n~ l = (a, c)": (2, "item of no list"),
    "Go on ->": (1, "only a choice may lead nowhere"),
    "INCLUDE part.ink": (1, "there is no such file"),
    f"{'(' * 80}1{')' * 80}\n{{{'(' * 80}1{')' * 80}}}": (2, ""),
    f"{'{' * 60}1{'}' * 60}": (1, ""),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_line_that_is_not_understood_is_named(text: str):
    line, message = REFUSED[text]
    _, problems = parse_ink("a.ink", f"{text}\n")

    assert (line, True) in [(one.line, message in one.message) for one in problems]


def test_every_mistake_of_a_file_is_named_at_once():
    _, problems = parse_ink("a.ink", "-> a\n{b}\n~ c = 1\n* [d\n- End.\n")

    assert [one.line for one in problems] == [1, 2, 3, 4]


def test_a_choice_is_read_with_its_label_its_conditions_and_its_three_texts():
    parser = Parser(lambda _: None)
    tree = parser.parse("a.ink", '* * (open) {x} {y}\n [Open] it\n+ "Hello[."]," you say.\n- - (met) Here.\n')
    first, second, gather, *_ = tree.main.content

    assert parser.problems == []
    assert isinstance(first, ChoicePoint)
    assert (first.depth, first.label, len(first.conditions), first.is_sticky) == (2, "open", 2, False)
    assert isinstance(second, ChoicePoint)
    assert second.is_sticky
    assert isinstance(gather, Gather)
    assert (gather.depth, gather.label) == (2, "met")


def test_a_text_between_brackets_after_a_bullet_is_no_label():
    story, problems = parse_ink("a.ink", "* (whispering) Hello\n* (to yourself, quietly) Why\n")

    assert problems == []
    assert story.begin(1).choices == ("Hello", "(to yourself, quietly) Why")


def test_files_that_include_each_other_are_read_once():
    files = {"b.ink": "INCLUDE a.ink\nIn b.\n"}
    story, problems = parse_ink("a.ink", "INCLUDE b.ink\nIn a.\n", files.get)

    assert problems == []
    assert story.files == ("a.ink", "b.ink")
    assert story.begin(1).paragraphs == ("In b.", "In a.")
