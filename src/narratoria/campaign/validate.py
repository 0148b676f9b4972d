"""Validates a campaign's files without playing it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from narratoria.campaign import references
from narratoria.campaign.assets import all_assets, has_keywords, slug
from narratoria.campaign.campaign import Campaign, Template
from narratoria.campaign.folder import (
    AUDIO,
    FOLDERS,
    IMAGES,
    KEYWORDS,
    MANIFEST,
    MIN_CONTENT_FILES,
    SIDECAR,
    content_files,
    is_sparse,
)
from narratoria.campaign.load import (
    BEATS,
    PEOPLE,
    RULES,
    TEMPLATE,
    LoadResult,
    epilogue_triggers,
    generated_content_warning,
    read_campaign,
)
from narratoria.campaign.pages import (
    SENSES,
    Page,
    deeds_of,
    is_rules,
    places_of,
    senses_of,
    things_of,
    ways_of,
)
from narratoria.campaign.placement import Placement, describe_placement
from narratoria.campaign.problems import CampaignProblem, info, warning
from narratoria.campaign.validate_beats import check_beats, check_topics
from narratoria.campaign.validate_repertoire import check_repertoire
from narratoria.contracts.json_pointer import join_pointer
from narratoria.contracts.messages import closest_match

PLAYER = "player"


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """Holds a campaign's problems, by file and line; `campaign` is None without a usable manifest."""

    folder: Path
    campaign: Campaign | None
    problems: tuple[CampaignProblem, ...]
    files: int

    @property
    def ok(self) -> bool:
        return not any(problem.is_error for problem in self.problems)

    def count(self, severity: str) -> int:
        return sum(problem.severity == severity for problem in self.problems)


def validate_campaign(folder: Path) -> ValidationReport:
    """Validate the campaign in a folder; nothing is raised for its problems."""
    reading = read_campaign(folder)
    if reading.campaign is not None:
        for look in CHECKS:
            reading.reader.problems += look(reading, reading.campaign)
    return ValidationReport(folder, reading.campaign, reading.problems(), len(reading.folder.files))


def _manifest(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    yield from references.check_asset_path(
        campaign.manifest.cover, "picture", reading.folder, MANIFEST, "/cover"
    )
    if sentence := generated_content_warning(campaign):
        yield warning("generated", sentence)
    written = content_files(reading.folder)
    if len(written) < MIN_CONTENT_FILES and is_sparse(reading.folder):
        count = f"{len(written)} content file{'' if len(written) == 1 else 's'}"
        yield info(
            "sparse", f"there is little here ({count}); what is missing is invented before it is played"
        )


def _people(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    names = {PLAYER, *reading.names_of("person")}
    slugs = {slug(profile.name) for profile in campaign.people.values()} | {slug(name) for name in names}
    for person, profile in campaign.people.items():
        file = reading.files[f"person:{person}"]
        for other in profile.relationships:
            if slug(other) not in slugs:
                pointer = join_pointer(["relationships", other])
                yield from references.check_name("person", other, names, file, pointer)
        at, faction = profile.metadata.first_appearance, profile.metadata.faction
        places, factions = reading.names_of("place"), reading.names_of("faction")
        yield from references.check_name("place", at, places, file, "/metadata/first_appearance")
        yield from references.check_name("faction", faction, factions, file, "/metadata/faction")
        yield from references.check_asset_path(profile.portrait, "picture", reading.folder, file, "/portrait")
        if not reading.is_broken("beats"):
            yield _placement(profile.name, campaign.placements[person], file)
    for folder in {file.split("/")[2] for file in reading.folder.under(PEOPLE) if file.count("/") > 2}:
        if f"person:{folder}" not in reading.files:
            message = "holds no profile.json, so that nobody is found there"
            yield warning("no-profile", message, f"{PEOPLE}/{folder}")


def _placement(name: str, placement: Placement, file: str) -> CampaignProblem:
    code = "placed" if placement.place else "placed-nowhere"
    return info(code, describe_placement(name, placement), file, "/metadata/first_appearance")


def _player(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    file = reading.files.get("template", TEMPLATE)
    template = campaign.template
    if template.starting_location and len(campaign.places) + (campaign.start != "here") > 1:
        slugs = {slug(p.id) for p in campaign.places.values()} | {
            slug(p.name) for p in campaign.places.values()
        }
        if slug(template.starting_location) not in slugs:
            at = template.starting_location
            yield from references.check_name("place", at, campaign.places, file, "/starting_location")
    if template.stat_range.max is not None and template.stat_range.min > template.stat_range.max:
        yield warning("empty-window", "the least is more than the most", file, "/stat_range")
    if template.character_creation.mode == "preset" and not template.presets:
        message = "characters are to be chosen from `presets`, and there are none; add one"
        yield warning("no-presets", message, file, "/character_creation/mode")
    yield from _choices(template, reading, file)


def _choices(template: Template, reading: LoadResult, file: str) -> Iterator[CampaignProblem]:
    options = {
        "race": {each.name for each in template.allowed_races},
        "class": {each.name for each in template.allowed_classes},
        "background": {each.name for each in template.allowed_backgrounds},
    }
    for index, preset in enumerate(template.presets):
        at = f"/presets/{index}"
        chosen = {"race": preset.race, "class": preset.character_class, "background": preset.background}
        for kind, name in chosen.items():
            if options[kind]:
                yield from references.check_name(kind, name, options[kind], file, f"{at}/{kind}")
        yield from references.check_asset_path(
            preset.portrait, "picture", reading.folder, file, f"{at}/portrait"
        )
        for stat in preset.stats:
            yield from references.check_name(
                "stat", stat, template.starting_stats, file, f"{at}/stats/{stat}"
            )
    groups = ("allowed_races", "allowed_classes", "allowed_backgrounds")
    for group in groups:
        for index, trait in enumerate(getattr(template, group)):
            for stat in trait.stats:
                pointer = f"/{group}/{index}/stats/{stat}"
                yield from references.check_name("stat", stat, template.starting_stats, file, pointer)
    for group in ("required_attributes", "optional_attributes"):
        for index, attribute in enumerate(getattr(template, group)):
            if attribute.kind == "choice" and not attribute.options:
                message = f"'{attribute.name}' is to be chosen, and there is nothing to choose from"
                yield warning("no-options", message, file, f"/{group}/{index}")


def _closer_looks(page: Page, file: str) -> Iterator[CampaignProblem]:
    """Check the lists `Things`, `Senses` and `Deeds` of a place: their form, and names given twice."""
    lines: dict[str, int] = {}
    for block, look in things_of(page):
        if look is None:
            message = "is no thing to look at; write `- furnace, furnace door: what one sees of it`"
            yield warning("no-thing", f"“{_short(block.text)}” {message}", file, "", block.line, 1)
            continue
        for name in look.names:
            if name in lines:
                message = f"'{name}' stands for another thing already, on line {lines[name]}"
                yield warning("same-thing", message, file, "", block.line, 1)
            lines.setdefault(name, block.line)
    for block, act, text in senses_of(page):
        if act not in SENSES or not text:
            near = references.suggest_name(act, SENSES)
            message = f"is not `- smell: what one smells`, of {', '.join(SENSES)}{near}"
            yield warning("no-sense", f"“{_short(block.text)}” {message}", file, "", block.line, 1)
    yield from _deeds(page, file)


def _deeds(page: Page, file: str) -> Iterator[CampaignProblem]:
    """Check the list `Deeds` of a place: its form, and that no wording is given twice."""
    lines: dict[str, int] = {}
    for block, deed in deeds_of(page):
        if deed is None:
            message = "is nothing to do; write `- play violin, tune violin: what comes of it`"
            yield warning("no-deed", f"“{_short(block.text)}” {message}", file, "", block.line, 1)
            continue
        for wording in deed.wordings:
            if wording in lines:
                message = f"'{wording}' stands for another deed already, on line {lines[wording]}"
                yield warning("same-deed", message, file, "", block.line, 1)
            lines.setdefault(wording, block.line)


def _places(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    for name, place in campaign.places.items():
        file = reading.files.get(f"place:{name}", "")
        page = reading.reader.pages.get(file)
        if page is None:
            continue
        for block, way in ways_of(page):
            if way is None:
                message = "is no way to a place; write `- [Title](file.md): the words after “You go”`"
                yield warning("no-way", f"“{_short(block.text)}” {message}", file, "", block.line, 1)
            elif way.to not in (places := reading.names_of("place")):
                near = references.suggest_name(way.to, places)
                message = f"this way leads nowhere: there is no place '{way.to}'{near}"
                yield warning("way-to-nowhere", message, file, "", block.line, 1)
            elif way.to == name:
                yield warning(
                    "way-to-itself", "this way leads back to where it begins", file, "", block.line, 1
                )
        yield from _closer_looks(page, file)
        for kind, reference in (("picture", place.art), ("piece of music", place.music)):
            for problem in references.check_asset_path(reference, kind, reading.folder, file, ""):
                field = "art" if kind == "picture" else "music"
                yield CampaignProblem(
                    problem.severity, problem.code, problem.message, file, "", page.lines.get(field, 1), 1
                )


def _rules(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    file = reading.files.get(RULES, "")
    page = reading.reader.pages.get(file)
    block = next((b for b in page.blocks if b.kind == "code" and is_rules(b)), None) if page else None
    if block is None or any(f.is_error and f.file == file for f in reading.reader.problems):
        return
    places, rules = places_of(block), campaign.rules

    def warn(code: str, message: str, pointer: str) -> CampaignProblem:
        line, column = places.get(pointer) or places.get("/dice") or (block.line, 1)
        return warning(code, message, file, pointer, line, column)

    if "/encounters" in places and not any(beat.encounter for beat in campaign.beats):
        message = "no beat is an encounter: give some of `plot/beats.json` an `encounter`, or leave this out"
        yield warn("no-encounters", message, "/encounters")
    count, _, sides = rules.dice.partition("d")
    least, most = int(count) - rules.modifiers.most, int(count) * int(sides) + rules.modifiers.most
    floors = [band.min for band in rules.bands]
    if min(floors) > least:
        message = f"totals from {least} to {min(floors) - 1} fall in no band; let the lowest begin at {least}"
        yield warn("band-gap", message, "/bands")
    for index, band in enumerate(rules.bands):
        at = f"/bands/{index}"
        if band.min > most:
            message = f"'{band.name}' begins at {band.min}, and no total is above {most}"
            yield warn("dead-band", message, at)
        if index and band.min <= rules.bands[index - 1].min:
            yield warn("band-order", f"'{band.name}' does not begin above the band before it", at)
        if band.name in {earlier.name for earlier in rules.bands[:index]}:
            yield warn("duplicate", f"there is a second band '{band.name}'", at)


def _endings(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    triggers = epilogue_triggers(campaign.beats, campaign.people.values())
    for name, ending in campaign.endings.items():
        file = reading.files[f"ending:{name}"]
        if not ending.paragraphs:
            yield warning("empty-page", "tells nothing; write at least a paragraph", file, "", 1, 1)
        items = [block for block in reading.reader.pages[file].section("Epilogue") if block.kind == "item"]
        for block, aftermath in zip(items, ending.epilogue, strict=True):
            unknown = [trigger for trigger in aftermath.triggers if trigger not in triggers]
            for trigger in unknown if not reading.is_broken("beats") else ():
                near = closest_match(trigger, triggers)
                advice = f"; did you mean “{near}”?" if near else "; it is never told"
                message = f"no beat is called “{trigger}” or brings it about{advice}"
                yield warning("never-set", message, file, "", block.line, 1)


def _assets(reading: LoadResult, campaign: Campaign) -> Iterator[CampaignProblem]:
    folder = reading.folder
    yield from references.check_file_types(folder, all_assets(folder))
    used = {campaign.manifest.cover} | {p.portrait for p in campaign.people.values()}
    used |= {preset.portrait for preset in campaign.template.presets}
    used |= {file for place in campaign.places.values() for file in (place.art, place.music)}
    used |= {file for beat in campaign.beats for file in (beat.music, beat.background)}
    words = {slug(word) for word in _words(campaign)}
    whole = not any(reading.is_broken(what) for what in reading.files)  # else who knows what uses it
    for file in all_assets(folder) if whole else ():
        if file not in used and not has_keywords(folder, file) and slug(_stem(file)) not in words:
            message = "is used by nothing: no file names it, nothing bears its name, and no "
            message += f"{file.rpartition('/')[2]}{KEYWORDS} says what it is for"
            yield warning("unused", message, file)
    for file in folder.under("art"):
        if not file.lower().endswith((*IMAGES, KEYWORDS, SIDECAR, ".md", ".txt")):
            yield warning("unsupported", f"is no picture that is read ({_endings_of(IMAGES)})", file)
    for file in folder.under("music"):
        if not file.lower().endswith((*AUDIO, KEYWORDS, SIDECAR, ".md", ".txt")):
            yield warning("unsupported", f"is no music that is read ({_endings_of(AUDIO)})", file)
    for file in folder.files:
        for ending in (KEYWORDS, SIDECAR):
            if file.endswith(ending) and file.removesuffix(ending) not in folder.files:
                yield warning("orphan", f"belongs to {file.removesuffix(ending)}, which is not there", file)


def _words(campaign: Campaign) -> Iterator[str]:
    """Yield the names that a picture or a piece of music can refer to."""
    yield from campaign.people
    yield from (profile.name for profile in campaign.people.values())
    yield from campaign.places
    yield from (place.name for place in campaign.places.values())
    yield from campaign.factions
    yield from campaign.endings
    yield from (word for beat in campaign.beats for word in (beat.id, beat.mood))
    yield from campaign.template.starting_items
    yield from (item for beat in campaign.beats for item in beat.effects.gain)
    yield from (i for beat in campaign.beats for outcome in beat.outcomes for i in outcome.effects.gain)
    yield from (item for profile in campaign.people.values() for item in profile.inventory)


def _unread(reading: LoadResult, _campaign: Campaign) -> Iterator[CampaignProblem]:
    """Warn about files that nothing reads, though their author may expect it."""
    refused = {problem.file for problem in reading.reader.problems}
    for file in reading.folder.files:
        top, slash, _ = file.partition("/")
        if not slash or file in reading.reader.files_read or file in refused:
            continue
        if top not in FOLDERS:
            near = closest_match(top, FOLDERS)
            advice = f"did you mean {near}/?" if near else f"the folders are {', '.join(FOLDERS)}"
            yield warning("unread", f"is read by nothing; {advice}", file)
        elif file.endswith((".json", ".md")) and top not in ("art", "music"):
            yield warning("unread", f"is read by nothing{_perhaps(file)}", file)


def _perhaps(file: str) -> str:
    files = ("world/setting.md", "world/rules.md", "world/constraints.md", "plot/premise.md", BEATS, TEMPLATE)
    near = closest_match(file, files)
    return f"; did you mean {near}?" if near else "; see the reference for the files of a campaign"


def _stem(file: str) -> str:
    return re.sub(r"_generated$", "", file.rpartition("/")[2].rpartition(".")[0])


def _endings_of(endings: tuple[str, ...]) -> str:
    return ", ".join(ending[1:] for ending in endings)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


CHECKS: tuple[Callable[[LoadResult, Campaign], Iterator[CampaignProblem]], ...] = (
    *(_manifest, _people, _player, _places, _rules, _endings),
    *(check_beats, check_topics, check_repertoire, _assets, _unread),
)
