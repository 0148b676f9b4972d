"""People change when something has come to be so."""

from __future__ import annotations

from narratoria import app

LOST = "Pike does not know who he is"


def test_a_person_is_changed_while_a_flag_is_set_and_otherwise_as_written() -> None:
    campaign = app.open_campaign("harrowmere")
    before, after = campaign.people["pike"], campaign.apply_changes({LOST}).people["pike"]
    assert after.role != before.role
    assert not set(after.speech_patterns.examples) & set(before.speech_patterns.examples)
    assert (after.name, after.topics) == (before.name, before.topics)
    assert campaign.apply_changes({"something else"}) is campaign


def test_a_flag_that_changes_somebody_is_one_that_the_story_can_set() -> None:
    for name in ("harrowmere", "tomorrows-post", "faithful-likeness"):
        campaign = app.open_campaign(name)
        flags = {flag for beat in campaign.beats for flag in beat.consequences}
        assert {one.flag for person in campaign.people.values() for one in person.changes} <= flags
