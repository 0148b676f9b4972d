"""What a player can find out: by asking the people there, and by looking where nobody has looked."""

from __future__ import annotations

from typing import Any

from narratoria.campaign.enrich.places import BELOW, LANDING, LOOKOUT, ROOM
from narratoria.campaign.enrich.source import Source

CLUES = ("look-closely", "go-through-the-room", "read-the-boxes", "ask-kin")


def talks(source: Source) -> list[dict[str, Any]]:
    keeper, waiting, carrier, kin = source.keeper, source.waiting, source.carrier, source.kin
    token, absent, home = source.token, source.absent, source.start.id
    rule = f" And {source.rule}. That's another of them." if source.rule else ""
    return [
        _talk(
            "ask-keeper",
            f"Ask {keeper.name} about {source.fixture:the}",
            f"{keeper.name} does not look round. “The {absent} used to say that as long as "
            f"{source.fixture:the} {source.fixture:is} going, nobody is late.{rule} I don't hold with "
            f"sayings. But I've never once let {source.fixture:it} stop.”",
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
            f"wait. Somebody will have {token:a} for you.* There was no name to it. I thought: who would be "
            "so unkind as to make that up? And so I came.”",
            home,
            waiting.id,
            f"{waiting.name} was told to wait for somebody with {token:a}",
            ["waiting"],
            requires="somebody-comes-in",
        ),
        _talk(
            "ask-carrier",
            f"Ask {carrier.name} who came in on {source.vessel:the}",
            f"“Two,” says {carrier.name}, and holds up the fingers. “One who talked all the way, and one "
            f"who didn't say a word and paid for both. The talker's {kin.name}, up there by now, being sad "
            f"at the view. The other asked me to set {waiting.them} down where nobody would see.”",
            LANDING,
            carrier.id,
            f"{waiting.name} paid for {kin.name}'s passage, and has not said so",
            ["passage"],
        ),
        _talk(
            "ask-kin",
            f"Ask {kin.name} about the {absent}, straight out",
            f"{kin.name} shuts {kin.their} eyes, as people do before cold water. “We had {token:the} "
            f"between us, the {absent} and I. One of us was to hand {token:it} over, when the time came, to "
            "the right person. I said that one can't hand on a thing without knowing what it is. We never "
            "spoke again.” A pause. “You needn't tell me whether you've looked.”",
            LOOKOUT,
            kin.id,
            f"{kin.name} was once asked to hand on {token:the}, and would not",
            ["token"],
        ),
        _talk(
            "tell-kin",
            f"Tell {kin.name} who paid for the journey",
            f"It takes a moment to arrive. Then {kin.name} goes to the rail and looks down, to where the "
            f"light is. “I thought that was the {absent}'s doing,” {kin.they} says. “I was so angry that I "
            f"nearly enjoyed the trip.” And, after a while: “{waiting.first.capitalize()}, you say. Is "
            f"{waiting.they} still there?”",
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
            "You say the one name, and then the other. They look at each other as people look at a "
            f"photograph that has begun to move. “You're shorter,” says {kin.name}. “I was standing on a "
            f"step,” says {waiting.name}. And then {kin.they} sits down in the place that has been kept "
            "free all evening, and nobody says anything, and it is not at all quiet.",
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


def finds(source: Source) -> list[dict[str, Any]]:
    token, absent, waiting = source.token, source.absent, source.waiting
    return [
        _find(
            "look-closely",
            f"Look at {token:the} for a long time, in this light",
            f"You turn {token:it} this way and that. Nothing; nothing; and then, along one edge, so small "
            f"that you had taken it for a flaw, a letter in pencil: {waiting.first[0]}. Someone has gone "
            "over it twice, as one does when one is not sure of being believed.",
            LOOKOUT,
            f"{token:the} {token:is} marked with the letter {waiting.first[0]}",
        ),
        _find(
            "go-through-the-room",
            f"Go through what the {absent} left behind",
            "You begin with the drawers, because they ask for it. Receipts; string; a tin of keys for no "
            f"door here. At the bottom lies a sheet, begun many times. *When you give {token:it} away,* it "
            f"says, and is crossed out. *Do not give {token:it} to the one who asks,* and that is crossed "
            f"out too. And last, and left standing: *Give {token:it} to whoever has waited longest.*",
            ROOM,
            f"{token:the} should go to whoever has waited longest",
        ),
        _find(
            "read-the-boxes",
            "Open the box with the latest year on it",
            f"There is hardly anything in it. A guest list, in the {absent}'s hand, one page, with a tick "
            f"against each name but two. The one is {source.kin.name}. The other is {waiting.name}, and "
            "beside it, in another ink: *came. I did not dare.*",
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
