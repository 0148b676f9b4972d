"""What a premise says of somebody is kept: by apposition, by a clause, by relation."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.names_in_text import find_named_people
from narratoria.campaign.enrich.person_phrases import describe_people


@pytest.mark.parametrize(
    ("text", "name", "phrase"),
    [
        ("My sister Ines, who mends nets, is late.", "Ines", "your sister, who mends nets"),
        ("There is Maud Pym, who drives the mail.", "Maud Pym", "who drives the mail"),
        ("Oskar, my worst pupil, plays on.", "Oskar", "your worst pupil"),
        ("Patience, the oldest, says no.", "Patience", "the oldest"),
        ("Ravi is late, and his future mother-in-law Doreen waits.", "Doreen", "Ravi's future mother-in-law"),
        ("Desmond behind the counter talks to himself.", "Desmond", "behind the counter"),
        ("I owe it to the linesman Scobie.", "Scobie", "the linesman"),
    ],
)
def test_somebody_is_who_the_author_says_they_are(text, name, phrase):
    people = {one.name: one for one in describe_people(find_named_people(text), text)}
    assert people[name].phrase == phrase


def test_those_of_a_list_are_people_and_a_country_is_not():
    text = "I run a circle in Leeds: Irena, Big Col, the Moran brothers and a curate. We sail to Mali."
    assert [one.name for one in find_named_people(text)] == ["Irena", "Big Col"]
