"""Lists what the people of a place can be asked about: the author's topics, and those a profile implies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import msgspec

from narratoria.campaign.campaign import Campaign, Conditions, LorePassage, Place, Profile, Topic
from narratoria.contracts.scene_facts import ReceiptFacts, TopicFacts
from narratoria.engine import beats
from narratoria.engine.conditions import StorySituation, failing
from narratoria.engine.conflict import tone_at
from narratoria.engine.people import people_at, place_of, pronoun_for
from narratoria.engine.snapshot import Progress
from narratoria.engine.travel import distances_from
from narratoria.narrator.evidence import key_words
from narratoria.narrator.grammar import call_name

MOST_OF_A_PERSON = 6  # topics that are listed for one person at a time
MOST_ELSEWHERE = 3  # the same for somebody who is elsewhere
LONGEST_ROLE = 5  # words of a role that can follow "came to be"
LONGEST_TITLE = 6  # words of a heading that can follow "about"
QUESTION = re.compile(r"(?:how|why|what|where|when|who|whom|whose|which)\b", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+")
SPOKEN_LORE = re.compile(r"\b[Yy]ou(?:r|rs)?\b")  # addressed to the player: nobody says it


def topic_id(person: str, topic: Topic) -> str:
    """Return the id under which a topic is evidence and, once it was answered, is kept as told."""
    return f"{person}/topic/{topic.id}"


def find_topic(identifier: str, campaign: Campaign) -> Topic | None:
    """Return the author's topic of this id; None for evidence that is no topic."""
    person, _, name = identifier.partition("/topic/")
    profile = campaign.people.get(person)
    return next((topic for topic in profile.topics if topic.id == name), None) if profile and name else None


def is_open(topic: Topic, situation: StorySituation) -> bool:
    """Return whether everything a topic asks for holds."""
    return next(failing(topic.conditions, situation), None) is None


def needs_only_trust(topic: Topic, situation: StorySituation) -> bool:
    """Return whether a topic would be answered, if only the person thought better of the player."""
    if not any(state.perception for state in topic.conditions.npc_state.values()):
        return False
    relaxed = Conditions(
        scene_count=topic.conditions.scene_count,
        requires_beat=topic.conditions.requires_beat,
        requires_any_beat=topic.conditions.requires_any_beat,
        player_state=topic.conditions.player_state,
        world_state=topic.conditions.world_state,
        custom=topic.conditions.custom,
    )
    return not is_open(topic, situation) and next(failing(relaxed, situation), None) is None


def list_topics(
    situation: StorySituation, place: str, answerable: Callable[[str], AbstractSet[str]]
) -> tuple[TopicFacts, ...]:
    """Return what the people at a place can be asked next, of each the most telling first.

    `answerable` names the ids of what a person can say besides the author's topics.
    """
    topics: list[TopicFacts] = []
    for person in people_at(place, situation.campaign, situation.progress):
        questions = {topic.text for topic in topics}  # one question is put to one person at a time
        topics += _topics_of(person, situation, answerable(person), questions)[:MOST_OF_A_PERSON]
    return tuple(topics)


def _topics_of(
    person: str, situation: StorySituation, answerable: AbstractSet[str], other_questions: AbstractSet[str]
) -> list[TopicFacts]:
    """Return what one person can be asked, the most telling first: what the author wrote, then the rest."""
    campaign, progress = situation.campaign, situation.progress
    profile = campaign.people[person]
    recent = " ".join(summary.text for summary in progress.history.recent[-3:])
    implied = [
        topic
        for topic in _implied_topics(person, profile, situation, answerable)
        if topic.text not in other_questions and not _is_beat(topic.text, profile, campaign)
    ]
    return [
        *sorted(_written_topics(person, profile, situation), key=lambda one: -_weight(one, recent)),
        *sorted(implied, key=lambda one: _is_about_stranger(one, situation) - _overlap(one.text, recent)),
    ]


def list_topics_elsewhere(
    situation: StorySituation, here: Place, answerable: Callable[[str], AbstractSet[str]]
) -> tuple[TopicFacts, ...]:
    """Return what people can be asked whom the player has met and knows where to find."""
    campaign, progress = situation.campaign, situation.progress
    distances = distances_from(here, campaign)
    topics: list[TopicFacts] = []
    for person in progress.met_people:
        at = place_of(person, campaign, progress)
        is_there = at != here.id and at in distances and at in progress.visits
        if not is_there or tone_at(person, at, situation) == "cold":
            continue
        there = situation.move_to(at)
        name, place = campaign.people[person].name, campaign.places[at].in_a_sentence
        topics += [
            msgspec.structs.replace(topic, name=name, place=at, place_name=place)
            for topic in _topics_of(person, there, answerable(person), frozenset())[:MOST_ELSEWHERE]
        ]
    return tuple(sorted(topics, key=lambda one: (not one.new, not one.written, distances[one.place])))


def _written_topics(person: str, profile: Profile, situation: StorySituation) -> Iterator[TopicFacts]:
    campaign, progress = situation.campaign, situation.progress
    beginning = StorySituation(campaign, Progress(place=campaign.start), frozenset())
    for topic in profile.topics:
        identifier = topic_id(person, topic)
        if topic.offered and identifier not in progress.evidence and is_open(topic, situation):
            yield TopicFacts(
                id=identifier,
                person=person,
                text=topic.ask,
                written=True,
                new=not is_open(topic, beginning),
                receipts=tuple(
                    ReceiptFacts(kind="beat", id=beat, text=beats.describe_result(beat, campaign, progress))
                    for beat in beats.grounds(topic.conditions, campaign, progress)
                ),
            )


def _implied_topics(
    person: str, profile: Profile, situation: StorySituation, answerable: AbstractSet[str]
) -> Iterator[TopicFacts]:
    """Yield what a profile without a topic for it lets one ask: ties, wants, the past, lore, whereabouts.

    `answerable` are the ids of what this person can say; nothing else is worth asking.
    """
    campaign, progress = situation.campaign, situation.progress
    they = pronoun_for(profile)
    them = {"he": "him", "she": "her", "it": "it"}.get(they, "them")
    plural = they == "they"
    choices = [topic.ask for topic in profile.topics if topic.offered]
    questions = " ".join(choices)

    def topic(name: str, text: str) -> Iterator[TopicFacts]:
        identifier = f"{person}/{name}" if not name.startswith(("lore/", "who/")) else name
        if identifier in answerable and identifier not in progress.evidence:
            yield TopicFacts(id=identifier, person=person, text=text)

    for other in profile.relationships:
        if (
            other in campaign.people
            and other not in progress.dead
            and not _names(questions, name := call_name(campaign.people[other].name))
        ):
            yield from topic(f"ties/{other}", f"about {name}")
    if choices:
        return  # the author has said what this person is to be asked
    if profile.motivations or profile.goals:
        yield from topic("wants/0", f"what {they} {'want' if plural else 'wants'} most")
    if profile.background:
        yield from topic("background/0", _ask_for_past(profile, they, them))
    common = {word for passage in campaign.lore for word in WORD.findall(passage.text) if word.islower()}
    for passage in _lore_for(profile, situation):
        yield from topic(f"lore/{passage.identifier}", _ask_for_lore(passage, campaign, common))
    for other in progress.moved_people:  # who is where they were first met needs no looking for
        if other in progress.met_people and other != person and other not in progress.dead:
            at = place_of(other, campaign, progress)
            if at and at != progress.place:
                name = call_name(campaign.people[other].name)
                yield from topic(f"who/{other}", f"where {name} is to be found")


def _names(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) is not None


def _ask_for_past(profile: Profile, they: str, them: str) -> str:
    role = profile.role.strip().rstrip(".")
    if 0 < len(role.split()) <= LONGEST_ROLE and not role.endswith("s"):
        title = role[:1].lower() + role[1:]
        bare = re.match(r"(?:the|a|an|his|her|their|your)\b", title) or " of " in title
        article = "" if bare else "an " if title[0] in "aeiou" else "a "
        return f"how {they} came to be {article}{title}"
    return f"what brought {them} here"


def _is_beat(text: str, profile: Profile, campaign: Campaign) -> bool:
    """Return whether a beat asks the same in the same words."""
    questions = {f"ask {name} {text}".casefold() for name in (profile.name, call_name(profile.name))}
    return any(offer.casefold() in questions for beat in campaign.beats for offer in beats.offers_of(beat))


def _lore_for(profile: Profile, situation: StorySituation) -> Iterator[LorePassage]:
    """Yield the passages somebody would know: those that share words with who they are and what they want.

    Of the passages under one heading the first speaks for all, and nobody is asked about a heading twice.
    """
    own = set(
        key_words(
            " ".join(
                (profile.role, profile.background, *profile.motivations, *profile.speech_patterns.examples)
            )
        )
    )
    lore, used_ids = situation.campaign.lore, situation.progress.evidence
    headings = {passage.title for passage in lore if f"lore/{passage.identifier}" in used_ids}
    for passage in lore:
        if (
            passage.title not in headings
            and is_speakable(passage)
            and own & set(key_words(f"{passage.title} {passage.text}"))
        ):
            headings.add(passage.title)
            yield passage


def is_speakable(passage: LorePassage) -> bool:
    """Return whether somebody could be asked about a passage by its heading, and could say it aloud."""
    words = passage.title.split()
    return 0 < len(words) <= LONGEST_TITLE and not SPOKEN_LORE.search(passage.text)


def _ask_for_lore(passage: LorePassage, campaign: Campaign, common: AbstractSet[str]) -> str:
    """Return the question for a passage by its heading: "about the samovar", "how one waits here".

    A heading of common words is put in small letters; one with a name in it keeps its capitals.
    """
    heading = passage.title.strip().rstrip(".")
    if QUESTION.match(heading):
        people, places = campaign.people.values(), campaign.places.values()
        titles = (*(person.name for person in people), *(place.name for place in places))
        names = {word for title in titles for word in WORD.findall(title)}
        return WORD.sub(lambda word: word[0] if word[0] in names else word[0].lower(), heading)
    heading = re.sub(r"^(The|A|An)\b", lambda article: article[1].lower(), heading)
    is_common = all(word.islower() or word.lower() in common for word in WORD.findall(heading))
    return f"about {heading.lower() if is_common else heading}"


def _weight(topic: TopicFacts, recent: str) -> float:
    """Return how much a topic has to do with what just happened; one that events opened comes first."""
    return 2.0 * topic.new + _overlap(topic.text, recent)


def _is_about_stranger(topic: TopicFacts, situation: StorySituation) -> bool:
    """Return whether a topic is somebody of whom the player knows nothing yet."""
    campaign, progress = situation.campaign, situation.progress
    other = topic.id.partition("/ties/")[2]
    if not other or other in progress.met_people:
        return False
    told_texts = (*campaign.premise, *(summary.text for summary in progress.history.recent))
    return not any(_names(text, call_name(campaign.people[other].name)) for text in told_texts)


def _overlap(text: str, recent: str) -> float:
    words = key_words(text)
    shared: Sequence[str] = [word for word in words if word in set(key_words(recent))]
    return len(shared) / (len(words) or 1)
