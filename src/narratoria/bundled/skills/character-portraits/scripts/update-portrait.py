"""Draws somebody anew whose looks have changed, still recognisable as the same person."""

from __future__ import annotations

from _portrait_keep import Settings, drawn_before
from _portrait_make import make
from _portrait_people import LONGEST, known, palette_of, people_of, text

from narratoria import sdk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    changes = text(request.input, "changes")
    people = people_of(request)
    if not people:
        raise sdk.InvalidInput("characterId", "expected the id of the person who has changed")
    settings = Settings(request, palette_of(request))
    person = people[0]
    said = text(request.input, "description")
    entry = drawn_before(person, settings)
    if entry is None:
        if not person.id:
            raise sdk.ToolFailure(
                "NOT_FOUND", "nobody who was drawn fits that; draw them with generate-portrait"
            )
        old = known(request, person.id).description
    else:
        person.id = entry["record"]["characterId"]
        old = str(entry["record"].get("description") or "")
        person.name = person.name or known(request, person.id).name
    # what is new stands first, and what is said first is drawn
    person.description = " ".join(part for part in (changes, said, old) if part)[:LONGEST]
    before = entry["record"]["imagePath"] if entry else ""
    made = make(request, person, settings)
    return {**made, "updated": made["path"] != before, "previous": before}


if __name__ == "__main__":
    sdk.run(main)
