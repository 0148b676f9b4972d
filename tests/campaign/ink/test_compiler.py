"""Weaves are laid out so that loose ends meet, and visits are counted where one comes in."""

from __future__ import annotations

from narratoria.campaign.ink.compiler import compile_story
from narratoria.campaign.ink.parser import Parser
from narratoria.campaign.ink.program import Go, Jump, OfferChoice, Program, StopRun, Visit


def compile_ink(text: str) -> Program:
    program, problems = compile_story(Parser(lambda _: None).parse("a.ink", text))
    assert problems == []
    return program


def test_what_a_choice_leads_to_jumps_to_the_gather():
    program = compile_ink("* a\n* b\n- (met) End.\n")
    offers = [one for one in program.code if isinstance(one, OfferChoice)]
    met = program.places["met"].label.address
    jumps = [one.to.address for one in program.code if isinstance(one, Jump)]

    assert len(offers) == 2
    assert jumps == [met, met]
    assert program.code[met] == Visit("met")


def test_a_label_that_begins_another_is_entered_where_that_begins():
    program = compile_ink("-> a\n== a\n- (outer)\n- - (inner) x\n+ y -> inner\n")

    assert program.places["inner" if "inner" in program.places else "a.inner"].label.address == (
        program.places["a.outer"].label.address
    )


def test_a_divert_enters_what_it_is_outside_of():
    program = compile_ink("-> a.s\n== a\nx -> s\n= s\ny -> a\n")

    assert [one.entered for one in program.code if isinstance(one, Go)] == [("a", "a.s"), ("a.s",), ()]


def test_every_block_ends_where_nothing_follows():
    program = compile_ink("One.\n* two\n  three\n== k\nFour. -> END\n")

    assert isinstance(program.code[-1], StopRun)
    assert {one.kind for one in program.code if isinstance(one, StopRun)} == {"done", "out", "end", "block"}
