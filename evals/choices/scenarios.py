"""Situations with one right answer: what must be offered, and what must not be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

FRIENDLY = r"(?i)\b(?:help|favour|come with you|take your side|shelter|charm|laugh|sit with)\b"


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    criterion: str
    input: dict[str, Any]
    offered: str = ""  # a pattern that some choice must match
    hidden: str = ""  # one that no choice may match
    marked: str = ""  # the choice that this matches must be marked as unlikely
    memories: Sequence[dict[str, Any]] = field(default=())

    def holds(self, details: Sequence[dict[str, Any]]) -> bool:
        texts = [detail["text"] for detail in details]
        if self.offered and not any(re.search(self.offered, text) for text in texts):
            return False
        if self.hidden and any(re.search(self.hidden, text) for text in texts):
            return False
        marked = [detail for detail in details if self.marked and re.search(self.marked, detail["text"])]
        return all(detail.get("difficulty") == "unlikely" for detail in marked) and bool(marked) == bool(
            self.marked
        )


Member: TypeAlias = tuple[str, str, str, str]  # name, faction, looks, place
MEMBERS: tuple[Member, ...] = (  # of factions in three kinds of story
    ("Sister Ode", "Order of Salt", "She counts under her breath.", "the chapel"),
    ("Milo", "Drama Club", "He never sits on a chair the right way round.", "the green room"),
    ("Inspector Bray", "Yard", "He writes everything down.", "the station"),
)


def scenarios() -> Iterator[Scenario]:
    for member in MEMBERS:
        yield from _cross_factor(member)
        yield from _edges(member)
    yield from _of_the_specification()


def _scene(member: Member, score: float, standing: float) -> dict[str, Any]:
    name, faction, appearance, place = member
    person = {"id": "them", "name": name, "faction": faction, "appearance": appearance, "perception": score}
    return {
        "people": [{**person, "unheard": 1}],
        "place": {"id": "here", "name": place, "arrival": "A lamp burns."},
        "reputation": {faction: standing},
    }


def _cross_factor(member: Member) -> Iterator[Scenario]:
    """An opinion and a standing, each good or bad."""
    name, faction, *_ = member

    def of(score: float, standing: float) -> dict[str, Any]:
        return _scene(member, score, standing)

    asking = rf"Ask {name} .*(?:help|come)"
    yield Scenario(f"{name}: both trust", "SC-021", of(60, 60), offered=asking)
    yield Scenario(
        f"{name}: a friend among foes", "SC-021", of(60, -60), offered="behind the back", hidden="the help of"
    )
    yield Scenario(
        f"{name}: a foe among friends", "SC-021", of(-60, 60), offered=f"{faction} owe", hidden=FRIENDLY
    )
    yield Scenario(f"{name}: neither", "SC-021", of(-60, -60), offered=name, hidden=FRIENDLY)
    yield Scenario(f"{name}: nobody knows you", "SC-021", of(0, 0), hidden=r"(?i)\bhelp\b|favour")


def _edges(member: Member) -> Iterator[Scenario]:
    name = member[0]
    for score, is_open in ((30, False), (31, True)):
        data = _scene(member, score, 0)
        pattern = rf"Ask {name} to (?:help|come)"
        given = {"offered": pattern} if is_open else {"hidden": pattern}
        yield Scenario(f"{name}: opinion {score}", "SC-021", data, **given)
    for score, is_open in ((-30, True), (-31, False)):
        data = _scene(member, score, 0)
        given = {"offered": f"Talk to {name}"} if is_open else {"hidden": f"Talk to {name}|{FRIENDLY[4:]}"}
        yield Scenario(f"{name}: opinion {score}", "SC-021", data, **given)


def _of_the_specification() -> Iterator[Scenario]:
    vault = {"place": {"id": "v", "name": "the vault", "arrival": "A locked door, and behind it a hum."}}
    for stat, least in (("Stealth", 15), ("Burglary", 15), ("Sleight of Hand", 15)):
        yield Scenario(
            f"{stat} {least + 1}", "§4.2.1", {**vault, **_persona(stat, least + 1)}, offered="Pick the lock"
        )
        yield Scenario(
            f"{stat} {least}", "§4.2.1", {**vault, **_persona(stat, least)}, hidden="Pick the lock"
        )
    plead = {
        "next": {"": {"openings": [{"beat": "b", "text": "Convince the warden to wait", "risky": True}]}}
    }
    for stat in ("Charisma", "Eloquence", "Diplomacy"):
        yield Scenario(f"{stat} 7", "§4.2.1", {**plead, **_persona(stat, 7)}, marked="Convince")
        yield Scenario(f"{stat} 12", "§4.2.1", {**plead, **_persona(stat, 12)}, offered="Convince")
    asking = {
        "next": {
            "": {
                "openings": [{"beat": "a", "text": "Ask for guild assistance"}, {"beat": "b", "text": "Run"}]
            }
        }
    }
    betrayal = (
        {"summary": "The player betrayed the Thieves Guild", "characters": ["player"], "location": "here"},
    )
    data = {**asking, "place": {"id": "here", "name": "the alley"}, "factions": ["Thieves Guild"]}
    yield Scenario("the guild, betrayed", "§4.2.1", data, hidden="(?i)guild", memories=betrayal)
    yield Scenario("the guild, not betrayed", "§4.2.1", data, offered="guild assistance")


def _persona(stat: str, value: float) -> dict[str, Any]:
    return {"persona": {"stats": {stat: value}, "statRange": {"min": 0, "max": 20}}}
