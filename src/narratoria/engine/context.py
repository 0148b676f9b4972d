"""Builds what a model reads before it writes: as much of the facts as fits, the most relevant first.

What stays the same from turn to turn stands first, so that a model's prompt cache holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from narratoria.contracts.scene_facts import PersonFacts, SceneFacts

Count: TypeAlias = Callable[[str], int]

BUDGETS = {"local": 700, "hosted": 2400}  # tokens: a model on this machine reads slowly
ALWAYS = 10.0  # worth of what no scene can be told without
_PIECES = re.compile(r"\w{1,4}|[^\w\s]|\s{2,}")
# sections in the order in which they are read; the first ones change seldom or never
STABLE = ("world", "must hold", "rules", "you are")
CHANGING = ("long ago", "kept", "lore", "where", "who is here", "memories", "just now", "happens", "chosen")


@dataclass(frozen=True, slots=True)
class Piece:
    section: str
    text: str
    worth: float


@dataclass(frozen=True, slots=True)
class Prompt:
    stable: str
    changing: str
    tokens: int
    left_out: int  # pieces for which there was no room

    @property
    def text(self) -> str:
        return "\n\n".join(part for part in (self.stable, self.changing) if part)


def estimate(text: str) -> int:
    """Return how many tokens a text has, rather too many than too few: four letters each, and every sign."""
    return len(_PIECES.findall(text))


def build_prompt(facts: SceneFacts, budget: int, count: Count = estimate) -> Prompt:
    """Return the parts of a prompt that together have at most `budget` tokens."""
    pieces = sorted(_pieces(facts), key=lambda piece: -piece.worth)
    selection: list[Piece] = []
    room = budget
    for piece in pieces:
        cost = (
            count(piece.text)
            + 2
            + count(piece.section) * (piece.section not in {one.section for one in selection})
        )
        if cost <= room:
            selection.append(piece)
            room -= cost
    prompt = _build(selection, len(pieces) - len(selection), count)
    while prompt.tokens > budget and selection:  # a counter need not add up
        selection.pop()
        prompt = _build(selection, len(pieces) - len(selection), count)
    return prompt if prompt.tokens <= budget else Prompt("", "", 0, len(pieces))


def _build(selection: Sequence[Piece], left_out: int, count: Count) -> Prompt:
    stable, changing = (_sections(selection, order) for order in (STABLE, CHANGING))
    text = "\n\n".join(part for part in (stable, changing) if part)
    return Prompt(stable, changing, count(text) if text else 0, left_out)


def _sections(selection: Sequence[Piece], order: Sequence[str]) -> str:
    blocks = []
    for section in order:
        texts = [piece.text for piece in selection if piece.section == section]
        if texts:
            blocks.append("\n".join([f"## {section}", *texts]))
    return "\n\n".join(blocks)


def _pieces(facts: SceneFacts) -> Iterator[Piece]:
    yield from _world(facts)
    yield from _scene(facts)
    yield from _past(facts)


def _world(facts: SceneFacts) -> Iterator[Piece]:
    campaign = facts.campaign
    if heading := ", ".join(filter(None, (campaign.title, campaign.genre, campaign.tone))):
        yield Piece("world", heading, ALWAYS)
    for at, paragraph in enumerate(_paragraphs(campaign.setting)):
        yield Piece("world", paragraph, 5.0 - min(at, 40) / 10)
    for constraint in facts.constraints:
        yield Piece("must hold", f"- {constraint}", ALWAYS - 1)
    for line in _limits(facts):
        yield Piece("must hold", f"- {line}", ALWAYS)
    for paragraph in _paragraphs(facts.rules.prose):
        yield Piece("rules", paragraph, 2.0)
    if persona := _persona(facts.persona):
        yield Piece("you are", persona, 6.0)


def _limits(facts: SceneFacts) -> Iterator[str]:
    """Yield the player's content limits as sentences that a storyteller minds."""
    limits = facts.limits
    if limits.children:
        yield "A child is playing: nobody is killed, hurt, threatened or treated cruelly."
        yield "There is no romance, no horror, no drink and no drugs."
        return
    for name, level in (("violence", limits.violence), ("fear", limits.fear), ("romance", limits.romance)):
        if level != "full":
            yield f"Tell of no {name}." if level == "none" else f"Keep {name} mild."


def _scene(facts: SceneFacts) -> Iterator[Piece]:
    if facts.action.text:
        yield Piece("chosen", facts.action.text, ALWAYS + 1)
    if facts.place.name:
        yield Piece("where", f"{facts.place.name}: {facts.place.arrival}", 7.0)
    if facts.beat:
        yield Piece("happens", facts.beat.description, ALWAYS)
    if facts.due:
        yield Piece("happens", facts.due.description, ALWAYS - 0.5)
    for beat in facts.also_due:
        yield Piece("happens", beat.description, ALWAYS - 1)
    for person in facts.people:
        yield from _person(person)


def _person(person: PersonFacts) -> Iterator[Piece]:
    if not person.name:
        return
    about = f"{person.name} ({person.role or 'here'}; {', '.join(person.traits)}), {person.tone} towards you."
    yield Piece("who is here", f"{about} Speaks: {person.voice or 'plainly'}.", 8.0)
    for memory in person.witnessed:
        yield Piece("who is here", f"{person.name} was there: {memory.summary}", 4.0 + memory.relevance)


def _past(facts: SceneFacts) -> Iterator[Piece]:
    for memory in facts.memories:
        worth = 5.0 + memory.relevance + (2.0 if memory.episodic else 0.0)
        yield Piece("memories", f"- {memory.summary}", worth)
    for consequence in facts.remembered:
        yield Piece("memories", f"- {consequence}", 6.0)
    for chunk in facts.lore:
        yield Piece("lore", chunk.text, 3.0 + chunk.relevance)
    for keepsake in facts.kept:
        yield Piece("kept", f"- {keepsake.text} (scene {keepsake.scene})", 5.5)
    for at, scene in enumerate(facts.recent):
        yield Piece("just now", f"- {scene.summary}", 5.0 + at / len(facts.recent))
    for at, chapter in enumerate(facts.history):
        yield Piece("long ago", chapter, 2.0 + at / len(facts.history))


def _persona(persona: Mapping[str, Any]) -> str:
    parts = [str(persona[key]) for key in ("name", "race", "class", "background") if persona.get(key)]
    parts += [
        f"{key}: {', '.join(map(str, persona[key]))}" for key in ("traits", "items") if persona.get(key)
    ]
    return "; ".join(parts)


def _paragraphs(text: str) -> list[str]:
    return [part for part in text.split("\n\n") if part.strip()]
