"""What a model reads before it writes: as much of the facts as fits, the most relevant first, never more.

What stays the same from turn to turn stands first, so that a model's prompt cache holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

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
    """Tokens, rather too many than too few: four letters of a word each, and every other sign."""
    return len(_PIECES.findall(text))


def build(facts: Mapping[str, Any], budget: int, count: Count = estimate) -> Prompt:
    """The parts of a prompt that together have at most `budget` tokens."""
    pieces = sorted(_pieces(facts), key=lambda piece: -piece.worth)
    chosen: list[Piece] = []
    left = budget
    for piece in pieces:
        cost = (
            count(piece.text)
            + 2
            + count(piece.section) * (piece.section not in {one.section for one in chosen})
        )
        if cost <= left:
            chosen.append(piece)
            left -= cost
    prompt = _written(chosen, len(pieces) - len(chosen), count)
    while prompt.tokens > budget and chosen:  # a counter need not add up
        chosen.pop()
        prompt = _written(chosen, len(pieces) - len(chosen), count)
    return prompt if prompt.tokens <= budget else Prompt("", "", 0, len(pieces))


def _written(chosen: Sequence[Piece], left_out: int, count: Count) -> Prompt:
    stable, changing = (_sections(chosen, order) for order in (STABLE, CHANGING))
    text = "\n\n".join(part for part in (stable, changing) if part)
    return Prompt(stable, changing, count(text) if text else 0, left_out)


def _sections(chosen: Sequence[Piece], order: Sequence[str]) -> str:
    blocks = []
    for section in order:
        texts = [piece.text for piece in chosen if piece.section == section]
        if texts:
            blocks.append("\n".join([f"## {section}", *texts]))
    return "\n\n".join(blocks)


def _pieces(facts: Mapping[str, Any]) -> Iterator[Piece]:
    yield from _world(facts)
    yield from _scene(facts)
    yield from _past(facts)


def _world(facts: Mapping[str, Any]) -> Iterator[Piece]:
    campaign = _mapping(facts.get("campaign"))
    heading = ", ".join(str(campaign[key]) for key in ("title", "genre", "tone") if campaign.get(key))
    if heading:
        yield Piece("world", heading, ALWAYS)
    for at, paragraph in enumerate(_paragraphs(campaign.get("setting"))):
        yield Piece("world", paragraph, 5.0 - min(at, 40) / 10)
    for constraint in facts.get("constraints") or ():
        yield Piece("must hold", f"- {constraint}", ALWAYS - 1)
    for paragraph in _paragraphs(_mapping(facts.get("rules")).get("prose")):
        yield Piece("rules", paragraph, 2.0)
    if persona := _persona(_mapping(facts.get("persona"))):
        yield Piece("you are", persona, 6.0)


def _scene(facts: Mapping[str, Any]) -> Iterator[Piece]:
    action, place = _mapping(facts.get("action")), _mapping(facts.get("place"))
    if text := str(action.get("text") or ""):
        yield Piece("chosen", text, ALWAYS + 1)
    if place.get("name"):
        yield Piece("where", f"{place['name']}: {place.get('arrival') or ''}", 7.0)
    for name, worth in (("beat", ALWAYS), ("due", ALWAYS - 0.5)):
        if beat := _mapping(facts.get(name)):
            yield Piece("happens", str(beat.get("description") or ""), worth)
    for beat in facts.get("alsoDue") or ():
        yield Piece("happens", str(_mapping(beat).get("description") or ""), ALWAYS - 1)
    for person in facts.get("people") or ():
        yield from _person(_mapping(person))


def _person(person: Mapping[str, Any]) -> Iterator[Piece]:
    name = person.get("name")
    if not name:
        return
    traits = ", ".join(map(str, person.get("traits") or ()))
    about = (
        f"{name} ({person.get('role') or 'here'}; {traits}), {person.get('tone') or 'neutral'} towards you."
    )
    yield Piece("who is here", f"{about} Speaks: {person.get('voice') or 'plainly'}.", 8.0)
    for memory in person.get("witnessed") or ():
        yield Piece("who is here", f"{name} was there: {memory['summary']}", 4.0 + float(memory["relevance"]))


def _past(facts: Mapping[str, Any]) -> Iterator[Piece]:
    for memory in facts.get("memories") or ():
        worth = 5.0 + float(memory.get("relevance") or 0.0) + (2.0 if memory.get("episodic") else 0.0)
        yield Piece("memories", f"- {memory['summary']}", worth)
    for consequence in facts.get("remembered") or ():
        yield Piece("memories", f"- {consequence}", 6.0)
    for chunk in facts.get("lore") or ():
        yield Piece("lore", str(chunk.get("text") or ""), 3.0 + float(chunk.get("relevance") or 0.0))
    for kept in facts.get("kept") or ():
        yield Piece("kept", f"- {kept['text']} (scene {kept['scene']})", 5.5)
    recent = facts.get("recent") or ()
    for at, scene in enumerate(recent):
        yield Piece("just now", f"- {scene['summary']}", 5.0 + at / max(1, len(recent)))
    history = facts.get("history") or ()
    for at, chapter in enumerate(history):
        yield Piece("long ago", str(chapter), 2.0 + at / max(1, len(history)))


def _persona(persona: Mapping[str, Any]) -> str:
    parts = [str(persona[key]) for key in ("name", "race", "class", "background") if persona.get(key)]
    parts += [
        f"{key}: {', '.join(map(str, persona[key]))}" for key in ("traits", "items") if persona.get(key)
    ]
    return "; ".join(parts)


def _paragraphs(text: Any) -> list[str]:
    return [part for part in str(text or "").split("\n\n") if part.strip()]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
