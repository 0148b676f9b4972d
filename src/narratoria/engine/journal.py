"""Gathers the player's journal: what happened by day and place, what is still open, and what is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.effects import WORLD, Matter, open_matters
from narratoria.engine.evidence_origin import find_origin
from narratoria.engine.receipts import JOURNAL, OFFERS
from narratoria.engine.scene import Scene
from narratoria.engine.snapshot import StorySnapshot
from narratoria.engine.topics import find_topic

MINUTES_A_DAY = 24 * 60
LONGEST_OPENING = 180  # characters
# promise: the player gave their word · debt: the player owes · claim: the player is owed
MatterKind: TypeAlias = Literal["promise", "debt", "claim"]
_KINDS: dict[str, MatterKind] = {"promises": "promise", "debt": "debt", "owes": "claim"}


class JournalScene(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds one scene in two lines: what the player did, and how it began."""

    number: int
    action: str
    opening: str
    roll: str
    effects: tuple[str, ...]


class Stay(msgspec.Struct, frozen=True, rename="camel"):
    """Holds the scenes that follow each other at one place."""

    place: str
    scenes: tuple[JournalScene, ...]


class Day(msgspec.Struct, frozen=True, rename="camel"):
    day: int  # from 1 on
    stays: tuple[Stay, ...]


class OpenMatter(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds a promise or a debt that is still open."""

    kind: MatterKind
    person: str
    text: str
    scene: int


class KnownFact(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds something the player was told or has seen, and where from."""

    text: str
    scene: int
    person: str = ""  # who said it, or whom it is about
    place: str = ""
    source: str = ""  # a heading of the campaign's lore, a thing that was looked at


def list_days(scenes: Iterable[Scene]) -> tuple[Day, ...]:
    """Return the scenes by day and by stay at a place, the earliest first."""
    days: dict[int, list[tuple[str, list[JournalScene]]]] = {}
    for scene in scenes:
        stays = days.setdefault(int(scene.game_time // MINUTES_A_DAY) + 1, [])
        if not stays or stays[-1][0] != scene.place:
            stays.append((scene.place, []))
        stays[-1][1].append(_summarise(scene))
    return tuple(
        Day(day, tuple(Stay(place, tuple(entries)) for place, entries in stays))
        for day, stays in days.items()
    )


def _summarise(scene: Scene) -> JournalScene:
    return JournalScene(
        number=scene.number,
        action=scene.action,
        opening=_shorten(scene.paragraphs[0] if scene.paragraphs else ""),
        roll=scene.roll.outcome if scene.roll else "",
        effects=scene.effects,
    )


def _shorten(text: str) -> str:
    """Return the beginning of a text, cut after a word."""
    plain = text.replace("*", "")
    return plain if len(plain) <= LONGEST_OPENING else plain[:LONGEST_OPENING].rpartition(" ")[0] + "…"


def list_open_matters(state: Mapping[str, Any]) -> tuple[OpenMatter, ...]:
    """Return the promises and debts that are still open, the latest first."""
    matters = [
        OpenMatter(
            kind=_KINDS[kind],
            person=matter.who,
            text="" if matter.what == matter.who else matter.what,
            scene=matter.scene,
        )
        for kind, entries in open_matters(state).items()
        for matter in entries
    ]
    return tuple(sorted(matters, key=lambda matter: -matter.scene))


def list_known_facts(snapshot: StorySnapshot, campaign: Campaign) -> tuple[KnownFact, ...]:
    """Return what the player knows, each thing once and from the scene that first told it, latest first."""
    facts: dict[str, KnownFact] = {}
    for fact in (*_told_facts(snapshot.scenes, campaign), *_learned_facts(snapshot)):
        facts.setdefault(fact.text.casefold(), fact)
    return tuple(sorted(facts.values(), key=lambda fact: -fact.scene))


def _told_facts(scenes: Iterable[Scene], campaign: Campaign) -> Iterator[KnownFact]:
    """Yield what paragraphs rest on: answered questions, lore, what was looked at; each id once."""
    used_ids: set[str] = set()
    for scene in scenes:
        for paragraph, passage in zip(scene.paragraphs, scene.passages, strict=False):
            for receipt in passage.because:
                is_evidence = receipt.kind in ("topic", "evidence")
                if not is_evidence or receipt.id in used_ids or receipt.id in (JOURNAL, OFFERS):
                    continue
                used_ids.add(receipt.id)
                yield _fact_of(receipt.id, paragraph, scene, campaign)


def _fact_of(identifier: str, paragraph: str, scene: Scene, campaign: Campaign) -> KnownFact:
    head, _, rest = identifier.partition("/")
    topic = find_topic(identifier, campaign)
    if topic is not None:
        return KnownFact(text=topic.fact or paragraph, scene=scene.number, person=head, source=topic.ask)
    origin = find_origin(identifier, campaign)
    text = (origin.text if origin else "") or paragraph
    if head == "place":
        return KnownFact(text=text, scene=scene.number, place=rest.partition("/")[0])
    person = rest if head in ("who", "appearance") else head
    if person in campaign.people:
        return KnownFact(text=text, scene=scene.number, person=person)
    title = origin.title if origin else ""
    return KnownFact(text=text, scene=scene.number, place=scene.place, source=title)


def _learned_facts(snapshot: StorySnapshot) -> Iterator[KnownFact]:
    """Yield the leads that people gave, and what skills have found out."""
    world = snapshot.state.to_dict().get(WORLD)
    learned = world.get("learns", []) if isinstance(world, Mapping) else []
    for matter in msgspec.convert(learned, list[Matter]):
        yield KnownFact(text=_as_sentence(matter.what), scene=matter.scene)
    for finding in snapshot.progress.findings:
        yield KnownFact(text=_as_sentence(finding.text), scene=finding.scene, place=finding.place)


def _as_sentence(text: str) -> str:
    words = text.strip()
    return words[:1].upper() + words[1:] + ("" if words[-1:] in ".!?…”" else ".")
