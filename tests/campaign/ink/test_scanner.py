"""Source is read by characters with their lines; comments are left out, and lines stay where they are."""

from __future__ import annotations

import re

import pytest

from narratoria.campaign.ink.scanner import InkSyntaxError, Scanner


def test_comments_are_left_out_and_lines_stay():
    scanner = Scanner("one // two\n/* three\nfour */ five\r\nsix")

    assert scanner.text == "one \n\n five\nsix"
    scanner.at = scanner.text.index("six")
    assert scanner.line == 4


def test_a_name_may_begin_with_a_digit_and_be_no_number():
    assert Scanner("2nd_time").take_identifier() == "2nd_time"
    assert Scanner("22").take_identifier() == ""
    assert Scanner("größe").take_identifier() == "größe"


def test_what_was_expected_is_named_with_what_is_there():
    scanner = Scanner("a\nrest of it")
    scanner.at = 2

    with pytest.raises(InkSyntaxError) as error:
        scanner.expect("}", "here")
    assert (error.value.line, error.value.message) == (2, "expected “}” here, and there is “rest of it”")


def test_taking_moves_on_only_where_it_is_there():
    scanner = Scanner("  \nx")

    assert not scanner.take("x")
    assert scanner.take_line_end()
    assert scanner.match(re.compile("y")) is None
    assert scanner.take("x")
    assert scanner.is_done
