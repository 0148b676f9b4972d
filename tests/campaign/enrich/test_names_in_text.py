"""People and places with names are found in a few sentences."""

from __future__ import annotations

from narratoria.campaign.enrich.names_in_text import NamedPerson, find_named_people, find_named_places


def test_a_title_says_who_somebody_is():
    assert find_named_people("Doctor Imani Reyes has gone.") == (NamedPerson("Doctor Imani Reyes", "doctor"),)
    assert find_named_people("Everyone fears Mrs. Tansy Pike.")[0].they == "she"


def test_a_noun_beside_a_name_is_a_role():
    assert find_named_people("Your sister Ines keeps the light.") == (NamedPerson("Ines", "sister", "she"),)
    assert find_named_people("The gardener, Tobias Fenn, is heir; he knows it.")[0] == NamedPerson(
        "Tobias Fenn", "gardener", "he"
    )


def test_who_does_something_is_somebody():
    assert [one.name for one in find_named_people("One day old Marra Tull says nothing.")] == ["Marra Tull"]


def test_places_and_days_are_nobody():
    assert find_named_people("The first baby on Mars is due. Monday is late.") == ()
    assert find_named_places("The village of Little Oaken, near Bell Hill.") == ("Little Oaken", "Bell Hill")


def test_a_person_is_no_place():
    assert find_named_places("You write to Captain Ines Okoro from Leeds.") == ("Leeds",)


def test_whose_family_it_is_and_who_has_a_by_name_are_people():
    assert [one.name for one in find_named_people("I want to get back to Ottavia's family.")] == ["Ottavia"]
    rivals = find_named_people("I must beat Lady Cargo and the Velvet Moth before the panel.")
    assert [one.name for one in rivals] == ["Lady Cargo", "the Velvet Moth"]
