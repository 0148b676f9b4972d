"""Generates the files of a campaign from templates and its author's sentences, the same for one seed.

Templates are format strings. `{token:the}` is a noun in the form a sentence needs, `{pick[question]}` is one
of the options of a question, and `{fragment[name]}` depends on what the author has written. A member
`{"$value": "items"}` stands for a value that is not text.

The place is the author's, word for word; people, finds and troubles are made from the things the author's
text names. The sentences are templates in `data/story_templates.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import yaml

from narratoria.campaign.campaign import Campaign, Provenance
from narratoria.campaign.enrich.source import SECRETIVE, WORDS, Pick, Source, read_source
from narratoria.campaign.folder import Folder, generated_name
from narratoria.campaign.load import BEATS, ENDINGS, PEOPLE, PLACES, PREMISE, RULES, SETTING, TEMPLATE
from narratoria.campaign.lore import sentences

MAX_AUTHOR_PARAGRAPHS, MAX_AUTHOR_SENTENCES = 3, 4  # of the setting, in the first place
MAX_BELONGINGS = 3


class Fragment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Gives the text `then` where the named value is given, and `else` where it is not."""

    condition: str = msgspec.field(name="if")
    then: str
    otherwise: str = msgspec.field(name="else")


class PageTemplate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    paragraphs: tuple[str, ...]


class PlaceTemplate(PageTemplate, frozen=True):
    moments: tuple[str, ...]
    ways: tuple[str, ...]


class LoreTemplate(PageTemplate, frozen=True, kw_only=True):
    path: str  # under `lore/`, without its ending
    condition: str = msgspec.field(name="if", default="")  # the value without which it is not written


class StoryTemplates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines the document `data/story_templates.json`."""

    about: str
    surroundings: dict[str, dict[str, str]]  # by where the story plays: names of the places around
    options: dict[str, tuple[str, ...]]  # by question; their order decides what a seed chooses
    fragments: dict[str, Fragment]
    setting: PageTemplate
    premise: tuple[str, ...]
    rules: str  # not filled in
    player_template: dict[str, Any]
    places: dict[str, PlaceTemplate]  # by id, the one that the story begins at first
    lore: tuple[LoreTemplate, ...]
    people: dict[str, dict[str, Any]]
    beats: tuple[dict[str, Any], ...]
    endings: dict[str, PageTemplate]
    epilogue: tuple[str, ...]  # of every ending


@cache
def story_templates() -> StoryTemplates:
    """Return the templates that come with the package."""
    content = files("narratoria.campaign.enrich").joinpath("data/story_templates.json").read_bytes()
    return msgspec.json.decode(content, type=StoryTemplates)


class TemplateRenderer:
    """Fills in templates with the nouns, people and sentences of one source."""

    def __init__(self, source: Source, pick: Pick, templates: StoryTemplates) -> None:
        self._values = {
            **_values(source),
            "surroundings": templates.surroundings[_surroundings_kind(source)],
            "pick": _Options(self, pick, templates.options),
            "fragment": _Fragments(self, templates.fragments),
        }

    def is_given(self, name: str) -> bool:
        """Return whether the author's text provides the named value."""
        return bool(self._values[name])

    def text(self, template: str) -> str:
        return template.format_map(self._values)

    def document(self, template: Any) -> Any:
        """Return the template with every text in it, keys included, filled in."""
        match template:
            case {"$value": str(name)}:
                return self._values[name]
            case dict():
                return {self.text(key): self.document(value) for key, value in template.items()}
            case list() | tuple():
                return [self.document(item) for item in template]
            case str():
                return self.text(template)
            case _:
                return template


class _Options(Mapping[str, str]):
    """Maps a question to the option that is picked for it."""

    def __init__(self, render: TemplateRenderer, pick: Pick, options: Mapping[str, tuple[str, ...]]) -> None:
        self._render, self._pick, self._options = render, pick, options

    def __getitem__(self, question: str) -> str:
        return self._pick(question, tuple(map(self._render.text, self._options[question])))

    def __iter__(self) -> Any:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


class _Fragments(Mapping[str, str]):
    """Maps the name of a fragment to its text."""

    def __init__(self, render: TemplateRenderer, fragments: Mapping[str, Fragment]) -> None:
        self._render, self._fragments = render, fragments

    def __getitem__(self, name: str) -> str:
        fragment = self._fragments[name]
        is_given = self._render.is_given(fragment.condition)
        return self._render.text(fragment.then if is_given else fragment.otherwise)

    def __iter__(self) -> Any:
        return iter(self._fragments)

    def __len__(self) -> int:
        return len(self._fragments)


def _values(source: Source) -> dict[str, Any]:
    """Return what templates can name."""
    manifest, rule = source.campaign.manifest, source.rule
    nouns = {
        name: getattr(source, name)
        for name in ("start", "token", "fixture", "furniture", "weather", "vessel", "absent")
    }
    people = {name: getattr(source, name) for name in ("keeper", "waiting", "carrier", "kin")}
    return {
        **nouns,
        **people,
        "trade": next(iter(source.trades), None),
        "other_vessels": " and for ".join(f"{noun:a}" for noun in source.vessels[1:3]),
        "token_is_sealed": source.token.head in SECRETIVE,
        "items": _starting_items(source),
        "title": manifest.title,
        "description": manifest.description,
        "stripped_description": manifest.description.rstrip(),
        "tone": manifest.tone.casefold(),
        "time": source.time,
        "rule": rule,
        "rule_sentence": f"{rule[:1].upper()}{rule[1:]}",
        "author_paragraphs": "\n\n".join(
            " ".join(sentences(paragraph)[:MAX_AUTHOR_SENTENCES])
            for paragraph in source.paragraphs()[:MAX_AUTHOR_PARAGRAPHS]
        ),
        "author_sentence": {
            name: f"{sentence}\n\n" if (sentence := source.sentence_about(noun)) else ""
            for name, noun in nouns.items()
        },
    }


def _starting_items(source: Source) -> list[str]:
    others = [noun.word for noun in source.belongings if noun.head != source.token.head]
    return [*others[:MAX_BELONGINGS], source.token.word]


def _surroundings_kind(source: Source) -> str:
    return "open" if source.start.head in WORDS.open_places else source.outside


VERSION = "1.1.0"  # of the templates and rules: the same version and seed give the same files
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
