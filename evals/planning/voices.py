"""Further hand-written rows for fitting, as plain text: `cases/voices/*.txt`.

`= setting | about | group; group` opens a setting, `@ place | Name (about), Name* (about) | others` a scene;
a star marks somebody not yet met. Every other line is a row: its needed labels by letter, then the words;
letters after a plus are labels that do no harm there, besides those that follow by rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from evals.planning.cases import (
    LABELS,
    PORTRAITS,
    SKILLS,
    Case,
    Person,
    Scene,
    SceneType,
    Setting,
    skill_of,
)
from narratoria.planner.player_action import PlayerAction, read_action

FOLDER = Path(__file__).parent / "cases" / "voices"
LETTERS = dict(zip("DRSQUPVF", LABELS, strict=True))
DICE, RECALL, STORE, STANDING, RESTAND, OPINION, REOPINION, _ = LABELS
BESIDE = {  # what does no harm beside a label that is needed
    DICE: {RECALL, STORE},
    RECALL: set[str](),
    STORE: {RECALL},
    STANDING: {DICE, RECALL, STORE, RESTAND},
    RESTAND: {RECALL, STORE, STANDING},
    OPINION: {DICE, RECALL, STORE, REOPINION},
    REOPINION: {RECALL, STORE, OPINION},
    PORTRAITS: {OPINION},
}
_PERSON = re.compile(r"\s*([^(,*]+?)(\*?)\s*\(([^)]*)\)")
_SEARCH = re.compile(r"\b(?:search|rummage|look for|dig|explore|hunt for|track|forage)\b", re.IGNORECASE)


@cache
def load() -> tuple[Case, ...]:
    return tuple(case for file in sorted(FOLDER.glob("*.txt")) for case in _rows(file))


@cache
def settings() -> dict[str, Setting]:
    return {name: setting for file in sorted(FOLDER.glob("*.txt")) for name, setting in (_setting(file),)}


def _setting(file: Path) -> tuple[str, Setting]:
    name, about, groups = _fields(file.read_text(encoding="utf-8").splitlines()[0], 3)
    factions = tuple(group.strip() for group in groups.split(";") if group.strip())
    return name, Setting("fit", about, factions)


def actions() -> Iterator[tuple[str, str]]:
    """Ids and words alone: labels that follow by rule need every row to be read, which takes a minute."""
    for file in sorted(FOLDER.glob("*.txt")):
        for row, _, _, action in _lines(file):
            yield row, action


def _rows(file: Path) -> Iterator[Case]:
    name, setting = _setting(file)
    for row, scene, letters, action in _lines(file):
        needs, _, may = letters.partition("+")
        needed, more = (frozenset(LETTERS[letter] for letter in part.strip("-")) for part in (needs, may))
        yield case_of(row, name, setting, action, scene=scene, needed=needed, more=more)


def _lines(file: Path) -> Iterator[tuple[str, Scene, str, str]]:
    """Each row's id, scene, letters and words."""
    name, _ = _setting(file)
    scene = Scene("")
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    for number, line in enumerate(lines, 2):
        if line.startswith("@ "):
            place, people, others = _fields(line, 3)
            scene = Scene(
                place,
                tuple(
                    Person(who, about, met=not star)
                    for who, star, about in (found.groups() for found in _PERSON.finditer(people))
                ),
                tuple(other.strip() for other in others.split(",") if other.strip()),
            )
            continue
        letters, _, action = line.partition(" ")
        yield f"{name}-{number:03}", scene, letters, action.strip()


def case_of(
    id_: str,
    name: str,
    setting: Setting,
    action: str,
    *,
    scene: Scene,
    needed: frozenset[str],
    more: frozenset[str] = frozenset(),
) -> Case:
    """The row, with what does no harm and the scene's type by rule."""
    context = {
        "people": [
            {"name": person.name, "appearance": person.about, "met": person.met} for person in scene.people
        ],
        "factions": list(setting.factions),
    }
    player_action = read_action(action, context)
    may = (harmless(needed, player_action) | more) - needed
    return Case(
        id=id_,
        setting=name,
        action=action,
        scene=scene,
        needs=frozenset(map(skill_of, needed)),
        scripts=needed,
        may_use=frozenset(may),
        forbids=frozenset(SKILLS) - frozenset(map(skill_of, needed | may)),
        scene_type=scene_type(needed, player_action),
        tags=("none",) if not needed else ("plain",),
    )


def harmless(needed: frozenset[str], player_action: PlayerAction) -> set[str]:
    """GUIDE.md's right-hand column, as far as it follows from what is needed and who is named."""
    found = {label for need in needed for label in BESIDE[need]}
    if player_action.known_people:
        found |= {RECALL, OPINION}
    if player_action.strangers:
        found |= {OPINION, PORTRAITS}
    if player_action.groups:
        found |= {STANDING}
    if needed & {DICE, STORE}:
        found |= {OPINION, REOPINION} if player_action.known_people or player_action.strangers else set()
        found |= {STANDING, RESTAND} if player_action.groups else set()
    # whether a killing or a fire comes off may be rolled, though what counts is that it is done
    by_force = needed & {STORE, RESTAND, REOPINION} and player_action.has("force", "grave")
    if by_force or _SEARCH.search(player_action.text):
        found |= {DICE}
    return found


def scene_type(needed: frozenset[str], player_action: PlayerAction) -> SceneType:
    if DICE in needed:
        return "danger"
    talk = needed & {OPINION, REOPINION, STANDING, RESTAND, PORTRAITS}
    if (
        talk
        or player_action.known_people
        or player_action.strangers
        or player_action.groups
        or player_action.has("favour", "speech")
    ):
        return "dialogue"
    return "travel" if player_action.has("go") else "resolution"


def _fields(line: str, count: int) -> list[str]:
    fields = [part.strip() for part in line[2:].split("|")]
    return [*fields, *[""] * count][:count]
