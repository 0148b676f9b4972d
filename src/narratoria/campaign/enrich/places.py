"""Five places that belong together: the author's own, and four that lie around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from narratoria.campaign.enrich.source import Pick, Source
from narratoria.campaign.lore import sentences

LANDING, BELOW, LOOKOUT, ROOM = "landing", "below", "lookout", "room"
_OPEN = frozenset(
    [
        "city",
        "town",
        "village",
        "hamlet",
        "island",
        "isle",
        "forest",
        "wood",
        "woods",
        "desert",
        "valley",
        "mountain",
        "harbour",
        "harbor",
        "street",
        "market",
        "camp",
        "colony",
        "kingdom",
        "planet",
        "coast",
        "shore",
        "beach",
        "swamp",
        "marsh",
        "moor",
        "field",
        "garden",
        "orchard",
        "bay",
        "square",
        "estate",
    ]
)


@dataclass(frozen=True, slots=True)
class Names:
    """What the places around are called where the story plays, and how one gets to each."""

    landing: str
    below: str
    lookout: str
    to_landing: str
    to_below: str
    to_lookout: str
    to_room: str
    back: str


_INDOORS = Names(
    "The Yard",
    "The Cellar",
    "The Gallery",
    "out by the front, and across",
    "down the steps behind, with one hand on the wall",
    "up the narrow stair, which turns twice",
    "along the passage to the last door",
    "back to where the light is",
)
NAMES: Mapping[str, Names] = {
    "land": _INDOORS,
    "void": Names(
        "The Mooring",
        "The Crawlspace",
        "The Gallery",
        "out through the double doors, holding the rail",
        "down the hatch, feeling for the rungs",
        "up the spiral stair to where the panes begin",
        "along the passage to the last door",
        "back towards the warmth",
    ),
    "water": Names(
        "The Landing Stage",
        "The Cellar",
        "The Roof Walk",
        "down to the water, by the steps",
        "down to where it smells of salt and rope",
        "up the ladder and out through the trap",
        "along the passage to the last door",
        "back in, and wipe your feet",
    ),
    "open": Names(
        "The Way In",
        "The Old Workings",
        "The Rise",
        "out along the road until it begins to be somewhere else",
        "down the bank, where a path has been and nearly is",
        "uphill, until there is nothing left to climb",
        "round behind, to the door that nobody uses",
        "back the way you came",
    ),
}


def names_of(source: Source) -> Names:
    return NAMES["open" if source.start.head in _OPEN else source.outside]


def write_places(source: Source, pick: Pick) -> dict[str, str]:
    """Pages by their ids, the one that the story begins at first."""
    names = names_of(source)
    home = source.start.id
    room = f"The {source.absent:bare}'s Room"
    titles = {LANDING: names.landing, BELOW: names.below, LOOKOUT: names.lookout, ROOM: room}
    routes = {
        LANDING: names.to_landing,
        BELOW: names.to_below,
        LOOKOUT: names.to_lookout,
        ROOM: names.to_room,
    }
    start = f"{source.start:Title}"

    def ways(*to: str) -> list[str]:
        return [f"[{titles[place]}]({place}.md): {routes[place]}" for place in to]

    back = [f"[{start}]({home}.md): {names.back}"]
    return {
        home: _page(
            start, _at_the_start(source), _moments(source, pick), ways(LANDING, BELOW, LOOKOUT, ROOM)
        ),
        LANDING: _page(names.landing, _landing(source, pick), _outer_moments(source), [*back, *ways(BELOW)]),
        BELOW: _page(names.below, _below(source, pick), _lower_moments(source), [*back, *ways(LANDING)]),
        LOOKOUT: _page(names.lookout, _lookout(source, pick), _upper_moments(source), [*back, *ways(ROOM)]),
        ROOM: _page(room, _room(source, pick), _room_moments(source), [*back, *ways(LOOKOUT)]),
    }


def _page(title: str, paragraphs: Sequence[str], moments: Sequence[str], ways: Sequence[str]) -> str:
    body = "\n\n".join(paragraphs)
    listed = "\n".join(f"- {line}" for line in moments)
    roads = "\n".join(f"- {line}" for line in ways)
    return f"# {title}\n\n{body}\n\n## Moments\n\n{listed}\n\n## Ways\n\n{roads}\n"


def _at_the_start(source: Source) -> list[str]:
    """The author's own words, as far as they go."""
    told = [" ".join(sentences(paragraph)[:4]) for paragraph in source.paragraphs()[:3]]
    if not told:
        told = [f"This is {source.start:the}. {source.campaign.manifest.description}".strip()]
    return [
        *told,
        f"You look again, more slowly. {source.fixture:The} {source.fixture:has} been mended at least "
        f"twice, by somebody who was in no hurry, and {source.furniture:the} {source.furniture:has} been "
        "moved so as to leave one place free that can be seen from the door.",
    ]


def _landing(source: Source, pick: Pick) -> list[str]:
    vessel = source.vessel
    others = [f"{noun:a}" for noun in source.vessels[1:3]]
    beside = f" Beside {vessel:it} there is room for {' and for '.join(others)}." if others else ""
    return [
        pick(
            "landing/arrival",
            (
                "This is where people arrive, and where they stand for a moment before they admit it. "
                f"{vessel:A} {vessel:is} made fast with more rope than seems necessary.{beside}",
                f"{vessel:The} {vessel:has} been brought in neatly, and {vessel:is} settling, with small "
                f"noises.{beside} There is a bench for those who are met, and for those who are not.",
            ),
        ),
        "Luggage tags have been nailed to a post, one above the other, as far up as anyone can reach. Most "
        "of the names are washed out. The lowest are the newest, and the very lowest has no name on it, "
        "only a date: today's.",
        f"From here one can see how small it all is. A few lights, {source.start:the} in the middle of "
        f"them, and round about, on every side, {source.weather:the}.",
    ]


def _below(source: Source, pick: Pick) -> list[str]:
    fixture = source.fixture
    return [
        pick(
            "below/arrival",
            (
                f"Whatever keeps {fixture:the} going comes up from here. It is warm and low, and it smells "
                "of iron and old paper. Somebody has chalked arrows on everything.",
                "It is darker here than it needs to be. Behind the wall something that belongs to "
                f"{fixture:the} knocks, waits, and knocks again, as if it had been told that someone was "
                "coming.",
            ),
        ),
        "Shelves run back further than the light does. There are boxes on them, each with a year on its "
        "lid, and the years do not follow one another: there are long gaps, always of the same length.",
        f"At the very end stands a thing under a cloth. You lift a corner. It is another {fixture}, or what "
        "is left of one, taken to pieces with great care and every piece labelled.",
    ]


def _lookout(source: Source, pick: Pick) -> list[str]:
    weather = source.weather
    return [
        pick(
            "lookout/arrival",
            (
                f"Up here there is nothing between you and {weather:the}. Somebody has put out two chairs, "
                "side by side and facing the same way, and a rug for each.",
                f"One comes up here to look at {weather:the}, and stays to be alone with it. The rail is "
                "worn smooth in two places, an arm's length apart.",
            ),
        ),
        f"You give it time, and it begins to be interesting. {weather:The} {weather:does} not stay as "
        f"{weather:they} {weather:is}: {weather:they} change{weather:s}, if one waits, as slowly as a "
        "sleeper turning over.",
        "Scratched into the rail, small and neat, are two sets of initials and a row of strokes in fives, "
        "as prisoners count, or people who mean to come back.",
    ]


def _room(source: Source, pick: Pick) -> list[str]:
    absent, token = source.absent, source.token
    return [
        pick(
            "room/arrival",
            (
                f"The {absent}'s room is very tidy, with the tidiness of somebody who expected it to be "
                "looked at. A bed, a table, a shelf of books without their jackets.",
                "Nobody has slept here for a long time, and yet the bed is made. It is so plainly the "
                f"{absent}'s room that you knock on the open door before you go in.",
            ),
        ),
        f"On the table there is a clean square in the dust, just the size of {token:the}. Beside it stands "
        "a cup, with a second cup turned over on top of it.",
        "Inside the wardrobe door somebody has been measured, year upon year, with a pencil and a ruler. "
        "You find your own name at the height of your hip. You cannot remember having been here.",
    ]


def _moments(source: Source, pick: Pick) -> list[str]:
    fixture, furniture = source.fixture, source.furniture
    return [
        f"{fixture:The} make{fixture:s} a small sound, like somebody about to speak.",
        f"For a moment everything is quite still, and {source.weather:the} seem{source.weather:s} to come "
        "nearer.",
        pick(
            "start/moment",
            (
                f"Somebody has left a glove on one of the {furniture.head}. Nobody claims it.",
                "A draught goes through, and out again, like a guest who has mistaken the address.",
                "There is a smell of something warm, and of something far away.",
            ),
        ),
        "Somebody hums two bars of something, and stops, as if it had been a mistake.",
    ]


def _outer_moments(source: Source) -> list[str]:
    return [
        f"{source.vessel:The} shift{source.vessel:s} a little, and {source.vessel:is} still again.",
        "Far out there is a light that was not there before, or you had not looked.",
        "A tag taps against the post, three times, and stops.",
        "Someone has swept here, quite recently, and left the broom leaning where the next person will want "
        "it.",
    ]


def _lower_moments(source: Source) -> list[str]:
    return [
        "Overhead somebody crosses the floor, in no hurry, and sits down.",
        f"The knocking behind the wall falls into step with you, and then {source.fixture:the} "
        f"seem{source.fixture:s} to think better of it.",
        "Dust comes down in a thin straight line, from nowhere that you can find.",
        "One of the labels has been written in the last few days. The ink is still blue.",
    ]


def _upper_moments(source: Source) -> list[str]:
    return [
        f"{source.weather:The} {source.weather:has} a colour now that you would not know what to call.",
        "One of the two rugs has slipped down. You fold it, and put it back, and feel that you have been "
        "polite.",
        "From below come voices, and somebody laughing who had not meant to.",
        "It is so quiet that you can hear how far it goes.",
    ]


def _room_moments(source: Source) -> list[str]:
    return [
        "The books have been read. They fall open, all of them, at a place where something used to lie.",
        "A board creaks, though you have not moved.",
        f"You have the feeling that the {source.absent} has only gone to fetch something.",
        "Through the wall you hear the others, without the words: only the tune of it.",
    ]
