"""Finds the portrait of somebody who has been drawn before: by id, or by what is said of them."""

from __future__ import annotations

from _portrait_people import describe_person, palette_of, people_of, text
from _portrait_records import PortraitSettings, find_record, search
from _portrait_sources import make_portrait

from narratoria import sdk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    query = text(request.input, "query", 800)
    people = people_of(request)
    if not people and not query:
        raise sdk.InvalidInput("characterId", "expected the id of a person, or words about one under query")
    settings = PortraitSettings(request, palette_of(request))
    for person in people:
        entry = find_record(person.id)
        if entry is not None:
            return _result_for(request, entry, settings, 1.0)
        if person.artwork:
            return {**make_portrait(request, person, settings), "found": True, "confidence": 1.0}
    words = query or text(request.input, "description", 800) or (people[0].name if people else "")
    match = search(words, settings) if words else None
    if match is None:
        sdk.log("Nobody who was drawn fits that")
        return {"found": False, "characterId": people[0].id if people else "", "query": words}
    return _result_for(request, match[0], settings, match[1])


def _result_for(
    request: sdk.Request, entry: dict[str, Any], settings: PortraitSettings, sure: float
) -> dict[str, Any]:
    record = entry["record"]
    person = describe_person(request, record["characterId"])
    person.description = str(record.get("description") or person.description)
    return {**make_portrait(request, person, settings), "found": True, "confidence": round(sure, 3)}


if __name__ == "__main__":
    sdk.run(main)
