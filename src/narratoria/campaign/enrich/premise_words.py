"""Loads the words by which a premise is read."""

from __future__ import annotations

from importlib.resources import files

import msgspec


class PremiseWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defines `data/premise_words.json`."""

    about: str
    titles: dict[str, str]  # before a name, with the pronoun it tells, if it tells one
    not_names: frozenset[str]  # begin with a capital and name nobody
    not_people: frozenset[str]  # end like a trade and are none: "paper"
    phrase_ends: frozenset[str]  # no noun phrase goes on with these
    acting_verbs: tuple[str, ...]  # follow the name of somebody
    place_prepositions: tuple[str, ...]
    absences: tuple[str, ...]  # what follows is not there
    not_absent: frozenset[str]
    trouble_signs: tuple[str, ...]  # patterns of a sentence that says that something is the matter
    stake_verbs: tuple[str, ...]  # what follows them is what a story may turn on
    events: frozenset[str]  # what a story can lead up to
    unwanted: dict[str, tuple[str, ...]]  # what an author may not want, and what goes with it
    player_deeds: dict[str, str]  # what the player does, and who does such a thing


WORDS = msgspec.json.decode(
    files("narratoria.campaign.enrich").joinpath("data/premise_words.json").read_bytes(), type=PremiseWords
)
