"""Lines are parsed into text, logic, glue, tags and diverts."""

from __future__ import annotations

import pytest

from narratoria.campaign.ink.content import ContentParser
from narratoria.campaign.ink.scanner import Scanner
from narratoria.campaign.ink.syntax import (
    Alternatives,
    Conditional,
    Divert,
    Glue,
    Node,
    Print,
    Tag,
    Text,
    TunnelReturn,
)


def parse(text: str) -> list[Node]:
    return ContentParser(Scanner(text), list).parse_mixed()


def test_a_line_is_parsed_in_its_order():
    kinds = [type(node) for node in parse("You {x:go|stay} <>{n}{a|b} # loud -> on")]

    assert kinds == [Text, Conditional, Text, Glue, Print, Alternatives, Text, Tag, Divert]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-> a", [("a", False)]),
        ("-> a ->", [("a", True)]),
        ("-> a.b -> c", [("a.b", True), ("c", False)]),
        ("-> a -> b ->", [("a", True), ("b", True)]),
        ("-> a ->->", [("a", True), None]),
        ("->->", [None]),
    ],
)
def test_arrows_say_whether_one_comes_back(text: str, shown: list[tuple[str, bool] | None]):
    nodes = parse(text)

    assert [
        None if isinstance(node, TunnelReturn) else (".".join(node.path), node.is_tunnel)
        for node in nodes
        if isinstance(node, Divert | TunnelReturn)
    ] == shown


def test_a_thread_is_no_divert():
    (thread,) = parse("<- shop(2)")

    assert isinstance(thread, Divert)
    assert (thread.path, thread.is_thread, len(thread.arguments)) == (("shop",), True, 1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{a|b}", (False, False, False)),
        ("{&a|b}", (False, True, False)),
        ("{!a|b}", (True, False, False)),
        ("{~a|b}", (False, True, True)),
        ("{shuffle once:a|b}", (True, False, True)),
    ],
)
def test_alternatives_are_of_their_kind(text: str, kind: tuple[bool, bool, bool]):
    (node,) = parse(text)

    assert isinstance(node, Alternatives)
    assert (node.is_once, node.is_cycle, node.is_shuffled) == kind
    assert len(node.elements) == 2
