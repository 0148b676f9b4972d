"""Shows what somebody looks like: as they were drawn before, or drawn now from what is said of them."""

from __future__ import annotations

from _portrait_people import (
    PortrayedPerson,
    describe_person,
    name_by_description,
    palette_of,
    people_of,
)
from _portrait_records import PortraitSettings, difference, find_earlier_record, show
from _portrait_sources import make_portrait

from narratoria import sdk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    people = people_of(request)
    if not people:
        raise sdk.InvalidInput("characterId", "expected the id of a person, or a description of one")
    settings = PortraitSettings(request, palette_of(request))
    shown = [portrait(request, person, settings) for person in people]
    return {**shown[0], "portraits": shown}


def portrait(request: sdk.Request, person: PortrayedPerson, settings: PortraitSettings) -> dict[str, Any]:
    if not person.artwork:
        held = _met_before(request, person, settings)
        if held is not None:
            return held
    if not person.id:
        name_by_description(person)
    return make_portrait(request, person, settings)


def _met_before(
    request: sdk.Request, person: PortrayedPerson, settings: PortraitSettings
) -> dict[str, Any] | None:
    """Return the face they have already, unless they have changed too much for it."""
    entry = find_earlier_record(person, settings)
    if entry is None:
        return None
    record = entry["record"]
    old = str(record.get("description") or "")
    who = describe_person(request, record["characterId"], person.name)
    if not person.description or not old:
        person.description = person.description or old
    elif difference(old, person.description, record["characterId"]) < settings.change:
        person.description = old
    else:
        sdk.log(f"{who.name or who.id} has changed and is drawn anew")
    person.id, person.name, person.artwork = record["characterId"], person.name or who.name, who.artwork
    made = make_portrait(request, person, settings)
    return made if made["source"] != "silhouette" else _old_face(person, record, settings) or made


def _old_face(
    person: PortrayedPerson, record: dict[str, Any], settings: PortraitSettings
) -> dict[str, Any] | None:
    import os

    path = record["imagePath"]
    inside = os.path.realpath(path).startswith(settings.folder + os.sep)
    return show(person, path, settings, "drawn", cached=True) if inside and os.path.isfile(path) else None


if __name__ == "__main__":
    sdk.run(main)
