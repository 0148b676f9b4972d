"""Who is where, and who is no more: the campaign says where people start, the story where they went."""

from __future__ import annotations

from collections.abc import Mapping

from narratoria.campaign.campaign import Campaign, Profile
from narratoria.engine.session import Progress


def place_of(person: str, campaign: Campaign, progress: Progress) -> str:
    """Empty for somebody who is dead or has left the story."""
    if person in progress.dead or person not in campaign.people:
        return ""
    return progress.moved.get(person, campaign.people[person].metadata.first_appearance)


def people_at(place: str, campaign: Campaign, progress: Progress) -> Mapping[str, Profile]:
    return {
        person: profile
        for person, profile in campaign.people.items()
        if place and place_of(person, campaign, progress) == place
    }


def named_in(text: str, campaign: Campaign) -> tuple[str, ...]:
    """The people whose name stands in this text."""
    return tuple(person for person, profile in campaign.people.items() if profile.name in text)
