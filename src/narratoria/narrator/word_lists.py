"""Loads the word lists that the narrator reads notes, actions and prose by.

`data/words.json` holds them and `data/words.schema.json` says what each list is for.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

Temper: TypeAlias = Literal["plain", "terse", "formal", "lively", "grumbling", "bargaining"]


class GateWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which the continuity gate reads a sentence."""

    speaking: tuple[str, ...]
    player_speech: tuple[str, ...]
    being_somewhere: tuple[str, ...]
    irregular_verbs: frozenset[str]
    not_acts: frozenset[str]
    titles: frozenset[str]
    lying_still: frozenset[str]
    not_items: frozenset[str]
    stop_words: frozenset[str]
    capitalised: frozenset[str]
    openers: frozenset[str]
    world_names: frozenset[str]
    carried_things: frozenset[str]
    telling: frozenset[str]


class GrammarWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which notes and typed actions become sentences."""

    titles: frozenset[str]
    titles_with_last_name: frozenset[str]
    not_third_person: frozenset[str]
    not_verbs: frozenset[str]
    base_forms: frozenset[str]
    doubling_verbs: frozenset[str]
    past_forms: dict[str, str]
    regular_verbs: frozenset[str]
    plain_verbs: frozenset[str]
    state_verbs: frozenset[str]
    not_deeds: frozenset[str]
    verbs_and_things: frozenset[str]
    without_article: frozenset[str]


class FirstPersonWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which a note becomes what somebody says of themselves."""

    helping_verbs: frozenset[str]
    not_verbs: frozenset[str]
    certain_verbs: frozenset[str]
    after_verb: frozenset[str]
    after_verb_or_plural: frozenset[str]
    after_object: tuple[str, ...]
    men: tuple[str, ...]
    men_or_women: tuple[str, ...]
    women: tuple[str, ...]
    participles: frozenset[str]
    irregular_stems: dict[str, str]
    stems: dict[str, str]


class MannerWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which a manner of speaking is told."""

    tempers: dict[Temper, tuple[str, ...]]  # in the order in which they decide
    contractions: dict[str, str]
    not_openers: frozenset[str]


class NarratorWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All word lists, by the module that reads by them."""

    gate: GateWords
    grammar: GrammarWords
    first_person: FirstPersonWords
    manner: MannerWords


WORDS = msgspec.json.decode(
    files("narratoria.narrator").joinpath("data/words.json").read_bytes(), type=NarratorWords
)
