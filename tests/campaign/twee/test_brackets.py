"""Links, changes and calls are split where they end, whatever stands between marks."""

from __future__ import annotations

from narratoria.campaign.twee.brackets import closing_bracket, split_changes, split_link


def test_a_link_names_its_words_and_its_passage():
    assert split_link("a->b") == ("a", "b")
    assert split_link("b<-a") == ("a", "b")
    assert split_link("a | b") == ("a", "b")
    assert split_link("b") == ("b", "b")


def test_changes_are_split_between_commas_that_stand_alone():
    assert list(split_changes('$a to "x, y", $b to f(1, 2); $c += 1')) == [
        '$a to "x, y"',
        " $b to f(1, 2)",
        " $c += 1",
    ]


def test_a_bracket_closes_behind_its_partner():
    assert closing_bracket('(if: ")" is (x)) y', 0) == 16
    assert closing_bracket("(open", 0) == -1
