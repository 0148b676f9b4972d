"""What a premise is about is read out of it: what it turns on, who is gone, and by when."""

from __future__ import annotations

import pytest

from narratoria.campaign.enrich.names_in_text import find_named_people
from narratoria.campaign.enrich.person_phrases import describe_people
from narratoria.campaign.enrich.trouble import Trouble, find_trouble


def read(text: str) -> Trouble:
    return find_trouble(text, (), describe_people(find_named_people(text), text))


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("The bank wants it by Friday.", "by Friday"),
        ("The wedding is at noon.", "at noon"),
        ("You have until dusk to vote.", "before dusk"),
        ("She comes every Thursday.", ""),
        ("On Tuesday somebody left a note.", ""),
    ],
)
def test_when_it_will_be_over_is_told_and_what_is_past_is_not(text, when):
    assert read(text).when == when


def test_the_sentence_that_says_what_is_wrong_is_taken_and_told_to_the_player():
    trouble = read("I'm a verger in Kent. Mrs. Hale has stolen my bell. Keep it funny.")
    assert trouble.sentence == "Mrs. Hale has stolen your bell."
    assert str(trouble.matter and trouble.matter.word) == "bell"


def test_who_is_gone_is_found_by_name_by_pronoun_and_by_role():
    found = read("My brother Tomek went up the hill. Last night he didn't come back.")
    assert found.lost is not None
    assert found.lost.word == "Tomek"
    assert found.sentence == "Last night Tomek didn't come back."
    partner = read("My partner walked out nine days ago.").lost
    assert partner is not None
    assert f"{partner:the}" == "your partner"


def test_who_has_died_is_found():
    dead = read("My wife died in March.").dead
    assert dead is not None
    assert f"{dead:The}" == "Your wife"
