"""Decision points: three settings with histories, scenes and characters, and what a reader would accept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).parent / "cases"


class Memory(msgspec.Struct, frozen=True):
    id: str
    summary: str
    characters: tuple[str, ...]
    location: str
    significance: str
    fits: tuple[str, ...]  # people and places: a choice about one of them may rest on this memory
    outcome: str = ""

    @property
    def major(self) -> bool:
        return self.significance in ("high", "critical")


class History(msgspec.Struct, frozen=True):
    name: str
    perception: dict[str, float]
    reputation: dict[str, float]
    memories: tuple[Memory, ...]


class Variant(msgspec.Struct, frozen=True):
    name: str
    stats: dict[str, float]
    salient: tuple[str, ...]  # the stats that stand out, either way


class Opening(msgspec.Struct, frozen=True):
    beat: str
    text: str
    risky: bool = False
    receipts: tuple[dict[str, str], ...] = ()


class SceneCase(msgspec.Struct, frozen=True):
    place: str
    present: tuple[str, ...]
    ways: tuple[str, ...]
    openings: tuple[Opening, ...]


class Setting(msgspec.Struct, frozen=True):
    setting: str
    about: str
    people: dict[str, dict[str, Any]]
    places: dict[str, dict[str, Any]]
    histories: tuple[History, ...]
    scenes: tuple[SceneCase, ...]
    variants: tuple[Variant, ...]
    keywords: dict[str, tuple[str, ...]]  # of each stat, in the words of whoever wrote the setting
    stat_range: dict[str, float] = msgspec.field(name="statRange")


@dataclass(frozen=True, slots=True)
class Case:
    """One moment at which a player has to choose."""

    setting: Setting
    history: History
    scene: SceneCase
    variant: Variant

    @property
    def name(self) -> str:
        return f"{self.setting.setting}/{self.history.name}/{self.scene.place}/{self.variant.name}"

    @property
    def input(self) -> dict[str, Any]:
        """What a plan would hand to the skill; the past is left to the store."""
        places = self.setting.places
        return {
            "action": {"kind": "go", "text": f"Go to {places[self.scene.place]['name']}"},
            "place": {"id": self.scene.place, **places[self.scene.place]},
            "people": [
                {
                    "id": who,
                    "unheard": 1,
                    "perception": self.history.perception[who],
                    **self.setting.people[who],
                }
                for who in self.scene.present
            ],
            "persona": {"stats": self.variant.stats, "statRange": self.setting.stat_range},
            "reputation": self.history.reputation,
            "next": {
                "": {
                    "openings": msgspec.to_builtins(self.scene.openings),
                    "ways": [
                        {"to": to, "name": places[to]["name"], "visited": True, "steps": 1}
                        for to in self.scene.ways
                    ],
                }
            },
        }


def read_settings() -> tuple[Setting, ...]:
    files = sorted(FOLDER.glob("*.json"))
    return tuple(msgspec.json.decode(file.read_bytes(), type=Setting) for file in files)


def cases_of(setting: Setting) -> Iterator[Case]:
    for history in setting.histories:
        for scene in setting.scenes:
            for variant in setting.variants:
                yield Case(setting, history, scene, variant)
