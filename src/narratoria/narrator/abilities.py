"""Says what somebody cannot do, and which abilities a unit of the repertoire takes for granted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

Ability: TypeAlias = Literal["speak", "see", "hands"]
ABILITIES: tuple[Ability, ...] = ("speak", "see", "hands")


@dataclass(frozen=True, slots=True)
class AbilitySigns:
    """The words by which a missing ability shows, and those by which a unit needs it."""

    missing: Mapping[Ability, re.Pattern[str]]
    not_of_animals: frozenset[Ability]
    animals: frozenset[str]
    needs: Mapping[Ability, re.Pattern[str]]


@cache
def load_ability_signs() -> AbilitySigns:
    """Return the words that ship."""
    text = files("narratoria.narrator").joinpath("data/abilities.json").read_text(encoding="utf-8")
    document = json.loads(text)
    return AbilitySigns(
        missing={
            name: re.compile(
                rf"(?<![\w-])(?:{'|'.join(map(re.escape, document[name]['signs']))})(?![\w-])", re.IGNORECASE
            )
            for name in ABILITIES
        },
        not_of_animals=frozenset(name for name in ABILITIES if document[name]["animals"]),
        animals=frozenset(document["animals"]),
        needs={name: re.compile(document["needs"][name], re.IGNORECASE) for name in ABILITIES},
    )


def find_missing(role: str, notes: Iterable[str], *, has_sayings: bool) -> frozenset[Ability]:
    """Return what somebody cannot do, by what an author says of them; an animal with sayings does speak."""
    signs = load_ability_signs()
    text = " ".join((role, *notes))
    missing = {name for name in ABILITIES if signs.missing[name].search(text)}
    if is_animal(role):
        missing |= signs.not_of_animals - ({"speak"} if has_sayings else set())
    return frozenset(missing)


def is_animal(role: str) -> bool:
    """Return whether a role is that of an animal: "an old mule", and not "keeper of the horse"."""
    nouns = re.findall(r"[a-z]+", re.split(r",|\bof\b|\bwho\b|\bthat\b|\bin\b|\bat\b", role.casefold())[0])
    return bool(nouns) and nouns[-1] in load_ability_signs().animals


def find_needs(text: str) -> frozenset[Ability]:
    """Return the abilities of the person in it that a text takes for granted."""
    needs = load_ability_signs().needs
    return frozenset(name for name in ABILITIES if needs[name].search(text))
