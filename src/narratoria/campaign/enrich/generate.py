"""Generates the files of a campaign from a kit and its author's sentences, the same for one seed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import yaml

from narratoria.campaign.campaign import Campaign, Provenance
from narratoria.campaign.enrich.casting import PLOT, Pick, cast_plot, rank_plots
from narratoria.campaign.enrich.exclusions import find_exclusions
from narratoria.campaign.enrich.kit_renderer import KitRenderer
from narratoria.campaign.enrich.kits import Kit, load_kit
from narratoria.campaign.enrich.likeness import measure_likeness
from narratoria.campaign.enrich.own_story import (
    NEAR,
    cast_own_plot,
    has_own_trouble,
    rank_own_kits,
    speaks_of_trouble,
)
from narratoria.campaign.enrich.place_pages import write_places
from narratoria.campaign.enrich.player_in_text import bodies
from narratoria.campaign.enrich.plot_documents import known_nouns, write_beats, write_endings, write_profile
from narratoria.campaign.enrich.premise import Premise, kinds_of_world, read_premise
from narratoria.campaign.enrich.retelling import address_player
from narratoria.campaign.folder import Folder, generated_name
from narratoria.campaign.load import (
    BEATS,
    CONSTRAINTS,
    ENDINGS,
    PEOPLE,
    PREMISE,
    RULES,
    SETTING,
    TEMPLATE,
)
from narratoria.campaign.pages import PLACES

VERSION = "2.0.0"  # of the kits and rules: the same version and seed give the same files
GRAMMAR = f"narratoria/grammar@{VERSION}"
MAX_BELONGINGS = 3
MOST_ALIKE = 4  # stories that a model may choose among
MOST_KINDS = 4  # of world, whose stories can be told of a premise when those of nearer kinds are used up
# an author who has some of these has them all: people of ours in a plot of theirs would be in the way
_GROUPS = ("plot/beats", f"{ENDINGS}/", f"{PLACES}/")


class PlayerPreset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    traits: tuple[str, ...]
    best: str  # the attribute that is better than the others


class CommonTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/common.json`."""

    about: str
    rules: str
    ways: tuple[str, ...]  # how the player may go about it in any world, one for each preset
    stats: dict[str, int]
    best: int
    presets: tuple[PlayerPreset, ...]


@cache
def common_texts() -> CommonTexts:
    content = files("narratoria.campaign.enrich").joinpath("data/common.json").read_bytes()
    return msgspec.json.decode(content, type=CommonTexts)


@dataclass(frozen=True, slots=True)
class GeneratedContent:
    """Holds files by the names an author's own would have; documents as values, pages as text."""

    premise: Premise
    plot: str  # the kit and the plot
    files: Mapping[str, str | dict[str, Any]]


def generate_content(
    campaign: Campaign,
    folder: Folder,
    pick: Pick,
    seed: int = 0,
    *,
    used: Collection[str] = (),
    begun: str = "",
) -> GeneratedContent:
    """Generate every file that the campaign lacks, and none that its author has.

    `used` are the plots of neighbouring campaigns, and `begun` is the one that was begun with, if any.
    """
    premise = read_premise(campaign)
    stories = _rank_stories(premise, seed)
    known = next((story for story in stories if story.plot_id == begun), None)
    free = [story for story in stories if story.plot_id not in used] or stories
    nearest = [story for story in free if _are_alike(story.kit, free[0].kit)][:MOST_ALIKE]
    openings = {story.opening: story for story in nearest}
    # the first is the fittest: a model may prefer another, chance does not
    story = known or openings[pick(PLOT, tuple(openings))]
    authored = tuple(prefix for prefix in _GROUPS if any(file.startswith(prefix) for file in folder.files))
    return GeneratedContent(
        story.premise,
        story.plot_id,
        {
            file: content
            for file, content in _all_files(story, pick)
            if file not in folder.files and not file.startswith(authored)
        },
    )


def _are_alike(kit: Kit, other: Kit) -> bool:
    return kit.kind == other.kind or (kit.is_own and other.is_own)


def _rank_stories(premise: Premise, seed: int) -> list[KitRenderer]:
    """Return the stories that can be told with what the premise excludes, the fittest first.

    A premise with a trouble of its own gets a story of that, unless a kit's is near enough to be the same.
    """
    stories = []
    for near in (premise.read_as(kind) for kind in premise.kinds[:MOST_KINDS]):
        kit, exclusions = load_kit(near.kind), find_exclusions(near)
        stories += [
            KitRenderer(near, kit, cast_plot(near, kit, plot, seed), exclusions)
            for plot in rank_plots(near, kit, seed)
        ]
    if has_own_trouble(premise):
        exclusions = find_exclusions(premise)
        own = [
            KitRenderer(premise, kit, cast_own_plot(premise, kit, seed), exclusions)
            for kit in rank_own_kits(premise, seed)
        ]
        likeness = measure_likeness(premise.text, [story.cast.plot.about for story in stories])
        near_enough = [
            story
            for story, near in zip(stories, likeness, strict=True)
            if near >= NEAR and story.cast.has_everybody(premise)
        ]
        far = [story for story in stories if story not in near_enough]
        spoken_of = [story for story in own if speaks_of_trouble(premise, story.cast.plot)]
        others = [story for story in own if story not in spoken_of]
        stories = [*near_enough, *spoken_of, *far, *others]
    return [story for story in stories if story.can_be_told()] or stories


def _all_files(story: KitRenderer, pick: Pick) -> Iterator[tuple[str, str | dict[str, Any]]]:
    kind, body = kinds_of_world()[story.premise.kind], bodies().bodies[story.premise.body]
    absences = (_write_absence(word) for word in story.premise.absences)
    due = (address_player(story.premise.deadline),) if story.premise.deadline else ()
    said = tuple(_as_constraint(one) for one in story.premise.limits)
    of_kind = () if story.kit.is_own else kind.constraints  # a story of the premise's own has no other law
    always = "\n".join(f"- {line}" for line in (*absences, *due, *said, *body.constraints, *of_kind))
    yield SETTING, _setting(story)
    yield PREMISE, _premise(story)
    yield CONSTRAINTS, f"# What Always Holds\n\n{always}\n"
    yield RULES, common_texts().rules.format(travel=bodies().scales[story.premise.scale].travel_hours)
    yield TEMPLATE, _template(story)
    yield from write_places(story, pick)
    for noun, sentence in known_nouns(story):
        yield f"lore/things/{noun.id}.md", f"# {noun:Title}\n\n{sentence}\n"
    for member in story.cast.people:
        yield f"{PEOPLE}/{member.id}/profile.json", write_profile(story, member)
    yield BEATS, write_beats(story)
    for name, page in write_endings(story):
        yield f"{ENDINGS}/{name}.md", page


def _as_constraint(sentence: str) -> str:
    return f"{sentence.rstrip('.!? ')}."


def _write_absence(word: str) -> str:
    is_plural = word in ("people", "children", "men", "women") or (word.endswith("s") and word[-2:] != "ss")
    return f"There {'are' if is_plural else 'is'} no {word} here."


def _setting(story: KitRenderer) -> str:
    manifest = story.premise.campaign.manifest
    begins = address_player(manifest.description) or f"{manifest.title} begins here."
    tone = f" The tone is {manifest.tone.casefold().rstrip('.')}." if manifest.tone else ""
    return f"# {story.start_name}\n\n{begins}{tone}\n\n{story.told(story.kit.setting)}\n"


def _premise(story: KitRenderer) -> str:
    manifest = story.premise.campaign.manifest
    begins = address_player(manifest.description) or f"This is {manifest.title}."
    return f"{begins}\n\n{story.told(story.kit.setting)}\n"


_IS_WANTING = re.compile(r"\b(?:none of|nobody has|lost|missing|stolen|sold|gone)\b", re.IGNORECASE)


def _template(story: KitRenderer) -> dict[str, Any]:
    premise, common = story.premise, common_texts()
    items = [noun.word for noun in premise.things if not _IS_WANTING.search(premise.sentence_about(noun))]
    items = items[:MAX_BELONGINGS]
    ways = common.ways if story.kit.is_own else kinds_of_world()[premise.kind].presets
    player = f"{premise.player:a}" if premise.knows_player else "whoever you say you are"
    if premise.player_name and not premise.player.proper:
        player = f"{premise.player_name}, {premise.player:a}"
    return {
        "character_creation": {
            "mode": "preset",
            "guidance": f"{premise.campaign.title}: you are {player}.",
        },
        "presets": [
            {
                "name": preset.name,
                "description": description,
                "traits": list(preset.traits),
                "stats": {**common.stats, preset.best: common.best},
                "items": items,
            }
            for preset, description in zip(common.presets, ways, strict=True)
        ],
        "required_attributes": [
            {
                "name": "name",
                "prompt": "What are you called?",
                "kind": "text",
                "default": premise.player_name or "You",
            }
        ],
        "starting_stats": common.stats,
        "stat_range": {"min": 1, "max": 8},
        "starting_items": items,
        "starting_location": story.start,
    }


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
