"""Composes what is said when the player talks to somebody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from narratoria.contracts.scene_facts import ActionFacts, NextFacts, PersonFacts, SceneFacts
from narratoria.narrator.composer_lines import NARRATION, SAYINGS, LinesByTemper
from narratoria.narrator.first_person import (
    as_own_deed,
    as_own_want,
    as_own_wish,
    find_own_pronoun,
    pronoun_of,
)
from narratoria.narrator.grammar import as_wish, call_name, predicate, quote_speech
from narratoria.narrator.phrase_memory import FRESH, PhraseChooser, fill_slots, sentences
from narratoria.narrator.speech_manner import Manner

VISIBLE_TONES = ("warm", "cold")  # tones that show in whatever is said
SPOKEN_SHARE = 0.65  # of what is learned of somebody, how much they say themselves
OPENER_CHANCE = 0.35  # how often they begin with their own word for it
RESTED = 15  # scenes before somebody says again what they said before
LONGEST = 18  # words that anybody would say again
_OWN = re.compile(r"\b(?:I|my|me|mine|myself)\b", re.IGNORECASE)  # in what only its owner can say


class Dialogue(PhraseChooser):
    """The part of the composer in which people speak."""

    facts: SceneFacts
    action: ActionFacts
    outcome: str
    shown_people: set[str]

    def talk(self) -> str:
        name = self.action.person
        person = self.person(name)
        tone = person.tone
        self.shown_people.add(name)
        slots = {"person": name, "short": call_name(name)}
        topic = self.topic()
        outcome_text = (
            self.one_of(NARRATION.talk_ended[self.outcome], slots)
            if topic and self.outcome in NARRATION.talk_ended
            else ""
        )
        if topic and not self.fell_short and (answer := self.answer_topic(topic, slots, tone)):
            return self.join(topic, outcome_text, answer)
        if not (saying := self.action.saying):
            return self.join(topic, outcome_text or self.talk_on(person, tone, slots))
        lead = topic or ("" if person.met else person.appearance)
        greeting = person.greeting if not person.heard else ""
        is_greeted = bool(lead and greeting)
        if not is_greeted:
            lead = self.join(lead, self.manner_of(tone, slots, always=not lead))
        words = self.join(greeting, saying)
        speech = quote_speech(words, self.one_of(NARRATION.says.get(tone, NARRATION.says["neutral"]), slots))
        gesture = self.one_of(person.habits, optional=True) if self.dice.random() < 0.5 else ""
        if is_greeted and tone in VISIBLE_TONES:  # a greeting alone may be read either way
            gesture = self.manner_of(tone, slots)
        return self.join(lead, speech, outcome_text or gesture)

    @property
    def fell_short(self) -> bool:
        return self.outcome in ("failure", "partial success")

    def manner_of(self, tone: str, slots: dict[str, str], *, always: bool = False) -> str:
        """Return how somebody takes the player's company; for neutral people only if `always`."""
        return (
            self.one_of(NARRATION.talking.get(tone, NARRATION.talking["neutral"]), slots)
            if always or tone in VISIBLE_TONES
            else ""
        )

    def topic(self) -> str:
        """Return what the player means to say, if the choice is more than to talk."""
        text = " ".join(self.action.text.split())
        wish = as_wish(text) if not text.casefold().startswith(("talk to", "talk with", "speak")) else ""
        return f"You {'try to ' if self.fell_short else ''}{wish}." if wish and " " in wish else ""

    def answer_topic(self, topic: str, slots: dict[str, str], tone: str) -> str:
        """Return the answer to what was asked or told; empty where a saying will do."""
        if re.search(r"\bto help you\b|\breturn the favour\b", topic):
            return self.point_onward(slots, tone)
        if re.match(r"You (?:tell|make amends|ask .* what (?:went wrong|has come))", topic):
            advice = "what went wrong" in topic
            matters = self.matters(slots, tone)
            leads = SAYINGS.advising if advice else SAYINGS.replying_to_news
            pool = (
                NARRATION.advised
                if advice
                else NARRATION.hearing_news.get(tone, NARRATION.hearing_news["neutral"])
            )
            if speech := self.speak_of(leads, slots, (*matters.wishes, *matters.achievements)):
                return self.join(self.manner_of(tone, slots), speech)
            return self.one_of(pool, slots)
        return ""

    def point_onward(self, slots: dict[str, str], tone: str) -> str:
        """Return help that can be used: where the story goes on."""
        ahead = self.facts.next.get(self.outcome) or NextFacts()
        wishes = [as_wish(one.text) for one in ahead.openings]
        own = re.compile(
            "|".join(rf"\b{re.escape(part)}\b" for part in slots["person"].split()), re.IGNORECASE
        )
        wish = next((one for one in wishes if one and "," not in one and not own.search(one)), "")
        busy = self.matters(slots, tone).wishes  # why somebody who knows what to do does not do it
        if wish:
            slots = {"wish": wish, "todo": wish, **slots}
            return self.speak_of(SAYINGS.to_be_done, slots, busy) or self.one_of(
                NARRATION.pointing_here, slots
            )
        ways = [one for one in ahead.ways if one.urgent or one.steps]
        if not ways:
            return ""
        nearest = min(ways, key=lambda one: (one.urgent or 99, one.steps or 99))
        slots = {"place": nearest.name, **slots}
        return self.speak_of(SAYINGS.to_go, slots, busy) or self.one_of(NARRATION.pointing_away, slots)

    # in somebody's own voice

    def speak_of(self, leads: LinesByTemper, slots: dict[str, str], of: Iterable[Sequence[str]]) -> str:
        """Return a lead for the moment and one of these matters, both in the person's own manner.

        Empty where they have said all of it lately.
        """
        matter = self.one_of([way for ways in self.keep_untold(of) for way in ways], optional=True)
        if not matter:
            return ""
        manner = Manner.of(self.person(slots["person"]))
        opener = f"{manner.opener} " if manner.opener and self.dice.random() < OPENER_CHANCE else ""
        lead = self.one_of([manner.says(fill_slots(lead, slots)) for lead in leads[manner.temper]])
        return self.attribute_speech(slots["short"], opener + lead, matter)

    def attribute_speech(self, short: str, lead: str, matter: str) -> str:
        """Return one saying, broken after its first sentence."""
        first, *rest = sentences(lead)
        return self.join(quote_speech(first, f"says {short}"), f"“{self.join(*rest, matter)}”")

    def person(self, name: str) -> PersonFacts:
        return next((one for one in self.people if one.name == name), PersonFacts())

    def matters(self, slots: Mapping[str, str], tone: str) -> OwnMatters:
        """Return what somebody would say, less what was told of them; nothing if they are cold."""
        if tone == "cold":
            return OwnMatters()
        person = self.person(slots["person"])
        recent_sentences = self.keep_recent(self.notes(person, slots))
        return find_own_matters(person, self.people).without(recent_sentences)

    def keep_recent(self, matters: Iterable[Sequence[str]]) -> list[str]:
        return [way for ways in matters for way in ways if self.freshness(way) <= FRESH]

    def keep_untold(self, matters: Iterable[Sequence[str]]) -> list[Sequence[str]]:
        """Return the matters of which no way of telling was told lately."""
        return [ways for ways in matters if ways and min(map(self.freshness, ways)) > FRESH]

    def repeat_saying(self, person: PersonFacts, slots: dict[str, str]) -> str:
        """Return what somebody who has said it all said before."""
        manner = Manner.of(person)
        earlier_sayings = person.sayings[: person.heard]
        longest_sentences = [
            max(sentences(saying), key=lambda one: len(one.split())) for saying in earlier_sayings
        ]
        line = self.one_of(
            [one for one in longest_sentences if len(one.split()) <= LONGEST], optional=True, rest=RESTED
        )
        if not line:
            return ""
        lead = manner.says(self.dice.choice(SAYINGS.again[manner.temper]))
        return self.attribute_speech(slots["short"], lead, line)

    def talk_on(self, person: PersonFacts, tone: str, slots: dict[str, str]) -> str:
        """Return what one learns of a person who has said it all; then good company."""
        own = self.matters(slots, tone).all if self.dice.random() < SPOKEN_SHARE else ()
        text = self.speak_of(SAYINGS.at_leisure, slots, own)
        text = text or self.observe(person, tone, slots)
        if not text and tone != "cold":
            text = self.repeat_saying(person, slots)
        gesture = self.one_of(person.habits, optional=True)
        if text:
            text = self.join(self.manner_of(tone, slots), text)
        else:
            text = self.one_of(NARRATION.talked_out.get(tone, NARRATION.talked_out["neutral"]), slots)
        return self.join(gesture, text) if self.dice.random() < 0.5 else self.join(text, gesture)

    def observe(self, person: PersonFacts, tone: str, slots: dict[str, str]) -> str:
        """Return what can be seen of somebody, or gathered from what they say."""
        if tone == "cold":
            return ""
        recent_sentences = self.keep_recent(find_own_matters(person, self.people).all)
        fresh = [
            ways
            for ways in self.keep_untold(self.notes(person, slots))
            if not _is_same_note(ways, recent_sentences)
        ]
        return self.one_of([way for ways in fresh for way in ways], optional=True)

    def notes(self, person: PersonFacts, slots: Mapping[str, str]) -> list[list[str]]:
        """Return the author's notes of somebody, each in the ways in which it can be told."""
        short = slots["short"]
        notes = [predicate(trait, short) for trait in (*person.virtues, *person.flaws)]
        motives = [motive for motive in person.motivations if as_own_wish(motive, "it")]
        wishes = [as_wish(motive) for motive in motives if not _OWN.search(motive)]
        relationships = {other: predicate(what, short) for other, what in person.relationships.items()}
        return [
            *(self.ways(NARRATION.about_self, {"predicate": note, **slots}) for note in notes if note),
            *(self.ways(NARRATION.wanting, {"wish": wish, **slots}) for wish in wishes if wish),
            *(
                self.ways(NARRATION.about_others, {"other": other, "predicate": note, **slots})
                for other, note in relationships.items()
                if note
            ),
        ]

    def ways(self, templates: Sequence[str], slots: Mapping[str, str]) -> list[str]:
        return [fill_slots(template, slots) for template in templates]


@dataclass(frozen=True, slots=True)
class OwnMatters:
    """The matters somebody would speak of, each in the ways in which they would say it."""

    wishes: tuple[tuple[str, ...], ...] = ()  # what they want
    achievements: tuple[tuple[str, ...], ...] = ()  # what they are proud of
    others: tuple[tuple[str, ...], ...] = ()  # what they have to do with other people

    @property
    def all(self) -> tuple[tuple[str, ...], ...]:
        return (*self.wishes, *self.achievements, *self.others)

    def without(self, other_sentences: Sequence[str]) -> OwnMatters:
        """Return the matters less those told already, in whosever words."""
        remaining = (
            tuple(ways for ways in part if not _is_same_note(ways, other_sentences))
            for part in (self.wishes, self.achievements, self.others)
        )
        return OwnMatters(*remaining)


def find_own_matters(person: PersonFacts, people: Sequence[PersonFacts]) -> OwnMatters:
    who, manner = pronoun_of(person), Manner.of(person)
    temper = manner.temper
    achievements = [as_own_deed(virtue, who) for virtue in person.virtues]
    pronouns = {one.name: pronoun_of(one) for one in people}
    frames = ("{deed}",) if manner.names_nobody else SAYINGS.of_others[temper]
    others = {
        name: as_own_deed(note, find_own_pronoun(who, note, pronouns.get(name)))
        for name, note in person.relationships.items()
    }

    def phrase_lines(lines: Sequence[str], **slots: str) -> tuple[str, ...]:
        return tuple(manner.says(fill_slots(line, slots)) for line in lines)

    return OwnMatters(
        wishes=tuple(
            phrase_lines(SAYINGS.wanting[temper], wish=wish)
            if (wish := as_own_wish(motive, who))
            else phrase_lines(SAYINGS.asking[temper], wish=want)
            for motive in person.motivations
            if (want := as_own_want(motive, who))
        ),
        achievements=tuple(
            phrase_lines(SAYINGS.proud[temper], deed=sentence) for sentence in achievements if sentence
        ),
        others=tuple(
            phrase_lines(frames, other=call_name(name), deed=sentence)
            for name, sentence in others.items()
            if sentence
        ),
    )


def _is_same_note(ways: Sequence[str], other_sentences: Sequence[str]) -> bool:
    """Return whether one of these sentences tells of the same note, in the other person."""
    own_words = _note_words(ways[0])
    return any(
        len(own_words & (other_words := _note_words(one))) * 2 >= min(len(own_words), len(other_words))
        for one in other_sentences
    )


def _note_words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z]{4,}", text.casefold())}
