"""A small campaign in which nothing is wrong, with a file of every kind, to be broken in tests."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from narratoria.campaign.problems import CampaignProblem
from narratoria.campaign.validate import ValidationReport

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16
OGG = b"OggS" + b"\0" * 16

MANIFEST = {
    "title": "The Mill",
    "version": "1.0.0",
    "author": "Ada",
    "description": "A mill, a weir, and a wheel that turns by night.",
    "content_rating": "Teen",
    "tags": ["water"],
}
MILLER = {
    "name": "Jonah Reed",
    "role": "Miller",
    "personality": {"traits": ["slow"]},
    "goals": [{"goal": "Keep the wheel turning", "priority": "high"}],
    "speech_patterns": {"style": "dry", "examples": ["It turns."], "greetings": {"cold": "You."}},
    "relationships": {"weir-keeper": "A brother, of a kind"},
    "secrets": "See secrets.md",
    "portrait": "art/characters/npc_miller.png",
    "stats": {"wits": 2},
    "metadata": {"first_appearance": "mill", "faction": "guild"},
}
KEEPER = {
    "name": "Tam",
    "role": "Keeper of the weir",
    "personality": {},
    "metadata": {"first_appearance": "weir"},
}
TEMPLATE = {
    "character_creation": {"mode": "guided"},
    "allowed_classes": [{"name": "Hand", "abilities": ["carry"], "stats": {"wits": 1}}],
    "presets": [{"name": "Ro", "class": "Hand", "stats": {"wits": 3}}],
    "required_attributes": [{"name": "name", "prompt": "Who are you?"}],
    "starting_stats": {"wits": 1},
    "starting_location": "mill",
}
BEATS = {
    "beats": [
        {
            "id": "arrive",
            "title": "The wheel",
            "description": "The wheel stands still.",
            "conditions": {"player_choice": "Look at the wheel", "scene_count": {"min": 1, "max": 9}},
            "location": "mill",
            "npcs": ["miller"],
            "consequences": ["the wheel has stopped"],
            "music": "music/ambient/wheel.ogg",
            "background": "art/locations/mill.png",
        },
        {
            "id": "climb",
            "title": "The shaft",
            "description": "You climb.",
            "conditions": {"player_choice": "Climb", "requires_beat": "arrive", "custom": "stats.wits > 0"},
            "stat": "wits",
            "outcomes": [
                {"name": "good", "description": "Up.", "consequences": ["the wheel turns"]},
                {"name": "bad", "description": "Down.", "effects": {"perception": {"miller": -5}}},
            ],
            "dialogue": [{"speaker": "miller", "text": "Mind the third rung."}],
            "timeout": {"scenes": 3, "fallback_beat": "night"},
        },
        {
            "id": "night",
            "title": "Night",
            "description": "It is dark.",
            "conditions": {"scene_count": {"min": 4}, "npc_state": {"miller": {"alive": True}}},
            "outcomes": [
                {"name": "owl", "description": "An owl.", "probability": 0.25},
                {"name": "rain", "description": "Rain.", "probability": 0.75, "next_beat": "end"},
            ],
            "effects": {"reputation": {"guild": 2}, "move_to": "weir"},
        },
        {
            "id": "end",
            "title": "Morning",
            "description": "It turns.",
            "conditions": {"player_state": "the wheel turns", "requires_any_beat": ["climb", "night"]},
            "priority": "critical",
            "ending": "morning",
        },
    ]
}
RULES = """# Rules

One die, and patience.

```yaml rules
dice: 1d6
bands:
  - {name: bad, min: -2}
  - {name: good, min: 4}
modifiers:
  stat: half
time:
  travel: 2
```
"""
TEXTS: Mapping[str, str] = {
    "README.md": "# The Mill\n",
    "world/setting.md": "# The valley\n\nA river, and one mill.\n",
    "world/constraints.md": "# Never\n\n- Nobody drowns.\n",
    "world/rules.md": RULES,
    "plot/premise.md": "You hear it before you see it.\n\nThen you do not hear it.\n",
    "plot/endings/morning.md": "# Morning\n\nIt turns.\n\n## Epilogue\n\n"
    "- the wheel turns: Flour for all.\n- Rest.\n",
    "characters/npcs/miller/secrets.md": "He stopped it himself.\n",
    "lore/factions/guild.md": "# The guild\n\nMillers, mostly.\n",
    "lore/history/flood.md": "# The flood\n\nThe year of the water.\n",
    "lore/locations/mill.md": "# The mill\n\nStones and dust.\n\nA second look.\n\n## Moments\n\n- Dust.\n\n"
    "## Ways\n\n- [The weir](weir.md): down the steps\n",
    "lore/locations/weir.md": "# The weir\n\nWhite water.\n\n"
    "## Ways\n\n- [The mill](mill.md): up the steps\n",
    "art/items/sack.png.keywords.txt": "# what it shows\nsack\nflour\n",
}
DOCUMENTS: Mapping[str, Any] = {
    "manifest.json": MANIFEST,
    "characters/npcs/miller/profile.json": MILLER,
    "characters/npcs/weir-keeper/profile.json": KEEPER,
    "characters/player/template.json": TEMPLATE,
    "plot/beats.json": BEATS,
}
ASSETS: Mapping[str, bytes] = {
    "art/characters/npc_miller.png": PNG,
    "art/locations/mill.png": PNG,
    "art/items/sack.png": PNG,
    "music/ambient/wheel.ogg": OGG,
}
PROVENANCE = {
    "source_model": "smollm2-135m",
    "generated_at": "2026-02-03T11:00:00Z",
    "seed_data": "A mill.",
    "version": "1.0.0",
}

Change = Callable[[dict[str, bytes]], None]


def files() -> dict[str, bytes]:
    return {
        **{name: text.encode() for name, text in TEXTS.items()},
        **{name: encoded(document) for name, document in DOCUMENTS.items()},
        **ASSETS,
    }


def encoded(document: Any) -> bytes:
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def edited(name: str, change: Callable[[Any], Any]) -> Change:
    """A document after a change to its value."""

    def apply(all_files: dict[str, bytes]) -> None:
        document = copy.deepcopy(DOCUMENTS[name])
        change(document)
        all_files[name] = encoded(document)

    return apply


def replaced(name: str, old: str, new: str) -> Change:
    def apply(all_files: dict[str, bytes]) -> None:
        assert old.encode() in all_files[name]
        all_files[name] = all_files[name].replace(old.encode(), new.encode(), 1)

    return apply


def added(name: str, content: bytes | str | dict[str, Any]) -> Change:
    def apply(all_files: dict[str, bytes]) -> None:
        all_files[name] = (
            encoded(content)
            if isinstance(content, dict)
            else content.encode()
            if isinstance(content, str)
            else content
        )

    return apply


def removed(name: str) -> Change:
    return lambda all_files: all_files.pop(name) and None


def write(folder: Path, all_files: Mapping[str, bytes]) -> Path:
    for name, content in all_files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def build(folder: Path, *changes: Change) -> Path:
    """The mill, with these changes."""
    all_files = files()
    for change in changes:
        change(all_files)
    return write(folder, all_files)


def problems_in(report: ValidationReport) -> list[CampaignProblem]:
    """The problems of a campaign, without the list of where its people are."""
    return [problem for problem in report.problems if not problem.code.startswith("placed")]
