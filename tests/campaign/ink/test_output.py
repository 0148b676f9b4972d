"""Lines are joined and cut as ink says: glue, blanks, and line ends that stand for nothing."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.output import Output


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        (["a", "\n", "b", "\n"], ["a", "b"]),
        (["a", "\n", "\n", "  ", "\n", "b"], ["a", "b"]),
        (["a", "\n", None, "b"], ["ab"]),
        (["a ", None, "\n", "\n", " b"], ["a b"]),
        (["a", "\n", " ", None, "\n", None, ", b", "\n"], ["a, b"]),
        ([None, "a", "\n"], ["a"]),
        (["  a   b \t c  ", "\n"], ["a b c"]),
        (["a\n  \n b\n"], ["a", "b"]),
    ],
)
def test_pieces_become_lines(pieces: list[str | None], lines: list[str]):
    output = Output()
    for piece in pieces:
        output.glue() if piece is None else output.say(piece)

    assert output.take() == (lines, [])
    assert output.take() == ([], [])


def test_a_text_that_becomes_a_value_is_taken_out_of_what_is_told():
    output = Output()
    output.say("told ")
    output.begin()
    output.say("a value")

    assert output.end() == "a value"
    output.say("on")
    assert output.take()[0] == ["told on"]


def test_tags_are_kept_apart():
    output = Output()
    output.say("a line\n")
    output.add_tag(" loud ")

    assert output.take() == (["a line"], ["loud"])
