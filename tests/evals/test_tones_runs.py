"""The measure of tones counts what it says it counts."""

from __future__ import annotations

from evals.tones.__main__ import CAMPAIGNS, Meeting

from narratoria import app


def test_a_greeting_that_an_author_wrote_counts_in_one_of_the_two_readings() -> None:
    campaigns = [app.open_campaign(name) for name in CAMPAIGNS]
    campaign, person, greeting = next(
        (campaign, who, profile.speech_patterns.greetings["warm"])
        for campaign in campaigns
        for who, profile in campaign.people.items()
        if "warm" in profile.speech_patterns.greetings
    )
    alone = Meeting(campaign, person, "warm", f"“{greeting}”")
    assert alone.tone_read == "warm"
    assert alone.tone_read_without_profile == "neutral"
