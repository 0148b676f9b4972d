"""Groups of people are found with what one of them is, and nothing else is taken for a group."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.groups_in_text import find_groups


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("There were seven sisters in a tower.", ["one of the seven sisters"]),
        ("Irena, the Moran brothers and a dog.", ["one of the Moran brothers"]),
        ("The crew has stopped talking.", ["one of the crew"]),
        ("My two daughters are late.", ["one of your two daughters"]),
        ("Nine boats and four bells.", []),
    ],
)
def test_a_group_is_spoken_of_by_one_of_it(text, phrases):
    assert [group.phrase for group in find_groups(text)] == phrases


def test_a_family_shares_its_name_and_a_school_for_girls_has_girls():
    (brothers,) = find_groups("Irena and the Moran brothers.")
    assert (brothers.surname, brothers.they, brothers.count) == ("Moran", "he", 2)
    (pupils,) = find_groups("You teach at a girls' school, and your class is silent.")
    assert pupils.they == "she"
