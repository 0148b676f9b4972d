"""Finds people: the campaign says where they start, the story where they went and who has died."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Profile
from narratoria.contracts.scene_facts import PersonFacts
from narratoria.engine.snapshot import Progress
from narratoria.narrator.first_person import Pronoun, pronoun_of
from narratoria.narrator.grammar import call_name


def place_of(person: str, campaign: Campaign, progress: Progress) -> str:
    """Return the place of a person; empty for somebody who is dead or has left the story."""
    if person in progress.dead or person not in campaign.people:
        return ""
    return progress.moved_people.get(person, campaign.home_of(person))


def people_at(place: str, campaign: Campaign, progress: Progress) -> Mapping[str, Profile]:
    return {
        person: profile
        for person, profile in campaign.people.items()
        if place and place_of(person, campaign, progress) == place
    }


def bring_company(progress: Progress, place: str) -> Progress:
    """Return the progress with whoever comes along already at the place that the player goes to."""
    company = {who: place for who in progress.company if who not in progress.dead}
    if not company or place in ("", progress.place):
        return progress
    return msgspec.structs.replace(progress, moved_people={**progress.moved_people, **company})


def brought_people(
    told_beats: Iterable[Beat], place: str, campaign: Campaign, progress: Progress
) -> dict[str, str]:
    """Return the people who were nowhere and whom a beat brings to a place, by having them take part."""
    return {
        person: place
        for beat in told_beats
        for person in beat.npcs
        if person in campaign.placements
        and campaign.placements[person].kind in ("away", "nowhere")
        and person not in progress.moved_people
        and person not in progress.dead
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
            name=profile.name,
            role=profile.role,
            appearance=profile.appearance,
            habits=notes.habits,
            virtues=notes.virtues,
            flaws=notes.flaws,
            motivations=profile.motivations,
        ),
        profile.background,
    )
