"""Composes a scene in two or three paragraphs from the campaign's own words.

It needs no model. It orders and joins what the author wrote, says what was done and how it went, lets people
answer in their own voices, and never says a sentence again while there is another. Of its own it adds one
line at most.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence

from narratoria.contracts.scene_facts import BeatFacts, PersonFacts, SceneFacts
from narratoria.narrator.composer_lines import NARRATION
from narratoria.narrator.dialogue import Dialogue
from narratoria.narrator.grammar import (
    as_wish,
    call_name,
    quote_speech,
)
from narratoria.narrator.phrase_memory import FRESH, sentences
from narratoria.narrator.retrospection import Retrospection

RESTED = 25  # the same for what the author wrote about a place
MAX_PARAGRAPHS = 3
SENTENCE_LEAST, SENTENCE_MOST = 30, 260  # characters of a sentence that can stand alone
LONG = 220  # characters of a paragraph of the composer's own that can be cut in two
UNDECIDED = "partial success"
# a sentence that leans on the one before
_LEANS = re.compile(
    r"(?:it|they|he|she|this|that|these|those|then|there|so|but|and|or|his|her|their|its)\b", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<!\b[DM]r\.)(?<!\bMrs\.)(?<!\bSt\.)(?:(?<=[.!?…])|(?<=[.!?…][”*)]))\s+")


def compose_drafts(
    facts: SceneFacts,
    ends: Iterable[str],
    *,
    seed: object,
    used: Mapping[str, int],
    answers: Mapping[str, str] | None = None,
) -> dict[str, list[str]]:
    """Return the scene for every outcome of its roll; the same arguments give the same words.

    `answers` are what the action itself is answered with, by how its roll ends.
    """
    return {end: Composer(facts, end, seed, used, (answers or {}).get(end, "")).paragraphs() for end in ends}


def find_untold_moments(
    facts: SceneFacts, drafts: Mapping[str, Sequence[str]], used: Mapping[str, int]
) -> list[str]:
    """Return the moments of the place that were not told lately and are not in the drafts."""
    draft_text = "\n".join(paragraph for draft in drafts.values() for paragraph in draft)
    moments = facts.place.moments
    is_story_over = facts.action.kind in ("look-back", "branch", "leave")
    if is_story_over or facts.action.premise or any(moment in draft_text for moment in moments):
        return []
    composer = Composer(facts, "", "", used)
    return [moment for moment in moments if composer.freshness(moment) > RESTED]


def compose_fallback(facts: SceneFacts, outcome: str = "") -> tuple[str, ...]:
    """Return the draft of a scene that no skill could tell, or plain sentences where there is no draft.

    The same facts give the same words, and there are always two paragraphs.
    """
    for name in (outcome, UNDECIDED, ""):
        if draft := facts.drafts.get(name):
            return draft
    return facts.draft or tuple(Composer(facts, outcome, facts.action.number, {}).paragraphs())


class Composer(Retrospection, Dialogue):
    """Composes one scene."""

    def __init__(
        self, facts: SceneFacts, outcome: str, seed: object, used: Mapping[str, int], answer: str = ""
    ) -> None:
        self.own_answer = [part for part in answer.split("\n\n") if part.strip()]
        self.facts, self.outcome, self.phrase_scenes = facts, outcome, used
        self.action, self.place, self.people = facts.action, facts.place, facts.people
        self.beat = facts.beat
        self.dues = [due for due in (facts.due, *facts.also_due) if due]
        self.number = facts.action.number or 1
        self.dice = random.Random(f"{seed}/prose")
        self.scene_sentences: set[str] = set()  # in this scene
        self.shown_people: set[str] = set()  # people who have had their moment
        self.has_moment = False  # whether the place has had its own
        self.has_joining_line = False  # a line that only joins what others wrote: one in a scene at most

    def paragraphs(self) -> list[str]:
        paragraphs = [self.shorten_names(paragraph) for paragraph in self.parts() if paragraph.strip()]
        return _merge_paragraphs(paragraphs)

    def parts(self) -> list[str]:
        kind = self.action.kind
        if premise := self.action.premise:
            return list(premise) if len(premise) > 1 else [*premise, self.answer() or self.quiet()]
        if kind in ("look-back", "branch", "leave"):
            return self.afterwards()
        if self.own_answer:
            return self.parts_with_answer()
        parts = self.tell_action()
        parts += [self.tell_due_beat(due) for due in self.dues]
        if ending := self.facts.ending:
            return [*parts, *self.end(ending)]
        answer = self.answer() if len(parts) < 2 or self.has_strangers() else ""
        if answer:
            parts.insert(1 if kind != "beat" else len(parts), answer)
        return parts if len(parts) > 1 else self.in_two(parts[0])

    def parts_with_answer(self) -> list[str]:
        """Return the action's answer, what comes by itself, and a glimpse of who or what is here."""
        walk = [self.go()] if self.action.route else []
        dues = [self.tell_due_beat(due) for due in self.dues]
        if self.action.kind == "go":  # what was done before going
            return [*self.own_answer, *walk, *dues, *([self.answer()] if self.has_strangers() else [])]
        parts = [*walk, *self.own_answer, *dues]
        if ending := self.facts.ending:
            return [*parts, *self.end(ending)]
        stranger = next((one for one in self.newest_first() if not one.met), None)
        glimpse = self.presence(stranger) if stranger else ""
        if stranger and glimpse and call_name(stranger.name) in " ".join(self.own_answer):
            return [*walk, glimpse, *parts[len(walk) :]]  # one sees them before one hears them
        glimpse = glimpse or (self.moment() if len(parts) < 2 else "")
        parts = [*parts, glimpse] if glimpse else parts
        return parts if len(parts) > 1 else self.in_two(parts[0])

    def in_two(self, text: str) -> list[str]:
        """Return a lone paragraph as two: with somebody's habit after it, or cut where nobody is speaking."""
        for person in self.newest_first():
            if closing := self.presence(person):
                return [text, closing]
        is_cut = bool(self.own_answer) or self.has_joining_line or len(text) >= LONG
        if is_cut and (halves := split_paragraph(text)):
            return halves
        if closing := self.quiet():
            return [text, closing]
        return split_paragraph(text) or [text, self.one_of(NARRATION.quiet)]

    # what the player did

    def tell_action(self) -> list[str]:
        if self.beat:
            return self.tell_beat(self.beat)
        match self.action.kind:
            case "go":
                text = self.go()
            case "talk":
                text = self.talk()
            case "look":
                text = self.look()
            case "wait":
                text = self.wait()
            case "begin" if self.place.arrival:  # a trial story: nobody has come from anywhere
                text = self.place.arrival
            case _:
                text = self.tell_typed_action()
        return [text]

    def tell_beat(self, beat: BeatFacts) -> list[str]:
        text = self.join(beat.description, self.dialogue(beat))
        if outcome_text := self.tell_outcome(beat):
            return [text, outcome_text]
        return [text]

    def tell_outcome(self, beat: BeatFacts) -> str:
        outcomes = beat.outcomes
        if not outcomes:
            return ""
        if not beat.risky:
            return outcomes.get(beat.fate, "")
        return outcomes.get(self.outcome) or outcomes.get(UNDECIDED) or next(iter(outcomes.values()))

    def tell_due_beat(self, due: BeatFacts) -> str:
        self.note(due.description)
        return self.join(due.description, self.dialogue(due), self.tell_outcome(due))

    def dialogue(self, beat: BeatFacts) -> str:
        """Return the lines that the description does not hold already."""
        speeches = []
        for line in beat.dialogue:
            if line.text and line.text not in beat.description:
                name = self.name_of(line.speaker)
                speeches.append(quote_speech(line.text, f"says {call_name(name)}" if name else ""))
        return " ".join(speeches)

    def name_of(self, person: str) -> str:
        name = next((one.name for one in self.people if one.id == person), "")
        return str(name or person.replace("-", " ").title())

    def go(self) -> str:
        if self.place.unwelcome and self.people:
            return self.join(self.go_there(), self.meet_coldly())
        return self.go_there()

    def meet_coldly(self) -> str:
        """Return how somebody meets a player whom they drove out of here."""
        person = self.newest_first()[0] if self.newest_first() else self.people[0]
        self.shown_people.add(person.name)
        slots = {"person": person.name, "short": call_name(person.name)}
        return self.one_of(NARRATION.unwelcome, slots)

    def go_there(self) -> str:
        name = self.place.name or "where you meant to go"
        route = self.action.route
        if not self.place.visits:
            way = NARRATION.going if route else NARRATION.going_nowhere_said
            return self.join(self.one_of(way, {"route": route, "place": name}), self.place.arrival)
        is_route_fresh = (
            route and self.freshness(f"You go {route}.") > FRESH and not self.was_route_told(route)
        )
        ways = (*NARRATION.going, *NARRATION.known_way) if is_route_fresh else NARRATION.known_way
        going = self.one_of(ways, {"route": route, "place": name})
        return self.join(going, self.moment() or self.joining_line(NARRATION.returned))

    def was_route_told(self, route: str) -> bool:
        return any(self.freshness(opener.format(route=route)) <= FRESH for opener in NARRATION.going)

    def look(self) -> str:
        if detail := self.action.detail:
            return self.join(self.manner(), detail)
        lead = self.manner() or self.one_of(NARRATION.looking)
        if not self.place.details and (wide := self.one_of(self.setting(), optional=True)):
            return self.join(lead, wide)
        return self.join(self.one_of(NARRATION.seen_all), self.moment())

    def manner(self) -> str:
        """Return the choice as a sentence, if it says more than to look or to wait."""
        text = " ".join(self.action.text.split())
        plain = re.match(r"(?i)(?:i )?(?:look|wait|take a closer look|listen|rest|explore|continue)\b", text)
        wish = "" if plain else as_wish(text)
        return f"You {wish}." if " " in wish else ""

    def setting(self) -> list[str]:
        """Return the paragraphs about the world, for a place that was not described."""
        text = self.facts.campaign.setting
        paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
        return [part for part in paragraphs if len(part) > SENTENCE_LEAST and not part.startswith("#")]

    def wait(self) -> str:
        lead = self.manner() or self.one_of(NARRATION.waiting)
        return self.join(lead, self.moment())

    def tell_typed_action(self) -> str:
        """Return the plain sentence of an action that nothing answered: the last resort."""
        wish = as_wish(" ".join(self.action.text.split())[:300])
        return self.join(f"You {wish}." if wish else "You go on.", self.moment())

    # what the place, its people and the past have to say to it

    def answer(self) -> str:
        arrived = self.action.kind in ("go", "begin", "again")
        present = [self.presence(person) for person in self.newest_first()[: 2 if arrived else 1]]
        has_enough = self.has_moment or (arrived and any(present))
        moment = "" if has_enough else self.moment()
        parts = [
            part for part in ([*present, moment] if self.dice.random() < 0.5 else [moment, *present]) if part
        ]
        text = self.join(*parts)
        return self.join(text, self.sign_of_the_end()) if text else ""

    def quiet(self) -> str:
        if self.beat or self.dues or self.action.kind == "free":
            return self.joining_line(NARRATION.afterwards)
        has_waited = self.action.kind == "wait"
        return self.joining_line((*NARRATION.waited, *NARRATION.quiet) if has_waited else NARRATION.quiet)

    def has_strangers(self) -> bool:
        return any(not person.met and person.name not in self.shown_people for person in self.people)

    def newest_first(self) -> list[PersonFacts]:
        """Return the people not in the beat: those not met first, then the others in turn."""
        beat_text = " ".join(
            [
                *((self.beat.description, self.tell_outcome(self.beat)) if self.beat else ("", "")),
                *(due.description for due in self.dues),
            ]
        )
        others = [
            one for one in self.people if one.name not in self.shown_people and one.name not in beat_text
        ]
        return sorted(others, key=lambda one: (one.met, -self.freshest(one.habits)))

    def presence(self, person: PersonFacts) -> str:
        self.shown_people.add(person.name)
        if not person.met and person.appearance:
            return person.appearance
        signs = {"warm": NARRATION.warm_signs, "cold": NARRATION.cold_signs}.get(person.tone, ())
        slots = {"person": person.name, "short": call_name(person.name)}
        sign = self.joining_line(signs, slots) if self.dice.random() < 0.5 else ""
        return sign or self.one_of(person.habits, optional=True, rest=RESTED)

    def moment(self) -> str:
        """Return a moment of the place; one in a scene is enough."""
        moment = self.one_of(self.place.moments, optional=True, rest=RESTED) or self.world()
        self.has_moment = self.has_moment or bool(moment)
        return moment

    def world(self) -> str:
        """Return a sentence about the setting, where the place has no moments."""
        if self.place.moments:
            return ""
        lines = [line for part in self.setting() for line in sentences(part)]
        alone = [
            line
            for line in lines
            if SENTENCE_LEAST < len(line) < SENTENCE_MOST and line[-1] == "." and not _LEANS.match(line)
        ]
        return self.one_of(alone, optional=True)

    def shorten_names(self, paragraph: str) -> str:
        """Leave a whole name once in a paragraph, and shorten it afterwards."""
        for person in self.people:
            name, short = person.name, call_name(person.name)
            if short != name and (first := paragraph.find(name)) >= 0:
                rest = paragraph[first + len(name) :]
                paragraph = paragraph[: first + len(name)] + rest.replace(name, short)
        return paragraph


def split_paragraph(text: str) -> list[str]:
    """Return a paragraph cut in two near its middle, outside speech and italics; empty where it cannot be."""
    pairs = ((text[: end.start()], text[end.end() :]) for end in _SENTENCE_END.finditer(text))
    cuts = [
        (before, after)
        for before, after in pairs
        if before.count("“") == before.count("”") and not after[:1].islower()
        if before.count("*") % 2 == 0
        if not (after.startswith("“") and "“" in before)  # somebody goes on speaking
        if not before.endswith(("?”", "!”"))  # who asks may follow
    ]
    free = [cut for cut in cuts if not _LEANS.match(cut[1])] or cuts
    evenest = sorted(free, key=lambda cut: abs(len(cut[0]) - len(cut[1])))
    return list(evenest[0]) if evenest else []


def _merge_paragraphs(paragraphs: list[str]) -> list[str]:
    """Join the shortest neighbours until there are at most three paragraphs."""
    while len(paragraphs) > MAX_PARAGRAPHS:
        at = min(range(len(paragraphs) - 1), key=lambda i: len(paragraphs[i]) + len(paragraphs[i + 1]))
        paragraphs[at : at + 2] = [f"{paragraphs[at]} {paragraphs[at + 1]}"]
    return paragraphs
