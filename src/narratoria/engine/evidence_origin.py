"""Finds the file of a campaign that evidence was written in, and the file that an answer belongs into."""

from __future__ import annotations

import msgspec

from narratoria.campaign.campaign import Campaign, LorePassage
from narratoria.campaign.folder import generated_name
from narratoria.campaign.load import PEOPLE
from narratoria.campaign.pages import PLACES
from narratoria.narrator.evidence import Evidence

# the field of a profile that each kind of evidence is read from
PROFILE_FIELDS = {
    "topic": "topics",
    "background": "background",
    "wants": "motivations",
    "ties": "relationships",
    "says": "speech_patterns/examples",
    "has": "inventory",
    "role": "role",
    "secret": "secrets",
}


class EvidenceOrigin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Names a file of the campaign, the field in it, and what is said there."""

    file: str
    field: str = ""
    title: str = ""
    text: str = ""


def find_origin(identifier: str, campaign: Campaign) -> EvidenceOrigin | None:
    """Return where evidence of this id was written; None for what the campaign does not hold."""
    head, _, rest = identifier.partition("/")
    if head == "lore":
        passage = next((one for one in campaign.lore if one.identifier == rest), None)
        return EvidenceOrigin(passage.file, "", passage.title, passage.text) if passage else None
    if head == "place":
        return _place_origin(rest, campaign)
    if head == "look":
        return _look_origin(rest, campaign)
    if head == "deed":
        return _deed_origin(rest, campaign)
    if head in ("who", "appearance"):
        return _person_origin(rest, "role" if head == "who" else "appearance", "", campaign)
    field, _, name = rest.partition("/")
    return _person_origin(head, PROFILE_FIELDS.get(field, field), name, campaign)


def _place_origin(name: str, campaign: Campaign) -> EvidenceOrigin | None:
    place_id, _, index = name.partition("/")
    place = campaign.places.get(place_id)
    if place is None:
        return None
    texts = [text for text in (place.arrival, *place.details) if text]
    at = int(index) if index.isdecimal() else 0
    return EvidenceOrigin(
        place_file(place_id, campaign), "", place.name, texts[at] if at < len(texts) else ""
    )


def _deed_origin(name: str, campaign: Campaign) -> EvidenceOrigin | None:
    """Return where it was written what comes of a deed: the page of its place."""
    place_id, _, number = name.partition("/")
    place = campaign.places.get(place_id)
    at = int(number) if number.isdecimal() else -1
    if place is None or not 0 <= at < len(place.deeds):
        return None
    return EvidenceOrigin(place_file(place_id, campaign), "", place.name, place.deeds[at].text)


def _look_origin(name: str, campaign: Campaign) -> EvidenceOrigin | None:
    """Return where a closer look was written: the page of its place, or somebody's profile."""
    owner, _, thing = name.partition("/")
    place = campaign.places.get(owner)
    looks = place.things if place else campaign.people[owner].things if owner in campaign.people else ()
    text = next((one.text for one in looks if one.names[0].replace(" ", "-") == thing), "")
    if place is None:
        origin = _person_origin(owner, "things", "", campaign)
        return msgspec.structs.replace(origin, text=text) if origin else None
    return EvidenceOrigin(
        place_file(owner, campaign), "", place.name, text or place.senses.get(thing, place.arrival)
    )


def _person_origin(person: str, field: str, name: str, campaign: Campaign) -> EvidenceOrigin | None:
    profile = campaign.people.get(person)
    if profile is None:
        return None
    if field == "motivations" and name.isdecimal() and int(name) >= len(profile.motivations):
        field = "goals"
    pointer = f"{field}/{name}" if field in ("topics", "relationships") and name else field
    file = profile_file(person, campaign)
    if field == "secrets" and (campaign.folder / PEOPLE / person / "secrets.md").is_file():
        file, pointer = f"{PEOPLE}/{person}/secrets.md", ""
    return EvidenceOrigin(file, pointer, profile.name)


def profile_file(person: str, campaign: Campaign) -> str:
    """Return the file of somebody's profile: the author's, or the generated one where there is no other."""
    return _own_or_generated(f"{PEOPLE}/{person}/profile.json", campaign)


def place_file(place: str, campaign: Campaign) -> str:
    """Return the page of a place: the author's, or the generated one where there is no other."""
    return _own_or_generated(f"{PLACES}/{place}.md", campaign)


def _own_or_generated(file: str, campaign: Campaign) -> str:
    generated = generated_name(file)
    has_own = (campaign.folder / file).is_file()
    return generated if not has_own and (campaign.folder / generated).is_file() else file


def passage_of(evidence: Evidence, campaign: Campaign) -> LorePassage | None:
    """Return the passage of lore that evidence of a search was taken from, by its text."""
    return next(
        (one for one in campaign.lore if evidence.text in one.text or one.text in evidence.text), None
    )
