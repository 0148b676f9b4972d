"""Makes a portrait: the author's picture, one that is there, a hosted one, a drawing, or a silhouette."""

from __future__ import annotations

import os

import _portrait_drawing as drawing
from _portrait_look import read
from _portrait_people import PICTURES, PortrayedPerson
from _portrait_records import NOBODY, PortraitSettings, file_name, save_record, show

from narratoria import sdk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def make_portrait(
    request: sdk.Request, person: PortrayedPerson, settings: PortraitSettings
) -> dict[str, Any]:
    if person.artwork:
        save_record(person, person.artwork)
        return show(person, person.artwork, settings, "campaign", cached=True)
    name = file_name(person, settings)
    for ending in PICTURES:
        path = os.path.join(settings.folder, name + ending)
        if os.path.isfile(path):
            save_record(person, path)
            return show(person, path, settings, "hosted" if settings.hosted else "drawn", cached=True)
    picture, ending, source = _picture(request, person, settings)
    if source == "silhouette":
        name = f"silhouette-{settings.size}"
    elif source == "drawn" and settings.hosted:
        name += "-drawn"  # tomorrow the service may answer
    path = os.path.join(settings.folder, name + ending)
    _write(path, picture)
    if source != "silhouette":
        save_record(person, path)
    return show(person, path, settings, source, cached=False)


def _picture(
    request: sdk.Request, person: PortrayedPerson, settings: PortraitSettings
) -> tuple[bytes, str, str]:
    if settings.hosted:
        from _portrait_image_service import NotSent, ask

        try:
            return *ask(request.config, person.description or person.name, settings), "hosted"
        except NotSent as reason:
            sdk.log(f"No hosted portrait of {person.name or person.id}: {reason}. It is drawn here.", "warn")
    try:
        look = read(person.id or NOBODY, person.description, settings.palette)
        drawn = drawing.draw(look, settings.preset, settings.size, timeout_s=settings.timeout_s)
    except drawing.NotDrawn as reason:
        sdk.log(f"{person.name or person.id} cannot be drawn: {reason}. A silhouette is shown.", "warn")
        return drawing.silhouette(settings.size, settings.palette), ".png", "silhouette"
    return drawn, ".png", "drawn"


def _write(path: str, picture: bytes) -> None:
    """Whole or not at all: somebody may be looking."""
    part = f"{path}.{os.getpid()}.part"
    with open(part, "wb") as file:
        file.write(picture)
    os.replace(part, path)
