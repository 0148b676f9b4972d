"""Holds a player's words and choices against the content limits that are set in this home."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from narratoria.campaign.campaign import Campaign, Profile
from narratoria.contracts.content_limits import (
    CONTENT_KINDS,
    NO_LIMITS,
    STRICTEST,
    ContentKind,
    ContentLevel,
    ContentLimits,
    is_more,
    join_content,
)
from narratoria.contracts.read import UNDECODABLE
from narratoria.contracts.scene_facts import LimitsFacts, SceneFacts
from narratoria.files import file_lock, replace_file
from narratoria.narrator.content import (
    is_affection,
    is_child,
    means_to_kill,
    rate_action,
    rate_campaign,
    rate_text,
    rate_unit,
    words_beyond,
)
from narratoria.narrator.repertoire import Unit
from narratoria.narrator.turned_aside import NAMES, Barrier
from narratoria.planner.intent import Intent, load_acts
from narratoria.planner.word_lists import WORDS

SETTINGS = "settings.json"  # of a home
KEY = "contentLimits"  # in the settings
INSTEAD = "Think better of it"  # the action of which nothing is left within the limits
# acts whose words may speak of anything: nothing is done by them
ONLY_PERCEIVED = frozenset(
    ("look", "examine", "search", "listen", "read", "spy", "think_back", "ask_narrator", "wait")
)


@dataclass(frozen=True, slots=True)
class Stop:
    """Says where the acts of an action end: before which of them, what stops it, and whom it was done to."""

    at: int
    barrier: Barrier
    person: str = ""  # an id


class _SavedLimits(msgspec.Struct, frozen=True, rename="camel"):
    content_limits: ContentLimits = NO_LIMITS


@dataclass(frozen=True, slots=True)
class LoadedLimits:
    """Holds the limits that are in force, and why they are others than those that were saved."""

    limits: ContentLimits
    problem: str = ""


def load_content_limits(home: Path) -> LoadedLimits:
    """Return the limits in a home's settings: none where none were saved, the strictest where it is damaged.

    A damaged file must not lift what somebody set for a child.
    """
    path = home / SETTINGS
    try:
        return LoadedLimits(msgspec.json.decode(path.read_bytes(), type=_SavedLimits).content_limits)
    except FileNotFoundError:
        return LoadedLimits(NO_LIMITS)
    except (OSError, *UNDECODABLE) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return LoadedLimits(
            STRICTEST,
            f"{path} is damaged ({reason}), so the strictest content limits hold, those for children. "
            "Set your limits anew in the settings, or with /limits in the terminal",
        )


def save_content_limits(home: Path, limits: ContentLimits) -> None:
    """Write the limits into a home's settings, and leave the other settings as they are."""
    path = home / SETTINGS
    with file_lock(path):
        try:
            document = msgspec.json.decode(path.read_bytes(), type=dict)
        except FileNotFoundError:
            document = {}
        except (OSError, *UNDECODABLE):
            document = {}
            keep_damaged(path)
        document[KEY] = msgspec.to_builtins(limits)
        replace_file(path, msgspec.json.format(msgspec.json.encode(document)), private=True)


def keep_damaged(path: Path) -> None:
    """Copy a file that cannot be read, before it is written anew; somebody may mend it by hand."""
    with contextlib.suppress(OSError):
        replace_file(path.with_name(f"{path.stem}.damaged{path.suffix}"), path.read_bytes(), private=True)


def find_stop(intents: Sequence[Intent], campaign: Campaign, limits: ContentLimits) -> Stop | None:
    """Return the first act that goes beyond the limits, or courts a child; None where all may be done."""
    for at, intent in enumerate(intents):
        content = rate_intent(intent)
        person = intent.person.id if intent.person else ""
        if kind := limits.find_beyond(content):
            return Stop(at, kind, person)
        profile = campaign.people.get(person)
        if profile and content.get("romance") and is_child_profile(profile):
            return Stop(at, "child", person)
    return None


def rate_intent(intent: Intent) -> dict[ContentKind, ContentLevel]:
    """Return what an act holds: by the table of acts, raised by the words it was read from."""
    act = load_acts().get(intent.act)
    content = dict(act.content) if act else {}
    if intent.act not in WORDS.spoken_acts and intent.act not in ONLY_PERCEIVED:
        content = join_content(content, rate_action(intent.text))
    if intent.act == "attack" and means_to_kill(intent.text):
        content["violence"] = "full"
    if intent.act == "embrace" and "romance" not in rate_action(intent.text) and is_affection(intent.text):
        content.pop("romance", None)
    return content


def means_death(intent: Intent) -> bool:
    """Return whether an act is an attack that means somebody to die."""
    return intent.act == "attack" and means_to_kill(intent.text)


def text_within(intents: Sequence[Intent], stop: Stop) -> str:
    """Return what is left of an action before the act that is stopped."""
    return ", then ".join(intent.text for intent in intents[: stop.at]) or INSTEAD


def is_child_profile(profile: Profile) -> bool:
    return is_child(
        age=profile.age,
        role=profile.role,
        appearance=profile.appearance,
        manners=(*profile.personality.traits, profile.speech_patterns.style),
    )


def rate_units(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return the units, each with what it holds."""
    acts = {name: act.content for name, act in load_acts().items()}
    return tuple(replace(unit, content=rate_unit(unit, acts)) for unit in units)


def units_within(units: Sequence[Unit], limits: ContentLimits) -> Sequence[Unit]:
    """Return the units that may be used."""
    return [unit for unit in units if limits.allows(unit.content)] if limits.is_set else units


def is_choice_within(text: str, act: str, limits: ContentLimits) -> bool:
    """Return whether a choice may be offered: by its act and its words."""
    if not limits.is_set:
        return True
    known_act = load_acts().get(act)
    return limits.allows(join_content(known_act.content if known_act else {}, rate_text(text)))


def describe_excess(rating: str, limits: ContentLimits) -> str:
    """Return a sentence that says in what a campaign's rating exceeds the limits; empty where it does not."""
    content = rate_campaign(rating)
    kinds = [kind for kind in CONTENT_KINDS if is_more(content.get(kind, "none"), limits.limit_of(kind))]
    if not kinds:
        return ""
    names = [NAMES[kind].lower() for kind in kinds]
    enumeration = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"This campaign is rated {rating}. What its author wrote is told as it stands, "
        f"and may go beyond your content limits in {enumeration}."
    )


def limits_of(facts: SceneFacts) -> ContentLimits:
    """Return the limits that stand in the facts of a scene."""
    limits = facts.limits
    return ContentLimits(
        violence=limits.violence, fear=limits.fear, romance=limits.romance, children=limits.children
    )


def limits_facts(limits: ContentLimits) -> LimitsFacts:
    """Return the limits as skills are told of them."""
    levels = {kind: limits.limit_of(kind) for kind in CONTENT_KINDS}
    return LimitsFacts(**levels, children=limits.children, words=words_beyond(limits))
