"""Plays a story that types ordinary questions, so that an author sees what the campaign cannot answer."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.people import people_at
from narratoria.engine.persistence.library import Library
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import StorySession
from narratoria.engine.topics import LONGEST_TITLE
from narratoria.narrator.grammar import call_name

QUESTIONS_AT_ONCE = 3  # before the player goes on
TURNS_PER_QUESTION = 4  # at most; a campaign may have nobody to ask
AFTER_THE_END = ("look-back", "again", "branch", "leave")


class QuestionRun(msgspec.Struct, frozen=True):
    """Reports on a run: the stories it played, how much it asked, and what could not be made out."""

    stories: tuple[str, ...]
    questions: int
    not_understood: tuple[str, ...] = ()


@cache
def load_questions() -> tuple[str, ...]:
    """Return the ordinary questions, with their slots."""
    text = files("narratoria.engine").joinpath("data/questions.json").read_text(encoding="utf-8")
    return tuple(json.loads(text)["people"])


def word_question(person: str, template: str, campaign: Campaign, dice: random.Random) -> str:
    """Return a question as a player types it to somebody; empty where a slot has nothing to stand for."""
    others = [call_name(profile.name) for name, profile in campaign.people.items() if name != person]
    slots = {
        "person": others,
        "place": [place.in_a_sentence for place in campaign.places.values()],
        "lore": _headings(campaign),
    }
    for slot, values in slots.items():
        if f"{{{slot}}}" in template:
            if not values:
                return ""
            template = template.replace(f"{{{slot}}}", dice.choice(values))
    return f"Ask {call_name(campaign.people[person].name)}: {template}"


def _headings(campaign: Campaign) -> list[str]:
    titles = dict.fromkeys(passage.title for passage in campaign.lore)
    return [
        title[:1].lower() + title[1:] if title.startswith(("The ", "A ", "An ")) else title
        for title in titles
        if 0 < len(title.split()) <= LONGEST_TITLE
    ]


async def ask_questions(library: Library, campaign: Campaign, count: int, seed: int) -> QuestionRun:
    """Play stories of a campaign until so many questions were typed to the people in it."""
    dice = random.Random(f"questions/{seed}")
    templates = _shuffle_forever(dice)
    story_ids: list[str] = []
    not_understood: list[str] = []
    questions = turns = questions_here = 0
    session: StorySession | None = None
    while questions < count and turns < TURNS_PER_QUESTION * count:
        if session is None or session.snapshot.progress.ending:
            session = await library.begin(campaign, {}, seed=seed + len(story_ids))
            story_ids.append(session.story.id)
            await session.resume()
        before = session.snapshot.scenes[-1]
        people = list(people_at(before.place, campaign, session.snapshot.progress))
        words = ""
        if people and questions_here < QUESTIONS_AT_ONCE:
            words = word_question(dice.choice(people), next(templates), campaign, dice)
        turns += 1
        if words:
            questions, questions_here = questions + 1, questions_here + 1
            if await session.say(words) is before:
                not_understood.append(words)
        else:
            questions_here = 0
            await session.choose(_choose_next(before, dice))
    return QuestionRun(tuple(story_ids), questions, tuple(not_understood))


def _shuffle_forever(dice: random.Random) -> Iterator[str]:
    """Yield every question once, then every question again in another order."""
    while True:
        yield from dice.sample(load_questions(), len(load_questions()))


def _choose_next(scene: Scene, dice: random.Random) -> Choice:
    """Return a way to somewhere else where there is one: other people are there to ask."""
    open_ones = [choice for choice in scene.choices if choice.kind not in AFTER_THE_END]
    ways = [choice for choice in open_ones if choice.kind == "go"]
    return dice.choice(ways or open_ones or list(scene.choices))
