"""Writes the profiles of people, the beats and the endings of a story."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from narratoria.campaign.enrich.casting import CastMember
from narratoria.campaign.enrich.kit_renderer import KitRenderer
from narratoria.campaign.enrich.kits import BeatSeed
from narratoria.campaign.enrich.nouns import Noun

MAX_HEARSAY = 4  # nouns of the premise that people can be asked about
SHORTEST_QUOTE, LONGEST_QUOTE = 4, 40  # words of a sentence that somebody can say
LIKED, ASKED, DISLIKED = 10, 4, -6  # what a talk, a question and a failure do to an opinion
_SPEAKERS = frozenset(("i", "you", "your", "my", "me", "we", "our", "us"))


def write_profile(story: KitRenderer, member: CastMember) -> dict[str, Any]:
    """Return somebody's profile."""
    seed = member.seed
    others = {other.key: other for other in story.cast.people}
    role = story.told(seed.role) or "somebody of the place"
    said = member.phrase or (f"the {member.role}" if member.role else "")
    if said:  # what the premise says of somebody is who they are; a kit may add to it
        role = said if story.kit.is_own else f"{said}, {role}"
    topics = [
        {
            "id": f"topic-{number}",
            "ask": story.text(topic.ask),
            "answer": story.told(topic.answer),
            "fact": f"{member.name} told you that {_tell_of_speaker(story.text(topic.fact), member)}.",
            "effects": {"perception": {member.id: ASKED}},
        }
        for number, topic in enumerate(seed.topics, 1)
        if story.told(topic.answer) and not story.excludes(topic.ask)
    ]
    greeting = story.told(seed.greeting)
    return {
        "name": member.name,
        "role": role[:1].upper() + role[1:],
        "appearance": story.told(seed.look),
        "personality": {
            "traits": list(seed.traits),
            "flaws": [story.text(f"wants {_plain(seed.want)} more than {{{member.key}.they}} says")],
            "habits": story.all_told(seed.habits),
        },
        "motivations": [story.text(seed.want)],
        "goals": [{"goal": story.text(seed.want), "priority": "high"}],
        "speech_patterns": {
            "style": ", ".join(seed.traits),
            "examples": story.all_told(seed.says),
            "greetings": {"neutral": greeting} if greeting else {},
        },
        "relationships": {others[key].id: story.told(tie) for key, tie in seed.ties.items() if key in others},
        "secrets": story.told(seed.secret),
        "topics": [*topics, *_hearsay(story, member)],
        "metadata": {"importance": "major", "first_appearance": story.place(seed.at)},
    }


def _tell_of_speaker(fact: str, member: CastMember) -> str:
    """Return a fact in which whoever tells it is "she" or "he" where it begins with the name."""
    whose = {"she": "her", "he": "his", "it": "its"}[member.they]
    for form, pronoun in ((f"{member.name}'s ", f"{whose} "), (f"{member.name} ", f"{member.they} ")):
        if fact.startswith(form):
            return pronoun + fact.removeprefix(form)
    # within a sentence only a name keeps its capital
    return fact[0].lower() + fact[1:] if fact.startswith(("Your ", "The ", "One of ")) else fact


def _plain(want: str) -> str:
    return want[:1].lower() + want[1:]


def _hearsay(story: KitRenderer, member: CastMember) -> Iterator[dict[str, Any]]:
    """Yield what this person can be asked of the premise's own nouns, in the author's words."""
    people, frames = story.cast.people, story.kit.hearsay
    for number, (noun, sentence) in enumerate(known_nouns(story)):
        answer = story.hearsay(frames[number % len(frames)], noun, sentence, member)
        if people[number % len(people)].key == member.key and answer:
            yield {
                "id": f"about-{noun.id}",
                "ask": f"about {noun:the}",
                "answer": answer,
                "fact": f"{member.name} told you about {noun:the}.",
            }


def known_nouns(story: KitRenderer) -> list[tuple[Noun, str]]:
    """Return the nouns that the author says something about, with the sentence, each sentence once."""
    known: dict[str, Noun] = {}
    # whom somebody of the story may be is not spoken of as another
    parts = {word for member in story.cast.people for word in member.seed.fits}
    for noun in story.premise.nouns:
        sentence = story.premise.sentence_about(noun)
        if noun.head in parts:
            continue
        if sentence and _can_be_quoted(sentence) and noun.head != story.premise.home.head:
            known.setdefault(sentence, noun)
    return [(noun, sentence) for sentence, noun in known.items()][:MAX_HEARSAY]


def _can_be_quoted(sentence: str) -> bool:
    """Return whether a sentence can be said by somebody: it speaks of nobody in particular."""
    words = {word.strip(".,;:!?“”\"'*").casefold() for word in sentence.split()}
    return not words & _SPEAKERS and SHORTEST_QUOTE <= len(words) <= LONGEST_QUOTE


def write_beats(story: KitRenderer) -> dict[str, Any]:
    """Return the document of the beats."""
    extra = [extra.beat for _, extra in story.cast.named]
    return {"beats": [_write_beat(story, beat) for beat in (*story.cast.plot.beats, *extra)]}


def _write_beat(story: KitRenderer, beat: BeatSeed) -> dict[str, Any]:
    ids = {member.key: member.id for member in story.cast.people}
    people = [ids[key] for key in beat.people]
    document: dict[str, Any] = {
        "id": beat.id,
        "title": story.text(beat.offer or beat.fact),
        "description": story.told(beat.text) or story.text(beat.fact),
        "conditions": _conditions(story, beat),
        "location": story.place(beat.at),
        "priority": "high" if beat.offer else "critical",
        "skippable": bool(beat.offer),
        "scene_type": "resolution" if beat.ending else "dialogue" if people else "travel",
    }
    if people:
        document["npcs"] = people
    if beat.fact:
        document["consequences"] = [story.text(beat.fact)]
    effects: dict[str, Any] = {}
    if people and beat.offer and not beat.outcomes:
        effects["perception"] = dict.fromkeys(people, LIKED)
    if beat.moves:
        effects["moves"] = {ids[key]: story.place(place) for key, place in beat.moves.items()}
    if effects:
        document["effects"] = effects
    if beat.outcomes:
        document |= {"stat": "nerve", "scene_type": "danger", "outcomes": _outcomes(story, beat, people)}
    if beat.ending:
        document["ending"] = beat.ending
    return document


def _conditions(story: KitRenderer, beat: BeatSeed) -> dict[str, Any]:
    conditions: dict[str, Any] = {}
    if beat.scene:
        conditions["scene_count"] = {"min": beat.scene}
    if beat.offer:
        conditions["player_choice"] = story.text(beat.offer)
    if len(beat.after) == 1:
        conditions["requires_beat"] = beat.after[0]
    elif beat.after:
        conditions["requires_any_beat"] = list(beat.after)
    return conditions


def _outcomes(story: KitRenderer, beat: BeatSeed, people: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "description": story.told(outcome.text) or story.text(outcome.fact),
            "consequences": [story.text(outcome.fact)],
            "effects": {"perception": dict.fromkeys(people, DISLIKED if name == "failure" else LIKED)},
        }
        for name, outcome in beat.outcomes.items()
    ]


def write_endings(story: KitRenderer) -> Iterator[tuple[str, str]]:
    """Yield the page of each ending by its name."""
    lines = "\n".join(f"- {line.beat}: {story.told(line.text)}" for line in story.cast.plot.epilogue)
    for name, ending in story.cast.plot.endings.items():
        told = "\n\n".join(story.all_told(ending.paragraphs))
        yield name, f"# {story.text(ending.title)}\n\n{told}\n\n## Epilogue\n\n{lines}\n"
