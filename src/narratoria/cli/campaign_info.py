"""`narratoria campaign info` and `schemas`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from narratoria.cli.campaign_found import folder_of
from narratoria.terminal import counted, painted, say, visible

if TYPE_CHECKING:
    from narratoria.campaign.campaign import Campaign


@click.command()
@click.argument("campaign", default=".")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def info(*, campaign: str, as_json: bool) -> None:
    """What a campaign is and holds: people, places, beats, endings, lore, pictures, music."""
    import json

    from narratoria.campaign.folder import look_at
    from narratoria.campaign.load import load_campaign

    folder = folder_of(campaign)
    story = load_campaign(folder)
    document = _document(story, look_at(folder).files)
    if as_json:
        say(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        say("\n".join(_page(story, document)))


def _document(story: Campaign, files: Any) -> dict[str, Any]:
    import msgspec

    from narratoria.campaign.folder import AUDIO, IMAGES
    from narratoria.campaign.load import load_warning

    return {
        "name": story.folder.resolve().name,
        "folder": str(story.folder),
        "manifest": msgspec.to_builtins(story.manifest),
        "start": story.start,
        "people": {name: profile.name for name, profile in story.people.items()},
        "places": {name: place.name for name, place in story.places.items()},
        "factions": {name: faction.name for name, faction in story.factions.items()},
        "beats": [beat.id for beat in story.beats],
        "endings": {name: ending.title for name, ending in story.endings.items()},
        "lore": sum(file.startswith("lore/") and file.endswith(".md") for file in files),
        "pictures": sum(file.lower().endswith(IMAGES) for file in files),
        "music": sum(file.lower().endswith(AUDIO) for file in files),
        "generated": {file: msgspec.to_builtins(by) for file, by in story.generated.items()},
        "warning": load_warning(story),
    }


def _page(story: Campaign, about: dict[str, Any]) -> Iterator[str]:
    manifest = story.manifest
    yield f"{painted(visible(manifest.title), sys.stdout, bold=True)} {manifest.version}"
    if manifest.description:
        yield visible(manifest.description)
    yield ""
    hours = f"{manifest.estimated_playtime_hours:g} h" if manifest.estimated_playtime_hours else ""
    facts = {
        "author": manifest.author,
        "genre": manifest.genre,
        "tone": manifest.tone,
        "rating": manifest.content_rating,
        "warnings": ", ".join(manifest.content_warnings),
        "length": hours,
        "licence": manifest.license,
        "folder": str(story.folder),
        "holds": ", ".join(
            (
                counted(len(story.people), "person", "people"),
                counted(len(about["places"]), "place"),
                counted(len(story.beats), "beat"),
                counted(len(story.endings), "ending"),
                counted(about["lore"], "lore file"),
                counted(about["pictures"], "picture"),
                counted(about["music"], "piece of music", "pieces of music"),
            )
        ),
    }
    yield from (f"  {name:<8} {visible(value)}" for name, value in facts.items() if value)
    if about["warning"]:
        yield f"\n{about['warning']}"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def schemas(*, folder: Path) -> None:
    """Write the contracts of a campaign's files into FOLDER as JSON Schemas, for an editor to check by."""
    from narratoria.campaign.authoring import PUBLISHED, write_schemas

    for path, files in zip(write_schemas(folder), PUBLISHED.values(), strict=True):
        say(f"{path}  for {files}")
