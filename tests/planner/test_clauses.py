"""A line is split into what is done, without what only leads up to it."""

from __future__ import annotations

import pytest

from narratoria.planner.clauses import (
    is_act,
    is_finding_out,
    is_from_own_pocket,
    is_no_act,
    is_tag,
    split_clauses,
    strip_lead_ins,
    strip_wish,
)


@pytest.mark.parametrize(
    "line",
    [
        "I fetch Mrs. Lowell a blanket",
        "carry Dr. Amin to the tent",
        "walk up to St. Brannock's well",
        "check the stores, esp. the flour",
    ],
)
def test_the_full_stop_of_an_abbreviation_splits_nothing(line: str) -> None:
    assert split_clauses(line) == [line]


def test_what_is_proposed_to_others_stays_one_clause() -> None:
    line = "Sergeant, let's open the gate and look for the dog"
    assert split_clauses(line) == [line]


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("right, I light the stove", "I light the stove"),
        ("ok so I knock", "I knock"),
        ("well, well, I sit down", "I sit down"),
        ("screw it, I ring the bell", "I ring the bell"),
        ("Fine. I sign the paper", "I sign the paper"),
        ("I take a deep breath and open the hatch", "open the hatch"),
        ("right", "right"),
        ("Right hand on the rail, I climb", "Right hand on the rail, I climb"),
    ],
)
def test_words_that_lead_up_to_an_act_are_no_part_of_it(line: str, rest: str) -> None:
    assert strip_lead_ins(line) == rest


@pytest.mark.parametrize(
    ("clause", "rest"),
    [
        ("I want to feed the goat", "feed the goat"),
        ("i'd like to sit by the stove", "sit by the stove"),
        ("I would like to paint the door", "paint the door"),
        ("let me open that crate", "open that crate"),
        ("let's go up to the loft", "go up to the loft"),
        ("can I pet the dog", "pet the dog"),
        ("I'm going to lock the gate", "lock the gate"),
        ("I decide to wait", "wait"),
        ("time to leave", "leave"),
        ("gonna climb the mast", "climb the mast"),
        ("let me go!", "let me go!"),
        ("I want the red one", "I want the red one"),
        ("can I trust you?", "can I trust you?"),
    ],
)
def test_wanting_to_do_something_is_read_as_doing_it(clause: str, rest: str) -> None:
    assert strip_wish(clause) == rest


def test_an_act_is_told_from_how_things_stand() -> None:
    assert is_act("I push the cart")
    assert is_act("push the cart")
    assert not is_act("I don't like the look of it")
    assert not is_act("The cart is heavy")


def test_what_is_not_done_and_what_is_only_got_out_are_no_acts_of_their_own() -> None:
    assert is_no_act("say nothing")
    assert not is_no_act("say hello")
    assert is_no_act("seems sad")
    assert not is_no_act("look under the bed")
    assert is_from_own_pocket("I take the whistle out of my pocket")
    assert not is_from_own_pocket("I take the whistle out of his pocket")


def test_having_a_go_at_a_thing_is_using_it() -> None:
    assert strip_wish("have a go on the speed bag") == "use the speed bag"


def test_an_order_to_oneself_is_an_act_whatever_its_verb() -> None:
    assert is_act("plump up her pillows")
    assert not is_act("you know the way")


@pytest.mark.parametrize("clause", ["Deal?", "Right?", "do we have a deal?", "you hear me", "ok?"])
def test_a_word_that_asks_for_a_nod_is_a_tag(clause: str) -> None:
    assert is_tag(clause)
    assert not is_tag(f"{clause.strip('?')} of cards on the table")


def test_what_is_only_to_be_found_out_is_told_from_what_is_done() -> None:
    assert is_finding_out("see if she flinches")
    assert is_finding_out("to check whether it moves")
    assert not is_finding_out("see the mayor")
