"""Works out where people are when a story begins, for those whose profile does not say it.

Nobody is silently absent: who is placed gets the reason, and who is not gets one as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from narratoria.campaign.campaign import Beat, Campaign, Place, Profile
from narratoria.campaign.placement import Placement

IMPORTED = "imported"  # the tag of the main person of a character card
AWAY_WORDS = frozenset(
    ("antagonist", "villain", "nemesis", "enemy", "hidden", "unseen", "offstage", "absent")
)
GONE_WORDS = frozenset(("dead", "deceased", "late", "ancestor", "unborn", "legend", "legendary", "mythical"))
_AWAY_ROLE = re.compile(r"\b(?:antagonist|arch-?villain|villain|nemesis|arch-?enemy)\b", re.IGNORECASE)
_GONE_ROLE = re.compile(
    r"^(?:the )?(?:late|long-dead|long dead|dead)\b|\b(?:long dead|deceased|ancestor|unborn|not yet born)\b|"
    r",? (?:now )?dead$|\bdead (?:for|these|since)\b",
    re.IGNORECASE,
)
_HOSTILE_TIE = re.compile(
    r"\b(?:enem(?:y|ies)|rivals?|hates?|hated|hunts?|fled|feud|killed|murdered|dead|died|lost|estranged|exiled?|"
    r"never met|has not seen)\b",
    re.IGNORECASE,
)
_TITLES = re.compile(
    r"(?:the|an?|mrs?|ms|miss|dr|doctor|sir|dame|lord|lady|brother|sister|father|mother|captain|old|young|uncle|"
    r"aunt|professor|king|queen|prince|princess|saint|abbess|abbot|widow|master|mistress)\.?",
    re.IGNORECASE,
)
# words of a role or of a place's name that say nothing of where one is
_PLAIN_WORD = re.compile(
    r"(?:the|and|for|from|with|who|old|young|man|woman|boy|girl|of|in|at|on|by|to|an?|his|her|their|its|your|my|"
    r"one|last|first|great|little|new|keeper|master|mistress|owner|head|chief|place|house|town|room)"
)


def place_people(campaign: Campaign) -> dict[str, Placement]:
    """Return where everybody is when the story begins, each with the reason."""
    placements = {person: _place_person(person, campaign) for person in campaign.people}
    unplaced = [person for person, placement in placements.items() if placement.kind == "nowhere"]
    grown = True
    while grown:  # somebody may stand beside somebody who stands beside somebody
        grown = False
        for person in unplaced:
            if placements[person].place:
                continue
            if placement := _beside_somebody(person, campaign, placements):
                placements[person] = placement
                grown = True
    return placements


def _place_person(person: str, campaign: Campaign) -> Placement:
    profile = campaign.people[person]
    written = profile.metadata.first_appearance
    if written in campaign.places:
        return Placement(written, "written", "first_appearance")
    return (
        _kept_away(profile)
        or _of_a_card(profile, campaign)
        or _by_beats(person, campaign)
        or _by_pages(person, campaign)
        or _by_role(profile, campaign)
        or Placement()
    )


def _kept_away(profile: Profile) -> Placement | None:
    """Return the placement of somebody who is not simply there: an antagonist, or one who does not live."""
    metadata = profile.metadata
    labels = {word for text in (metadata.importance, *metadata.tags) for word in _words_of(text)}
    if word := next(iter(sorted(labels & GONE_WORDS)), ""):
        return Placement("", "gone", f"tagged '{word}'")
    for text in (profile.role, profile.age):
        if match := _GONE_ROLE.search(text.strip()):
            return Placement("", "gone", f"described as “{match[0].strip(' ,')}”")
    if match := _own_death(profile).search(profile.background):
        return Placement("", "gone", f"the background says “{match[0]}”")
    if word := next(iter(sorted(labels & AWAY_WORDS)), ""):
        return Placement("", "away", f"tagged '{word}'")
    if match := _AWAY_ROLE.search(profile.role):
        return Placement("", "away", f"described as “{match[0]}”")
    return None


def _own_death(profile: Profile) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in _names_of(profile))
    deaths = r"died|is dead|has been dead|was (?:killed|hanged|drowned|buried|murdered)"
    return re.compile(rf"\b(?:{names}) (?:{deaths})\b")


def _of_a_card(profile: Profile, campaign: Campaign) -> Placement | None:
    if IMPORTED in profile.metadata.tags and profile.metadata.importance == "major":
        return Placement(campaign.start, "card", "the story begins with the main person of an imported card")
    return None


def _by_beats(person: str, campaign: Campaign) -> Placement | None:
    """Return the place of the first beat that has somebody take part, or else of one that names them."""
    there = [beat for beat in campaign.beats if beat.location in campaign.places]
    for beat in there:
        present = beat.conditions.npc_state.get(person)
        takes_part = person in beat.npcs or any(line.speaker == person for line in beat.dialogue)
        if takes_part or (present and present.present):
            return Placement(beat.location, "beat", f"the beat '{beat.id}' names them there")
    naming = _naming(person, campaign, possessive=False)
    for beat in there:
        if naming.search(_beat_text(beat)):
            return Placement(beat.location, "beat", f"the beat '{beat.id}' names them there")
    return None


def _beat_text(beat: Beat) -> str:
    parts = (
        beat.title,
        beat.conditions.player_choice,
        beat.description,
        *(one.description for one in beat.outcomes),
    )
    return "\n".join(parts)


def _by_pages(person: str, campaign: Campaign) -> Placement | None:
    """Return the place whose page names somebody, or else one that lore names along with them."""
    naming = _naming(person, campaign)
    for place in campaign.places.values():
        if naming.search("\n".join((place.name, place.arrival, *place.details, *place.moments))):
            return Placement(place.id, "lore", "its page names them")
    for passage in campaign.lore:
        for sentence in re.split(r"(?<=[.!?])\s+", passage.text):
            if naming.search(sentence) and (place_id := _named_place(sentence, campaign)):
                return Placement(place_id, "lore", f"{passage.file} names them there")
        if naming.search(passage.title) and (place_id := _named_place(passage.text, campaign)):
            return Placement(place_id, "lore", f"{passage.file} names them there")
    return None


def _named_place(text: str, campaign: Campaign) -> str:
    for place in campaign.places.values():
        bare = re.sub(r"^(?:the|a|an)\s+", "", place.name, flags=re.IGNORECASE)
        if bare and re.search(rf"\b{re.escape(bare)}\b", text, re.IGNORECASE):
            return place.id
    return ""


def _by_role(profile: Profile, campaign: Campaign) -> Placement | None:
    """Return the place that a role speaks of ("Warden of Callow Bridge"), or where its trade is found."""
    role = profile.role.strip()
    if place_id := _named_place(role, campaign):
        return Placement(place_id, "role", f"their role, “{role}”, speaks of it")
    own_words = [word for word in _words_of(role) if not _PLAIN_WORD.fullmatch(word)]
    for place in campaign.places.values():
        if shared := [word for word in own_words if word in _place_words(place)]:
            return Placement(place.id, "role", f"their role, “{role}”, speaks of the {shared[0]}")
    trades = [trade for trade in own_words if trade in _workplaces()]
    for trade in trades:
        for sign in _workplaces()[trade]:
            for place in campaign.places.values():
                if sign in _place_words(place):
                    return Placement(place.id, "role", f"one finds the {trade} there")
    for trade in trades:
        if place_id := _described_workplace(trade, campaign):
            return Placement(place_id, "role", f"one finds the {trade} there")
    return None


def _place_words(place: Place) -> set[str]:
    words = (*_words_of(place.name), *_words_of(place.id))
    return {word for word in words if not _PLAIN_WORD.fullmatch(word)}


def _described_workplace(trade: str, campaign: Campaign) -> str:
    """Return the place whose description speaks most of a workplace, where no name does."""
    signs = set(_workplaces()[trade])
    counts = {
        place.id: sum(word in signs for word in _words_of(" ".join((place.arrival, *place.details))))
        for place in campaign.places.values()
    }
    best = max(counts, key=lambda place_id: counts[place_id], default="")
    return best if best and counts[best] else ""


def _beside_somebody(
    person: str, campaign: Campaign, placements: Mapping[str, Placement]
) -> Placement | None:
    for other, tie in _ties_of(person, campaign):
        if placements[other].place and not _HOSTILE_TIE.search(tie):
            name = campaign.people[other].name
            return Placement(placements[other].place, "tie", f"they are tied to {name}, who is there")
    return None


def _ties_of(person: str, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Yield the people somebody is tied to, in their own words first, then in those of the others."""
    keys = {other: {_fold(other), _fold(one.name)} for other, one in campaign.people.items()}
    for name, tie in campaign.people[person].relationships.items():
        yield from ((other, tie) for other in keys if other != person and _fold(name) in keys[other])
    for other, profile in campaign.people.items():
        for name, tie in profile.relationships.items():
            if other != person and _fold(name) in keys[person]:
                yield other, tie


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _naming(person: str, campaign: Campaign, *, possessive: bool = True) -> re.Pattern[str]:
    """Return the pattern of somebody's name, in full or as nobody else is called."""
    others = {
        name for other, profile in campaign.people.items() if other != person for name in _names_of(profile)
    }
    own = [name for name in _names_of(campaign.people[person]) if name not in others]
    names = "|".join(re.escape(name) for name in own) or r"(?!)"
    return re.compile(rf"\b(?:{names})\b" + ("" if possessive else r"(?!['’]s\b)"))


def _names_of(profile: Profile) -> tuple[str, ...]:
    words = profile.name.split()
    call = next((word for word in words if not _TITLES.fullmatch(word)), "")
    is_name = len(call) > 2 and call[:1].isupper() and words[0].casefold() != "the"
    return tuple(dict.fromkeys((profile.name, *((call,) if is_name else ()))))


def _words_of(text: str) -> list[str]:
    return re.findall(r"[a-z]+(?:-[a-z]+)*", text.casefold().replace("’", "'").replace("'s", ""))


@cache
def _workplaces() -> dict[str, tuple[str, ...]]:
    text = files("narratoria.campaign").joinpath("data/workplaces.json").read_text(encoding="utf-8")
    return {trade: tuple(signs.split()) for trade, signs in json.loads(text).items()}
