"""A Faithful Likeness can be asked out of its people: whoever misses one way to the truth finds the other."""

from __future__ import annotations

import pytest

from narratoria import app
from narratoria.campaign.campaign import Campaign

WHO = ("who has been moving the figures?", "who moved the figures?", "who moved them, do you think?")
OWNED = {
    "arun-mistry": "Arun has owned to moving the Newcomer",
    "bryony-tuck": "Bryony has owned to the girl in the pear tree",
    "clive-fensom": "Clive has owned to carrying the Landlord over",
    "desmond-pargeter": "Desmond has owned to moving himself",
    "gordon-thripp": "Gordon has owned to the man at the gate",
    "marjorie-stott": "Marjorie has owned to the suitcase",
    "roy-fensom": "Roy has owned to carrying the Landlord home",
    "winifred-lacey": "Winifred has owned that she carves no more",
}


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return app.open_campaign("faithful-likeness")


def test_everybody_has_ten_topics_and_can_be_asked_who_did_it(campaign: Campaign) -> None:
    assert set(campaign.people) == set(OWNED)
    for profile in campaign.people.values():
        assert len(profile.topics) >= 10
        assert any(words in topic.also for topic in profile.topics for words in WHO)


@pytest.mark.parametrize(("person", "flag"), OWNED.items())
def test_a_confession_comes_by_a_thing_shown_and_by_a_question(
    campaign: Campaign, person: str, flag: str
) -> None:
    beats = [beat for beat in campaign.beats if flag in beat.consequences]
    topics = [topic for topic in campaign.people[person].topics if flag in topic.consequences]
    assert beats
    assert topics
    for one in (*beats, *topics):
        assert f'!("{flag}" in flags)' in one.conditions.custom  # nobody owns to it twice


def test_what_a_beat_asks_for_by_name_is_something_that_can_be_had(campaign: Campaign) -> None:
    gained = {
        item
        for effects in (
            *(beat.effects for beat in campaign.beats),
            *(topic.effects for profile in campaign.people.values() for topic in profile.topics),
        )
        for item in effects.gain
    }
    assert len(gained) >= 10
    for beat in campaign.beats:
        before, _, _ = beat.conditions.custom.partition(" in items")
        if before != beat.conditions.custom:
            assert before.rpartition('"')[0].rpartition('"')[2] in gained
        assert set(beat.effects.lose) <= gained
