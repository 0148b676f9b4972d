"""Describes a file of a campaign for the store: type, keywords, provenance, relationships."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.campaign import keywords
from narratoria.campaign.assets import read_audio_info, read_image_info, slug
from narratoria.campaign.campaign import Campaign
from narratoria.campaign.folder import AUDIO, IMAGES, KEYWORDS, MANIFEST, SIDECAR, stem_of
from narratoria.campaign.load import PEOPLE, LoadResult
from narratoria.campaign.lore import METHOD, Chunk
from narratoria.campaign.relationships import FileRelationships

AssetType: TypeAlias = Literal["image", "audio", "prose", "structured"]
LOOPED = "music/ambient/"  # what lies there is played again and again
LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class FileContext:
    """Holds the information that a file is described from."""

    reading: LoadResult
    relationships: FileRelationships
    chunks: tuple[Chunk, ...]
    checksum: str
    moment: str

    @property
    def campaign(self) -> Campaign:
        assert self.reading.campaign is not None
        return self.reading.campaign


def asset_type(file: str) -> AssetType | None:
    """Return the type of a file; None for notes beside other files and for formats that are not used."""
    name = file.lower()
    if name.endswith((KEYWORDS, SIDECAR)):
        return None
    if name.endswith(IMAGES):
        return "image"
    if name.endswith(AUDIO):
        return "audio"
    if name.endswith(".md"):
        return "prose"
    return "structured" if name.endswith(".json") else None


def describe_file(file: str, context: FileContext) -> dict[str, Any]:
    """Return the record of a file for the store, which refuses one that hides its provenance."""
    kind = asset_type(file)
    record: dict[str, Any] = {
        "path": file,
        "type": kind,
        "created_at": context.moment,
        "checksum": context.checksum,
        "data": f"file:{file}",  # the folder keeps it; a copy would be one more thing to keep in step
        "keywords": list(_keywords(file, context)),
        "relationships": context.relationships.as_document(),
        "generated": False,
    }
    path = context.reading.folder.root / file
    match kind:
        case "image":
            record |= _of_picture(path, file, context)
        case "audio":
            record |= _of_sound(path, file)
        case "prose":
            record |= _of_prose(file, context)
        case _:
            record |= _of_document(file, context)
    if origin := context.campaign.generated.get(file):
        record |= {"generated": True, "provenance": msgspec.to_builtins(origin)}
    return record


def _of_picture(path: Path, file: str, context: FileContext) -> dict[str, Any]:
    image = read_image_info(path)
    alt_text = str(_beside(path).get("alt_text") or "") or _shown(file, context)
    size = {"width": image.width, "height": image.height} if image.width else {}
    return {"format": image.format, **size, "alt_text": alt_text}


def _of_sound(path: Path, file: str) -> dict[str, Any]:
    heard = read_audio_info(path)
    beside = _beside(path)
    loop = bool(beside["loop"]) if "loop" in beside else file.startswith(LOOPED)
    length = {"duration_seconds": heard.seconds, "bitrate": heard.bitrate} if heard.seconds else {}
    return {"format": heard.format, **length, "loop": loop}


def _of_prose(file: str, context: FileContext) -> dict[str, Any]:
    page = context.reading.reader.pages.get(file)
    words = sum(len(block.text.split()) for block in page.blocks) if page else 0
    parts = [chunk.as_metadata() for chunk in context.chunks]
    about = {"chunks": parts, "chunk_method": METHOD} if parts else {}
    return {"word_count": words, "language": LANGUAGE, **about}


def _of_document(file: str, context: FileContext) -> dict[str, Any]:
    files = context.reading.files
    what = next((what for what, at in files.items() if at == file), "manifest" if file == MANIFEST else "")
    kind, _, name = what.partition(":")
    contract = {"person": "npc-profile", "beats": "plot-beats", "template": "player-template"}.get(kind, kind)
    return {
        **({"schema_type": contract, "schema_version": "1"} if contract else {}),
        **({"entity_id": name} if name else {}),
    }


def _keywords(file: str, context: FileContext) -> tuple[str, ...]:
    reader = context.reading.reader
    if reader.has(file + KEYWORDS) and (text := reader.plain(file + KEYWORDS)) is not None:
        return keywords.read_keywords_file(text)
    campaign = context.campaign
    called = keywords.merge_keywords(_title(name, campaign) for name in context.relationships.entities[:4])
    if asset_type(file) in ("image", "audio"):
        return keywords.merge_keywords(keywords.keywords_from_name(file), called)
    if page := reader.pages.get(file):
        title = (page.title.text,) if page.title else ()
        text = "\n".join(block.text for block in page.blocks if block.kind != "code")
        return keywords.merge_keywords(
            title, keywords.keywords_from_name(file), keywords.keywords_from_text(text)
        )
    if file.startswith(f"{PEOPLE}/") and (profile := campaign.people.get(file.split("/")[2])):
        traits = (*profile.personality.traits, *profile.metadata.tags)
        return keywords.merge_keywords(
            (profile.name, profile.role), traits, keywords.keywords_from_name(file)
        )
    return keywords.merge_keywords(
        keywords.keywords_from_name(file), called, campaign.manifest.tags if file == MANIFEST else ()
    )


def _shown(file: str, context: FileContext) -> str:
    """Return what a picture shows, judged by its name or by what refers to it."""
    campaign = context.campaign
    if file == campaign.manifest.cover:
        return f"The cover of {campaign.title}"
    named = next((name for name in context.relationships.entities if slug(name) == slug(stem_of(file))), "")
    name = named or next(iter(context.relationships.entities), "")
    if name in campaign.people:
        profile = campaign.people[name]
        return profile.appearance or f"{profile.name}, {profile.role}"
    return _title(name, campaign) if name else stem_of(file).replace("_", " ").replace("-", " ").capitalize()


def _title(name: str, campaign: Campaign) -> str:
    for group in (campaign.people, campaign.places, campaign.factions):
        if name in group:
            return str(getattr(group[name], "name", name))
    return name


def _beside(path: Path) -> dict[str, Any]:
    """Return the note beside a picture or a piece of music; loading has validated it."""
    note = path.with_name(path.name + SIDECAR)
    if not note.is_file():
        return {}
    document = json.loads(note.read_text(encoding="utf-8-sig"))
    return document if isinstance(document, dict) else {}
