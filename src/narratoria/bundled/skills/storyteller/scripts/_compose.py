"""Writes a scene from its facts: what was done and how it went, what the place and its people answer."""

from __future__ import annotations

import random
import re
import zlib

TYPE_CHECKING = False  # importing `typing` costs a tool more than it is worth
if TYPE_CHECKING:
    from typing import Any

UNDECIDED = "partial success"
SHORT = 90  # characters: less than this is not a paragraph

GOING = "You go", "You make your way", "You set off"
RETURNED = (
    "You are back at {place}, and it is as you left it.",
    "You come to {place} again.",
    "So here you are again, at {place}.",
)
LOOKING = (
    "You take your time over it.",
    "You look again, and this time slowly.",
    "You let your eyes do the work.",
)
SEEN_ALL = (
    "You go over everything once more, and nothing has moved.",
    "You have looked at all of it by now. It looks back.",
)
TALKING = (
    "You stay a while with {person}, and before long there is talk.",
    "You give {person} time to come round to it.",
    "You ask {person} nothing in particular, which is often the best way to be told something.",
)
TALKED_OUT = (
    "{person} has said what there was to say, and is comfortable with the silence.",
    "You and {person} have run out of words for now, and neither of you minds.",
)
WAITING = "You wait.", "You let some time go by.", "For a while you do nothing at all, and do it thoroughly."
REMEMBERING = (
    "All this while it goes round in your head: {memory}.",
    "You have not forgotten that {memory}.",
    "And beneath everything else there is the one thought: {memory}.",
    "It comes back to you, as it does whenever it is quiet: {memory}.",
)
ENDINGS = {
    "success": (
        "It goes the way you meant it to go, which surprises nobody more than you.",
        "It works, cleanly, and you have breath left over.",
    ),
    "partial success": (
        "It works, after a fashion, and something is left owing.",
        "You manage it, though not in the way you would tell it afterwards.",
    ),
    "failure": (
        "It does not work, and it costs you more than you like to show.",
        "It goes wrong, slowly enough for you to watch.",
    ),
}
QUIET = (
    "Nothing answers at once. The moment stays open, and waits for what you will do with it.",
    "There is a pause after that, of the kind in which things are decided.",
)


class Telling:
    """One scene in the making. It chooses what was told longest ago, and remembers what it has chosen."""

    def __init__(self, facts: dict[str, Any], seed: object, told: dict[str, Any]) -> None:
        self.action = facts.get("action") or {}
        self.place = facts.get("place") or {}
        self.people = [person for person in facts.get("people") or [] if isinstance(person, dict)]
        self.beat, self.due = facts.get("beat") or {}, facts.get("due") or {}
        self.memories = facts.get("remembered") or []
        self.outcome = (facts.get("roll") or {}).get("outcome") or ""
        self.number = self.action.get("number") or 1
        self.told = {key: scene for key, scene in told.items() if isinstance(scene, int)}
        self.chosen: dict[str, int] = {}
        self.dice = random.Random(f"{seed}/narrate")

    def paragraphs(self) -> list[str]:
        if premise := self.action.get("premise"):
            return list(premise)
        told = self.deed()
        if description := self.due.get("description"):
            told.append(description)
        if len(told) < 2 or (len(told) == 2 and self.strangers()):
            told.append(self.answer() or self.one_of(QUIET))
        return told

    # what the player did

    def deed(self) -> list[str]:
        if self.beat:
            outcomes = self.beat.get("outcomes") or {}
            ended = outcomes.get(self.outcome) or outcomes.get(UNDECIDED)
            return [self.beat["description"], *([ended] if ended else [])]
        match self.action.get("kind"):
            case "go":
                return [f"{self.one_of(GOING)} {self.action['route']}. {self.arrival()}"]
            case "talk":
                return [self.talk()]
            case "look":
                detail = self.action.get("detail")
                return [f"{self.one_of(LOOKING)} {detail}" if detail else self.one_of(SEEN_ALL)]
            case "wait":
                return [self.joined(self.one_of(WAITING), self.moment())]
        return [self.joined(self.in_your_words(), self.ending())]

    def arrival(self) -> str:
        if not self.place.get("visits"):
            return str(self.place["arrival"])
        return self.joined(self.one_of(RETURNED).format(place=self.place["name"]), self.moment())

    def talk(self) -> str:
        name, saying = self.action["person"], self.action.get("saying")
        if not saying:
            return self.one_of(TALKED_OUT).format(person=name)
        return f"{self.one_of(TALKING).format(person=name)} “{saying}”"

    def in_your_words(self) -> str:
        text = " ".join(str(self.action.get("text") or "").split()).rstrip(".!")
        text = re.sub(r"^(?:I|you)\s+", "", text, flags=re.IGNORECASE)[:300]
        return f"You {text[:1].lower()}{text[1:]}." if text else "You go on."

    def ending(self) -> str:
        return self.one_of(ENDINGS[self.outcome]) if self.outcome in ENDINGS else ""

    # what the place, its people and the past have to say to it

    def answer(self) -> str:
        present = [self.presence(person) for person in self.newest_first()[: 2 if self.has_arrived() else 1]]
        moment = self.moment() if not self.has_arrived() or not present else ""
        parts = [*present, moment] if self.dice.random() < 0.5 else [moment, *present]
        return self.joined(*parts, self.memory(always=len(self.joined(*parts)) < SHORT))

    def has_arrived(self) -> bool:
        return self.action.get("kind") == "go"

    def strangers(self) -> bool:
        return any(not person.get("met") for person in self.people)

    def newest_first(self) -> list[dict[str, Any]]:
        """Who has not been met; then the others, in turns. Whoever just spoke has had their moment."""
        others = [person for person in self.people if person["name"] != self.action.get("person")]
        others = [person for person in others if person["name"] not in self.beat.get("description", "")]
        return sorted(others, key=lambda person: (bool(person.get("met")), self.latest(person.get("habits"))))

    def presence(self, person: dict[str, Any]) -> str:
        if not person.get("met") and person.get("appearance"):
            return str(person["appearance"])
        return self.one_of(person.get("habits") or [])

    def moment(self) -> str:
        return self.one_of(self.place.get("moments") or [])

    def memory(self, *, always: bool) -> str:
        """Now and then, or when little else is said; never the same one twice within a few scenes."""
        fresh = [memory for memory in self.memories if self.number - self.told.get(key_of(memory), -9) > 3]
        if not fresh or (not always and self.dice.random() < 0.5):
            return ""
        memory = self.one_of(fresh)
        return self.one_of(REMEMBERING).format(memory=memory)

    # choosing and joining

    def one_of(self, texts: list[str] | tuple[str, ...]) -> str:
        """The one told longest ago; among several that were never told, any."""
        if not texts:
            return ""
        when = {text: self.chosen.get(key_of(text), self.told.get(key_of(text), 0)) for text in texts}
        oldest = min(when.values())
        text = self.dice.choice([text for text in texts if when[text] == oldest])
        self.chosen[key_of(text)] = self.number
        return text

    def latest(self, texts: list[str] | None) -> int:
        return max((self.told.get(key_of(text), 0) for text in texts or []), default=0)

    @staticmethod
    def joined(*parts: str) -> str:
        return " ".join(part for part in parts if part)


def key_of(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
