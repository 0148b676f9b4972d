"""Shows campaigns: what each is, which characters it offers, and what is wrong with it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from starlette.responses import Response

from narratoria import paths
from narratoria.app import load_or_enrich_campaign
from narratoria.campaign.campaign import (
    Attribute,
    Campaign,
    Manifest,
    Preset,
    Provenance,
    Template,
    Trait,
)
from narratoria.campaign.validate import validate_campaign as validate_files
from narratoria.contracts.content_limits import NO_LIMITS, ContentLimits
from narratoria.engine.content_limits import describe_excess, load_content_limits
from narratoria.web.app_state import AppState
from narratoria.web.files import file_address, file_not_found, find_inside, media_type, show_file
from narratoria.web.operation import Operations, not_found

MANIFEST = "manifest.json"
CAMPAIGNS = "campaigns"  # a folder in a home
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)

campaigns = Operations("Campaigns", "The stories that can be begun, as their authors left them.")


class Range(msgspec.Struct, frozen=True, rename="camel"):
    min: int
    max: int | None


class CreationPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the player is asked, and may choose, before a story begins."""

    mode: Literal["freeform", "guided", "preset"]
    guidance: str
    races: tuple[Trait, ...]
    classes: tuple[Trait, ...]
    backgrounds: tuple[Trait, ...]
    presets: tuple[Preset, ...]
    required_attributes: tuple[Attribute, ...]
    optional_attributes: tuple[Attribute, ...]
    starting_stats: dict[str, int]
    stat_points: int
    stat_range: Range
    starting_items: tuple[str, ...]
    prompts: dict[str, str]


class ProblemCount(msgspec.Struct, frozen=True, rename="camel"):
    errors: int
    warnings: int


class CampaignCard(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    title: str
    description: str
    author: str
    genre: str
    tone: str
    content_rating: str
    beyond_limits: str  # what its rating says that exceeds the player's content limits, in a sentence
    warnings: tuple[str, ...]  # of its content
    cover: str | None
    hours: float | None
    palette: tuple[str, ...]
    generated_count: int  # files that a model made
    problems: ProblemCount
    playable: bool
    creation: CreationPage


class ValidationProblem(msgspec.Struct, frozen=True, rename="camel"):
    severity: Literal["error", "warning", "info"]
    code: str
    file: str
    line: int
    column: int
    pointer: str
    message: str


class Validation(msgspec.Struct, frozen=True, rename="camel"):
    problems: tuple[ValidationProblem, ...]


class AssetOrigin(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    path: str
    type: str
    generated: bool
    source_model: str | None = None
    generated_at: str | None = None


class ProvenancePage(msgspec.Struct, frozen=True, rename="camel"):
    assets: tuple[AssetOrigin, ...]


@campaigns.get("/campaigns/{name}")
async def show_campaign(app_state: AppState, name: str) -> CampaignCard:
    """A campaign, and who one may be in it."""
    limits = load_content_limits(app_state.settings_folder).limits
    return await asyncio.to_thread(_whole_card, folder_of(app_state, name), limits)


@campaigns.get("/campaigns/{name}/validation")
async def validate_campaign(app_state: AppState, name: str) -> Validation:
    """Everything that is wrong with a campaign, each with its file and line."""
    return Validation(await asyncio.to_thread(_problems, folder_of(app_state, name)))


@campaigns.get("/campaigns/{name}/provenance")
async def show_provenance(app_state: AppState, name: str) -> ProvenancePage:
    """Where each of a campaign's files comes from: from a person, or from which model and when."""
    return ProvenancePage(await asyncio.to_thread(_origins, folder_of(app_state, name)))


@campaigns.get("/campaigns/{name}/files/{path:path}", media="image/*")
async def show_campaign_file(app_state: AppState, name: str, path: str) -> Response:
    """A picture, a sound or a film of a campaign; nothing else of it, and never a page."""
    file = find_inside(folder_of(app_state, name), path)
    if file is None or media_type(file) is None:
        raise file_not_found(path)
    return show_file(file)


def campaign_folders(app_state: AppState) -> dict[str, Path]:
    """By name; of two with one name, the user's. What an author has made is the author's alone."""
    roots = (paths.BUNDLED_CAMPAIGNS, paths.shared_home() / CAMPAIGNS, own_folder(app_state))
    folders = {
        folder.name: folder
        for root in roots
        for folder in sorted(root.glob("*/"))
        if folder.name[0] not in "._" and (folder / MANIFEST).is_file()
    }
    folders.update((folder.name, folder) for folder in app_state.campaigns)
    return dict(sorted(folders.items()))


def own_folder(app_state: AppState) -> Path:
    """Return the folder of the campaigns that the account may write: the owner's are for all."""
    if app_state.account.may("owner"):
        return paths.shared_home() / CAMPAIGNS
    return app_state.settings_folder / CAMPAIGNS


def folder_of(app_state: AppState, name: str) -> Path:
    folder = campaign_folders(app_state).get(name)
    if folder is None:
        raise not_found("campaign", name)
    return folder


def cards(app_state: AppState) -> tuple[CampaignCard, ...]:
    """As on a shelf: by title, less its article."""
    limits = load_content_limits(app_state.settings_folder).limits
    unsorted = (card_of(folder, limits) for folder in campaign_folders(app_state).values())
    return tuple(sorted(unsorted, key=lambda card: _ARTICLE.sub("", card.title, count=1).casefold()))


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands of a campaign on the card of a story."""

    title: str
    cover: str | None = None
    palette: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)  # names by id
    people: Mapping[str, str] = field(default_factory=dict)
    art: Mapping[str, str] = field(default_factory=dict)  # pictures of places, by id
    start: str = ""  # the place of the first scene


def headings(app_state: AppState) -> dict[str, Heading]:
    return {name: _heading(folder) for name, folder in campaign_folders(app_state).items()}


def heading_of(app_state: AppState, name: str) -> Heading:
    folder = campaign_folders(app_state).get(name)
    return _heading(folder) if folder else Heading(name)


def _heading(folder: Path) -> Heading:
    return _read(folder, _stamp(folder))[1]


def card_of(folder: Path, limits: ContentLimits = NO_LIMITS) -> CampaignCard:
    """Also of a campaign that cannot be played: its author is to see that it is there, and why."""
    card = _read(folder, _stamp(folder))[0]
    excess = describe_excess(card.content_rating, limits)
    return msgspec.structs.replace(card, beyond_limits=excess) if excess else card


def _whole_card(folder: Path, limits: ContentLimits) -> CampaignCard:
    """With the characters of a bundled campaign, which is filled up in the reader's home; an author's own
    folder is written into when a story begins, and not when somebody looks."""
    card = card_of(folder, limits)
    if folder.parent != paths.BUNDLED_CAMPAIGNS:
        return card
    return msgspec.structs.replace(card, creation=_creation(load_or_enrich_campaign(folder).template))


def _stamp(folder: Path) -> tuple[int, int]:
    """Another one when any file of the campaign has come, gone or changed."""
    times = [path.stat().st_mtime_ns for path in _content(folder)]
    return len(times), max(times, default=0)


@lru_cache(maxsize=256)
def _read(folder: Path, _stamp: tuple[int, int]) -> tuple[CampaignCard, Heading]:
    report = validate_files(folder)
    campaign = report.campaign or Campaign(folder, Manifest(title=folder.name, version="0"))
    manifest = campaign.manifest
    broken = "This campaign cannot be played until its author mends it."
    card = CampaignCard(
        name=campaign.name,
        title=campaign.title,
        description=manifest.description or ("" if report.ok else broken),
        author=manifest.author,
        genre=manifest.genre,
        tone=manifest.tone,
        content_rating=manifest.content_rating,
        beyond_limits="",
        warnings=manifest.content_warnings,
        cover=cover_of(campaign),
        hours=manifest.estimated_playtime_hours or None,
        palette=manifest.palette,
        generated_count=len(campaign.generated),
        problems=ProblemCount(report.count("error"), report.count("warning")),
        playable=report.ok,
        creation=_creation(campaign.template),
    )
    places_ = {name: place.name for name, place in campaign.places.items()}
    people = {name: profile.name for name, profile in campaign.people.items()}
    art = {name: place.art for name, place in campaign.places.items() if place.art}
    return card, Heading(card.title, card.cover, card.palette, places_, people, art, campaign.start)


def cover_of(campaign: Campaign) -> str | None:
    """Return the picture that its author named, or one of the usual name."""
    named = (campaign.manifest.cover, *(f"art/cover{ending}" for ending in (".webp", ".png", ".jpg", ".svg")))
    cover = next((path for path in named if path and find_inside(campaign.folder, path)), None)
    return file_address(campaign.name, cover) if cover and media_type(cover) else None


def _creation(template: Template) -> CreationPage:
    return CreationPage(
        mode=template.character_creation.mode,
        guidance=template.character_creation.guidance,
        races=template.allowed_races,
        classes=template.allowed_classes,
        backgrounds=template.allowed_backgrounds,
        presets=template.presets,
        required_attributes=template.required_attributes,
        optional_attributes=template.optional_attributes,
        starting_stats=template.starting_stats,
        stat_points=template.stat_points,
        stat_range=Range(template.stat_range.min, template.stat_range.max),
        starting_items=template.starting_items,
        prompts=template.prompts,
    )


def _problems(folder: Path) -> tuple[ValidationProblem, ...]:
    return tuple(
        ValidationProblem(one.severity, one.code, one.file, one.line, one.column, one.pointer, one.message)
        for one in validate_files(folder).problems
    )


def _origins(folder: Path) -> tuple[AssetOrigin, ...]:
    """Every file, and of a file with generated parts each part."""
    campaign = validate_files(folder).campaign
    generated = campaign.generated if campaign else {}
    files = [path.relative_to(folder).as_posix() for path in _content(folder)]
    parts = [name for name in generated if name not in files]
    return tuple(_origin(name, generated.get(name)) for name in (*files, *parts))


def _content(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and not path.name.endswith(".keywords.txt"):
            yield path


def _origin(name: str, origin: Provenance | None) -> AssetOrigin:
    return AssetOrigin(
        path=name,
        type=_kind(Path(name.partition("#")[0])),
        generated=origin is not None,
        source_model=origin.source_model if origin else None,
        generated_at=origin.generated_at if origin else None,
    )


def _kind(path: Path) -> str:
    media = media_type(path)
    if media:
        return media.partition("/")[0]
    return "structured" if path.suffix == ".json" else "prose"
