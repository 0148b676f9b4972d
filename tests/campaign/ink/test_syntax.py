"""The syntax tree holds a story as it was written."""

from __future__ import annotations

from narratoria.campaign.ink.parser import Parser


def test_a_tree_holds_knots_declarations_and_the_tags_at_the_head():
    text = "# title: A\nVAR x = 1\nCONST C = 2\nLIST l = (a), b = 5, c\nHello.\n== k(ref y)\nx\n= s\nx\n"
    tree = Parser(lambda _: None).parse("a.ink", text)

    assert list(tree.tags) == ["title: A"]
    assert (list(tree.variables), list(tree.constants)) == (["x"], ["C"])
    assert [(item.name, item.value, item.is_set) for item in tree.lists["l"].items] == [
        ("a", 1, True),
        ("b", 5, False),
        ("c", 6, False),
    ]
    (knot,) = tree.knots
    assert (knot.name, knot.line, knot.parameters[0].is_reference) == ("k", 6, True)
    assert [stitch.name for stitch in knot.stitches] == ["s"]
