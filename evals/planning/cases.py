"""The hand-written cases: what a player says, in which scene, and which skills a good plan for it has."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import msgspec

Split: TypeAlias = Literal["fit", "heldout"]
SceneType: TypeAlias = Literal["travel", "dialogue", "danger", "resolution"]

HERE = Path(__file__).parent
SPLITS: tuple[Split, ...] = get_args(Split)
FURTHER = ("fresh", "unseen", "strangers", "guests")
PORTRAITS = "character-portraits"  # labelled as a whole: which of its scripts is due depends on what it holds
LABELS = (
    "dice-roller/roll-dice",
    "memory/recall-memory",
    "memory/store-memory",
    "reputation/query-reputation",
    "reputation/update-reputation",
    "npc-perception/query-perception",
    "npc-perception/update-perception",
    PORTRAITS,
)
TAGS = (
    "plain",
    "indirect",
    "negation",
    "several",
    "question",
    "short",
    "long",
    "typo",
    "register",
    "figurative",
    "injection",
    "choice-text",
    "none",
)
EVERY_PLAN = ("storyteller/narrate", "player-choices/generate-choices")
# the first opinion of somebody new is asked for under another name
SAME = {"npc-perception/initialize-perception": "npc-perception/query-perception"}


def skill_of(label: str) -> str:
    return label.partition("/")[0]


SKILLS = tuple(dict.fromkeys(map(skill_of, LABELS)))  # those that are scored


class Person(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    about: str
    met: bool


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    place: str
    people: tuple[Person, ...] = ()
    others: tuple[str, ...] = ()  # nameless


class Case(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """GUIDE.md says how the labels were given."""

    id: str
    setting: str
    action: str
    scene: Scene
    needs: frozenset[str]  # skills
    scripts: frozenset[str]  # the labels behind `needs`
    may_use: frozenset[str]  # labels that are neither needed nor wrong
    forbids: frozenset[str]  # skills
    scene_type: SceneType
    tags: tuple[str, ...]

    @property
    def wrong(self) -> frozenset[str]:
        """The labels a plan must not have."""
        return frozenset(LABELS) - self.scripts - self.may_use


class Reading(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The labels of a second reader, who saw only the guide and the actions."""

    id: str
    scripts: frozenset[str]
    may_use: frozenset[str]


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    split: Split | Literal["fresh"]  # other hands', scored with --file
    about: str
    factions: tuple[str, ...]


def load(split: Split) -> tuple[Case, ...]:
    return read_file(HERE / "cases" / f"{split}.jsonl")


def read_file(file: Path) -> tuple[Case, ...]:
    """The cases of any file of this form, ours or somebody else's."""
    lines = [line for line in file.read_bytes().splitlines() if line.strip()]
    return tuple(msgspec.json.decode(line, type=Case) for line in lines)


def further(name: str) -> tuple[Case, ...]:
    """Rows for scoring alone, by other hands than the splits'."""
    return read_file(HERE / "cases" / f"{name}.jsonl")


@cache
def second_readings() -> dict[str, Reading]:
    lines = (HERE / "cases" / "second-reader.jsonl").read_bytes().splitlines()
    return {found.id: found for found in (msgspec.json.decode(line, type=Reading) for line in lines)}


def agreed(case: Case) -> Case:
    """The case as both readers have it: what only one of them needs, or allows, is allowed."""
    second = second_readings().get(case.id)
    if second is None:
        return case
    scripts = case.scripts & second.scripts
    may_use = (case.scripts | second.scripts | case.may_use | second.may_use) - scripts
    needs, allowed = (frozenset(map(skill_of, labels)) for labels in (scripts, scripts | may_use))
    return msgspec.structs.replace(
        case, scripts=scripts, may_use=may_use, needs=needs, forbids=frozenset(SKILLS) - allowed
    )


def more() -> tuple[Case, ...]:
    """Further rows for fitting, in settings of their own; their tags are not complete."""
    lines = (HERE / "cases" / "fit-more.jsonl").read_bytes().splitlines()
    return tuple(msgspec.json.decode(line, type=Case) for line in lines)


@cache
def settings() -> dict[str, Setting]:
    return msgspec.json.decode((HERE / "settings.json").read_bytes(), type=dict[str, Setting])


def setting_of(case: Case) -> Setting:
    from evals.planning import voices  # it builds on the values here

    found = settings().get(case.setting) or voices.settings().get(case.setting)
    return found or Setting("heldout", case.setting, ())


def context_of(case: Case) -> dict[str, Any]:
    """Return the context a planner gets of the scene, in the engine's own words."""
    setting = setting_of(case)
    return {
        "action": {"kind": "free", "text": case.action},
        "place": {"id": _id(case.scene.place), "name": case.scene.place},
        "people": [
            {"id": _id(person.name), "name": person.name, "appearance": person.about, "met": person.met}
            for person in case.scene.people
        ],
        "others": list(case.scene.others),
        "setting": setting.about,
        "factions": list(setting.factions),
    }


def _id(name: str) -> str:
    return "_".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
