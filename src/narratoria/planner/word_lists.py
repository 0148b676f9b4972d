"""Loads the word lists that the planner reads actions by.

`data/words.json` holds them and `data/words.schema.json` says what each list is for.
"""

from __future__ import annotations

from importlib.resources import files

import msgspec

from narratoria.planner.intent import Pronoun


class PlannerWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All word lists, by what they are looked for."""

    titles: frozenset[str]
    machine_roles: frozenset[str]
    player_roles: frozenset[str]
    turn_ends: frozenset[str]
    pronouns: dict[Pronoun, tuple[str, ...]]
    kinds_of_people: dict[Pronoun, frozenset[str]]
    phrase_ends: tuple[str, ...]
    spoken_acts: frozenset[str]
    background_actions: tuple[str, ...]
    abbreviations: tuple[str, ...]
    lead_ins: tuple[str, ...]
    preparations: tuple[str, ...]
    state_verbs: frozenset[str]
    verbs: frozenset[str]
    adjectives: frozenset[str]
    common_kinds: dict[Pronoun, frozenset[str]]
    after_nouns: frozenset[str]
    light_nouns: frozenset[str]
    body_parts: frozenset[str]
    numbers: frozenset[str]
    quantities: frozenset[str]
    place_synonyms: tuple[frozenset[str], ...]
    sellers: frozenset[str]
    no_third_person: frozenset[str]
    before_objects: frozenset[str]
    words_for_people: frozenset[str]


WORDS = msgspec.json.decode(
    files("narratoria.planner").joinpath("data/words.json").read_bytes(), type=PlannerWords
)
