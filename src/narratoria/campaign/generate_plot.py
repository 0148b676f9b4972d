"""What can happen: people to ask, things to find out, something that goes wrong, four ways to end."""

from __future__ import annotations

from typing import Any

from narratoria.campaign.generate_places import BELOW, LANDING, LOOKOUT, ROOM
from narratoria.campaign.nouns import SECRETIVE
from narratoria.campaign.source import Pick, Source

CLUES = ("look-closely", "go-through-the-room", "read-the-boxes", "ask-kin")
# scenes: before it can end, when it is said that time is short, and when there is no more of it
ENOUGH, SHORT_OF_TIME, LAST = 9, 14, 26


def write_beats(source: Source, pick: Pick) -> list[dict[str, Any]]:
    return [*_arrivals(source, pick), *_talks(source), *_finds(source), *_trouble(source), *_ends(source)]


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
                    f"looks round "
                    f"at everybody and at you, and chooses the one place from which the door can be seen. "
                    f"“Please don't get up,” {who.they} says. “I'm early. I am always early.”",
                    f"There are steps outside, then none, then a knock: the knock of somebody who has stood "
                    f"there "
                    f"thinking about it. {who.name} shakes {source.weather:the} from {who.their} coat and "
                    f"does not "
                    f"take it off. “I was told to come now,” {who.they} says to nobody in particular.",
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
            "their "
            f"gloves. {source.carrier.name} puts {source.carrier.their} head in. “I'll have to be off "
            f"before long,” "
            f"{source.carrier.they} says, “and so will anyone who's coming with me. I only mention it.”"
            + (f" It was to be {source.time}. There is not much left of it." if source.time else ""),
            "conditions": {"scene_count": {"min": SHORT_OF_TIME}},
            "priority": "high",
            "consequences": ["time is short"],
            "mood": "Restless",
        },
    ]


def _talks(source: Source) -> list[dict[str, Any]]:
    keeper, waiting, carrier, kin = source.keeper, source.waiting, source.carrier, source.kin
    token, absent, home = source.token, source.absent, source.start.id
    rule = f" And {source.rule}. That's another of them." if source.rule else ""
    return [
        _talk(
            "ask-keeper",
            f"Ask {keeper.name} about {source.fixture:the}",
            f"{keeper.name} does not look round. “The {absent} used to say that as long as "
            f"{source.fixture:the} "
            f"{source.fixture:is} going, nobody is late.{rule} I don't hold with sayings. But I've never "
            f"once let "
            f"{source.fixture:it} stop.”",
            home,
            keeper.id,
            f"as long as {source.fixture:the} {source.fixture:is} going, nobody is late",
            ["fixture"],
        ),
        _talk(
            "ask-waiting",
            f"Ask {waiting.name} who is expected",
            f"{waiting.name} considers the empty place on the other side of the table. “I don't know,” "
            f"{waiting.they} says at last. “Isn't that absurd? I was sent a line, years ago. *Come, and "
            f"wait. "
            f"Somebody will have {token:a} for you.* There was no name to it. I thought: who would be so "
            f"unkind as "
            "to make that up? And so I came.”",
            home,
            waiting.id,
            f"{waiting.name} was told to wait for somebody with {token:a}",
            ["waiting"],
            requires="somebody-comes-in",
        ),
        _talk(
            "ask-carrier",
            f"Ask {carrier.name} who came in on {source.vessel:the}",
            f"“Two,” says {carrier.name}, and holds up the fingers. “One who talked all the way, and one who "
            f"didn't say a word and paid for both. The talker's {kin.name}, up there by now, being sad at "
            f"the view. "
            f"The other asked me to set {waiting.them} down where nobody would see.”",
            LANDING,
            carrier.id,
            f"{waiting.name} paid for {kin.name}'s passage, and has not said so",
            ["passage"],
        ),
        _talk(
            "ask-kin",
            f"Ask {kin.name} about the {absent}, straight out",
            f"{kin.name} shuts {kin.their} eyes, as people do before cold water. “We had {token:the} "
            f"between us, the "
            f"{absent} and I. One of us was to hand {token:it} over, when the time came, to the right "
            f"person. I said "
            "that one can't hand on a thing without knowing what it is. We never spoke again.” A pause. "
            "“You needn't "
            "tell me whether you've looked.”",
            LOOKOUT,
            kin.id,
            f"{kin.name} was once asked to hand on {token:the}, and would not",
            ["token"],
        ),
        _talk(
            "tell-kin",
            f"Tell {kin.name} who paid for the journey",
            f"It takes a moment to arrive. Then {kin.name} goes to the rail and looks down, to where the "
            f"light is. "
            f"“I thought that was the {absent}'s doing,” {kin.they} says. “I was so angry that I nearly "
            f"enjoyed the "
            f"trip.” And, after a while: “{waiting.first.capitalize()}, you say. Is {waiting.they} still "
            f"there?”",
            LOOKOUT,
            kin.id,
            f"{kin.name} knows who paid for the journey",
            ["passage"],
            requires="ask-carrier",
            effects={"moves": {kin.id: home}},
        ),
        _talk(
            "bring-together",
            f"Introduce {kin.name} to {waiting.name}",
            f"You say the one name, and then the other. They look at each other as people look at a "
            f"photograph that "
            f"has begun to move. “You're shorter,” says {kin.name}. “I was standing on a step,” says "
            f"{waiting.name}. And then {kin.they} sits down in the place that has been kept free all "
            f"evening, and "
            "nobody says anything, and it is not at all quiet.",
            home,
            waiting.id,
            f"{kin.name} and {waiting.name} sit at one table",
            ["waiting", "passage"],
            requires="tell-kin",
        ),
    ]


def _talk(  # noqa: PLR0917 - read as a page, from top to bottom
    beat_id: str,
    offer: str,
    told: str,
    place: str,
    person: str,
    leaves: str,
    tags: list[str],
    *,
    requires: str = "",
    effects: dict[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "id": beat_id,
        "title": offer,
        "description": told,
        "conditions": {"player_choice": offer, **({"requires_beat": requires} if requires else {})},
        "location": place,
        "npcs": [person],
        "priority": "high",
        "consequences": [leaves],
        "effects": {"perception": {person: 12}, **(effects or {})},
        "tags": tags,
        "mood": "Confiding",
        "scene_type": "dialogue",
    }


def _finds(source: Source) -> list[dict[str, Any]]:
    token, absent, waiting = source.token, source.absent, source.waiting
    return [
        _find(
            "look-closely",
            f"Look at {token:the} for a long time, in this light",
            f"You turn {token:it} this way and that. Nothing; nothing; and then, along one edge, so small "
            f"that you "
            f"had taken it for a flaw, a letter in pencil: {waiting.first[0]}. Someone has gone over it "
            f"twice, as "
            "one does when one is not sure of being believed.",
            LOOKOUT,
            f"{token:the} {token:is} marked with the letter {waiting.first[0]}",
        ),
        _find(
            "go-through-the-room",
            f"Go through what the {absent} left behind",
            "You begin with the drawers, because they ask for it. Receipts; string; a tin of keys for no "
            "door here. "
            f"At the bottom lies a sheet, begun many times. *When you give {token:it} away,* it says, and "
            f"is crossed "
            f"out. *Do not give {token:it} to the one who asks,* and that is crossed out too. And last, and "
            f"left "
            f"standing: *Give {token:it} to whoever has waited longest.*",
            ROOM,
            f"{token:the} should go to whoever has waited longest",
        ),
        _find(
            "read-the-boxes",
            "Open the box with the latest year on it",
            f"There is hardly anything in it. A guest list, in the {absent}'s hand, one page, with a tick "
            f"against "
            f"each name but two. The one is {source.kin.name}. The other is {waiting.name}, and beside it, "
            f"in "
            "another ink: *came. I did not dare.*",
            BELOW,
            f"the {absent} saw {waiting.name} waiting, and did not dare to go in",
        ),
    ]


def _find(beat_id: str, offer: str, told: str, place: str, leaves: str) -> dict[str, Any]:
    return {
        "id": beat_id,
        "title": offer,
        "description": told,
        "conditions": {"player_choice": offer},
        "location": place,
        "priority": "high",
        "consequences": [leaves],
        "tags": ["token"],
        "mood": "Hushed",
    }


def _trouble(source: Source) -> list[dict[str, Any]]:
    fixture, keeper = source.fixture, source.keeper
    return [
        {
            "id": "it-falters",
            "title": f"Something is wrong with {fixture:the}",
            "description": f"It is a small thing, and everyone hears it. {fixture:The} miss{fixture:es} a "
            f"beat, and "
            f"another; and in the quiet after that you notice for the first time how much of the quiet had "
            f"been "
            f"{fixture:the}. {keeper.name} is already up. “It's from underneath,” {keeper.they} says. “I "
            f"can hold it "
            "from here. Somebody with hands will have to go down.”",
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
            "description": f"You follow the chalk arrows to where the knocking is. It is a valve, or was "
            f"one. You "
            f"take hold of it with both hands and think of {fixture:the}, up there, and of everyone not "
            f"looking at "
            f"{fixture:it}.",
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
                    "there is a "
                    f"long sigh, and then nothing at all. When you come up, {keeper.name} has lit a candle. "
                    f"“Well,” "
                    f"{keeper.they} says, “then we shall just have to be on time.”",
                    "consequences": [f"{fixture:the} {fixture:has} gone out"],
                    "effects": {"perception": {keeper.id: -10}},
                },
                {
                    "name": "partial success",
                    "description": "It turns, with a noise that you feel in your teeth, and takes some skin "
                    "for its "
                    f"trouble. Overhead {fixture:the} catch{fixture:es}, and go{fixture:es} on: not as "
                    f"before, but "
                    "on. It will last the evening, if nobody leans on it.",
                    "consequences": [f"{fixture:the} {fixture:is} going again, for now"],
                    "effects": {"perception": {keeper.id: 10}},
                },
                {
                    "name": "success",
                    "description": "You wait for the knock, and turn with it instead of against it; and it "
                    "goes "
                    "round like a key in its own door. Overhead somebody cheers and is shushed. You stay a "
                    "moment "
                    "longer, with your palm on the warm iron, because it seems rude to leave at once.",
                    "consequences": [f"{fixture:the} {fixture:is} going better than {fixture:they} "
                                     f"{fixture:has} in years"],
                    "effects": {"perception": {keeper.id: 25, source.waiting.id: 5}},
                },
            ],
        },
    ]  # fmt: skip


def _ends(source: Source) -> list[dict[str, Any]]:
    token, waiting, kin, home = source.token, source.waiting, source.kin, source.start.id
    opens = token.head in SECRETIVE
    last = f"Open {token:the} yourself" if opens else f"Keep {token:the}"
    opened = (
        f"You have carried {token:it} far enough, you think, to have a right. Your thumb finds the edge by "
        f"itself."
        if opens
        else f"You have carried {token:it} far enough, you think, to have a right. You close your hand."
    )
    return [
        _end(
            "give-to-waiting",
            f"Give {token:the} to {waiting.name}",
            f"You put {token:it} down on the table, in front of the place where {waiting.they} has been "
            f"looking past "
            f"it all evening. {waiting.name} does not touch {token:it} at once. “Is it,” {waiting.they} "
            f"says, and "
            "cannot go on, and you say that it is.",
            home,
            waiting.id,
            "whoever-waited-longest",
            token.word,
        ),
        _end(
            "give-to-kin",
            f"Give {token:the} to {kin.name} after all",
            f"“No,” says {kin.name}; and then {kin.they} has {token:it} in {kin.their} hands, and is "
            f"holding on as "
            "one holds a rail. “I said that I would have to know what it was. Do you know what I thought, "
            "all these "
            "years? I thought: at least I was asked.”",
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
            "description": f"And then it is over, as such things are, in the middle of a sentence. "
            f"{source.carrier.name} is calling. People shake hands who have not spoken. By the time you "
            f"have found "
            f"your way back to {source.start:the}, the one place from which the door can be seen is empty, "
            f"and "
            f"{token:the} {token:is} still in your hand.",
            "effects": {"move_to": home},
            "conditions": {"scene_count": {"min": LAST}},
            "priority": "critical",
            "skippable": False,
            "ending": "next-time",
            "mood": "Wistful",
            "scene_type": "resolution",
        },
    ]


def _end(  # noqa: PLR0917 - the same
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
        f"listen to "
        f"{fixture:it}, and are in no hurry.",
        f"{fixture:the} {fixture:has} gone out: There is a candle in the window, for want of {fixture:the}. "
        f"From a "
        "long way off it must look much the same.",
        f"{table}: Two cups stand on one table, quite close together. You let them stand.",
        f"You find the {absent}'s note again, and read it once more, for the tone.",
    ]
    lines = "\n".join(f"- {line}" for line in epilogue)
    after = f"\n\n## Epilogue\n\n{lines}\n"
    return {
        "whoever-waited-longest": "# Whoever Waited Longest\n\n"
        f"{waiting.name} takes {token:it}, in the end, as one takes a hand. What it says, or is, or means, "
        f"{waiting.they} does not tell you, and you find that you do not mind. {waiting.they.capitalize()} "
        "laughs once, out loud, at something that was funny a long time ago.\n\n"
        f"“The {absent} was there,” {waiting.they} says. “All those times. On the other side of the door.” "
        f"And then, "
        f"getting up, and for the first time with {waiting.their} back to it: “Well. So was I.”" + after,
        "at-least-asked": "# At Least Asked\n\n"
        f"{kin.name} does not open {token:it} and does not put {token:it} down. “I shall take {token:it} "
        f"where "
        f"{token:they} should have gone,” {kin.they} says. “It isn't far. It is only down one flight of "
        f"stairs. It "
        "has taken me half my life.”\n\n"
        f"You stay up there with the two chairs, and do not look. After a time there are voices below; and "
        f"after a "
        "longer time there is the sound, quite unmistakable, of somebody moving over to make room." + after,
        "yours-now": "# Yours Now\n\n" + _kept(source) + after,
        "next-time": "# Next Time\n\n"
        f"It gets dark by degrees. You put {source.furniture:the} up, one by one, because that is what is "
        f"done, "
        f"and {source.weather:the} come{source.weather:s} close again and look{source.weather:s} in.\n\n"
        f"{token:The} go{token:es} back where you found {token:it}. You write a note to lie on top, and "
        f"begin it "
        "three times. What you leave standing is short. *Somebody will come,* it says, *whom you should "
        "give this "
        "to. Don't wait to be sure.*" + after,
    }


def _kept(source: Source) -> str:
    absent, token = source.absent, source.token
    down = "Then you go down and take a place from which one can see the door. Somebody ought to."
    if token.head in SECRETIVE:
        return (
            f"It is not what you thought. It is addressed to you: not by your name, which the {absent} may "
            f"never have "
            "been sure of, but unmistakably. *If you are the sort who looks,* it begins, *then it is you I "
            "should have "
            f"asked in the first place.*\n\nYou read on, standing, until the light is too bad to read by. "
            f"{down}"
        )
    return (
        f"It is not what you thought it would be, to keep {token:it}. It is like being the one who stays "
        f"up. You sit "
        f"on the edge of the {absent}'s bed with {token:the} in your lap, until you understand why nobody "
        f"ever did "
        f"this for pleasure.\n\n{down}"
    )
