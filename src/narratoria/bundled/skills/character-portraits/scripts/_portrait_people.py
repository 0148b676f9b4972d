"""Reads what the call, the campaign and the state say of the people to be drawn."""

from __future__ import annotations

import json
import os
import re

from _portrait_look import described

from narratoria import sdk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_WORDS = 8  # of a description, to call somebody by
UNFINISHED = ("a", "an", "the", "his", "her", "their", "and", "with", "in", "of", "on", "at", "who", "whose")
MOST = 6  # people of one call
LONGEST = 6000
PLAYER = "player"
PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}


class PortrayedPerson:
    """Somebody, and what is known of their looks."""

    def __init__(self, identifier: str, name: str, description: str, artwork: str = "") -> None:
        self.id, self.name, self.description, self.artwork = identifier, name, description, artwork


def text(given: dict[str, Any], field: str, longest: int = LONGEST) -> str:
    value = given.get(field)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > longest:
        raise sdk.InvalidInput(field, f"expected a text of at most {longest} characters")
    return " ".join(value.split())


def people_of(request: sdk.Request) -> list[PortrayedPerson]:
    """Those that a call names; one without an id for whoever is only described."""
    given = request.input
    named = given.get("characters", given.get("npcs"))
    single = next((text(given, key, 200) for key in ("characterId", "npc", "npcId") if given.get(key)), "")
    description, name = text(given, "description"), text(given, "name", 200)
    if single:
        return [describe_person(request, single, name, description)]
    if named is None or named == []:
        return [describe_person(request, "", name, description)] if description or name else []
    if (
        not isinstance(named, list)
        or len(named) > MOST
        or not all(isinstance(one, (str, dict)) for one in named)
    ):
        raise sdk.InvalidInput("characters", f"expected at most {MOST} ids")
    persons = []
    for one in named:
        about = one if isinstance(one, dict) else {"id": one}
        identifier = about.get("id", about.get("characterId"))
        if not isinstance(identifier, str) or not identifier.strip():
            raise sdk.InvalidInput("characters", "expected an id for everybody")
        person = describe_person(
            request, identifier, str(about.get("name") or ""), str(about.get("description") or "")
        )
        # what the whole call says describes one person at most
        if not person.description and len(named) == 1:
            person.description = description
        persons.append(person)
    return persons


def describe_person(
    request: sdk.Request, identifier: str, name: str = "", addition: str = ""
) -> PortrayedPerson:
    """Return what the campaign's profile or the persona says, and what the call adds."""
    identifier = identifier.strip()[:200]
    about, home = _profile(request.campaign_dir, identifier, name)
    if identifier == PLAYER:
        persona = request.state.get("persona")
        about = persona if isinstance(persona, dict) else {}
    else:  # the scene knows how somebody has changed since the profile was written
        there = _present(request, identifier)
        looks = {"appearance": there["appearance"]} if isinstance(there.get("appearance"), str) else {}
        about = {**about, **looks} if about else there
    name = name or str(about.get("name") or "")
    description = described({**about, "name": name})
    if addition and addition.rstrip(". ") not in description:
        description = f"{description} {addition}".strip()
    return PortrayedPerson(
        identifier or _slug(name),
        name,
        description[:LONGEST],
        _artwork(request.campaign_dir, home, about, identifier, name),
    )


def palette_of(request: sdk.Request) -> list[str]:
    """Return the colours that the call names, else the campaign's own."""
    given = request.input.get("palette")
    if given is None and request.campaign_dir:
        given = _json(os.path.join(request.campaign_dir, "manifest.json")).get("palette")
    elif given is not None and not isinstance(given, list):
        raise sdk.InvalidInput("palette", "expected colours such as #2b3353")
    return [str(colour) for colour in given] if isinstance(given, list) else []


def _profile(campaign: str, identifier: str, name: str) -> tuple[dict[str, Any], str]:
    for folder in dict.fromkeys((identifier, _slug(identifier), _slug(name))):
        if campaign and folder and re.fullmatch(r"[\w .'-]+", folder) and folder.strip("."):
            home = os.path.join(campaign, "characters", "npcs", folder)
            about = _json(os.path.join(home, "profile.json"))
            if about:
                return about, home
    return {}, ""


def _present(request: sdk.Request, identifier: str) -> dict[str, Any]:
    """Somebody of the scene, as its facts tell of them."""
    people = request.input.get("people")
    for one in people if isinstance(people, list) else ():
        if isinstance(one, dict) and one.get("id") == identifier:
            return one
    return {}


def _artwork(campaign: str, home: str, about: dict[str, Any], identifier: str, name: str) -> str:
    """Return the author's own picture, which no drawing replaces."""
    if not campaign:
        return ""
    root = os.path.realpath(campaign)
    tried = []
    if isinstance(about.get("portrait"), str) and about["portrait"]:
        tried.append(os.path.join(root, about["portrait"]))
    for folder, stem in (
        (home, "portrait"),
        *((f"{root}/art/characters", each) for each in (identifier, _slug(identifier), _slug(name))),
    ):
        if folder and stem and "/" not in stem:
            tried += [os.path.join(folder, stem + ending) for ending in PICTURES]
    for path in tried:
        whole = os.path.realpath(path)
        inside = whole.startswith(root + os.sep)
        if inside and os.path.splitext(whole)[1].lower() in PICTURES and os.path.isfile(whole):
            return whole
    return ""


def _json(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.loads(file.read(1024 * 1024))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def name_by_description(person: PortrayedPerson) -> None:
    """Call somebody who has no name by the first words that say who it is: “the woman at the oar”."""
    phrase = re.search(r"\b(?:an?|the|that|this)\s[^,.;:!?(]+", person.description, re.IGNORECASE)
    words = phrase[0].split()[:MOST_WORDS] if phrase else ["a", "stranger"]
    while len(words) > 2 and words[-1].lower() in UNFINISHED:
        words.pop()
    person.name = " ".join(words)
    person.id = _slug(person.name)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
