"""Reads the situation of a choice from the plan, the state and the story's memory."""

from __future__ import annotations

import re

from narratoria import sdk
from narratoria.sdk.names import fold
from narratoria.sdk.tiers import NEUTRAL

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

UNDECIDED = "partial success"
WARM, COLD = NEUTRAL, -NEUTRAL  # of an opinion or a standing: beyond them people help, or do not
HIGH, LOW = 0.75, 0.4  # of a stat's range: above 15 of 20, below 8 of 20
RECALLED = 24  # memories looked at, of each kind
RELEVANT = 0.7
BARE = "The player: "  # a choice in its own words: the story remembers the same scene in a sentence
BETRAYAL = re.compile(
    r"(?i)betray|sold out|double-cross|turned on|informed on|ratted|stabbed .* in the back|broke faith"
)


class ChoiceScene:
    """Holds the player, the place, the people present, and what is known of the past."""

    def __init__(self, request: sdk.Request) -> None:
        given, state = request.input, request.state
        self.given = given
        self.ahead = what_follows(given)
        self.place = mapping(given.get("place"))
        self.action = mapping(given.get("action"))
        self.persona = mapping(given.get("persona")) or mapping(state.get("persona"))
        self.stats = numbers(self.persona.get("stats"))
        self.range = stat_range(given, self.persona, self.stats)
        self.traits = texts(self.persona.get("traits"))
        self.items = texts(self.persona.get("items")) or texts(state.get("items"))
        self.name = str(self.persona.get("name") or "")
        self.number = int(self.action["number"]) if is_number(self.action.get("number")) else 0
        held = mapping(mapping(state.get("playerChoices")).get("offered"))
        self.offered = {name: int(since) for name, since in held.items() if is_number(since)}
        self.dead = {fold(name) for name in texts(mapping(given.get("ledger")).get("dead"))}
        self.names = faction_names(given)
        self.beyond_limits = beyond_limits(given)
        self.people = self._people(state)
        self.standings = self._standings(state)
        self.memories: list[dict[str, Any]] = self._memories()

    # people and factions

    def _people(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        """Those who are there when the choice is made, alive, with what they think of the player."""
        there = self.ahead.get("people")
        opinions = {} if self.action.get("kind") == "again" else numbers(state.get("perception"))
        for source in ("first-opinion", "opinion"):
            for view in listed(mapping(self.given.get(source)), "perceptions"):
                if is_number(view.get("perception")):
                    opinions[str(view.get("npc"))] = float(view["perception"])
        people = []
        for person in listed(self.given, "people"):
            who = str(person.get("id") or person.get("name") or "")
            name = str(person.get("name") or who)
            gone = isinstance(there, list) and who not in there
            if not who or gone or person.get("alive") is False or {fold(name), fold(who)} & self.dead:
                continue
            score: Any = opinions.get(who, person.get("perception"))
            faction = self.called(str(person.get("faction") or ""))
            identity = {"id": who, "name": re.sub(r"^The\b", "the", name), "faction": faction}
            people.append({**person, **identity, "perception": float(score) if is_number(score) else 0.0})
        return people

    def person(self, who: str) -> dict[str, Any] | None:
        return next((person for person in self.people if person["id"] == who), None)

    def _standings(self, state: dict[str, Any]) -> dict[str, float]:
        standings = {} if self.action.get("kind") == "again" else numbers(state.get("reputation"))
        for source in (self.given.get("standing"), self.given):
            standings |= numbers(mapping(source).get("reputation"))
        return standings

    def standing(self, faction: str) -> float:
        return next((score for name, score in self.standings.items() if fold(name) == fold(faction)), 0.0)

    def betrayal_of(self, faction: str) -> dict[str, Any] | None:
        """Return the memory of having betrayed a faction."""
        folded = fold(faction)
        for memory in self.memories:
            about = {fold(name) for name in (*memory["characters"], *memory["tags"])}
            if BETRAYAL.search(memory["summary"]) and (folded in fold(memory["summary"]) or folded in about):
                return memory
        return None

    def is_hostile(self, faction: str) -> bool:
        return self.standing(faction) < COLD or self.betrayal_of(faction) is not None

    def factions(self) -> list[str]:
        """Return every known faction once, as it is called."""
        named = [person["faction"] for person in self.people if person["faction"]]
        by_fold = {fold(name): self.called(name) for name in (*self.names, *named, *self.standings) if name}
        return list(by_fold.values())

    def called(self, faction: str) -> str:
        """Return the name of a faction; where only its id is known, that in words."""
        name = next((name for name in self.names if fold(name) == fold(faction)), faction)
        return re.sub(r"[-_]+", " ", name).title() if name == name.lower() else name

    # stats

    def level(self, stat: str) -> str:
        """high, low or nothing special."""
        low, high = self.range
        share = (self.stats[stat] - low) / (high - low)
        return "high" if share > HIGH else "low" if share < LOW else ""

    # the past

    def _memories(self) -> list[dict[str, Any]]:
        memories: dict[str, dict[str, Any]] = {}
        recalled = listed(mapping(self.given.get("recall")), "memories")
        witnessed = [
            {**memory, "characters": [*texts(memory.get("characters")), person["id"]]}
            for person in self.people
            for memory in listed(person, "witnessed")
        ]
        for memory in (*listed(self.given, "memories"), *recalled, *witnessed):
            add_memory(memories, memory)
        return without_echoes(list(memories.values()))

    def remember(self) -> None:
        """Adds what the story's memory holds about the people, the place and the ways from here."""
        from narratoria.sdk import host

        if self.action.get("kind") == "again":
            return
        memories = {memory["id"]: memory for memory in self.memories}
        places = [str(self.place["id"])] if self.place.get("id") else []
        places += [str(to["to"]) for to in listed(self.ahead, "ways") if to.get("to")]
        queries: list[dict[str, Any]] = []
        if self.people:
            queries.append({"characterIds": [person["id"] for person in self.people]})
        if places:
            queries.append({"location": places})
        try:
            entries = [
                entry
                for filters in queries
                for entry in host.exact_match(filters, "memory", limit=RECALLED, newest_first=True)
            ]
            # in the words that the engine has searched by: they are embedded already
            if about := str(self.action.get("text") or ""):
                entries += host.semantic_search(about, "memory", limit=5, min_relevance=RELEVANT)
        except host.HostError as refusal:
            sdk.log(f"Chosen without the story's memory: {refusal.message}", "debug")
            return
        for entry in entries:
            if entry["record"].get("significance") == "low" or self._is_of_before(entry["record"]):
                continue  # a walk is remembered, and is nothing to talk about
            add_memory(
                memories, {**entry["record"], "id": entry["identifier"], "relevance": entry.get("relevance")}
            )
        self.memories = without_echoes(list(memories.values()))

    def _is_of_before(self, record: dict[str, Any]) -> bool:
        """Return whether it happened before the story began again."""
        begun: Any = self.action.get("begun")
        turn: Any = record.get("turn")
        return is_number(begun) and is_number(turn) and 0 < turn <= begun


def add_memory(memories: dict[str, dict[str, Any]], memory: dict[str, Any]) -> None:
    summary, name = memory.get("summary"), memory.get("id")
    if not isinstance(summary, str) or not summary.strip():
        return
    characters = (
        texts(memory.get("characters")) or texts(memory.get("characterIds")) or texts(memory.get("people"))
    )
    entry = memories.setdefault(
        str(name or summary),
        {
            "id": str(name or ""),
            "summary": summary,
            "characters": [],
            "tags": texts(memory.get("tags")) or texts(memory.get("semanticTags")),
            "location": str(memory.get("location") or ""),
            "witnesses": texts(memory.get("witnesses")),
            "episodic": False,
            "action": "",
            "outcome": str(memory.get("outcome") or ""),
            "significance": str(memory.get("significance") or "medium"),
            "scene": next((memory[name] for name in ("scene", "turn") if is_number(memory.get(name))), 0),
        },
    )
    entry["characters"] = list(dict.fromkeys([*entry["characters"], *characters]))
    entry["episodic"] = entry["episodic"] or bool(memory.get("episodic"))
    entry["action"] = entry["action"] or str(memory.get("actionType") or "")


def without_echoes(memories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Less the choices in their own words, where the story remembers its scenes in sentences."""
    if not any(memory["id"].startswith("scene-") for memory in memories):
        return memories
    return [memory for memory in memories if not memory["summary"].startswith(BARE)]


def faction_names(given: dict[str, Any]) -> list[str]:
    """Return the campaign's names of its factions."""
    listing = given.get("factions") or mapping(given.get("ledger")).get("factions")
    named = (one.get("name") or one.get("id") if isinstance(one, dict) else one for one in listing or ())
    return [name for name in named if isinstance(name, str) and name]


def beyond_limits(given: dict[str, Any]) -> re.Pattern[str] | None:
    """Return what finds words that go beyond the player's content limits; None where nothing is limited."""
    words = texts(mapping(given.get("limits")).get("words"))
    if not words:
        return None
    return re.compile(rf"(?i)\b(?:{'|'.join(map(re.escape, words))})(?:s|es|ed|d|ing|er|ers)?\b")


def what_follows(given: dict[str, Any]) -> dict[str, Any]:
    """Return what is open after the action, given how its roll ended."""
    ahead, roll = mapping(given.get("next")), mapping(given.get("roll"))
    options = (ahead.get(end) for end in (roll.get("outcome"), UNDECIDED, "") if isinstance(end, str))
    return next((mapping(one) for one in options if one), {})


def stat_range(
    given: dict[str, Any], persona: dict[str, Any], stats: dict[str, float]
) -> tuple[float, float]:
    for place in (given, persona, mapping(given.get("rules"))):
        bounds = mapping(place.get("statRange") or place.get("stat_range"))
        if is_number(bounds.get("max")) and bounds["max"] > (bounds.get("min") or 0):
            return float(bounds.get("min") or 0), float(bounds["max"])
    top = max(stats.values(), default=0.0)
    if top > 20:
        return 0.0, 100.0
    if len(stats) < 3 or top > 10:
        return 0.0, 20.0
    return (0.0, 5.0) if top <= 5 else (0.0, 10.0)


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def listed(facts: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = facts.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    named = (
        item.get("name") if isinstance(item, dict) else item
        for item in (value if isinstance(value, list) else ())
    )
    return [item for item in named if isinstance(item, str) and item]


def numbers(value: Any) -> dict[str, float]:
    scores = {}
    for name, held in mapping(value).items():
        number: Any = held.get("score") if isinstance(held, dict) else held
        if is_number(number):
            scores[str(name)] = float(number)
    return scores


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
