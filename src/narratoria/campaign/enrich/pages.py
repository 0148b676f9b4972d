"""What else a sparse campaign lacks: lore, rules, who the player may be, a setting, a first scene."""

from __future__ import annotations

from typing import Any

from narratoria.campaign.enrich.nouns import Noun
from narratoria.campaign.enrich.source import Pick, Source


def write_lore(source: Source, pick: Pick) -> dict[str, str]:
    """Pages by their paths under `lore/`; each begins with what the author says of the matter."""
    pages = {
        f"things/{source.fixture.id}": _fixture(source, pick),
        f"things/{source.token.id}": _token(source),
        f"history/the-{source.absent.id}": _absent(source, pick),
        "customs/waiting": _waiting(source),
    }
    if source.rule:
        pages["customs/the-rule"] = _rule(source)
    return pages


def _opening(source: Source, noun: Noun) -> str:
    said = source.sentence_about(noun)
    return f"{said}\n\n" if said else ""


def _fixture(source: Source, pick: Pick) -> str:
    fixture, keeper = source.fixture, source.keeper
    return (
        f"# {fixture:Title}\n\n{_opening(source, fixture)}"
        + pick(
            "lore/fixture",
            (
                f"Nobody can say who brought {fixture:it} here. {fixture:They} {fixture:is} not the kind of "
                f"thing one carries, and there is no door that {fixture:they} would go through.",
                f"There are marks on {fixture:it} from at least four owners, and each has scratched out the "
                "one before, not very thoroughly.",
            ),
        )
        + f"\n\n{keeper.name} has looked after {fixture:it} for as long as anyone remembers, and says that "
        f"{fixture:they} {fixture:has} moods. It is held to be bad manners to praise {fixture:it} aloud. "
        f"When {fixture:they} stop{fixture:s}, people lower their voices, and do not know that they do it.\n"
    )


def _token(source: Source) -> str:
    token, absent = source.token, source.absent
    return (
        f"# {token:Title}\n\n{_opening(source, token)}{token:They} {token:has} been handed on before. The "
        f"{absent} had {token:it} from somebody, who had {token:it} from somebody, and none of them was "
        "told more than the next one needed: that there would come a person, and that one would "
        f"know.\n\nTwo people were once to look after {token:it} together. They fell out over whether one "
        f"may look. Since then {token:they} {token:has} belonged to one at a time.\n"
    )


def _absent(source: Source, pick: Pick) -> str:
    absent, kin = source.absent, source.kin
    return (
        f"# The {absent:bare}\n\n{_opening(source, absent)}"
        + pick(
            "lore/absent",
            (
                f"Everybody here has a story about the {absent}, and in each of them it is raining and the "
                f"{absent} has just left.",
                f"The {absent} wrote a small upright hand, hated to be thanked, and always took the seat "
                "with its back to the door, so that nobody else would have to.",
            ),
        )
        + f"\n\nWith {kin.name} there was a quarrel. Both were right, which is why it lasted. In the end "
        "they sent each other the same letter, and the two crossed on the way.\n"
    )


def _waiting(source: Source) -> str:
    start, furniture = source.start, source.furniture
    return (
        f"# How One Waits Here\n\nWhoever waits in {start:the} is not asked for whom. A second place is "
        "laid without being ordered, and is not put on the bill. If nobody comes, it is cleared last, when "
        f"{furniture:the} {furniture:is} already up.\n\nIt is thought lucky to sit down for a moment in a "
        "place that was kept for somebody else, and unlucky to be seen doing it.\n"
    )


def _rule(source: Source) -> str:
    rule = f"{source.rule[0].upper()}{source.rule[1:]}"
    return (
        f"# The Rule\n\n{rule}. Nobody remembers its being made, and everybody remembers the one time it "
        f"was broken, though not by whom, nor what came of it.\n\n{source.keeper.name} does not enforce it. "
        "It is enough, as a rule, to look at it, and then at the person, and then at it again.\n"
    )


def write_rules() -> str:
    return (
        "# What Is Left to Chance\n\nHardly anything here is dangerous, and nobody is rolled for who is "
        "only talking. Where a thing may go wrong, two dice are thrown. Ten or more is well done; from "
        "seven on it is done, and costs something. Whoever is good with nerve, hands, wit or warmth has one "
        "more where it counts.\n\n```yaml rules\ndice: 2d6\nbands:\n  - {name: failure, min: -99}\n  - "
        "{name: partial success, min: 7}\n  - {name: success, min: 10}\nmodifiers: {trait: 1, sentiment: 1, "
        "callback: 1, stat: none, most: 2}\ntime: {travel: 0.25, dialogue: 0.25, danger: 0.5, resolution: "
        "1}\n```\n"
    )


def write_template(source: Source) -> dict[str, Any]:
    items = [noun.word for noun in source.belongings if noun.head != source.token.head][:3]
    items = [*items, source.token.word]
    manifest = source.campaign.manifest
    guidance = (
        f"{manifest.title}: you are the one who has {source.token:the}. How you go about it is up to you."
    )
    careful = "You think before you touch a thing, and put it back after."
    talks = "People tell you things. You have stopped wondering why."
    stays = "You are not quick, and you have never yet been the first to leave."
    kinds = (
        ("The careful one", careful, "hands", ("exact", "patient")),
        ("The one who talks", talks, "warmth", ("easy", "curious")),
        ("The one who stays", stays, "nerve", ("steady", "stubborn")),
    )
    stats = {"nerve": 4, "hands": 4, "wit": 4, "warmth": 4}
    return {
        "character_creation": {"mode": "preset", "guidance": guidance},
        "presets": [
            {
                "name": name,
                "description": told,
                "traits": list(traits),
                "stats": {**stats, best: 6},
                "items": items,
            }
            for name, told, best, traits in kinds
        ],
        "required_attributes": [
            {"name": "name", "prompt": "What are you called?", "kind": "text", "default": "You"}
        ],
        "starting_stats": stats,
        "stat_range": {"min": 1, "max": 8},
        "starting_items": items,
        "starting_location": source.start.id,
    }


def write_setting(source: Source) -> str:
    manifest = source.campaign.manifest
    tone = f" The tone is {manifest.tone.casefold()}." if manifest.tone else ""
    told = manifest.description or f"{manifest.title} begins here."
    return (
        f"# {source.start:Title}\n\n{told}{tone}\n\nIn the middle of it stands {source.start:the}. There "
        f"{source.fixture:is} {source.fixture:a} in it, which has to be kept going, and outside there "
        f"{source.weather:is} {source.weather:a}. People come by {source.vessel}, stay for a while, and say "
        "that they were only passing.\n"
    )


def write_premise(source: Source) -> str:
    token, absent = source.token, source.absent
    told = source.campaign.manifest.description
    first = f"{told}\n\n" if told else ""
    return (
        f"{first}You have had {token:it} for a week now: {token:a}, which came to you from the {absent}, "
        "with a line that you know by heart. *Somebody will come whom you should give this to.*\n\nSo you "
        f"have come to {source.start:the}, and put {token:it} where you can see {token:it}. Outside there "
        f"{source.weather:is} {source.weather:a}. Someone is looking after {source.fixture:the}. Nobody has "
        "asked you what you want.\n"
    )
