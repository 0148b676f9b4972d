"""Everybody in the bundled stories speaks to the player as they feel, as read by somebody who knows none of
the composer's lines and goes by what people say, do and show in any story (SC-036)."""

from __future__ import annotations

import pytest
from evals.tones.__main__ import (
    BANDS,
    CAMPAIGNS,
    before,
    count_read,
    meetings,
    read_tone,
    talk,
    tell,
    thinking,
)

from narratoria import app
from narratoria.engine.people import people_at

SHARE = 0.95


@pytest.mark.parametrize("tone", BANDS)
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_nineteen_of_twenty_meetings_read_as_the_person_feels(name: str, tone: str) -> None:
    met = [meeting for meeting in meetings(name) if meeting.tone == tone]
    astray = [
        (meeting.tone_read, meeting.person, meeting.text) for meeting in met if meeting.tone_read != tone
    ]
    assert len({meeting.person for meeting in met}) >= 4
    assert len(met) - len(astray) >= SHARE * len(met), f"{len(astray)} of {len(met)} do not: {astray[:5]}"


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_reader_would_notice_people_who_speak_as_somebody_else_feels(name: str) -> None:
    other = {"warm": "neutral", "neutral": "cold", "cold": "warm"}
    met = meetings(name)
    assert sum(meeting.tone_read == other[meeting.tone] for meeting in met) <= 0.05 * len(met)


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("She takes your hand in both of hers.", "warm"),
        ("“I'm so pleased to see you,” says the old man, and he is smiling.", "warm"),
        ("He has saved a seat for you by the fire.", "warm"),
        ("“Stay as long as you like,” she says. “You're easy company.”", "warm"),
        ("“Go away,” he says through the door.", "cold"),
        ("She stares through you as if you were glass.", "cold"),
        ("The guard scowls, and is short with you.", "cold"),
        ("“I have nothing to say to you,” says the widow.", "cold"),
        ("He tells you the way to the mill, and goes on with his work.", "neutral"),
        ("She thinks about it. “Perhaps,” she says. “It depends on the weather.”", "neutral"),
    ],
)
def test_the_reader_reads_what_nobody_here_wrote_as_anybody_would(text: str, tone: str) -> None:
    campaign = app.open_campaign(CAMPAIGNS[0])
    assert read_tone(text, next(iter(campaign.people)), campaign) == tone


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_change_of_heart_shows_in_the_very_next_scene(name: str) -> None:
    campaign = app.open_campaign(name)
    astray, asked = [], 0
    for person in campaign.people:
        session = before(person, campaign)
        for score, tone in ((60, "warm"), (-60, "cold"), (0, "neutral"), (-30, "cold"), (30, "warm")):
            if person not in people_at(session.progress.place, campaign, session.progress):
                break
            session, text = tell(talk(person, campaign), thinking(person, score, session), campaign)
            astray += [(tone, text)] if read_tone(text, person, campaign) != tone else []
            asked += 1
    assert asked >= 4 * len(campaign.people)
    assert len(astray) <= (1 - SHARE) * asked, astray


def test_without_the_sentences_that_an_author_wrote_fewer_meetings_are_read_and_none_is_lost() -> None:
    whole, without, of = count_read(meetings(CAMPAIGNS[0]))
    assert of == len(meetings(CAMPAIGNS[0]))
    assert without <= whole
