"""Writes pairs of answers to the same choice, before and after something happened, for a reader to tell what.

`python -m evals.answers.between OUT KEY [--pairs 48] [CAMPAIGN …]` plays the bundled campaigns. OUT gets one
JSON line a pair: the choice, the answer before (`a`) and after (`b`), and four events of which one happened
in between, all with the same person where there are so many. KEY gets the number of that event for each
pair; whoever reads must not see it. The last line that is printed counts the answers that speak of the event,
by their receipts, among those of somebody who can know of it.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.answers.secrecy import BUNDLED
from narratoria import app
from narratoria.campaign.campaign import Beat, Campaign
from narratoria.engine import beats
from narratoria.engine.action import situation_of
from narratoria.engine.happenings import knowing_of
from narratoria.engine.people import people_at
from narratoria.engine.scene import Choice, Scene
from narratoria.engine.story_session import StorySession
from narratoria.narrator.grammar import as_wish, call_name, in_the_past

PAIRS = 48
EVENTS = 4  # to pick from
CHOICES_PER_EVENT = 2  # that are made before and after it
LONGEST_STORY = 40  # turns
REPEATABLE = ("talk", "look", "wait")


@dataclass(frozen=True, slots=True)
class Pair:
    """The answers to one choice before and after an event, and the events that a reader picks from."""

    campaign: str
    choice: str
    before: str
    after: str
    events: tuple[str, ...]
    happened: int  # the index of the one that did
    can_know: bool = False  # whether whoever answers knows of it
    is_shown: bool = False  # whether the answer speaks of it


def describe_event(beat: Beat) -> str:
    """Return what a player does who sets a beat off, as something that has happened; empty for no offer."""
    wish = as_wish(beats.offer_of(beat))
    return f"You {in_the_past(wish)}." if wish else ""


def pick_events(
    happened: Beat, campaign: Campaign, told: Sequence[str], dice: random.Random, person: str = ""
) -> list[str]:
    """Return the event and others that have not happened, in any order; fewer where the plot has no more.

    Others with the same person come first, so that names alone do not tell which one it was.
    """
    event = describe_event(happened)
    untold = [beat for beat in campaign.beats if beat.id != happened.id and beat.id not in told]
    own = [text for beat in untold if person in beat.npcs and (text := describe_event(beat))]
    if profile := campaign.people.get(person):
        name = call_name(profile.name)
        questions = [f"You asked {name} {topic.ask}." for topic in profile.topics]
        own += dice.sample(questions, min(EVENTS - 1, len(questions)))
    rest = [text for beat in untold if (text := describe_event(beat)) and text not in own]
    others = dict.fromkeys((*own, *dice.sample(rest, len(rest))))
    events = [event, *[text for text in others if text != event][: EVENTS - 1]]
    dice.shuffle(events)
    return events


async def play_pairs(campaign: Campaign, seed: int, folder: Path, most: int) -> list[Pair]:
    """Return the pairs of one story: at each event, what was chosen before it is chosen after it, too.

    Questions before it are taken back, so that they can be put again.
    """
    dice = random.Random(f"between/{seed}")
    pairs: list[Pair] = []
    async with app.open_isolated_library(folder) as library:
        session = await library.begin(campaign, None, seed=seed)
        scene = await session.resume()
        for _ in range(LONGEST_STORY):
            if _is_over(session) or len(pairs) >= most:
                break
            event = next((one for one in scene.choices if one.kind == "beat"), None)
            if event is None or (beat := campaign.beat(event.beat)) is None:
                ways = [one for one in scene.choices if one.kind in ("go", "continue")]
                scene = await session.choose(dice.choice(ways or list(scene.choices)))
                continue
            told = list(session.snapshot.progress.beat_outcomes)
            choices = _repeatable(scene, campaign, dice)
            before = [(one, (await _answer(session, one)).text) for one in choices]
            for person in dict.fromkeys(one.target for one in choices if one.kind == "talk"):
                await session.choose(_talk_to(person, campaign))  # so that it happens after one has spoken
            if _is_over(session):
                break
            scene = await session.choose(event)
            if _is_over(session):
                break
            for choice, earlier in before:
                events = pick_events(beat, campaign, told, dice, choice.target)
                if len(events) == EVENTS and _is_still_there(choice, session, campaign):
                    outcome = session.snapshot.progress.beat_outcomes.get(beat.id, "")
                    situation = situation_of(session.snapshot, campaign)
                    can_know = choice.kind == "talk" and knowing_of(beat, outcome, choice.target, situation)
                    later = await _answer(session, choice)
                    pairs.append(
                        Pair(
                            campaign.name,
                            choice.text,
                            earlier,
                            later.text,
                            tuple(events),
                            events.index(describe_event(beat)),
                            bool(can_know),
                            _speaks_of(later, beat),
                        )
                    )
    return pairs[:most]


def _is_over(session: StorySession) -> bool:
    return bool(session.snapshot.progress.ending)


def _repeatable(scene: Scene, campaign: Campaign, dice: random.Random) -> list[Choice]:
    """Return choices that can be made before and after: to speak with somebody first of all."""
    choices = [one for one in scene.choices if one.kind in REPEATABLE]
    people = dict.fromkeys(one.target for one in choices if one.kind == "talk")
    talks = [_talk_to(person, campaign) for person in people]
    questions = [one for one in choices if one.kind == "talk" and one.topic]
    rest = dice.sample(questions, min(1, len(questions)))
    return [*talks, *rest, *(one for one in choices if one.kind != "talk")][:CHOICES_PER_EVENT]


def _talk_to(person: str, campaign: Campaign) -> Choice:
    return Choice(text=f"Talk to {call_name(campaign.people[person].name)}", kind="talk", target=person)


async def _answer(session: StorySession, choice: Choice) -> Scene:
    """Return the scene that a choice leads to, and take it back."""
    scene = await session.choose(choice)
    await session.undo()
    return scene


def _speaks_of(scene: Scene, beat: Beat) -> bool:
    """Return whether a paragraph of a scene rests on a beat that was told before."""
    receipts = [receipt for passage in scene.passages for receipt in passage.because]
    return beat.id not in scene.beats and any(one.kind == "beat" and one.id == beat.id for one in receipts)


def _is_still_there(choice: Choice, session: StorySession, campaign: Campaign) -> bool:
    progress = session.snapshot.progress
    return choice.kind != "talk" or choice.target in people_at(progress.place, campaign, progress)


async def collect_pairs(count: int, names: Sequence[str] = BUNDLED) -> list[Pair]:
    """Return so many pairs, as many from each campaign; another story follows where one is too short."""
    share = -(-count // len(names))
    pairs: list[Pair] = []
    for name in names:
        campaign, own = app.open_campaign(name), 0
        for seed in itertools.count(1):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["NARRATORIA_HOME"] = folder
                story_pairs = await play_pairs(campaign, seed, Path(folder), share - own)
                pairs, own = [*pairs, *story_pairs], own + len(story_pairs)
            if own >= share or seed > share:
                break
    return pairs


def write_pairs(pairs: Sequence[Pair], out: Path, key: Path) -> None:
    """Write the pairs for a reader, and apart from them which event happened."""
    rows = [
        {"n": number, "campaign": one.campaign, "choice": one.choice, "a": one.before, "b": one.after}
        | {"events": one.events}
        for number, one in enumerate(pairs)
    ]
    keys = [{"n": number, "event": one.happened} for number, one in enumerate(pairs)]
    for path, lines in ((out, rows), (key, keys)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.answers.between", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("key", type=Path, metavar="KEY")
    parser.add_argument("campaigns", nargs="*", default=list(BUNDLED), metavar="CAMPAIGN")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    options = parser.parse_args(arguments)
    pairs = asyncio.run(collect_pairs(options.pairs, options.campaigns))
    write_pairs(pairs, options.out, options.key)
    same = sum(one.before == one.after for one in pairs)
    known = [one for one in pairs if one.can_know]
    print(f"{len(pairs)} pairs; both answers are the same in {same}")
    print(f"{sum(one.is_shown for one in known)} of {len(known)} answers by who can know speak of the event")


if __name__ == "__main__":
    main()
