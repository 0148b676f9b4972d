"""Draws somebody anew whose looks have changed, still recognisable as the same person."""

from __future__ import annotations

from _portrait_people import LONGEST, describe_person, palette_of, people_of, text
from _portrait_records import PortraitSettings, find_earlier_record
from _portrait_sources import make_portrait

from narratoria import sdk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    changes = text(request.input, "changes")
    people = people_of(request)
    if not people:
        raise sdk.InvalidInput("characterId", "expected the id of the person who has changed")
    settings = PortraitSettings(request, palette_of(request))
    person = people[0]
    description = text(request.input, "description")
    entry = find_earlier_record(person, settings)
    if entry is None:
        if not person.id:
            raise sdk.ToolFailure(
                "NOT_FOUND", "nobody who was drawn fits that; draw them with generate-portrait"
            )
        old = describe_person(request, person.id).description
    else:
        person.id = entry["record"]["characterId"]
        old = str(entry["record"].get("description") or "")
        person.name = person.name or describe_person(request, person.id).name
    # what is new stands first, and what is said first is drawn
    person.description = " ".join(part for part in (changes, description, old) if part)[:LONGEST]
    before = entry["record"]["imagePath"] if entry else ""
    made = make_portrait(request, person, settings)
    return {**made, "updated": made["path"] != before, "previous": before}


if __name__ == "__main__":
    sdk.run(main)
