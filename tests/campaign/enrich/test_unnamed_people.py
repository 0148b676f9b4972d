"""People whom the author speaks of without a name are known by what they are."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.unnamed_people import find_unnamed_people


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("My cousin keeps the books, and the auditor is on the way.", ["your cousin", "the auditor"]),
        ("There is a mum who hates me, and a dog.", ["the mum who hates you"]),
        ("I'm the landlady of a house.", []),
        ("The girl who plays the queen has lost her voice.", ["the girl who plays the queen"]),
        ("A man came by.", []),
        ("Mum cleans offices at night.", ["your mum"]),
        ("My partner died eleven days ago, and the keys came from an aunt.", []),
    ],
)
def test_somebody_without_a_name_is_spoken_of_as_the_player_would(text, phrases):
    assert [one.phrase for one in find_unnamed_people(text)] == phrases


def test_what_somebody_is_may_tell_the_pronoun():
    (daughter,) = find_unnamed_people("My daughter is late.")
    assert (daughter.role, daughter.they) == ("daughter", "she")
