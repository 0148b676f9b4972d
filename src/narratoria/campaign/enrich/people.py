"""Four people for a story that has none: one who keeps things going, one who waits, one who comes and goes,
and one who knew whoever is not there."""

from __future__ import annotations

from typing import Any

from narratoria.campaign.enrich.source import Pick, Source


def write_people(source: Source, pick: Pick) -> dict[str, dict[str, Any]]:
    """Profiles by their ids."""
    return {
        source.keeper.id: _keeper(source, pick),
        source.waiting.id: _waiting(source, pick),
        source.carrier.id: _carrier(source, pick),
        source.kin.id: _kin(source, pick),
    }


def _keeper(source: Source, pick: Pick) -> dict[str, Any]:
    who, fixture, start = source.keeper, source.fixture, source.start
    look = pick(
        "keeper/look",
        (
            f"{who.name} has rolled-up sleeves and a burn on one wrist in the shape of {fixture:a}'s handle.",
            f"{who.name} is small and square, and stands as people do who expect to be asked to lift "
            "something.",
            f"{who.name} wears an apron with eleven pockets and never needs to look for anything.",
        ),
    )
    rule = (
        f"You can read, can't you? It says: {source.rule}."
        if source.rule
        else "We've one rule: shut the door."
    )
    return {
        "name": who.name,
        "role": f"Who looks after {fixture:the}",
        "appearance": look,
        "personality": {
            "traits": ["practical", "dry", "loyal"],
            "flaws": ["trusts things before people"],
            "virtues": ["has never left a job half done"],
            "habits": [
                f"{who.name} lays a palm against {fixture:the}, counts under {who.their} breath, and nods.",
                f"{who.name} is wiping down something that was clean before.",
                f"{who.name} goes round once more and sees to everything that can be seen to.",
            ],
        },
        "motivations": [f"Keep {fixture:the} going until everyone has gone home"],
        "speech_patterns": {
            "style": "Short sentences, mostly about what is in front of everyone",
            "examples": [
                f"{fixture:The} {fixture:is} older than anybody who ever shouted at {fixture:it}. Try "
                "asking.",
                rule,
                "There's two kinds of trouble. Hand me that, and we'll find out which.",
                "Nobody ever came all this way for nothing. They just say so at first.",
            ],
            "greetings": {
                "warm": "There you are. Come round this side, there's room.",
                "neutral": "Mind your sleeve. It's hot.",
                "cold": "If you want something, you know where it is.",
            },
        },
        "relationships": {
            source.waiting.id: f"Has made room for {source.waiting.them}, without being asked",
            source.kin.id: "They have disagreed for years, very politely",
        },
        "metadata": {"importance": "major", "first_appearance": start.id},
    }


def _waiting(source: Source, pick: Pick) -> dict[str, Any]:
    who, token = source.waiting, source.token
    look = pick(
        "waiting/look",
        (
            f"{who.name} keeps {who.their} coat on and sits where the door can be seen.",
            f"{who.name} is dressed for an occasion that must have been some years ago, and brushed for it "
            "too.",
            f"{who.name} has a tired, attentive face, like somebody listening for a step on the stair.",
        ),
    )
    return {
        "name": who.name,
        "role": "A visitor who is waiting for someone",
        "appearance": look,
        "personality": {
            "traits": ["courteous", "patient", "sad around the eyes"],
            "flaws": ["cannot ask for what is owed"],
            "virtues": ["keeps appointments"],
            "habits": [
                f"{who.name} turns to the door at every sound, and then back, as though it had been nothing.",
                f"{who.name} has set a second place at the table, and straightens it now and then.",
                f"{who.name} takes out a watch, does not look at it, and puts it away.",
            ],
        },
        "motivations": ["Be there when the other one comes, this time"],
        "speech_patterns": {
            "style": "Careful and a little formal, as if the words had been practised on the way",
            "examples": [
                "I was told to come here, and to come now. I was not told what I should find.",
                "One gets used to it, you know. It is the last five minutes that are long.",
                "If it is no trouble. I should not like to be any trouble.",
                f"I had a letter once. It said: look out for {token:a}. That was all. I have been looking "
                "out.",
            ],
            "greetings": {
                "warm": "I hoped that it would be you.",
                "neutral": "Good evening. If it is evening.",
                "cold": "Forgive me. I had thought that you were somebody else.",
            },
        },
        "relationships": {source.kin.id: "They have never met, and each has the other's photograph"},
        "secrets": f"The letter that {who.first} speaks of was signed by the {source.absent}. {who.first} "
        "has come each time since, and has never yet come late.",
        "metadata": {"importance": "major", "first_appearance": "landing"},
    }


def _carrier(source: Source, pick: Pick) -> dict[str, Any]:
    who, vessel = source.carrier, source.vessel
    trade = next((noun for noun in source.trades), None)
    role = f"{trade:A}, just in" if trade else f"Who brings {vessel:the} in and takes {vessel:it} out again"
    look = pick(
        "carrier/look",
        (
            f"{who.name} is long and loose-jointed, and leans on {vessel:the} as one leans on an old dog.",
            f"{who.name} wears three scarves and a pencil behind each ear.",
            f"{who.name} looks younger than {who.they} can be, and has a laugh that gets there first.",
        ),
    )
    return {
        "name": who.name,
        "role": role,
        "appearance": look,
        "personality": {
            "traits": ["cheerful", "curious", "always about to leave"],
            "flaws": ["reads other people's labels"],
            "virtues": [f"has never lost anything that was entrusted to {who.them}"],
            "habits": [
                f"{who.name} walks once round {vessel:the} and kicks what can be kicked.",
                f"{who.name} is going through a list with a stub of pencil, and humming.",
                f"{who.name} sits on a crate, swinging {who.their} heels, and watches who comes.",
            ],
        },
        "motivations": ["Hear how it ends, for once, before having to go"],
        "speech_patterns": {
            "style": "Quick and sideways, with a piece of news in every sentence",
            "examples": [
                "I only carry things. You'd be surprised what people think a thing is, though.",
                "I get the first halves of stories. They pay me, I go. It's no way to live.",
                "Somebody out there asked me the way here. Very polite. Wouldn't give a name.",
                f"Don't tell me what it is. No, go on, tell me. Is it {source.token:a}?",
            ],
            "greetings": {
                "warm": "You! I've been saving something up for you.",
                "neutral": "Mind the rope. Everyone minds it afterwards.",
                "cold": "I've a list. You're not on it.",
            },
        },
        "relationships": {source.waiting.id: "Brought here, and was overpaid"},
        "metadata": {"importance": "minor", "first_appearance": "landing"},
    }


def _kin(source: Source, pick: Pick) -> dict[str, Any]:
    who, absent = source.kin, source.absent
    look = pick(
        "kin/look",
        (
            f"{who.name} stands very straight, and has ink on one cuff that somebody has tried to wash out.",
            f"{who.name} has the kind of face that one has seen before, in a frame, on somebody else's wall.",
            f"{who.name} is grey and exact, and holds a hat by its brim as though it were full.",
        ),
    )
    return {
        "name": who.name,
        "role": f"Who knew the {absent}",
        "appearance": look,
        "personality": {
            "traits": ["observant", "proud", "easily moved, and cross about it"],
            "flaws": ["has kept a grievance warm for too long"],
            "virtues": ["tells the truth when asked straight out"],
            "habits": [
                f"{who.name} reads the same half page again, and turns it back.",
                f"{who.name} looks out for a long time and says nothing about what is there.",
                f"{who.name} begins a sentence, thinks better of it, and begins another.",
            ],
        },
        "motivations": [f"Find out whether the {absent} forgave {who.them}"],
        "speech_patterns": {
            "style": "Precise, with a catch in it where something has been left out",
            "examples": [
                f"You don't resemble the {absent}. I mean that as neither one thing nor the other.",
                "I shall be quite frank with you. In a moment.",
                "We were going to do this together. Then one of us was right, and that was that.",
                "Ask me straight out. I've never been able to hold out against that.",
            ],
            "greetings": {
                "warm": "Sit, before I remember that I'm angry.",
                "neutral": "So it's you who has it now.",
                "cold": "I have nothing to add.",
            },
        },
        "relationships": {source.keeper.id: "They have disagreed for years, very politely"},
        "secrets": f"{who.first} was asked to do what you have been asked to do, and said no.",
        "metadata": {"importance": "major", "first_appearance": "lookout"},
    }
