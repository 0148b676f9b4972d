"""What is about to happen, and when, is read out of the premise."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.deadline import find_deadline, find_event


@pytest.mark.parametrize(
    ("text", "deadline", "event"),
    [
        ("The vote is on Friday. Nobody sleeps.", "The vote is on Friday.", "vote"),
        (
            "I am a ring. I want to be found before the auction.",
            "I want to be found before the auction.",
            "auction",
        ),
        ("The relief plane lands in three days.", "The relief plane lands in three days.", None),
        ("I am a wedding ring in a drawer.", "", None),
        (
            "Everyone in the town knows the farmer, and the judge would like to have a verdict by noon.",
            "The judge would like to have a verdict by noon.",
            None,
        ),
        ("A street of shops and cats.", "", None),
    ],
)
def test_a_deadline_is_a_clause_of_the_authors(text, deadline, event):
    found = find_event(text)
    assert find_deadline(text) == deadline
    assert (found.word if found else None) == event


def test_a_deadline_has_somebody_whose_it_is():
    text = "The principal, Mrs Okoye, wants a name by Friday, and nobody in the class will say one."
    assert find_deadline(text).startswith("The principal")
