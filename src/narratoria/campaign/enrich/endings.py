"""How it can end: four beats that end it, and a page for each of the endings."""

from __future__ import annotations

from typing import Any

from narratoria.campaign.enrich.clues import CLUES
from narratoria.campaign.enrich.nouns import SECRETIVE
from narratoria.campaign.enrich.places import LOOKOUT, ROOM
from narratoria.campaign.enrich.source import Source

ENOUGH, LAST = 9, 26  # scenes: before it can end, and when there are no more


def ends(source: Source) -> list[dict[str, Any]]:
    token, waiting, kin, home = source.token, source.waiting, source.kin, source.start.id
    opens = token.head in SECRETIVE
    last = f"Open {token:the} yourself" if opens else f"Keep {token:the}"
    opened = (
        f"You have carried {token:it} far enough, you think, to have a right. Your thumb finds the edge by "
        "itself."
        if opens
        else f"You have carried {token:it} far enough, you think, to have a right. You close your hand."
    )
    return [
        _end(
            "give-to-waiting",
            f"Give {token:the} to {waiting.name}",
            f"You put {token:it} down on the table, in front of the place where {waiting.they} has been "
            f"looking past it all evening. {waiting.name} does not touch {token:it} at once. “Is it,” "
            f"{waiting.they} says, and cannot go on, and you say that it is.",
            home,
            waiting.id,
            "whoever-waited-longest",
            token.word,
        ),
        _end(
            "give-to-kin",
            f"Give {token:the} to {kin.name} after all",
            f"“No,” says {kin.name}; and then {kin.they} has {token:it} in {kin.their} hands, and is "
            "holding on as one holds a rail. “I said that I would have to know what it was. Do you know "
            "what I thought, all these years? I thought: at least I was asked.”",
            LOOKOUT,
            kin.id,
            "at-least-asked",
            token.word,
            also=["ask-kin"],
        ),
        {
            "id": "keep-it",
            "title": last,
            "description": opened,
            "conditions": {
                "player_choice": last,
                "requires_any_beat": list(CLUES),
                "scene_count": {"min": 5},
            },
            "location": ROOM,
            "priority": "low",
            "ending": "yours-now",
            "consequences": [f"you kept {token:the}"],
            "mood": "Hushed",
            "scene_type": "resolution",
        },
        {
            "id": "too-late",
            "title": "Too late",
            "description": "And then it is over, as such things are, in the middle of a sentence. "
            f"{source.carrier.name} is calling. People shake hands who have not spoken. By the time you "
            f"have found your way back to {source.start:the}, the one place from which the door can be seen "
            f"is empty, and {token:the} {token:is} still in your hand.",
            "effects": {"move_to": home},
            "conditions": {"scene_count": {"min": LAST}},
            "priority": "critical",
            "skippable": False,
            "ending": "next-time",
            "mood": "Wistful",
            "scene_type": "resolution",
        },
    ]


def _end(  # noqa: PLR0917 - read as a page, from top to bottom
    beat_id: str,
    offer: str,
    told: str,
    place: str,
    person: str,
    ending: str,
    item: str,
    *,
    also: list[str] | None = None,
) -> dict[str, Any]:
    needs = {"requires_any_beat": also or list(CLUES), "scene_count": {"min": ENOUGH}}
    return {
        "id": beat_id,
        "title": offer,
        "description": told,
        "conditions": {"player_choice": offer, **needs},
        "location": place,
        "npcs": [person],
        "priority": "medium",
        "ending": ending,
        "effects": {"perception": {person: 30}, "lose": [item]},
        "consequences": [offer.replace("Give", "you gave", 1)],
        "mood": "Still",
        "scene_type": "resolution",
    }


def write_endings(source: Source) -> dict[str, str]:
    """Pages by their ids."""
    token, absent, waiting, kin, fixture = (
        source.token,
        source.absent,
        source.waiting,
        source.kin,
        source.fixture,
    )
    going = f"{fixture:the} {fixture:is} going better than {fixture:they} {fixture:has} in years"
    table = f"{kin.name} and {waiting.name} sit at one table"
    epilogue = [
        f"{going}: {fixture:The} {fixture:is} still going when the last of them has gone. You sit and "
        f"listen to {fixture:it}, and are in no hurry.",
        f"{fixture:the} {fixture:has} gone out: There is a candle in the window, for want of {fixture:the}. "
        "From a long way off it must look much the same.",
        f"{table}: Two cups stand on one table, quite close together. You let them stand.",
        f"You find the {absent}'s note again, and read it once more, for the tone.",
    ]
    lines = "\n".join(f"- {line}" for line in epilogue)
    after = f"\n\n## Epilogue\n\n{lines}\n"
    return {
        "whoever-waited-longest": f"# Whoever Waited Longest\n\n{waiting.name} takes {token:it}, in the "
        f"end, as one takes a hand. What it says, or is, or means, {waiting.they} does not tell you, and "
        f"you find that you do not mind. {waiting.they.capitalize()} laughs once, out loud, at something "
        f"that was funny a long time ago.\n\n“The {absent} was there,” {waiting.they} says. “All those "
        "times. On the other side of the door.” And then, getting up, and for the first time with "
        f"{waiting.their} back to it: “Well. So was I.”" + after,
        "at-least-asked": f"# At Least Asked\n\n{kin.name} does not open {token:it} and does not put "
        f"{token:it} down. “I shall take {token:it} where {token:they} should have gone,” {kin.they} says. "
        "“It isn't far. It is only down one flight of stairs. It has taken me half my life.”\n\nYou stay up "
        "there with the two chairs, and do not look. After a time there are voices below; and after a "
        "longer time there is the sound, quite unmistakable, of somebody moving over to make room." + after,
        "yours-now": "# Yours Now\n\n" + _kept(source) + after,
        "next-time": f"# Next Time\n\nIt gets dark by degrees. You put {source.furniture:the} up, one by "
        f"one, because that is what is done, and {source.weather:the} come{source.weather:s} close again "
        f"and look{source.weather:s} in.\n\n{token:The} go{token:es} back where you found {token:it}. You "
        "write a note to lie on top, and begin it three times. What you leave standing is short. *Somebody "
        "will come,* it says, *whom you should give this to. Don't wait to be sure.*" + after,
    }


def _kept(source: Source) -> str:
    absent, token = source.absent, source.token
    down = "Then you go down and take a place from which one can see the door. Somebody ought to."
    if token.head in SECRETIVE:
        return (
            f"It is not what you thought. It is addressed to you: not by your name, which the {absent} may "
            "never have been sure of, but unmistakably. *If you are the sort who looks,* it begins, *then "
            "it is you I should have asked in the first place.*\n\nYou read on, standing, until the light "
            f"is too bad to read by. {down}"
        )
    return (
        f"It is not what you thought it would be, to keep {token:it}. It is like being the one who stays "
        f"up. You sit on the edge of the {absent}'s bed with {token:the} in your lap, until you understand "
        f"why nobody ever did this for pleasure.\n\n{down}"
    )
