"""Defines what the player is shown: a scene, its roll and its choices, with the reasons for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from narratoria.campaign.campaign import SceneType
from narratoria.planning.result import AssetReference

# beat: something the campaign offers · continue: let the story go on · free: told by its words alone
# look-back, again, branch, leave: what is left to do when the story is over
Kind: TypeAlias = Literal[
    "begin", "beat", "go", "talk", "look", "wait", "continue", "free", "look-back", "again", "branch", "leave"
]
Source: TypeAlias = Literal["storyteller", "narrator", "fallback"]
Difficulty: TypeAlias = Literal["", "easy", "risky", "hard", "unlikely"]
# place: nothing that was done, only where the player is: what it offers, it offers to everybody
# topic: a question the author answers · evidence: what campaign and story say · unit: of the repertoire
ReceiptKind: TypeAlias = Literal[
    "memory", "state", "beat", "standing", "roll", "place", "topic", "evidence", "unit"
]
Author: TypeAlias = Literal["author", "model", "composer", "player"]


class Receipt(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that happened or is so, and that something is told or offered because of."""

    kind: ReceiptKind
    id: str
    text: str = ""


class Choice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something the player can do next, and why it is offered."""

    text: str
    kind: Kind = "free"
    target: str = ""  # a place or a person
    beat: str = ""
    act: str = ""  # what is done, where it is known: an act of the planner
    thing: str = ""  # what it is done with
    topic: str = ""  # what a question is about: the id of what answers it
    skill: str = ""  # the script of a skill that offers it, and runs where it is picked
    risky: bool = False
    difficulty: Difficulty = ""
    hint: str = ""
    because: tuple[Receipt, ...] = ()  # what makes it possible, or easier; every choice that is shown has one


BEGIN = Choice(text="Begin", kind="begin")
GENERIC_CHOICES = (  # when nobody could think of better ones; what they say is the specification's
    Choice(text="Continue", kind="continue"),
    Choice(text="Look around", kind="look"),
    Choice(text="Wait", kind="wait"),
)


ENDED_CHOICES = (
    Choice(text="Look back on how it went", kind="look-back"),
    Choice(text="Go back and choose otherwise", kind="branch"),
    Choice(text="Begin again", kind="again"),
)
LOOKED_BACK_CHOICES = (*ENDED_CHOICES[1:], Choice(text="Leave it there", kind="leave"))  # once is enough


class Roll(msgspec.Struct, frozen=True, omit_defaults=True):
    formula: str
    total: int
    outcome: str = ""
    rolls: tuple[int, ...] = ()
    modifier: int = 0
    modifiers: dict[str, int] = {}  # what the modifier is made of


def read_roll(payload: Mapping[str, Any]) -> Roll | None:
    """Return the roll that a skill reports; None where it is not in a form that can be shown."""
    if isinstance(entries := payload.get("modifiers"), list):
        payload = {**payload, "modifiers": name_modifiers(entries)}
    try:
        return msgspec.convert(payload, Roll)
    except msgspec.ValidationError:
        return None


def name_modifiers(entries: Sequence[Any]) -> dict[str, int]:
    """Return the modifiers that say what they are for, by that."""
    values = {}
    for entry in entries:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("value"), int):
            continue
        if name := next((entry[key] for key in ("text", "source", "name", "id") if entry.get(key)), ""):
            values[str(name)] = entry["value"]
    return values


class Passage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Says where a paragraph comes from, and what it rests on."""

    by: Author
    model: str = ""  # which one, where a model wrote it
    because: tuple[Receipt, ...] = ()


class ForgottenMemory(msgspec.Struct, frozen=True):
    """A memory of a scene that an edit took away, so that it can come back with the words."""

    id: str
    body: dict[str, Any]
    skill: str = ""  # who stored it


class OriginalText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A scene as it was told, before the player edited it, with all that was kept of it then."""

    paragraphs: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    summary: str = ""  # its line in the journal
    memories: tuple[ForgottenMemory, ...] = ()  # that the edits took away
    matters: tuple[dict[str, Any], ...] = ()  # what was learned in it and no longer stands there
    findings: tuple[dict[str, Any], ...] = ()  # of skills, likewise


class Scene(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    number: int
    action: str  # the choice that led here
    place: str
    paragraphs: tuple[str, ...]
    choices: tuple[Choice, ...]
    roll: Roll | None = None
    beats: tuple[str, ...] = ()  # those that were told here
    source: Source = "storyteller"
    type: SceneType | None = None
    mood: str = ""
    music: str = ""
    background: str = ""
    people: tuple[str, ...] = ()  # who is there, by the names of their folders
    portraits: dict[str, str] = {}  # an asset's id, or a path in the campaign, by person
    assets: tuple[AssetReference, ...] = ()
    passages: tuple[Passage, ...] = ()  # one for each paragraph
    ending: str = ""  # the story ends here
    game_time: float = 0.0  # minutes since the story began
    notices: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()  # what its answer changed, in sentences
    limit_note: str = ""  # which content limit turned the action aside, in a line
    fact: str = ""  # what is true now, where a model told the scene and said so
    original: OriginalText | None = None  # where the player has edited it

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)

    @property
    def as_told(self) -> Scene:
        """Return the scene without the player's edits."""
        if self.original is None:
            return self
        original = self.original
        return msgspec.structs.replace(
            self, paragraphs=original.paragraphs, passages=original.passages, original=None
        )
