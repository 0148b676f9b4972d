"""Writes the brief that a model reads before it tells a scene, within a budget of tokens.

    text = brief.write(facts, budget=2500)
    text.stable   # the world, what must hold, who the player is: the same from turn to turn
    text.past     # the story so far and the latest scenes: it only grows, and is shortened seldom
    text.here     # the place and the people: can be read while the player reads
    text.now      # what the player does, what is decided, what is known of it, what can be done next

The parts stand in this order, so that what a model has read once it need not read again. Texts of a campaign
and of the player are material, and marked as such.
"""

from __future__ import annotations

import re
from collections import namedtuple

TYPE_CHECKING = False  # importing `typing` would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, NamedTuple, TypeAlias

    Count: TypeAlias = Callable[[str], int]

    class Brief(NamedTuple):
        stable: str
        past: str
        here: str
        now: str
        tokens: int
        left_out: tuple[str, ...]  # sections of which something found no room

    class Piece(NamedTuple):
        section: str
        text: str
        worth: float

else:
    Brief = namedtuple("Brief", "stable past here now tokens left_out")
    Piece = namedtuple("Piece", "section text worth")

ALWAYS = 10.0  # worth of what no scene can be told without
STABLE_SHARE, TOLD_SHARE = 0.3, 0.35  # of the budget, at most
LEAST_STABLE = 60  # tokens
ALIGNED = 3  # scenes that leave the brief together
LONGEST_LINE = 400  # characters of one fact
LONGEST_ADVICE = 1200  # characters of skills' own words to a storyteller, together
BEFORE, AFTER = "Already told, in the author's words", "Told after you, in the author's words"
STABLE = ("The world", "Must hold", "Rules", "The player is")
PAST = ("Long ago", "Kept", "Just now")
HERE = ("Place", "Who is here")
NOW = (
    *("Elsewhere", "How it is told", "Lore", "Remembered", "Known about this", "Notes to the narrator"),
    *("The player does", "Decided", BEFORE, AFTER, "Possible next"),
)
COUNTING_ROUNDS = 4  # in which a brief settles once its texts are counted
_PIECES = re.compile(r"\w{1,4}|[^\w\s]|\s{2,}")


def estimate(text: str) -> int:
    """Return how many tokens a text has, rather too many than too few: four letters each, and every sign."""
    return len(_PIECES.findall(text))


class TokenCounts:
    """Counts by what a tokenizer has said, and estimates what it was not asked about yet."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._missing: dict[str, None] = {}

    def __call__(self, text: str) -> int:
        if text in self._counts:
            return self._counts[text]
        self._missing[text] = None
        return estimate(text)

    @property
    def missing(self) -> list[str]:
        """Return the texts whose tokens were only estimated."""
        return list(self._missing)

    def add(self, counts: Sequence[int]) -> None:
        """Take the tokens of the missing texts, in their order."""
        self._counts.update(zip(self._missing, counts, strict=True))
        self._missing.clear()


def write(
    facts: dict[str, Any], *, budget: int, advice: Sequence[str] = (), count: Count = estimate
) -> Brief:
    """Return the parts of a brief that together have at most `budget` tokens."""
    left_out: dict[str, None] = {}
    stable, used = _fill(list(_world(facts)), STABLE, _stable_room(budget), count, left_out)
    told, cost = _told(facts, min(int(budget * TOLD_SHARE), budget - used), count, left_out)
    used += cost
    pieces = [*_past(facts), *_here(facts), *_now(facts, advice)]
    chosen, cost = _choose(pieces, budget - used, count, left_out)
    past = "\n\n".join(part for part in (_sections(chosen, PAST[:2]), told) if part)
    here, now = _sections(chosen, HERE), _sections(chosen, NOW)
    text = "\n\n".join(part for part in (stable, past, here, now) if part)
    tokens = count(text) if text else 0
    if tokens > budget:  # a counter need not add up
        if budget < 8:
            return Brief("", "", "", "", 0, tuple(dict.fromkeys(piece.section for piece in pieces)))
        return write(facts, budget=budget * 3 // 4, advice=advice, count=count)
    return Brief(stable, past, here, now, tokens, tuple(left_out))


def _stable_room(budget: int) -> int:
    """Return the tokens for what stays the same: what must hold has room in the smallest brief."""
    return max(int(budget * STABLE_SHARE), min(budget // 2, LEAST_STABLE))


def decided(facts: dict[str, Any]) -> dict[str, Any]:
    """Return what is decided for the way the roll has ended."""
    ends = _mapping(_mapping(facts.get("brief")).get("decided"))
    ended = _mapping(facts.get("roll")).get("outcome")
    usual = ends.get("partial success") or next(iter(ends.values()), None)
    return _mapping(ends.get(str(ended or "")) or ends.get("") or usual)


def _fill(
    pieces: list[Piece], order: Sequence[str], budget: int, count: Count, left_out: dict[str, None]
) -> tuple[str, int]:
    chosen, cost = _choose(pieces, budget, count, left_out)
    return _sections(chosen, order), cost


def _choose(
    pieces: list[Piece], budget: int, count: Count, left_out: dict[str, None]
) -> tuple[list[Piece], int]:
    """Return the pieces worth most that have room together, and their tokens."""
    chosen: list[Piece] = []
    headings: set[str] = set()
    said: set[str] = set()
    room = budget
    for piece in sorted(pieces, key=lambda one: -one.worth):
        core = _core(piece.text)
        if core in said:  # the same was remembered in another place
            continue
        said.add(core)
        heading = 0 if piece.section in headings else count(piece.section) + 3
        cost = count(piece.text) + 2 + heading
        if cost <= room:
            chosen.append(piece)
            headings.add(piece.section)
            room -= cost
        else:
            left_out[piece.section] = None
    return [piece for piece in pieces if piece in chosen], budget - room


def _core(text: str) -> str:
    """Return what a piece says, whoever knows it and in whatever section it stands."""
    said = re.sub(r"^\W*(?:[^:.]{1,40} (?:was there|knows): )?", "", text)
    return re.sub(r"\W+", " ", re.sub(r"\(scene \d+\)$", "", said)).strip().casefold()


def _sections(pieces: Sequence[Piece], order: Sequence[str]) -> str:
    blocks = []
    for section in order:
        texts = [piece.text for piece in pieces if piece.section == section]
        if texts:
            blocks.append("\n".join([f"## {section}", *texts]))
    return "\n\n".join(blocks)


# what stays the same


def _world(facts: dict[str, Any]) -> Iterator[Piece]:
    campaign = _mapping(facts.get("campaign"))
    if heading := ", ".join(str(campaign[key]) for key in ("title", "genre", "tone") if campaign.get(key)):
        yield Piece("The world", heading, ALWAYS)
    if guidance := campaign.get("guidance"):
        yield Piece("The world", _line(guidance), 7.0)
    for at, paragraph in enumerate(_paragraphs(campaign.get("setting"))):
        yield Piece("The world", paragraph, 5.0 - min(at, 40) / 10)
    for constraint in _texts(facts.get("constraints")):
        yield Piece("Must hold", f"- {constraint}", ALWAYS - 1)
    for line in _limits(_mapping(facts.get("limits"))):
        yield Piece("Must hold", f"- {line}", ALWAYS)
    for paragraph in _paragraphs(_mapping(facts.get("rules")).get("prose")):
        yield Piece("Rules", paragraph, 2.0)
    if persona := _persona(_mapping(facts.get("persona"))):
        yield Piece("The player is", persona, 6.0)


def _limits(limits: dict[str, Any]) -> Iterator[str]:
    """Yield the player's content limits as sentences that a storyteller minds."""
    if limits.get("children"):
        yield "A child is playing: nobody is killed, hurt, threatened or treated cruelly."
        yield "There is no romance, no horror, no drink and no drugs."
        return
    for name in ("violence", "fear", "romance"):
        level = limits.get(name) or "full"
        if level != "full":
            yield f"Tell of no {name}." if level == "none" else f"Keep {name} mild."


def _persona(persona: dict[str, Any]) -> str:
    parts = [str(persona[key]) for key in ("name", "race", "class", "background") if persona.get(key)]
    if traits := _texts(persona.get("traits")):
        parts.append(f"traits: {', '.join(traits)}")
    return "; ".join(parts)


# what has been told


def _past(facts: dict[str, Any]) -> Iterator[Piece]:
    history, kept = _texts(facts.get("history")), _mappings(facts.get("kept"))
    for at, chapter in enumerate(history):
        yield Piece("Long ago", chapter, 2.0 + at / len(history))
    for one in kept:
        yield Piece("Kept", f"- {_line(one.get('text'))} (scene {one.get('scene')})", 5.5)


def _told(facts: dict[str, Any], budget: int, count: Count, left_out: dict[str, None]) -> tuple[str, int]:
    """Return the latest scenes word for word, or the latest summaries where there are none."""
    scenes = _mappings(_mapping(facts.get("brief")).get("scenes"))
    blocks = [
        "\n\n".join([f"> {_line(scene.get('action'))}", *_texts(scene.get("paragraphs"))]) for scene in scenes
    ]
    if not blocks:
        recent = _mappings(facts.get("recent"))
        blocks = [f"- {_line(scene.get('summary'))}" for scene in recent]
    first = _mapping(facts.get("action")).get("number")
    first = first - 1 - len(blocks) if isinstance(first, int) else 0
    start = 0
    while start < len(blocks):
        text = "## Just now\n" + "\n\n".join(blocks[start:])
        cost = count(text)
        if cost <= budget:
            if start:
                left_out["Just now"] = None
            return text, cost
        start += 1
        while (first + start) % ALIGNED and start < len(blocks) - 1:  # the cache holds the rest meanwhile
            start += 1
    if blocks:
        left_out["Just now"] = None
    return "", 0


# where it happens, and who is there


def _here(facts: dict[str, Any]) -> Iterator[Piece]:
    place = _mapping(facts.get("place"))
    if place.get("name"):
        yield Piece("Place", f"{place['name']}: {place.get('arrival') or ''}", 7.5)
    seen = _texts(place.get("details"))
    unseen = place.get("unseen")
    for detail in seen[: len(seen) - unseen] if isinstance(unseen, int) else ():
        yield Piece("Place", detail, 3.5)
    items = _texts(_mapping(facts.get("persona")).get("items"))
    if items:
        yield Piece("Place", f"The player carries: {', '.join(items)}.", 8.0)
    if ways := _texts(_mapping(facts.get("brief")).get("ways")):
        yield Piece("Place", f"From here one can go to {'; '.join(map(_line, ways))}.", 4.0)
    for person in _mappings(facts.get("people")):
        yield from _person(person)


def _person(person: dict[str, Any]) -> Iterator[Piece]:
    name = person.get("name")
    if not name:
        return
    nature = ", ".join(_texts(person.get("traits"))[:4])
    about = f"{name} ({'; '.join(filter(None, (str(person.get('role') or ''), nature))) or 'is here'})"
    feels = _FEELINGS.get(str(person.get("tone") or _tone(person.get("perception"))), "")
    speaks = f" Speaks: {_line(person['voice'])}" if person.get("voice") else ""
    yield Piece("Who is here", f"{about}{feels}.{speaks}", 8.5)
    sayings = _texts(person.get("sayings"))
    if sayings:
        yield Piece("Who is here", f"  {name}'s voice: “{_line(sayings[0])}”", 5.0)
    if wants := _texts(person.get("motivations")):
        yield Piece("Who is here", f"  {name} wants: {'; '.join(map(_line, wants[:2]))}", 5.5)
    for other, tie in list(_mapping(person.get("relationships")).items())[:4]:
        yield Piece("Who is here", f"  {name} and {other}: {_line(tie)}", 3.4)
    if not person.get("met") and person.get("appearance"):
        yield Piece("Who is here", f"  Seen for the first time: {person['appearance']}", 6.0)
    for memory in _mappings(person.get("witnessed")):
        relevance = memory.get("relevance")
        worth = 4.0 + (relevance if isinstance(relevance, (int, float)) else 0.0)
        yield Piece("Who is here", f"  {name} was there: {_line(memory.get('summary'))}", worth)


def _tone(perception: Any) -> str:
    if not isinstance(perception, (int, float)) or isinstance(perception, bool):
        return ""
    return "warm" if perception > 30 else "cold" if perception < -30 else ""


_FEELINGS = {"warm": ", fond of the player", "cold": ", cold towards the player"}
_ENDED = {
    "success": "It succeeds.",
    "partial success": "It succeeds in part: name the small price that it has.",
    "failure": "It fails, and the failure changes the situation.",
}


# what is new


def _now(facts: dict[str, Any], advice: Sequence[str]) -> Iterator[Piece]:
    action, brief, settled = _mapping(facts.get("action")), _mapping(facts.get("brief")), decided(facts)
    for one in _texts(brief.get("elsewhere"))[:8]:
        yield Piece("Elsewhere", f"- {_line(one)}", 3.0)
    room = LONGEST_ADVICE
    for one in advice:
        if room > 0:
            yield Piece("How it is told", _cut(one, room), 3.2)
            room -= len(one)
    yield from _remembered(facts)
    yield from _known(facts, settled)
    for one in _texts(facts.get("notes")):
        yield Piece("Notes to the narrator", f"- {_line(one)}", ALWAYS)
    if text := action.get("text"):
        yield Piece("The player does", _cut(str(text), 1000), ALWAYS + 1)
    for line in _decided_lines(facts, settled):
        yield Piece("Decided", f"- {line}", ALWAYS)
    for section, name in ((BEFORE, "before"), (AFTER, "after")):
        for paragraph in _texts(settled.get(name)):
            yield Piece(section, paragraph, ALWAYS)
    for number, option in enumerate(_texts(settled.get("options")), 1):
        yield Piece("Possible next", f"{number}: {_line(option)}", 7.0 - number / 10)


def _known(facts: dict[str, Any], settled: dict[str, Any]) -> Iterator[Piece]:
    """Yield what bears on the action: evidence, what people keep back, what skills found, other lore."""
    evidence = _mappings(settled.get("evidence"))
    for at, passage in enumerate(evidence):
        who = f"{passage['person']} knows: " if passage.get("person") else ""
        yield Piece("Known about this", f"- {who}{passage.get('text')}", 9.0 - at / 4)
    for name in _texts(settled.get("keptBack")):
        yield Piece("Known about this", f"- {name} knows more about this, and keeps it back.", 9.0)
    for name in _texts(settled.get("leads")):
        yield Piece("Known about this", f"- {name}, who is not here, would know more about this.", 8.0)
    for one in _findings(facts):
        yield Piece("Known about this", f"- Found out by the action, and to be told: {_line(one)}", ALWAYS)
    known_texts = {passage.get("text") for passage in evidence}
    for chunk in _mappings(facts.get("lore")):
        if chunk.get("text") not in known_texts:
            relevance = chunk.get("relevance")
            worth = 3.0 + (relevance if isinstance(relevance, (int, float)) else 0.0)
            yield Piece("Lore", str(chunk.get("text") or ""), worth)


def _remembered(facts: dict[str, Any]) -> Iterator[Piece]:
    for memory in _mappings(facts.get("memories")):
        relevance = memory.get("relevance")
        worth = 5.0 + (relevance if isinstance(relevance, (int, float)) else 0.0)
        yield Piece(
            "Remembered", f"- {_line(memory.get('summary'))}", worth + 2.0 * bool(memory.get("episodic"))
        )
    for consequence in _texts(facts.get("remembered")):
        yield Piece("Remembered", f"- {_line(consequence)}", 6.0)


def _decided_lines(facts: dict[str, Any], settled: dict[str, Any]) -> Iterator[str]:
    ended = _mapping(facts.get("roll")).get("outcome")
    if isinstance(ended, str) and ended:
        yield _ENDED.get(ended, f"It ends in {_clause(ended)}.")
    if route := _mapping(facts.get("action")).get("route"):
        yield f"The player has come here: {_clause(route)}."
    if not settled:  # no engine has decided more than its draft says
        yield from map(_line, _texts(facts.get("draft")))
    for effect in _texts(settled.get("effects")):
        yield f"From now on: {_clause(effect)}."
    present = _texts(_mapping(facts.get("ledger")).get("present"))
    yield f"Here: {', '.join(present)}." if present else "Nobody else is here."


def _findings(facts: dict[str, Any]) -> Iterator[str]:
    """Yield what skills have said to the action; a result that says nothing in words is no fact here."""
    for output in _mapping(facts.get("findings")).values():
        texts = (_mapping(output).get(name) for name in ("tell", "summary", "text", "fact"))
        if found := next((text for text in texts if isinstance(text, str) and text.strip()), ""):
            yield found


def _paragraphs(value: Any) -> list[str]:
    return [part for part in str(value or "").split("\n\n") if part.strip()]


def _line(value: Any) -> str:
    return _cut(" ".join(str(value or "").split()), LONGEST_LINE)


def _clause(value: Any) -> str:
    return _line(value).rstrip(".")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest].rsplit(" ", 1)[0] + " …"


def _texts(value: Any) -> list[str]:
    return [str(one) for one in value if one] if isinstance(value, (list, tuple)) else []


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, (list, tuple)) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
