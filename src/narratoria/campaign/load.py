"""Reads a campaign's folder: only its manifest is required, and what is broken is named with its file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec

from narratoria import contracts
from narratoria.campaign.campaign import Beat, Campaign, Manifest, Place, Profile, Way
from narratoria.errors import ContractViolation, Problem

T = TypeVar("T")

MANIFEST = "manifest.json"
NOWHERE = Place("here", "The place where you are", "There is little to see here, and you see it.")
LINK = re.compile(r"\[[^\]]*\]\((?P<to>[^)/]+)\.md\)\s*:?\s*(?P<route>.*)")
# msgspec says "… - at `$.beats[2].priority`"; a place in the document is a pointer everywhere else
MSGSPEC_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")


class _Template(msgspec.Struct, frozen=True):
    starting_location: str = ""


class _Beats(msgspec.Struct, frozen=True):
    beats: tuple[Beat, ...]


def load_campaign(folder: Path) -> Campaign:
    """ContractViolation for a folder without a usable manifest, or with a file that cannot be read."""
    manifest = _manifest(folder)
    places = _joined(_places(folder / "lore" / "locations")) or {NOWHERE.id: NOWHERE}
    start = _optional(folder / "characters/player/template.json", _Template, _Template()).starting_location
    premise = _paragraphs(_text(folder / "plot" / "premise.md"))
    return Campaign(
        folder=folder,
        manifest=manifest,
        premise=premise or (manifest.description or f"{manifest.title} begins.",),
        start=start if start in places else next(iter(places)),
        places=places,
        people=dict(_people(folder / "characters" / "npcs")),
        beats=_optional(folder / "plot" / "beats.json", _Beats, _Beats(())).beats,
    )


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
    except OSError as error:
        message = f"cannot be read ({error.strerror}); a campaign is a folder with a {MANIFEST} in it"
        raise ContractViolation([Problem(message, file=str(path))]) from None
    return msgspec.convert(contracts.parse("manifest", text, file=str(path)), Manifest)


def _people(folder: Path) -> Iterator[tuple[str, Profile]]:
    for path in sorted(folder.glob("*/profile.json")):
        yield path.parent.name, _decoded(path, Profile)


def _places(folder: Path) -> Iterator[Place]:
    for path in sorted(folder.glob("*.md")):
        yield _place(path.stem, _text(path))


def _joined(places: Iterator[Place]) -> Mapping[str, Place]:
    """By id, without ways that lead nowhere."""
    known = {place.id: place for place in places}
    return {
        place.id: replace(place, ways=tuple(way for way in place.ways if way.to in known))
        for place in known.values()
    }


def _place(place_id: str, text: str) -> Place:
    """A title, paragraphs for the first look and the later ones, and the lists `Moments` and `Ways`."""
    body, *rest = re.split(r"^## +", text, flags=re.MULTILINE)
    lists = {title.strip().lower(): tuple(_items(items)) for title, _, items in map(_halves, rest)}
    title, _, prose = body.strip().partition("\n")
    arrival, *details = _paragraphs(prose) or (f"You are at {title.removeprefix('# ').strip()}.",)
    return Place(
        id=place_id,
        name=title.removeprefix("# ").strip(),
        arrival=arrival,
        details=tuple(details),
        moments=lists.get("moments", ()),
        ways=tuple(
            Way(found["to"], found["route"]) for item in lists.get("ways", ()) if (found := LINK.match(item))
        ),
    )


def _halves(section: str) -> tuple[str, str, str]:
    return section.partition("\n")


def _items(text: str) -> Iterator[str]:
    for item in re.split(r"^- +", text, flags=re.MULTILINE)[1:]:
        yield " ".join(item.split())


def _paragraphs(text: str) -> tuple[str, ...]:
    paragraphs = (" ".join(block.split()) for block in re.split(r"\n\s*\n", text))
    return tuple(paragraph for paragraph in paragraphs if paragraph and not paragraph.startswith("#"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ContractViolation([Problem(f"cannot be read: {error}", file=str(path))]) from None


def _optional(path: Path, kind: type[T], absent: T) -> T:
    return _decoded(path, kind) if path.is_file() else absent


def _decoded(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(_text(path), type=kind)
    except msgspec.DecodeError as error:  # broken JSON, and what does not fit
        pointer = ""
        if place := MSGSPEC_PLACE.search(str(error)):
            pointer = re.sub(r"[.\[\]]+", "/", place["path"]).rstrip("/")
        message = MSGSPEC_PLACE.sub("", str(error))
        raise ContractViolation([Problem(message, pointer, str(path))]) from None
