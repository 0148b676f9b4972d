"""Lists what the engine itself knows to be open, for a scene where no skill offers choices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from narratoria.contracts.scene_facts import NextFacts, ReceiptFacts, SceneFacts, TopicFacts
from narratoria.engine.rules import UNDECIDED
from narratoria.engine.scene import Choice, Receipt

LONGEST_CHOICE = 120  # characters; a longer one is left to what takes fewer words


def list_stand_ins(facts: SceneFacts, outcome: str) -> tuple[Choice, ...]:
    """Return what can be done next, the best first: beats, questions, deeds, people to talk to, and ways."""
    outcomes = (outcome, UNDECIDED, "")
    after = next((facts.next[one] for one in outcomes if one in facts.next), NextFacts())
    beats = list(_list_beats(after))
    names = {person.id: _within_sentence(person.name) for person in facts.people}
    words = [*_list_questions(after, names), *_list_deeds(after, names)]
    spoken_to = {choice.target for choice in words}
    talks = [one for one in _list_talks(facts, after, names) if one.target not in spoken_to]
    visits = list(_list_visits(after))
    ways = [
        Choice(text=f"Go to {way.name}", kind="go", target=way.to)
        for way in sorted(after.ways, key=lambda way: way.steps or 0)
        if way.steps is not None
    ]
    other_ways = [
        Choice(text=f"Go to {way.name}", kind="go", target=way.to) for way in after.ways if way.steps is None
    ]
    spoken = [*words, *talks]
    # where nothing is open here, the story goes on elsewhere: the way there comes first
    first = (*beats[:2], *spoken[:1], *ways[:1]) if beats else (*ways[:1], *spoken[:2])
    return tuple(dict.fromkeys((*first, *_vary_people(spoken), *visits, *beats, *spoken, *ways, *other_ways)))


def _list_beats(after: NextFacts) -> Iterator[Choice]:
    for opening in after.openings:
        yield Choice(
            text=opening.text,
            kind="beat",
            beat=opening.beat,
            risky=opening.risky,
            difficulty=opening.difficulty,
            because=_receipts(opening.receipts),
        )


def _list_questions(after: NextFacts, names: dict[str, str]) -> Iterator[Choice]:
    for topic in after.topics:
        text = f"Ask {names.get(topic.person, '')} {topic.text}"
        if topic.person in names and len(text) <= LONGEST_CHOICE:
            yield _question(text, topic, f"{names[topic.person]} would know")


def _list_visits(after: NextFacts) -> Iterator[Choice]:
    """Yield questions to people who are elsewhere; asking them takes a walk."""
    for topic in after.elsewhere:
        name = _within_sentence(topic.name)
        text = f"Go to {topic.place_name} and ask {name} {topic.text}"
        if topic.name and topic.place_name and len(text) <= LONGEST_CHOICE:
            yield _question(text, topic, f"{name} would know")


def _question(text: str, topic: TopicFacts, reason: str) -> Choice:
    reason = "something that happened lets you ask" if topic.new else reason
    return Choice(
        text=text,
        kind="talk",
        act="ask",
        target=topic.person,
        topic=topic.id,
        because=(*_receipts(topic.receipts), Receipt("topic", topic.id, reason)),
    )


def _list_deeds(after: NextFacts, names: dict[str, str]) -> Iterator[Choice]:
    for one in after.deeds:
        if len(one.text) <= LONGEST_CHOICE and (one.person in names or not one.person):
            yield Choice(
                text=one.text,
                kind="talk" if one.person else "free",
                act=one.act,
                target=one.person,
                topic=one.id,
                thing=one.thing,
                risky=one.risky,
                because=_receipts(one.receipts),
            )


def _list_talks(facts: SceneFacts, after: NextFacts, names: dict[str, str]) -> Iterator[Choice]:
    for person in facts.people:
        if person.id in after.people:
            receipt = Receipt("place", facts.place.id, f"{person.name} is at {facts.place.name}")
            text = f"Talk to {names[person.id]}"
            yield Choice(text=text, kind="talk", target=person.id, because=(receipt,))


def _vary_people(choices: Iterable[Choice]) -> Iterator[Choice]:
    """Yield the first choice with each person."""
    people: set[str] = set()
    for choice in choices:
        if choice.target not in people:
            people.add(choice.target)
            yield choice


def _receipts(receipts: Iterable[ReceiptFacts]) -> tuple[Receipt, ...]:
    return tuple(Receipt(one.kind, one.id, one.text) for one in receipts)


def _within_sentence(name: str) -> str:
    return re.sub(r"^The ", "the ", name)
