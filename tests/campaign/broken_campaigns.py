"""Campaigns with something wrong; `broken_campaigns.txt` beside this says exactly what each is told.

`python tests/campaign/broken_campaigns.py` writes that file anew, to be read before it is believed.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaign.mill import PROVENANCE, Change, added, build, edited, removed, replaced

BEATS, MANIFEST, TEMPLATE = "plot/beats.json", "manifest.json", "characters/player/template.json"
MILLER, RULES = "characters/npcs/miller/profile.json", "world/rules.md"
GENERATED_PAGE = """---
generated: true
provenance:
  source_model: m
  generated_at: 2026-02-03T11:00:00Z
  seed_data: s
---
"""


@dataclass(frozen=True)
class Animal:
    name: str
    changes: tuple[Change, ...]


def beat(number: int, **fields: Any) -> Change:
    return edited(BEATS, lambda document: document["beats"][number].update(fields))


def needs(number: int, **conditions: Any) -> Change:
    return edited(BEATS, lambda document: document["beats"][number]["conditions"].update(conditions))


def manifest(**fields: Any) -> Change:
    return edited(MANIFEST, lambda document: document.update(fields))


def template(**fields: Any) -> Change:
    return edited(TEMPLATE, lambda document: document.update(fields))


def miller(**fields: Any) -> Change:
    return edited(MILLER, lambda document: document.update(fields))


def topic(**fields: Any) -> dict[str, Any]:
    return {"id": "wheel", "ask": "why it turns", "answer": "“It has to,” says Jonah Reed.", **fields}


def outcomes(*chances: float | None) -> Change:
    many = [
        {"name": f"way {n}", "description": "So.", "probability": chance} for n, chance in enumerate(chances)
    ]
    return beat(2, outcomes=many)


def in_a_circle(document: Any) -> None:
    document["beats"][1]["conditions"]["requires_beat"] = "end"
    document["beats"][3]["conditions"]["requires_beat"] = "climb"


def rules(block: str) -> Change:
    return added(RULES, f"# Rules\n\n```yaml rules\n{block}```\n")


ZOO = (
    Animal("nothing wrong at all", ()),
    # the manifest
    Animal("no manifest", (removed(MANIFEST),)),
    Animal("an empty manifest", (added(MANIFEST, ""),)),
    Animal("a manifest with a trailing comma", (added(MANIFEST, '{"title": "x",\n "version": "1.0.0",\n}'),)),
    Animal("a manifest that is a list", (added(MANIFEST, "[]"),)),
    Animal("a title that is missing", (added(MANIFEST, '{"version": "1.0.0"}'),)),
    Animal("a version that is none", (manifest(version="1.0"),)),
    Animal("a rating that nobody gives", (manifest(content_rating="teen"),)),
    Animal("a key with a slip", (manifest(auhtor="Ada"),)),
    Animal("a key of one's own", (manifest(**{"x-shelf": 3, "$schema": "manifest.schema.json"}),)),
    Animal("the same key twice", (added(MANIFEST, '{"title": "x", "version": "1.0.0",\n "title": "y"}'),)),
    Animal("a number where a list belongs", (manifest(tags=7),)),
    Animal("a playtime below nothing", (manifest(estimated_playtime_hours=-1),)),
    Animal("a colour that is a word", (manifest(palette=["red"]),)),
    Animal("a cover that is not there", (manifest(cover="art/cover.png"),)),
    Animal("a cover outside", (manifest(cover="../../etc/passwd.png"),)),
    Animal("a cover from elsewhere", (manifest(cover="https://example.org/c.png"),)),
    # how files are written
    Animal("UTF-16", (added(MANIFEST, '{"title": "x"}'.encode("utf-16")),)),
    Animal("a byte that is no text", (added("lore/history/flood.md", b"# A\n\nab\xffc"),)),
    Animal("binary in Markdown", (added("lore/history/flood.md", b"# A\n\x00\x01\x02\xff\xfe"),)),
    Animal("nulls in Markdown", (added("world/setting.md", b"# A\n\n\x00"),)),
    Animal("a document of ten megabytes", (added(BEATS, b'{"beats": []}' + b" " * 10_000_000),)),
    Animal("a page of twenty megabytes", (added("lore/history/flood.md", b"word " * 4_000_000),)),
    Animal("a byte order mark", (added(MANIFEST, b'\xef\xbb\xbf{"title": "x", "version": "1.0.0"}'),)),
    Animal("lines that end in CRLF", (added("world/constraints.md", b"# N\r\n\r\n- Nobody drowns.\r\n"),)),
    Animal("a nest of brackets", (added(BEATS, b'{"beats": ' + b"[" * 5000 + b"]" * 5000 + b"}"),)),
    Animal("half of a surrogate pair", (added(MANIFEST, '{"title": "\\ud800", "version": "1.0.0"}'),)),
    Animal(
        "a number without end",
        (added(MANIFEST, '{"title": "x", "version": "1.0.0", "estimated_playtime_hours": 1e999}'),),
    ),
    Animal("NaN", (added(MANIFEST, '{"title": "x", "version": "1.0.0", "estimated_playtime_hours": NaN}'),)),
    Animal(
        "names in other scripts",
        (
            added(
                "lore/locations/Höhle.md", "# Die Höhle\n\nTropft.\n\n## Ways\n\n- [Mill](mill.md): hinaus\n"
            ),
            added("characters/npcs/梅林/profile.json", {"name": "梅林", "role": "巫师", "personality": {}}),
        ),
    ),
    # people
    Animal("a person without a role", (edited(MILLER, lambda d: d.pop("role")),)),
    Animal("a personality in a word", (miller(personality="slow"),)),
    Animal("a portrait with a slip", (miller(portrait="art/characters/npc_miler.png"),)),
    Animal("a portrait that climbs out", (miller(portrait="art/../../secret.png"),)),
    Animal("a portrait that is music", (miller(portrait="music/ambient/wheel.ogg"),)),
    Animal("a friend nobody knows", (miller(relationships={"weir-keper": "Who?"}),)),
    Animal(
        "a home that is not on the map", (miller(metadata={"first_appearance": "barn", "faction": "gild"}),)
    ),
    Animal("a folder without a profile", (added("characters/npcs/ghost/secrets.md", "Boo.\n"),)),
    Animal(
        "a topic after a beat that nobody wrote",
        (miller(topics=[topic(conditions={"requires_beat": "dusk"})]),),
    ),
    Animal(
        "a topic that somebody unknown thinks better of one for",
        (miller(topics=[topic(effects={"perception": {"milller": 1}})]),),
    ),
    Animal("two topics of one name", (miller(topics=[topic(), topic(ask="why it hums")]),)),
    Animal("a topic without an answer", (miller(topics=[{"id": "wheel", "ask": "why it turns"}]),)),
    Animal("a topic that waits for a choice", (miller(topics=[topic(conditions={"player_choice": "Ask"})]),)),
    Animal("a goal without a goal", (miller(goals=[{"priority": "urgent"}]),)),
    # beats
    Animal("beats without a list", (added(BEATS, "{}"),)),
    Animal("a priority that is none", (beat(0, priority="urgent"),)),
    Animal("two beats of one name", (beat(1, id="arrive"),)),
    Animal("a beat that requires itself", (needs(1, requires_beat="climb"),)),
    Animal("beats in a circle", (edited(BEATS, in_a_circle),)),
    Animal("a beat that nobody wrote", (needs(1, requires_beat="arive"),)),
    Animal("one of several that nobody wrote", (needs(3, requires_any_beat=["climb", "dusk"]),)),
    Animal("a window inside out", (needs(0, scene_count={"min": 9, "max": 2}),)),
    Animal("an opinion inside out", (needs(2, npc_state={"miller": {"perception": {"min": 5, "max": -5}}}),)),
    Animal("strangers in a beat", (beat(0, npcs=["milller"], dialogue=[{"speaker": "owl", "text": "Hu."}]),)),
    Animal("a place that is not on the map", (beat(0, location="barn"),)),
    Animal("an ending that is not told", (beat(3, ending="evening"),)),
    Animal("a stat that nobody has", (beat(1, stat="luck"),)),
    Animal("an expression that stops", (needs(1, custom="scene > "),)),
    Animal("an expression about nothing", (needs(1, custom="weather == 'rain'"),)),
    Animal("an expression about strangers", (needs(1, custom='"dusk" in told && stats.luck > 1'),)),
    Animal("flags taken for a map", (needs(1, custom='flags["x"] == true'),)),
    Animal("chances that come to more than one", (outcomes(0.5, 0.75),)),
    Animal("a chance that is missing", (outcomes(0.5, None),)),
    Animal("a chance of two hundred per cent", (outcomes(2.0),)),
    Animal("an outcome that no roll has", (beat(1, outcomes=[{"name": "success", "description": "Up."}]),)),
    Animal(
        "two outcomes of one name",
        (
            beat(
                1,
                outcomes=[
                    {"name": "good", "description": "a"},
                    {"name": "good", "description": "b"},
                    {"name": "bad", "description": "c"},
                ],
            ),
        ),
    ),
    Animal("a timeout into nothing", (beat(1, timeout={"scenes": 0, "fallback_beat": "dusk"}),)),
    Animal(
        "effects on nobody",
        (
            beat(
                2,
                outcomes=[],
                effects={
                    "perception": {"owl": 1},
                    "reputation": {"owls": 1},
                    "dies": ["owl"],
                    "moves": {"miller": "barn"},
                    "move_to": "barn",
                },
            ),
        ),
    ),
    Animal("music that is not there", (beat(0, music="music/ambient/weel.ogg", background="art/night.png"),)),
    # the player
    Animal("a mode of one's own", (template(character_creation={"mode": "random"}),)),
    Animal("nobody to choose from", (template(character_creation={"mode": "preset"}, presets=[]),)),
    Animal(
        "a class that is not allowed",
        (template(presets=[{"name": "Ro", "class": "Wizard", "stats": {"luck": 1}}]),),
    ),
    Animal("a start that is not on the map", (template(starting_location="Barn"),)),
    Animal("a choice of nothing", (template(optional_attributes=[{"name": "hat", "kind": "choice"}]),)),
    # rules
    Animal("rules that are not YAML", (rules("dice: [1d6\n"),)),
    Animal("rules with an alias", (rules("dice: &d 1d6\nother: *d\n"),)),
    Animal("rules with a tag", (rules("dice: !!python/object/apply:os.system [ls]\n"),)),
    Animal("dice that cannot be thrown", (rules("dice: d20\nbands:\n  - {name: good, min: 1}\n"),)),
    Animal(
        "bands with a gap below them",
        (rules("dice: 1d6\nbands:\n  - {name: bad, min: 2}\n  - {name: good, min: 12}\n"),),
    ),
    Animal(
        "bands upside down",
        (rules("dice: 1d6\nbands:\n  - {name: good, min: 4}\n  - {name: bad, min: -2}\n"),),
    ),
    Animal("encounters more than certain", (rules("encounters:\n  chance: 2\n"),)),
    Animal(
        "encounters with nobody to meet",
        (
            rules(
                "dice: 1d6\nbands:\n  - {name: bad, min: -2}\n  - {name: good, min: 4}\n"
                "encounters:\n  chance: 0.5\n"
            ),
        ),
    ),
    Animal("an encounter that the player chooses", (beat(0, encounter=1),)),
    Animal("an encounter that may not be missed", (beat(0, encounter=1, skippable=False),)),
    Animal("an encounter that ends the story", (beat(0, encounter=1, ending="morning"),)),
    Animal("a kind of scene that nobody knows", (rules("time:\n  swim: 2\n"),)),
    Animal("a key of the rules with a slip", (replaced(RULES, "modifiers:", "modifier:"),)),
    Animal("a tone that nobody has", (miller(speech_patterns={"greetings": {"hot": "Ah!"}}),)),
    # places and pages
    Animal("a way to nowhere", (replaced("lore/locations/mill.md", "weir.md", "wier.md"),)),
    Animal("a way without a link", (replaced("lore/locations/mill.md", "[The weir](weir.md)", "The weir"),)),
    Animal(
        "things, senses and deeds that are none",
        (
            replaced(
                "lore/locations/mill.md",
                "## Ways",
                "## Things\n\n- wheel, sacks: Oak.\n- sacks: Flour.\n- a rope\n\n"
                "## Senses\n\n- smel: Flour.\n\n"
                "## Deeds\n\n- stop wheel: No.\n- stop wheel: Yes.\n- dance\n\n## Ways",
            ),
        ),
    ),
    Animal("an ending without a word", (added("plot/endings/morning.md", "# Morning\n"),)),
    Animal(
        "an epilogue that waits for nothing",
        (replaced("plot/endings/morning.md", "the wheel turns:", "the wheel turned:"),),
    ),
    Animal("front matter that does not end", (added("lore/history/flood.md", "---\ngenerated: true\n"),)),
    # pictures and music
    Animal("a picture that is not one", (added("art/items/sack.png", b"GIF89a"),)),
    Animal("a picture without anything in it", (added("art/items/sack.png", b""),)),
    Animal("a picture nobody uses", (added("art/items/hat.png", b"\x89PNG\r\n\x1a\n0"),)),
    Animal("a picture of a kind nobody reads", (added("art/items/sack.tiff", b"II"),)),
    Animal("keywords of a picture that is gone", (removed("art/items/sack.png"),)),
    # what does not belong there
    Animal(
        "a skill in the campaign",
        (added("skills/thief/skill.json", {}), added("skills/thief/scripts/steal.py", "")),
    ),
    Animal("a program among the lore", (added("lore/run-me.sh", "rm -rf /"),)),
    Animal("a folder with a slip", (added("plots/beats.json", {"beats": []}),)),
    Animal("a file with a slip", (added("plot/premis.md", "Once.\n"),)),
    Animal("names that differ by case", (added("lore/history/FLOOD.md", "# The flood\n\nAgain.\n"),)),
    # who wrote it
    Animal("generated, and nobody says by what", (miller(generated=True),)),
    Animal(
        "generated, with a part of the truth", (miller(generated=True, provenance={"source_model": "m"}),)
    ),
    Animal("a person's work with provenance", (miller(provenance=PROVENANCE),)),
    Animal(
        "generated some day", (miller(generated=True, provenance={**PROVENANCE, "generated_at": "tuesday"}),)
    ),
    Animal("generated, by its name alone", (added("lore/history/ice_generated.md", "# Ice\n\nCold.\n"),)),
    Animal(
        "a generated page without provenance",
        (added("lore/history/ice_generated.md", "---\ngenerated: true\n---\n# Ice\n"),),
    ),
    Animal("a generated beat without provenance", (beat(0, generated=True),)),
    Animal(
        "a generated file that says so", (added("lore/history/ice_generated.md", GENERATED_PAGE + "# Ice\n"),)
    ),
    Animal(
        "a generated picture that does not say so",
        (
            added("art/items/hat_generated.png", b"\x89PNG\r\n\x1a\n0"),
            added("art/items/hat_generated.png.keywords.txt", "hat\n"),
        ),
    ),
    Animal(
        "a generated profile beside the author's",
        (
            added(
                "characters/npcs/miller/profile_generated.json", {"name": "M", "role": "r", "personality": {}}
            ),
        ),
    ),
)


def found_in(animal: Animal, folder: Path) -> list[str]:
    from narratoria.campaign.validate import validate_campaign

    problems = validate_campaign(build(folder, *animal.changes)).problems
    # where the miller and the keeper are is listed for every campaign, and nothing is wrong with it
    return [problem.as_line(Path()) for problem in problems if problem.code != "placed"]


def page() -> str:
    """The whole zoo, as the file has it."""
    lines = []
    for animal in ZOO:
        with tempfile.TemporaryDirectory() as folder:
            lines += [animal.name, *(f"  {line}" for line in found_in(animal, Path(folder)))]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".txt").write_text(page(), encoding="utf-8")
