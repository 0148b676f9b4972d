"""A whole campaign out of a few sentences, by rules that a person wrote; one seed gives one campaign.

Everything hangs on what the author has said. The place is theirs, word for word; people, finds and troubles
are made from the things their text speaks of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from narratoria.campaign.campaign import Campaign, Provenance
from narratoria.campaign.enrich.endings import write_endings
from narratoria.campaign.enrich.pages import (
    write_lore,
    write_premise,
    write_rules,
    write_setting,
    write_template,
)
from narratoria.campaign.enrich.people import write_people
from narratoria.campaign.enrich.places import write_places
from narratoria.campaign.enrich.plot import write_beats
from narratoria.campaign.enrich.source import Pick, Source, read_source
from narratoria.campaign.folder import Folder, generated_name
from narratoria.campaign.load import BEATS, ENDINGS, PEOPLE, PLACES, PREMISE, RULES, SETTING, TEMPLATE

VERSION = "1.0.0"  # of the rules below: the same version and seed give the same files
GRAMMAR = f"narratoria/grammar@{VERSION}"


@dataclass(frozen=True, slots=True)
class GeneratedContent:
    """Files by the names that an author's own would have; documents as values, pages as text."""

    source: Source
    files: Mapping[str, str | dict[str, Any]]


def generate_content(campaign: Campaign, folder: Folder, pick: Pick, seed: int = 0) -> GeneratedContent:
    """Everything that the campaign lacks. What its author has is left alone, also where more would fit in."""
    source = read_source(campaign, pick, seed)
    wanted = dict(_all(source, pick))
    taken = {
        kind for kind, prefix in _GROUPS.items() if any(file.startswith(prefix) for file in folder.files)
    }
    return GeneratedContent(
        source,
        {
            file: content
            for file, content in wanted.items()
            if file not in folder.files and not any(file.startswith(_GROUPS[kind]) for kind in taken)
        },
    )


# an author who has some of these has them all: people of ours in a plot of theirs would be in the way
_GROUPS = {
    "beats": "plot/beats",
    "endings": f"{ENDINGS}/",
    "places": f"{PLACES}/",
}


def _all(source: Source, pick: Pick) -> Iterator[tuple[str, str | dict[str, Any]]]:
    yield SETTING, write_setting(source)
    yield PREMISE, write_premise(source)
    yield RULES, write_rules()
    yield TEMPLATE, write_template(source)
    for place, page in write_places(source, pick).items():
        yield f"{PLACES}/{place}.md", page
    for name, page in write_lore(source, pick).items():
        yield f"lore/{name}.md", page
    for person, profile in write_people(source, pick).items():
        yield f"{PEOPLE}/{person}/profile.json", profile
    yield BEATS, {"beats": write_beats(source, pick)}
    for ending, page in write_endings(source).items():
        yield f"{ENDINGS}/{ending}.md", page


def with_provenance(file: str, content: str | dict[str, Any], origin: Provenance) -> tuple[str, bytes]:
    """The file under its generated name, with where it comes from."""
    known = {
        "source_model": origin.source_model,
        "generated_at": origin.generated_at,
        "seed_data": origin.seed_data,
        "version": origin.version,
    }
    if isinstance(content, dict):
        document = {**content, "generated": True, "provenance": known}
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    else:
        front = yaml.safe_dump({"provenance": known}, allow_unicode=True, sort_keys=False, width=10_000)
        text = f"---\ngenerated: true\n{front}---\n\n{content}"
    return generated_name(file), text.encode()
