"""Describes a file of a campaign for the store: type, keywords, provenance, relationships."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.campaign.assets import all_assets, read_audio_info, read_image_info, slug
from narratoria.campaign.campaign import Beat, Campaign
from narratoria.campaign.folder import AUDIO, IMAGES, KEYWORDS, MANIFEST, PROSE, SIDECAR, stem_of
from narratoria.campaign.load import PEOPLE, LoadResult
from narratoria.campaign.lore import METHOD, Chunk

MOST = 16
LONGEST = 100  # characters of a keyword

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAME = re.compile(r"(?<![.!?“\"] )(?<!^)\b[A-Z][^\W\d_]+(?: (?:of |the )?[A-Z][^\W\d_]+)*")
_FOLDERS = frozenset(("art", "music", "lore", "characters", "npcs", "world", "plot", "npc", "file"))
# words that are in every text, and say nothing about this one
_EVERYWHERE = """
a about above after again all almost along also always am among an and another any anybody anyone
are as ask asked at away back be because been before behind being below beside best better between
beyond both but by came can cannot come comes could day days did do does doing done down each either
else enough even ever every everybody everyone everything far few find first for found from gave get
give given go goes going gone good got great had half hand hands has have having he her here hers
him himself his how however i if in into is it its itself just keep kept knew know known last least
leave left less let like little long look looks made make makes man many may me mean might mine more
most much must my myself near nearly need neither never new next no nobody none nor not nothing now
of off often old on once one only or other others our out over own part people perhaps put quite
rather said same saw say says see seem seems seen several shall she should since small so some
somebody someone something sometimes soon stand stands still such take taken takes tell than that
the their theirs them then there these they thing things think this those though thought three
through till time to together told too took toward towards two under until up upon us very want was
water way we well went were what when where whether which while who whole whom whose why will with
within without word would year years yes yet you your yours
"""
COMMON = frozenset(_EVERYWHERE.split())


def read_keywords_file(text: str) -> tuple[str, ...]:
    """Return one keyword per line; a line that begins with `#` is a comment."""
    lines = (line.strip() for line in text.lstrip("\ufeff").splitlines())
    return tuple(dict.fromkeys(line[:LONGEST] for line in lines if line and not line.startswith("#")))


def keywords_from_name(file: str) -> tuple[str, ...]:
    """Derive keywords from a path: `art/locations/old_mill.png` gives old, mill and locations."""
    folders = [part for part in file.split("/")[:-1] if part.casefold() not in _FOLDERS]
    words = (
        word.casefold()
        for part in (stem_of(file), *folders)
        for word in _WORD.findall(part.replace("_", " "))
    )
    return tuple(dict.fromkeys(word for word in words if word not in COMMON and word not in _FOLDERS))


def keywords_from_text(text: str) -> tuple[str, ...]:
    """Return the names in a text, then its repeated words, the most frequent first."""
    names = Counter(name for paragraph in text.split("\n") for name in _NAME.findall(paragraph))
    words = Counter(_plain_words(text))
    repeated = (word for word, times in words.most_common(3 * MOST) if times > 1)
    once = (word for word, times in sorted(words.items()) if times == 1 and len(word) > 6)
    return _first((*(name for name, _ in names.most_common(MOST // 2)), *repeated, *once))


def merge_keywords(*groups: Iterable[str]) -> tuple[str, ...]:
    return _first(word for group in groups for word in group)


def _first(words: Iterable[str]) -> tuple[str, ...]:
    keywords: dict[str, str] = {}
    for word in words:
        key = word.casefold().strip()
        if key and key not in keywords:
            keywords[key] = word.strip()[:LONGEST]
        if len(keywords) == MOST:
            break
    return tuple(keywords.values())


def _plain_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        plain = word.casefold().removesuffix("'s").removesuffix("’s")
        if len(plain) > 2 and plain not in COMMON:
            yield plain


_LINK = re.compile(r"\]\((?P<to>[^)\s#:]+)\)")


@dataclass(frozen=True, slots=True)
class FileRelationships:
    """Lists the files a file refers to and is referred to by, and its people, places and factions by id."""

    references: tuple[str, ...] = ()
    referenced_by: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()

    def as_document(self) -> dict[str, list[str]]:
        return {
            "references": list(self.references),
            "referenced_by": list(self.referenced_by),
            "entity_links": list(self.entities),
        }


def find_relationships(reading: LoadResult) -> dict[str, FileRelationships]:
    """Return the relationships of every file of a campaign."""
    assert reading.campaign is not None, "a campaign that cannot be read has no relationships"
    return _RelationshipFinder(reading, reading.campaign).all()


class _RelationshipFinder:
    def __init__(self, reading: LoadResult, campaign: Campaign) -> None:
        self._reading, self._campaign = reading, campaign
        self._files = reading.folder.files
        self._assets = frozenset(all_assets(reading.folder))
        self._names = dict(_names(campaign))
        self._slugs = {
            slug(name): subject for spelling, subject in self._names.items() for name in (spelling, subject)
        }
        # the longest first, so that “Old Mill Lane” is not taken for the old mill
        spellings = sorted((name for name in self._names if len(name) > 2), key=len, reverse=True)
        self._mentions = re.compile(rf"\b(?:{'|'.join(map(re.escape, spellings))})\b") if spellings else None

    def all(self) -> dict[str, FileRelationships]:
        references = {file: tuple(self._references(file)) for file in self._files}
        named_by: dict[str, list[str]] = {file: [] for file in self._files}
        for file, others in references.items():
            for other in others:
                named_by[other].append(file)
        return {
            file: FileRelationships(
                others, tuple(sorted(named_by[file])), self._entities(file, named_by[file])
            )
            for file, others in references.items()
        }

    def _references(self, file: str) -> Iterator[str]:
        names = dict.fromkeys(self._named(file))
        yield from (other for other in names if other in self._files and other != file)

    def _named(self, file: str) -> Iterator[str]:
        campaign, files = self._campaign, self._reading.files
        if file == MANIFEST:
            yield campaign.manifest.cover
        if file == files.get("beats"):
            for beat in campaign.beats:
                yield from self._of_beat(beat)
        if file == files.get("template"):
            yield from (preset.portrait for preset in campaign.template.presets)
            yield self._home("place", campaign.start)
        for what in (what for what, at in files.items() if at == file):
            kind, _, name = what.partition(":")
            if kind == "person":
                profile = campaign.people.get(name)
                if profile:
                    yield profile.portrait
                    yield self._home("place", profile.metadata.first_appearance)
                    yield self._home("faction", profile.metadata.faction)
                    yield from (self._home("person", self._whom(other)) for other in profile.relationships)
            elif kind == "place" and (place := campaign.places.get(name)):
                yield from (place.art, place.music)
                yield from (self._home("place", way.to) for way in place.ways)
        if file.endswith(PROSE):
            yield from self._linked(file)

    def _of_beat(self, beat: Beat) -> Iterator[str]:
        yield from (beat.music, beat.background, self._home("place", beat.location))
        yield from (self._home("person", person) for person in beat.npcs)
        yield self._reading.files.get(f"ending:{beat.ending}", "")

    def _linked(self, file: str) -> Iterator[str]:
        """Yield the files a page links to, resolved from its folder."""
        home = file.rpartition("/")[0].split("/")
        for match in _LINK.finditer(self._text(file)):
            parts = [*home]
            for part in match["to"].split("/"):
                parts = parts[:-1] if part == ".." else parts if part == "." else [*parts, part]
            yield "/".join(parts)

    def _entities(self, file: str, named_by: list[str]) -> tuple[str, ...]:
        """Return whom a file is about: by its name, its folder, what refers to it, and whom it mentions."""
        about = [self._whom(stem_of(file))]
        if file.startswith(f"{PEOPLE}/"):
            about.append(self._whom(file.split("/")[2]))
        if file in self._assets:
            about += [
                what.partition(":")[2]
                for what, home in self._reading.files.items()
                if home in named_by and what.startswith(("person:", "place:", "faction:"))
            ]
        if self._mentions and file.endswith(PROSE):
            about += [self._names[name] for name in dict.fromkeys(self._mentions.findall(self._text(file)))]
        return tuple(dict.fromkeys(name for name in about if name))

    def _home(self, kind: str, name: str) -> str:
        return self._reading.files.get(f"{kind}:{name}", "")

    def _whom(self, name: str) -> str:
        name_slug = slug(name)
        return next(
            (subject for subject in self._names.values() if slug(subject) == name_slug), ""
        ) or self._called(name)

    def _called(self, name: str) -> str:
        return next(
            (subject for spelling, subject in self._names.items() if slug(spelling) == slug(name)), ""
        )

    def _text(self, file: str) -> str:
        page = self._reading.reader.pages.get(file)
        return "\n".join(block.text for block in page.blocks) if page else ""


def _names(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Yield the names of people, places and factions with their ids."""
    groups: tuple[Mapping[str, object], ...] = (campaign.places, campaign.factions, campaign.people)
    for group in groups:
        for name, what in group.items():
            yield str(getattr(what, "name", name)), name


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
        return read_keywords_file(text)
    campaign = context.campaign
    called = merge_keywords(_title(name, campaign) for name in context.relationships.entities[:4])
    if asset_type(file) in ("image", "audio"):
        return merge_keywords(keywords_from_name(file), called)
    if page := reader.pages.get(file):
        title = (page.title.text,) if page.title else ()
        text = "\n".join(block.text for block in page.blocks if block.kind != "code")
        return merge_keywords(title, keywords_from_name(file), keywords_from_text(text))
    if file.startswith(f"{PEOPLE}/") and (profile := campaign.people.get(file.split("/")[2])):
        traits = (*profile.personality.traits, *profile.metadata.tags)
        return merge_keywords((profile.name, profile.role), traits, keywords_from_name(file))
    return merge_keywords(
        keywords_from_name(file), called, campaign.manifest.tags if file == MANIFEST else ()
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
