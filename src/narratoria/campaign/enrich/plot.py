"""What can happen: people to ask, things to find out, something that goes wrong, four ways to end."""

from __future__ import annotations

from typing import Any

from narratoria.campaign.enrich.clues import finds, talks
from narratoria.campaign.enrich.endings import ENOUGH, ends
from narratoria.campaign.enrich.places import BELOW
from narratoria.campaign.enrich.source import Pick, Source

SHORT_OF_TIME = 14  # scenes, and it is said that there is not much left


def write_beats(source: Source, pick: Pick) -> list[dict[str, Any]]:
    return [*_arrivals(source, pick), *talks(source), *finds(source), *_trouble(source), *ends(source)]


def _arrivals(source: Source, pick: Pick) -> list[dict[str, Any]]:
    who, home = source.waiting, source.start.id
    return [
        {
            "id": "somebody-comes-in",
            "title": "Somebody comes in",
            "description": pick(
                "beat/arrival",
                (
                    f"The door opens, and stays open a little longer than it need. {who.name} comes in, "
                    "looks round at everybody and at you, and chooses the one place from which the door can "
                    f"be seen. “Please don't get up,” {who.they} says. “I'm early. I am always early.”",
                    "There are steps outside, then none, then a knock: the knock of somebody who has stood "
                    f"there thinking about it. {who.name} shakes {source.weather:the} from {who.their} coat "
                    f"and does not take it off. “I was told to come now,” {who.they} says to nobody in "
                    "particular.",
                ),
            ),
            "conditions": {"scene_count": {"min": 2}},
            "location": home,
            "priority": "critical",
            "skippable": False,
            "npcs": [who.id],
            "effects": {"moves": {who.id: home}},
            "consequences": [f"{who.name} has come in and is waiting"],
            "tags": ["waiting"],
            "mood": "Expectant",
            "scene_type": "dialogue",
        },
        {
            "id": "time-grows-short",
            "title": "Time grows short",
            "description": "Nobody has said anything, and everybody has noticed. People begin to look for "
            f"their gloves. {source.carrier.name} puts {source.carrier.their} head in. “I'll have to be off "
            f"before long,” {source.carrier.they} says, “and so will anyone who's coming with me. I only "
            "mention it.”"
            + (f" It was to be {source.time}. There is not much left of it." if source.time else ""),
            "conditions": {"scene_count": {"min": SHORT_OF_TIME}},
            "priority": "high",
            "consequences": ["time is short"],
            "mood": "Restless",
        },
    ]


def _trouble(source: Source) -> list[dict[str, Any]]:
    fixture, keeper = source.fixture, source.keeper
    return [
        {
            "id": "it-falters",
            "title": f"Something is wrong with {fixture:the}",
            "description": f"It is a small thing, and everyone hears it. {fixture:The} miss{fixture:es} a "
            "beat, and another; and in the quiet after that you notice for the first time how much of the "
            f"quiet had been {fixture:the}. {keeper.name} is already up. “It's from underneath,” "
            f"{keeper.they} says. “I can hold it from here. Somebody with hands will have to go down.”",
            "conditions": {"scene_count": {"min": ENOUGH}},
            "location": source.start.id,
            "priority": "high",
            "npcs": [keeper.id],
            "consequences": [f"{fixture:the} {fixture:is} failing"],
            "tags": ["fixture", "trouble"],
            "mood": "Uneasy",
        },
        {
            "id": "see-to-it",
            "title": f"See to {fixture:the}",
            "description": "You follow the chalk arrows to where the knocking is. It is a valve, or was "
            f"one. You take hold of it with both hands and think of {fixture:the}, up there, and of "
            f"everyone not looking at {fixture:it}.",
            "conditions": {
                "player_choice": f"Find out what is wrong with {fixture:the}, and put it right",
                "requires_beat": "it-falters",
            },
            "location": BELOW,
            "priority": "critical",
            "stat": "hands",
            "scene_type": "danger",
            "tags": ["fixture", "trouble"],
            "mood": "Tense",
            "outcomes": [
                {
                    "name": "failure",
                    "description": "It gives, and goes on giving, and comes away in your hand. Overhead "
                    f"there is a long sigh, and then nothing at all. When you come up, {keeper.name} has "
                    f"lit a candle. “Well,” {keeper.they} says, “then we shall just have to be on time.”",
                    "consequences": [f"{fixture:the} {fixture:has} gone out"],
                    "effects": {"perception": {keeper.id: -10}},
                },
                {
                    "name": "partial success",
                    "description": "It turns, with a noise that you feel in your teeth, and takes some skin "
                    f"for its trouble. Overhead {fixture:the} catch{fixture:es}, and go{fixture:es} on: not "
                    "as before, but on. It will last the evening, if nobody leans on it.",
                    "consequences": [f"{fixture:the} {fixture:is} going again, for now"],
                    "effects": {"perception": {keeper.id: 10}},
                },
                {
                    "name": "success",
                    "description": "You wait for the knock, and turn with it instead of against it; and it "
                    "goes round like a key in its own door. Overhead somebody cheers and is shushed. You "
                    "stay a moment longer, with your palm on the warm iron, because it seems rude to leave "
                    "at once.",
                    "consequences": [
                        f"{fixture:the} {fixture:is} going better than {fixture:they} {fixture:has} in years"
                    ],
                    "effects": {"perception": {keeper.id: 25, source.waiting.id: 5}},
                },
            ],
        },
    ]
