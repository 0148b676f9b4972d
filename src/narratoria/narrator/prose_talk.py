"""What is said when the player talks to somebody, and what that somebody has to say to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from narratoria.narrator import prose_lines as lines
from narratoria.narrator.prose_memory import FRESH, Wording
from narratoria.narrator.voices import as_wish, call_name, predicate, spoken

ENDED: Mapping[str, tuple[str, ...]] = {  # how talk ends that was a risk
    "success": (
        "You find the right words, and {short} lets you see that they were the right ones.",
        "It goes as you hoped, and {short} gives way, a little at first and then altogether.",
        "Word by word, {short} comes round to you.",
    ),
    "partial success": (
        "Half of it {short} gives you. The other half stays where it was.",
        "You get a part of what you came for, and a look that says there will be no more today.",
        "It is not a yes. It is not what it was before, either.",
    ),
    "failure": (
        "It is no use: {short} has shut some door that you cannot see.",
        "You hear yourself go wrong in the middle of it, and {short} hears it too.",
        "Your words fall between the two of you, and {short} does not pick them up.",
    ),
}


FELT = ("warm", "cold")  # tones that show in whatever is said


class Talk(Wording):
    """The part of a scene in the making in which people speak."""

    facts: Mapping[str, Any]
    action: Mapping[str, Any]
    memories: list[str]
    outcome: str
    shown: set[str]

    def talk(self) -> str:
        person = next((one for one in self.people if one.get("name") == self.action.get("person")), {})
        name, tone = str(self.action.get("person") or ""), str(person.get("tone") or "neutral")
        self.shown.add(name)
        slots = {"person": name, "short": call_name(name)}
        topic = self.topic()
        ended = self.one_of(ENDED[self.outcome], slots) if topic and self.outcome in ENDED else ""
        if topic and not self.fell_short and (answer := self.answered(topic, slots, tone)):
            return self.joined(topic, ended, answer)
        if not (saying := self.action.get("saying") or ""):
            return self.joined(topic, ended or self.talked_out(person, tone, slots))
        lead = topic or ("" if person.get("met") else person.get("appearance") or "")
        greeting = person.get("greeting") if not person.get("heard") else ""
        if not lead or not greeting:
            lead = self.joined(lead, self.manner_of(tone, slots, always=not lead))
        words = self.joined(greeting or "", saying)
        said = spoken(words, self.one_of(lines.SAYS.get(tone, lines.SAYS["neutral"]), slots))
        gesture = self.one_of(person.get("habits") or [], optional=True) if self.dice.random() < 0.5 else ""
        return self.joined(lead, said, ended or gesture)

    @property
    def fell_short(self) -> bool:
        return self.outcome in ("failure", "partial success")

    def manner_of(self, tone: str, slots: dict[str, str], *, always: bool = False) -> str:
        """How somebody takes the player's company; of one who is neither fond nor averse, only if need be."""
        return (
            self.one_of(lines.TALKING.get(tone, lines.TALKING["neutral"]), slots)
            if always or tone in FELT
            else ""
        )

    def topic(self) -> str:
        """What the player means to say, where the choice is more than to talk."""
        text = " ".join(str(self.action.get("text") or "").split())
        wish = as_wish(text) if not text.casefold().startswith(("talk to", "talk with", "speak")) else ""
        return f"You {'try to ' if self.fell_short else ''}{wish}." if wish and " " in wish else ""

    def answered(self, topic: str, slots: dict[str, str], tone: str) -> str:
        """What somebody says to what was asked or told; empty where what they have to say will do."""
        if re.search(r"\bto help you\b|\breturn the favour\b", topic):
            return self.pointed(slots)
        if re.match(r"You (?:tell|make amends|ask .* what (?:went wrong|has come))", topic):
            pool = (
                lines.ADVISED if "what went wrong" in topic else lines.HEARD.get(tone, lines.HEARD["neutral"])
            )
            return self.one_of(pool, slots)
        return ""

    def pointed(self, slots: dict[str, str]) -> str:
        """Help that can be used: where the story goes on, as far as the campaign knows."""
        ahead = (self.facts.get("next") or {}).get(self.outcome) or {}
        wishes = [as_wish(str(one.get("text") or "")) for one in ahead.get("openings") or []]
        wish = next((one for one in wishes if one and "," not in one and slots["short"] not in one), "")
        if wish:
            return self.one_of(lines.POINTING_HERE, {"wish": wish, **slots})
        ways = [one for one in ahead.get("ways") or [] if one.get("urgent") or one.get("steps")]
        if not ways:
            return ""
        nearest = min(ways, key=lambda one: (one.get("urgent") or 99, one.get("steps") or 99))
        return self.one_of(lines.POINTING_AWAY, {"place": str(nearest["name"]), **slots})

    def talked_out(self, person: Mapping[str, Any], tone: str, slots: dict[str, str]) -> str:
        """What one learns of a person who has said it all; then the memory, then good company."""
        options: list[str] = []
        short = slots["short"]
        if tone != "cold":
            for trait in (*(person.get("virtues") or []), *(person.get("flaws") or [])):
                if whole := predicate(trait, short):
                    options += [self.filled(line, {"predicate": whole, **slots}) for line in lines.ABOUT_SELF]
            for wish in person.get("motivations") or []:
                if wanted := as_wish(wish):
                    options += [self.filled(line, {"wish": wanted, **slots}) for line in lines.WANTING]
            for other, what in (person.get("relationships") or {}).items():
                if whole := predicate(what, short):
                    options += [
                        self.filled(line, {"other": other, "predicate": whole, **slots})
                        for line in lines.ABOUT_OTHERS
                    ]
            for memory in self.memories:
                if slots["person"] not in memory:
                    options += [self.filled(line, {"memory": memory, **slots}) for line in lines.TALK_IT_OVER]
        told = self.one_of(_one_for_each(options, self), optional=True)
        if told:
            told = self.joined(self.manner_of(tone, slots), told)
        gesture = self.one_of(person.get("habits") or [], optional=True)
        if not told:
            told = self.one_of(lines.TALKED_OUT.get(tone, lines.TALKED_OUT["neutral"]), slots)
        return self.joined(gesture, told) if self.dice.random() < 0.5 else self.joined(told, gesture)


def _one_for_each(options: list[str], wording: Wording) -> list[str]:
    """Of the ways to say one thing, none if any of them has been said."""
    by_end: dict[str, list[str]] = {}
    for option in options:
        by_end.setdefault(option.rsplit(". ", 1)[-1].rsplit(": ", 1)[-1].casefold(), []).append(option)
    return [
        option for same in by_end.values() if min(map(wording.freshness, same)) > FRESH for option in same
    ]
