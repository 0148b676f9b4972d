"""A word tells who somebody is: a trade, a relation, a given name, and the pronoun that goes with it."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.person_nouns import given_names, is_person_noun, pronoun_of_noun


@pytest.mark.parametrize("noun", ["captain", "mother-in-law", "ex-husband", "stepsister"])
def test_what_somebody_is_to_somebody_is_a_person(noun):
    assert is_person_noun(noun)


def test_an_unknown_trade_is_one_only_beside_a_name():
    assert is_person_noun("thatcher", beside_name=True)
    assert not is_person_noun("thatcher")
    assert not is_person_noun("paper", beside_name=True)


@pytest.mark.parametrize(
    ("noun", "they"), [("mother-in-law", "she"), ("postwoman", "she"), ("linesman", "he"), ("doctor", "")]
)
def test_a_noun_may_tell_the_pronoun(noun, they):
    assert pronoun_of_noun(noun) == they


def test_a_given_name_tells_the_pronoun():
    assert (given_names()["hannah"], given_names()["jonas"]) == ("she", "he")
