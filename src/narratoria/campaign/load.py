"""Loads a campaign from its folder; only the manifest is required, and every problem has its place."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from narratoria.campaign.assets import AssetIndex, all_assets, index_assets, portrait_beside, slug
from narratoria.campaign.campaign import (
    Beat,
    Campaign,
    Ending,
    Faction,
    LorePassage,
    Manifest,
    Place,
    Profile,
    Rules,
    Template,
)
from narratoria.campaign.folder import (
    MANIFEST,
    PROSE,
    SIDECAR,
    Folder,
    is_generated_name,
    scan_folder,
    stem_of,
)
from narratoria.campaign.ink.story import InkStory, parse_ink
from narratoria.campaign.pages import (
    PLACES,
    Page,
    read_constraints,
    read_ending,
    read_faction,
    read_lore,
    read_place,
    read_rules,
)
from narratoria.campaign.placing import place_people
from narratoria.campaign.problems import CampaignProblem, error, raise_errors
from narratoria.campaign.reader import Reader
from narratoria.campaign.twee.story import parse_twee

NOWHERE = Place("here", "The place where you are", "There is little to see here, and you see it.")

SETTING, CONSTRAINTS, RULES = "world/setting.md", "world/constraints.md", "world/rules.md"
PREMISE, BEATS, ENDINGS = "plot/premise.md", "plot/beats.json", "plot/endings"
PEOPLE, TEMPLATE = "characters/npcs", "characters/player/template.json"
FACTIONS = "lore/factions"
INK_STORY, TWEE_STORY = "plot/story.ink", "plot/story.twee"


class _Beats(msgspec.Struct, frozen=True):
    beats: tuple[Beat, ...]
    generated: bool = False


class _Sidecar(msgspec.Struct, frozen=True):
    generated: bool = False


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Holds a campaign as far as it could be read; `campaign` is None without a usable manifest."""

    reader: Reader
    campaign: Campaign | None
    files: Mapping[str, str]  # where each thing was read: "beats", "template", "person:ada", "place:mill" …

    def is_broken(self, what: str) -> bool:
        """Return whether this exists and could not be read, so that references to it are not at fault."""
        file = self.files.get(what)
        return any(problem.is_error and problem.file == file for problem in self.reader.problems)

    def names_of(self, kind: str) -> frozenset[str]:
        """Return the names of all people, places, endings or factions, unreadable ones included."""
        return frozenset(what.partition(":")[2] for what in self.files if what.startswith(f"{kind}:"))

    @property
    def folder(self) -> Folder:
        return self.reader.folder

    def problems(self) -> tuple[CampaignProblem, ...]:
        return self.reader.located_problems()


def load_campaign(folder: Path) -> Campaign:
    """Load a campaign; raise ContractViolation for one without a usable manifest or with a broken file."""
    reading = read_campaign(folder)
    raise_errors(reading.problems(), folder)
    assert reading.campaign is not None, "a manifest that cannot be used is an error"
    return reading.campaign


def generated_content_warning(campaign: Campaign) -> str:
    """Return the warning about generated files in a campaign; empty if there are none."""
    count = len(campaign.generated)
    return (
        f"Campaign contains {count} AI-generated asset(s). "
        "Review generated flags and provenance metadata to verify correctness."
        if count
        else ""
    )


def read_campaign(folder: Path) -> LoadResult:
    """Read everything that can be read, and report the problems of single files without raising."""
    reader = Reader(scan_folder(folder))
    return _CampaignLoader(reader).read(folder)


class _CampaignLoader:
    """Assembles a campaign, file by file."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._asset_index: AssetIndex = index_assets(reader.folder)
        self._files: dict[str, str] = {}

    def read(self, folder: Path) -> LoadResult:
        manifest = self._manifest()
        places = self._places()
        beats = self._beats(places)
        people = dict(self._people(places))
        template = self._template()
        campaign = Campaign(
            folder=folder,
            manifest=manifest or Manifest(title=folder.name, version="0.0.0"),
            setting=self._prose(SETTING),
            constraints=self._constraints(),
            premise=self._premise(manifest),
            start=_find_place(template.starting_location, places) or next(iter(places)),
            places=places,
            people=people,
            beats=beats,
            endings=dict(self._endings(epilogue_triggers(beats, people.values()))),
            factions=dict(self._factions()),
            template=template,
            rules=self._rules(),
            lore=tuple(self._lore()),
            ink=self._ink(),
        )
        self._sidecars()
        campaign = replace(
            campaign, generated=dict(self._reader.generated), placements=place_people(campaign)
        )
        return LoadResult(self._reader, campaign if manifest else None, self._files)

    # documents

    def _manifest(self) -> Manifest | None:
        reader = self._reader
        if not reader.has(MANIFEST):
            if not any(problem.file == MANIFEST for problem in reader.problems):
                root = reader.folder.root
                why = "No such file or directory" if root.is_dir() else "there is no such folder"
                message = f"cannot be read ({why}); a campaign is a folder with a {MANIFEST} in it"
                reader.report(error("no-manifest", message, MANIFEST))
            return None
        result = reader.document(MANIFEST, "manifest", Manifest)
        if result is None:
            return None
        manifest = result[0]
        return msgspec.structs.replace(
            manifest, cover=manifest.cover or self._asset_index.find_picture("", "cover")
        )

    def _template(self) -> Template:
        file = self._keep("template", TEMPLATE)
        result = self._reader.document(file, "player-template", Template) if file else None
        return result[0] if result else Template()

    def _beats(self, places: Mapping[str, Place]) -> tuple[Beat, ...]:
        file = self._keep("beats", BEATS)
        result = self._reader.document(file, "plot-beats", _Beats) if file else None
        if result is None:
            return ()
        value, document = result
        for index, written in enumerate(document["beats"]):
            self._reader.record_provenance(file, f"/beats/{index}", written)
        return tuple(
            msgspec.structs.replace(
                beat,
                location=_find_place(beat.location, places) or beat.location,
                generated=beat.generated or value.generated,
            )
            for beat in value.beats
        )

    def _people(self, places: Mapping[str, Place]) -> Iterator[tuple[str, Profile]]:
        names = {file.split("/")[2] for file in self._reader.folder.under(PEOPLE) if file.count("/") > 2}
        for name in sorted(names):
            home = f"{PEOPLE}/{name}"
            secrets = self._prose(f"{home}/secrets.md")
            file = self._keep(f"person:{name}", f"{home}/profile.json")
            result = self._reader.document(file, "npc-profile", Profile) if file else None
            if result is None:
                continue
            profile = result[0]
            at = profile.metadata.first_appearance
            yield (
                name,
                msgspec.structs.replace(
                    profile,
                    secrets=_secrets(profile.secrets, secrets),
                    portrait=profile.portrait or self._portrait(name, profile.name),
                    metadata=msgspec.structs.replace(
                        profile.metadata, first_appearance=_find_place(at, places) or at
                    ),
                ),
            )

    def _portrait(self, folder: str, name: str) -> str:
        beside = portrait_beside(self._reader.folder, f"{PEOPLE}/{folder}")
        return beside or self._asset_index.find_picture("characters", folder, name)

    def _sidecars(self) -> None:
        """Read the notes beside pictures and music, where generated ones state their provenance."""
        reader = self._reader
        for file in all_assets(reader.folder):
            if reader.has(file + SIDECAR):
                reader.document(file + SIDECAR, "asset-sidecar", _Sidecar)
                if origin := reader.generated.pop(file + SIDECAR, None):
                    reader.generated[file] = origin
            elif is_generated_name(file):
                reader.record_provenance(file, "", {"generated": True})

    # pages

    def _places(self) -> Mapping[str, Place]:
        """Return the places by id, without ways that lead nowhere."""
        places = {
            name: self._furnished(read_place(name, page)) for name, page in self._pages_in(PLACES, "place")
        }
        return {
            name: replace(place, ways=tuple(way for way in place.ways if way.to in places))
            for name, place in places.items()
        } or {NOWHERE.id: NOWHERE}

    def _furnished(self, place: Place) -> Place:
        art = place.art or self._asset_index.find_picture("locations", place.id, place.name)
        return replace(
            place, art=art, music=place.music or self._asset_index.find_music(place.id, place.name)
        )

    def _endings(self, triggers: Collection[str]) -> Iterator[tuple[str, Ending]]:
        for name, page in self._pages_in(ENDINGS, "ending"):
            yield name, read_ending(name, page, triggers)

    def _factions(self) -> Iterator[tuple[str, Faction]]:
        for name, page in self._pages_in(FACTIONS, "faction"):
            yield name, read_faction(name, page)

    def _pages_in(self, folder: str, kind: str) -> Iterator[tuple[str, Page]]:
        names = dict.fromkeys(
            f"{folder}/{stem_of(file)}.md" for file in self._reader.folder.directly_in(folder, *PROSE)
        )
        for file in names:
            name = stem_of(file)
            chosen = self._keep(f"{kind}:{name}", file)
            page = self._reader.page(chosen) if chosen else None
            if page is not None:
                yield name, page

    def _prose(self, file: str) -> str:
        page = self._page(file)
        return page.text() if page else ""

    def _constraints(self) -> tuple[str, ...]:
        page = self._page(CONSTRAINTS)
        return read_constraints(page) if page else ()

    def _premise(self, manifest: Manifest | None) -> tuple[str, ...]:
        page = self._page(PREMISE)
        written = page.paragraphs() if page else ()
        if written or manifest is None:
            return written
        return (manifest.description or f"{manifest.title} begins.",)

    def _ink(self) -> InkStory | None:
        """Return the ink story of the campaign; its mistakes are reported by file and line."""
        text = self._reader.plain_text(INK_STORY)
        if text is None:
            return self._twee()
        story, problems = parse_ink(
            INK_STORY, text, lambda name: self._reader.plain_text(posixpath.normpath(f"plot/{name}"))
        )
        for problem in problems:
            file = problem.file if problem.file == INK_STORY else f"plot/{problem.file}"
            self._reader.report(error("ink", problem.message, file, "", problem.line))
        return None if problems else story

    def _twee(self) -> InkStory | None:
        """Return the Twine story of the campaign, which the same machine plays."""
        text = self._reader.plain_text(TWEE_STORY)
        if text is None:
            return None
        parsed = parse_twee(TWEE_STORY, text)
        for problem in parsed.problems:
            self._reader.report(error("twee", problem.message, TWEE_STORY, "", problem.line))
        return None if parsed.problems else parsed.story

    def _rules(self) -> Rules:
        page = self._page(RULES)
        if page is None:
            return Rules()
        rules, problems = read_rules(page, self._files[RULES])
        self._reader.problems += problems
        return rules

    def _page(self, file: str) -> Page | None:
        chosen = self._keep(file, file)
        return self._reader.page(chosen) if chosen else None

    def _lore(self) -> Iterator[LorePassage]:
        """Yield the paragraphs of the lore; those of places are read, to check their marks, and left out."""
        for file in self._reader.folder.under("lore", *PROSE):
            page = self._reader.page(file)
            if page is not None and not file.startswith(f"{PLACES}/"):
                yield from read_lore(file, page)

    def _keep(self, what: str, file: str) -> str:
        chosen = self._reader.own_or_generated(file)
        if chosen:
            self._files[what] = chosen
        return chosen


def _find_place(name: str, places: Mapping[str, Place]) -> str:
    """Return the place with this id or title; empty if there is none."""
    if name in places or not name:
        return name
    place_slug = slug(name)
    return next((p.id for p in places.values() if place_slug in (slug(p.id), slug(p.name))), "")


def _secrets(written: str, beside: str) -> str:
    if not beside or not written or "secrets.md" in written.casefold():
        return beside or written
    return f"{written}\n\n{beside}"


def flag_changes(state: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the flags that a patch of the state sets or clears."""
    flags = state.get("flags")
    for name, on in flags.items() if isinstance(flags, dict) else ():
        yield name, bool(on)


def epilogue_triggers(beats: tuple[Beat, ...], people: Iterable[Profile]) -> frozenset[str]:
    """Return everything that a line of an epilogue can depend on."""
    triggers = {flag for person in people for topic in person.topics for flag in topic.consequences}
    for beat in beats:
        triggers |= {beat.id, *beat.consequences, *(name for name, _ in flag_changes(beat.effects.state))}
        for outcome in beat.outcomes:
            triggers |= {*outcome.consequences, *(name for name, _ in flag_changes(outcome.effects.state))}
    return frozenset(triggers)
