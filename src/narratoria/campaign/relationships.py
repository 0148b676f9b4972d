"""Finds how a campaign's files relate: which refers to which, and whom each is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from narratoria.campaign.assets import all_assets, slug
from narratoria.campaign.campaign import Beat, Campaign
from narratoria.campaign.folder import MANIFEST, PROSE, stem_of
from narratoria.campaign.load import PEOPLE, LoadResult

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
