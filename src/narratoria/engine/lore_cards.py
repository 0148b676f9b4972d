"""Gathers what the player has learned as cards: of people met, places seen and matters of the lore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.journal import KnownFact, list_known_facts
from narratoria.engine.snapshot import StorySnapshot

CardKind: TypeAlias = Literal["person", "place", "lore"]
SHORTEST_NAME = 3  # letters of a part of a name that stands for the whole
_NOT_A_NAME = {
    "The",
    "Dame",
    "Sir",
    "Lady",
    "Lord",
    "Old",
    "Mother",
    "Father",
    "Captain",
    "Doctor",
    "and",
    "of",
}
_ARTICLES = ("The ", "A ", "An ")


class LoreCard(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds what the player has learned of somebody or something, each fact with the scene that told it."""

    id: str
    kind: CardKind
    title: str
    about: str = ""  # a person's role
    names: tuple[str, ...] = ()  # as they stand in the text
    facts: tuple[KnownFact, ...] = ()


def list_cards(snapshot: StorySnapshot, campaign: Campaign) -> tuple[LoreCard, ...]:
    """Return a card for everybody met, every place seen and every heading of the lore that was told of."""
    facts = list_known_facts(snapshot, campaign)
    people = dict.fromkeys(
        (*snapshot.progress.met_people, *(who for scene in snapshot.scenes for who in scene.people))
    )
    places_seen = dict.fromkeys(scene.place for scene in snapshot.scenes)
    cards = [
        *_person_cards([who for who in people if who in campaign.people], facts, campaign),
        *(
            LoreCard(
                id=f"place/{place}",
                kind="place",
                title=campaign.places[place].name,
                names=(_without_article(campaign.places[place].name),),
                facts=tuple(one for one in facts if one.place == place and not (one.person or one.source)),
            )
            for place in places_seen
            if place in campaign.places
        ),
        *_matter_cards(facts),
    ]
    return tuple(cards)


def _person_cards(
    people: Iterable[str], facts: tuple[KnownFact, ...], campaign: Campaign
) -> Iterator[LoreCard]:
    parts = Counter(part for who in campaign.people for part in _parts(campaign.people[who].name))
    for who in people:
        profile = campaign.people[who]
        own = [part for part in _parts(profile.name) if parts[part] == 1]  # two of one family share a name
        yield LoreCard(
            id=f"person/{who}",
            kind="person",
            title=profile.name,
            about=profile.role,
            names=tuple(dict.fromkeys((profile.name, *own))),
            facts=tuple(one for one in facts if one.person == who),
        )


def _parts(name: str) -> list[str]:
    return [
        part
        for part in name.split()
        if len(part) >= SHORTEST_NAME and part[0].isupper() and part not in _NOT_A_NAME
    ]


def _matter_cards(facts: Iterable[KnownFact]) -> Iterator[LoreCard]:
    by_source: dict[str, list[KnownFact]] = {}
    for fact in facts:
        if fact.source and not fact.person:
            by_source.setdefault(fact.source, []).append(fact)
    for source, entries in by_source.items():
        yield LoreCard(
            id=f"lore/{source}",
            kind="lore",
            title=source,
            names=(_without_article(source),),
            facts=tuple(entries),
        )


def _without_article(name: str) -> str:
    for article in _ARTICLES:
        name = name.removeprefix(article)
    return name
