"""Finds the portrait of somebody who has been drawn before: by id, or by what is said of them."""

from __future__ import annotations

from _portrait_keep import Settings, kept, search
from _portrait_make import make
from _portrait_people import known, palette_of, people_of, text

from narratoria import sdk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(request: sdk.Request) -> dict[str, Any]:
    query = text(request.input, "query", 800)
    people = people_of(request)
    if not people and not query:
        raise sdk.InvalidInput("characterId", "expected the id of a person, or words about one under query")
    settings = Settings(request, palette_of(request))
    for person in people:
        entry = kept(person.id)
        if entry is not None:
            return _found(request, entry, settings, 1.0)
        if person.artwork:
            return {**make(request, person, settings), "found": True, "confidence": 1.0}
    words = query or text(request.input, "description", 800) or (people[0].name if people else "")
    found = search(words, settings) if words else None
    if found is None:
        sdk.log("Nobody who was drawn fits that")
        return {"found": False, "characterId": people[0].id if people else "", "query": words}
    return _found(request, found[0], settings, found[1])


def _found(request: sdk.Request, entry: dict[str, Any], settings: Settings, sure: float) -> dict[str, Any]:
    record = entry["record"]
    person = known(request, record["characterId"])
    person.description = str(record.get("description") or person.description)
    return {**make(request, person, settings), "found": True, "confidence": round(sure, 3)}


if __name__ == "__main__":
    sdk.run(main)
