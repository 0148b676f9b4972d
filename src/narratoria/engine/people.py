"""Finds people: the campaign says where they start, the story where they went and who has died."""

from __future__ import annotations

import re
from collections.abc import Mapping

from narratoria.campaign.campaign import Campaign, Profile
from narratoria.contracts.scene_facts import PersonFacts
from narratoria.engine.snapshot import Progress
from narratoria.narrator.first_person import Pronoun, pronoun_of
from narratoria.narrator.grammar import call_name


def place_of(person: str, campaign: Campaign, progress: Progress) -> str:
    """Return the place of a person; empty for somebody who is dead or has left the story."""
    if person in progress.dead or person not in campaign.people:
        return ""
    return progress.moved_people.get(person, campaign.people[person].metadata.first_appearance)


def people_at(place: str, campaign: Campaign, progress: Progress) -> Mapping[str, Profile]:
    return {
        person: profile
        for person, profile in campaign.people.items()
        if place and place_of(person, campaign, progress) == place
    }


def named_in(text: str, campaign: Campaign) -> tuple[str, ...]:
    """Return the people whose name stands in a text, in full or as they are called."""
    return tuple(person for person, profile in campaign.people.items() if _is_named(profile.name, text))


def _is_named(name: str, text: str) -> bool:
    return name in text or bool(re.search(rf"\b{re.escape(call_name(name))}\b", text))


def pronoun_for(profile: Profile) -> Pronoun:
    """Return what the author calls somebody after the name, by the notes about them."""
    notes = profile.personality
    return pronoun_of(
        PersonFacts(
            appearance=profile.appearance,
            habits=notes.habits,
            virtues=notes.virtues,
            flaws=notes.flaws,
            motivations=profile.motivations,
        )
    )
