"""Generates the files of a campaign from a few sentences of its author; one seed gives one campaign.

The place is the author's, word for word; people, finds and troubles are made from the things the author's
text names. The sentences are templates in `data/story_templates.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from narratoria.campaign.campaign import Campaign, Provenance
from narratoria.campaign.enrich.source import Pick, Source, read_source
from narratoria.campaign.enrich.templates import PageTemplate, TemplateRenderer, story_templates
from narratoria.campaign.folder import Folder, generated_name
from narratoria.campaign.load import BEATS, ENDINGS, PEOPLE, PLACES, PREMISE, RULES, SETTING, TEMPLATE

VERSION = "1.0.0"  # of the templates and rules: the same version and seed give the same files
GRAMMAR = f"narratoria/grammar@{VERSION}"


@dataclass(frozen=True, slots=True)
class GeneratedContent:
    """Holds files by the names an author's own would have; documents as values, pages as text."""

    source: Source
    files: Mapping[str, str | dict[str, Any]]


def generate_content(campaign: Campaign, folder: Folder, pick: Pick, seed: int = 0) -> GeneratedContent:
    """Generate every file that the campaign lacks, and none that its author has."""
    source = read_source(campaign, pick, seed)
    contents = dict(_all_files(source, pick))
    authored_prefixes = tuple(
        prefix for prefix in _GROUPS if any(file.startswith(prefix) for file in folder.files)
    )
    return GeneratedContent(
        source,
        {
            file: content
            for file, content in contents.items()
            if file not in folder.files and not file.startswith(authored_prefixes)
        },
    )


# an author who has some of these has them all: people of ours in a plot of theirs would be in the way
_GROUPS = ("plot/beats", f"{ENDINGS}/", f"{PLACES}/")


def _all_files(source: Source, pick: Pick) -> Iterator[tuple[str, str | dict[str, Any]]]:
    templates = story_templates()
    render = TemplateRenderer(source, pick, templates)
    yield SETTING, _page(render, templates.setting)
    yield PREMISE, _paragraphs(render, templates.premise) + "\n"
    yield RULES, templates.rules
    yield TEMPLATE, render.document(templates.player_template)
    for place, template in templates.places.items():
        moments, ways = _list(render, template.moments), _list(render, template.ways)
        page = f"{_page(render, template)}\n## Moments\n\n{moments}\n\n## Ways\n\n{ways}\n"
        yield f"{PLACES}/{render.text(place)}.md", page
    for lore in templates.lore:
        if not lore.condition or render.is_given(lore.condition):
            yield f"lore/{render.text(lore.path)}.md", _page(render, lore)
    for person, profile in templates.people.items():
        yield f"{PEOPLE}/{render.text(person)}/profile.json", render.document(profile)
    yield BEATS, {"beats": render.document(templates.beats)}
    epilogue = _list(render, templates.epilogue)
    for ending, ending_page in templates.endings.items():
        yield f"{ENDINGS}/{ending}.md", f"{_page(render, ending_page)}\n## Epilogue\n\n{epilogue}\n"


def _page(render: TemplateRenderer, page: PageTemplate) -> str:
    return f"# {render.text(page.title)}\n\n{_paragraphs(render, page.paragraphs)}\n"


def _paragraphs(render: TemplateRenderer, paragraphs: Sequence[str]) -> str:
    return "\n\n".join(map(render.text, paragraphs))


def _list(render: TemplateRenderer, lines: Sequence[str]) -> str:
    return "\n".join(f"- {render.text(line)}" for line in lines)


def with_provenance(file: str, content: str | dict[str, Any], origin: Provenance) -> tuple[str, bytes]:
    """Return the file under its generated name, marked as generated, with its provenance."""
    provenance = {
        "source_model": origin.source_model,
        "generated_at": origin.generated_at,
        "seed_data": origin.seed_data,
        "version": origin.version,
    }
    if isinstance(content, dict):
        document = {**content, "generated": True, "provenance": provenance}
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    else:
        front = yaml.safe_dump({"provenance": provenance}, allow_unicode=True, sort_keys=False, width=10_000)
        text = f"---\ngenerated: true\n{front}---\n\n{content}"
    return generated_name(file), text.encode()
