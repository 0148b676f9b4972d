"""Defines the scene contract: everything the planner, the narrator and the skills are told about a scene.

The engine builds one `SceneFacts` for each turn. The planner hands each skill the parts that it needs, as
JSON, under the names that stand in `scene-facts.schema.json`, which is made from these types.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from narratoria.contracts.content_limits import ContentLevel

Texts: TypeAlias = tuple[str, ...]
SceneType: TypeAlias = Literal["travel", "dialogue", "danger", "resolution"]
Difficulty: TypeAlias = Literal["", "easy", "risky", "hard", "unlikely"]
Tone: TypeAlias = Literal["warm", "neutral", "cold"]
ReceiptKind: TypeAlias = Literal["memory", "state", "beat", "standing", "topic", "evidence"]


class Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Is the base of all parts: frozen, and written in camel case with every field."""


class CampaignFacts(Part, frozen=True):
    """The campaign that is played."""

    title: Annotated[str, Meta(description="Its title.")] = ""
    genre: Annotated[str, Meta(description="Its genre, in the author's words.")] = ""
    tone: Annotated[str, Meta(description="Its tone, in the author's words.")] = ""
    guidance: Annotated[str, Meta(description="What the author wants a storyteller to mind.")] = ""
    setting: Annotated[str, Meta(description="The world in which it is set, in paragraphs.")] = ""


class ModifierFacts(Part, frozen=True):
    """Something that counts towards a roll, and why."""

    value: Annotated[int, Meta(description="How much it adds to the total.")]
    kind: Annotated[ReceiptKind, Meta(description="What kind of thing it rests on.")]
    id: Annotated[str, Meta(description="The id of what it rests on.")]
    text: Annotated[str, Meta(description="What it rests on, in words.")]


class IntentFacts(Part, frozen=True, omit_defaults=True):
    """One thing the player means to do, and what it is done to."""

    act: Annotated[str, Meta(description="What is done, such as look, ask, take or light.")]
    person: Annotated[str, Meta(description="The name of whom it is done to.")] = ""
    person_id: Annotated[str, Meta(description="Their id, where the story knows them.")] = ""
    thing: Annotated[str, Meta(description="What it is done to or with.")] = ""
    place: Annotated[str, Meta(description="The id of the place it leads to.")] = ""
    topic: Annotated[str, Meta(description="What is asked, told or thought about.")] = ""


class ActionFacts(Part, frozen=True):
    """What the player does in this scene."""

    kind: Annotated[str, Meta(description="The kind of the choice, such as go, talk, beat or free.")] = "free"
    text: Annotated[str, Meta(description="The choice, or what the player typed.")] = ""
    number: Annotated[int, Meta(description="The number of this scene, from 1 on.")] = 0
    begun: Annotated[int, Meta(description="The scene after which the story was last begun again.")] = 0
    premise: Annotated[Texts, Meta(description="The campaign's opening paragraphs, in a first scene.")] = ()
    route: Annotated[str, Meta(description="How one gets there, in the author's words.")] = ""
    person: Annotated[str, Meta(description="The name of whom the player speaks to.")] = ""
    saying: Annotated[str, Meta(description="What that person says next, word for word.")] = ""
    detail: Annotated[str, Meta(description="What there is to see next at this place.")] = ""
    risky: Annotated[bool, Meta(description="Whether dice decide how it ends.")] = False
    formula: Annotated[str, Meta(description="The dice, with all modifiers.")] = ""
    modifiers: Annotated[tuple[ModifierFacts, ...], Meta(description="What counts on the dice.")] = ()
    intents: Annotated[
        tuple[IntentFacts, ...],
        Meta(description="What the player means, in order; none where it is not read."),
    ] = ()
    skill: Annotated[
        str, Meta(description="The script of the skill that offered the choice, if one did.")
    ] = ""


class PlaceFacts(Part, frozen=True):
    """Where the scene takes place."""

    id: Annotated[str, Meta(description="Its id in the campaign.")] = ""
    name: Annotated[str, Meta(description="Its name, as it stands within a sentence.")] = ""
    arrival: Annotated[str, Meta(description="What one sees when one comes there.")] = ""
    details: Annotated[Texts, Meta(description="What there is to discover, in this order.")] = ()
    moments: Annotated[Texts, Meta(description="What may happen beside the story and was not told yet.")] = ()
    visits: Annotated[int, Meta(description="How often the player has been there.")] = 0
    unseen: Annotated[int, Meta(description="How many details were not discovered yet.")] = 0
    unwelcome: Annotated[bool, Meta(description="Whether the player was driven out of there lately.")] = False


class MemoryFacts(Part, frozen=True):
    """Something that happened earlier in this story."""

    id: Annotated[str, Meta(description="Its id in the story's memory.")] = ""
    summary: Annotated[str, Meta(description="What happened, in a sentence.")] = ""
    relevance: Annotated[float, Meta(description="How much it has to do with the action, from 0 to 1.")] = 0.0
    episodic: Annotated[bool, Meta(description="Whether it is a triumph or a failure.")] = False
    outcome: Annotated[str, Meta(description="triumph, failure or nothing.")] = ""
    scene: Annotated[int, Meta(description="The scene in which it happened.")] = 0
    significance: Annotated[str, Meta(description="low, medium, high or critical.")] = "medium"
    characters: Annotated[Texts, Meta(description="Who took part, by their ids.")] = ()
    witnesses: Annotated[Texts, Meta(description="Who knows of it, by their ids.")] = ()
    location: Annotated[str, Meta(description="The id of the place where it happened.")] = ""


class PersonFacts(Part, frozen=True):
    """Somebody who is there."""

    id: Annotated[str, Meta(description="The person's id in the campaign.")] = ""
    name: Annotated[str, Meta(description="The person's full name.")] = ""
    role: Annotated[str, Meta(description="What the person is to the story.")] = ""
    faction: Annotated[str, Meta(description="The group the person belongs to.")] = ""
    appearance: Annotated[str, Meta(description="What the person looks like.")] = ""
    traits: Annotated[Texts, Meta(description="What the person is like.")] = ()
    flaws: Annotated[Texts, Meta(description="What is wrong with the person.")] = ()
    virtues: Annotated[Texts, Meta(description="What is good about the person.")] = ()
    habits: Annotated[Texts, Meta(description="What the person does all the time.")] = ()
    motivations: Annotated[Texts, Meta(description="What the person wants.")] = ()
    relationships: Annotated[dict[str, str], Meta(description="What others are to the person, by name.")] = {}
    voice: Annotated[str, Meta(description="How the person speaks.")] = ""
    sayings: Annotated[Texts, Meta(description="What the person says, word for word, in this order.")] = ()
    greetings: Annotated[dict[Tone, str], Meta(description="How the person greets, by tone.")] = {}
    greeting: Annotated[str, Meta(description="The greeting in the present tone.")] = ""
    met: Annotated[bool, Meta(description="Whether the player has met the person.")] = False
    heard: Annotated[int, Meta(description="How many sayings the player has heard.")] = 0
    unheard: Annotated[int, Meta(description="How many sayings the player has not heard.")] = 0
    has_opinion: Annotated[bool, Meta(description="Whether the person has an opinion of the player yet.")] = (
        True
    )
    perception: Annotated[float, Meta(description="Opinion of the player, from -100 to 100.")] = 0.0
    sentiment: Annotated[float, Meta(description="The same, from -1 to 1.")] = 0.0
    tone: Annotated[Tone, Meta(description="The same in a word.")] = "neutral"
    witnessed: Annotated[
        tuple[MemoryFacts, ...], Meta(description="What the person saw that has to do with the action.")
    ] = ()


class LineFacts(Part, frozen=True):
    """Something that is said in a beat."""

    speaker: Annotated[str, Meta(description="The name of who says it.")]
    text: Annotated[str, Meta(description="What is said.")]


class BeatFacts(Part, frozen=True):
    """A beat of the campaign that is told in this scene."""

    id: Annotated[str, Meta(description="Its id in the campaign.")] = ""
    title: Annotated[str, Meta(description="Its title.")] = ""
    description: Annotated[str, Meta(description="What happens, in the author's words.")] = ""
    outcomes: Annotated[dict[str, str], Meta(description="What comes of it, by outcome.")] = {}
    fate: Annotated[str, Meta(description="The outcome, where chance and no roll decides it.")] = ""
    risky: Annotated[bool, Meta(description="Whether dice decide how it ends.")] = False
    dialogue: Annotated[tuple[LineFacts, ...], Meta(description="What is said, word for word.")] = ()
    mood: Annotated[str, Meta(description="Its mood.")] = ""
    npcs: Annotated[Texts, Meta(description="Who takes part, by their ids.")] = ()


class LoreFacts(Part, frozen=True, omit_defaults=True):
    """A piece of the campaign's lore that has to do with the action."""

    id: Annotated[str, Meta(description="Its id in the store.")]
    text: Annotated[str, Meta(description="The text.")]
    relevance: Annotated[float, Meta(description="How much it has to do with the action, from 0 to 1.")]
    heading: Annotated[
        str, Meta(description="The heading it stands under; left out where there is none.")
    ] = ""
    file: Annotated[str, Meta(description="The file it stands in; left out where it is unknown.")] = ""


class RecentScene(Part, frozen=True):
    """One of the latest scenes."""

    scene: Annotated[int, Meta(description="Its number.")]
    summary: Annotated[str, Meta(description="What the player did and what came of it, in a line.")]


class KeptFacts(Part, frozen=True, omit_defaults=True):
    """Something that is kept however long the story gets."""

    kind: Annotated[str, Meta(description="What it is, such as a promise.")]
    text: Annotated[str, Meta(description="What is kept, in words.")]
    scene: Annotated[int, Meta(description="The scene it comes from.")]


class BandFacts(Part, frozen=True):
    """One of the ways in which a roll can end."""

    name: Annotated[str, Meta(description="The name of the outcome.")]
    min: Annotated[int, Meta(description="The lowest total that ends so.")]


class RulesFacts(Part, frozen=True):
    """The campaign's rules."""

    dice: Annotated[str, Meta(description="The dice, such as 2d6.")] = ""
    bands: Annotated[tuple[BandFacts, ...], Meta(description="How a roll can end, from low to high.")] = ()
    prose: Annotated[str, Meta(description="The rules that are written in prose.")] = ""


class LeaningFacts(Part, frozen=True):
    """The ending that the story leans to."""

    ending: Annotated[str, Meta(description="Its id.")]
    title: Annotated[str, Meta(description="Its title.")]
    share: Annotated[float, Meta(description="How much of the way there is done, from 0 to 1.")]


class EndingFacts(Part, frozen=True):
    """The end of the story, when it comes in this scene."""

    id: Annotated[str, Meta(description="Its id.")]
    title: Annotated[str, Meta(description="Its title.")] = ""
    paragraphs: Annotated[Texts, Meta(description="What the author wrote for it.")] = ()
    epilogue: Annotated[Texts, Meta(description="What becomes of everybody.")] = ()
    looking_back: Annotated[Texts, Meta(description="What the player did on the way.")] = ()


class PastAction(Part, frozen=True):
    """Something the player did, for who looks back on the story."""

    scene: Annotated[int, Meta(description="The scene in which it was done.")]
    text: Annotated[str, Meta(description="What was done and how it went, as a clause in the past.")]
    ends: Annotated[bool, Meta(description="Whether the story ended with it.")]
    did: Annotated[str, Meta(description="What was done alone, as a clause in the past.")]


class LedgerFacts(Part, frozen=True):
    """What prose must not contradict; by names, not ids."""

    present: Annotated[Texts, Meta(description="Who is there or comes in.")] = ()
    absent: Annotated[Texts, Meta(description="Who is elsewhere.")] = ()
    dead: Annotated[Texts, Meta(description="Who is dead.")] = ()
    items: Annotated[Texts, Meta(description="What the player carries.")] = ()
    place: Annotated[str, Meta(description="The place.")] = ""
    places: Annotated[Texts, Meta(description="All places of the campaign.")] = ()
    factions: Annotated[Texts, Meta(description="All groups of the campaign.")] = ()
    constraints: Annotated[Texts, Meta(description="What must hold, in the author's words.")] = ()
    title: Annotated[str, Meta(description="The title of the campaign.")] = ""


class LimitsFacts(Part, frozen=True):
    """The most there may be of what a player may not want; all `full` where no content limits are set."""

    violence: Annotated[ContentLevel, Meta(description="Fights, wounds and death.")] = "full"
    fear: Annotated[ContentLevel, Meta(description="Threats and horror.")] = "full"
    romance: Annotated[ContentLevel, Meta(description="Courtship and more.")] = "full"
    cruelty: Annotated[ContentLevel, Meta(description="Pain for its own sake.")] = "full"
    drink: Annotated[ContentLevel, Meta(description="Drink and drugs.")] = "full"
    children: Annotated[bool, Meta(description="Whether the profile for children is set.")] = False
    words: Annotated[Texts, Meta(description="Words that would go beyond the limits.")] = ()


class ReceiptFacts(Part, frozen=True):
    """Something that happened or is so, and that a choice is offered because of."""

    kind: Annotated[ReceiptKind, Meta(description="What it is.")]
    id: Annotated[str, Meta(description="Its id.")]
    text: Annotated[str, Meta(description="What it is, in words.")]


class OpeningFacts(Part, frozen=True):
    """A beat that can be set off after this scene."""

    beat: Annotated[str, Meta(description="The id of the beat.")]
    text: Annotated[str, Meta(description="The words in which it is offered.")]
    priority: Annotated[str, Meta(description="critical, high, medium, low or optional.")]
    risky: Annotated[bool, Meta(description="Whether dice decide how it ends.")]
    formula: Annotated[str, Meta(description="The dice, with all modifiers; empty without a risk.")]
    difficulty: Annotated[Difficulty, Meta(description="How hard it is; empty without a risk.")]
    because: Annotated[Texts, Meta(description="The ids of the beats that make it possible or easier.")]
    receipts: Annotated[tuple[ReceiptFacts, ...], Meta(description="What makes it possible or easier.")]


class WayFacts(Part, frozen=True):
    """A way that leads on from the place."""

    to: Annotated[str, Meta(description="The id of the place it leads to.")]
    name: Annotated[str, Meta(description="The name of that place, as it stands within a sentence.")]
    visited: Annotated[bool, Meta(description="Whether the player has been there.")]
    urgent: Annotated[int | None, Meta(description="How many steps it is that way to something critical.")]
    steps: Annotated[int | None, Meta(description="How many steps it is that way to anything at all.")]


class TopicFacts(Part, frozen=True):
    """Something that somebody who is there can be asked about."""

    id: Annotated[str, Meta(description="The id of what answers it.")]
    person: Annotated[str, Meta(description="The id of the person.")]
    text: Annotated[str, Meta(description="What follows “Ask” and the name: `about the drowned bells`.")]
    written: Annotated[bool, Meta(description="Whether the author wrote the answer.")] = False
    new: Annotated[bool, Meta(description="Whether something that happened has opened it.")] = False
    receipts: Annotated[tuple[ReceiptFacts, ...], Meta(description="The beats that have opened it.")] = ()
    name: Annotated[str, Meta(description="The person's name, of somebody who is elsewhere.")] = ""
    place: Annotated[str, Meta(description="The id of the place where that person is, if elsewhere.")] = ""
    place_name: Annotated[str, Meta(description="The name of that place, as within a sentence.")] = ""


class DeedFacts(Part, frozen=True):
    """Something besides a question that can be done there."""

    act: Annotated[str, Meta(description="What is done, such as tell, show, promise, comfort or examine.")]
    text: Annotated[str, Meta(description="The choice, in words.")]
    person: Annotated[str, Meta(description="The id of the person; empty where it takes nobody else.")] = ""
    id: Annotated[str, Meta(description="The id of what the person says to it, if it is known.")] = ""
    thing: Annotated[str, Meta(description="What it is done with.")] = ""
    risky: Annotated[bool, Meta(description="Whether dice decide how it ends.")] = False
    receipts: Annotated[tuple[ReceiptFacts, ...], Meta(description="What it rests on.")] = ()


class NextFacts(Part, frozen=True):
    """What can be done after this scene."""

    openings: Annotated[tuple[OpeningFacts, ...], Meta(description="What the story offers there.")] = ()
    ways: Annotated[tuple[WayFacts, ...], Meta(description="Where one can go.")] = ()
    people: Annotated[Texts, Meta(description="Who is there then, by their ids.")] = ()
    topics: Annotated[
        tuple[TopicFacts, ...], Meta(description="What they can be asked about, the most telling first.")
    ] = ()
    elsewhere: Annotated[
        tuple[TopicFacts, ...], Meta(description="What people can be asked whom one would have to go to.")
    ] = ()
    deeds: Annotated[tuple[DeedFacts, ...], Meta(description="What can be done besides asking.")] = ()
    ended: Annotated[str, Meta(description="The id of the ending, once the story is over.")] = ""


class ToldScene(Part, frozen=True):
    """A scene that was told lately, word for word."""

    action: Annotated[str, Meta(description="What the player did.")]
    paragraphs: Annotated[Texts, Meta(description="What was told.")]


class EvidenceFacts(Part, frozen=True, omit_defaults=True):
    """Something that campaign and story say about the action, and that may be told now."""

    id: Annotated[str, Meta(description="Its id: where it comes from.")]
    source: Annotated[str, Meta(description="What it is, such as lore, profile, secret, place or memory.")]
    text: Annotated[str, Meta(description="The passage.")]
    person: Annotated[str, Meta(description="The name of who knows it; left out where it is to be seen.")] = (
        ""
    )


class DecidedFacts(Part, frozen=True):
    """What is decided about the scene before it is told, for one way in which the roll can end."""

    effects: Annotated[Texts, Meta(description="What changes, in sentences.")] = ()
    evidence: Annotated[
        tuple[EvidenceFacts, ...], Meta(description="What it rests on, the most telling first.")
    ] = ()
    kept_back: Annotated[
        Texts, Meta(description="Who of those present knows more, and does not say it.")
    ] = ()
    leads: Annotated[Texts, Meta(description="Who is elsewhere and knows something about it.")] = ()
    before: Annotated[Texts, Meta(description="The author's paragraphs that come first, word for word.")] = ()
    after: Annotated[Texts, Meta(description="The author's paragraphs that come last, word for word.")] = ()
    room: Annotated[int, Meta(description="How many paragraphs are left for a model to tell.")] = 3
    options: Annotated[Texts, Meta(description="What can be done next, in the engine's words.")] = ()


class BriefFacts(Part, frozen=True):
    """What a capable model needs besides the other facts in order to tell the scene."""

    scenes: Annotated[tuple[ToldScene, ...], Meta(description="The latest scenes, the oldest first.")] = ()
    elsewhere: Annotated[Texts, Meta(description="Who is not here, and where they are.")] = ()
    ways: Annotated[Texts, Meta(description="Where one can go from here, and how.")] = ()
    decided: Annotated[
        dict[str, DecidedFacts], Meta(description="What is decided, by the outcome of the roll.")
    ] = {}


class RangeFacts(Part, frozen=True):
    """The lowest and the highest value of a stat."""

    min: Annotated[int, Meta(description="The lowest value.")] = 0
    max: Annotated[int | None, Meta(description="The highest value.")] = None


class SceneFacts(Part, frozen=True):
    """Everything that is known about a scene before it is told.

    `draft` is the scene as the narrator would tell it, and `drafts` the same for every way in which a roll
    can end: `drafts[roll.outcome]` where there is a roll, `draft` where there is none. A storyteller may tell
    a draft as it is, restyle it, or write its own from the rest of the facts and `brief`; what contradicts
    `ledger` is refused, and the draft is told instead.
    """

    campaign: Annotated[CampaignFacts, Meta(description="The campaign that is played.")] = CampaignFacts()
    action: Annotated[ActionFacts, Meta(description="What the player does.")] = ActionFacts()
    place: Annotated[PlaceFacts, Meta(description="Where it happens.")] = PlaceFacts()
    people: Annotated[tuple[PersonFacts, ...], Meta(description="Who is there.")] = ()
    beat: Annotated[BeatFacts | None, Meta(description="The beat that the action sets off.")] = None
    due: Annotated[BeatFacts | None, Meta(description="The first beat that comes by itself.")] = None
    also_due: Annotated[tuple[BeatFacts, ...], Meta(description="More beats that come by themselves.")] = ()
    remembered: Annotated[
        Texts, Meta(description="What the player has brought about and still holds, the latest.")
    ] = ()
    scene_type: Annotated[SceneType | None, Meta(description="The kind of scene.")] = None
    game_time: Annotated[float, Meta(description="Minutes since the story began, after this scene.")] = 0.0
    persona: Annotated[
        dict[str, Any], Meta(description="The player's character, as the campaign defines it, with `items`.")
    ] = {}
    stat_range: Annotated[RangeFacts, Meta(description="The range of the character's stats.")] = RangeFacts()
    memories: Annotated[
        tuple[MemoryFacts, ...], Meta(description="What happened earlier that has to do with the action.")
    ] = ()
    lore: Annotated[tuple[LoreFacts, ...], Meta(description="Lore that has to do with the action.")] = ()
    constraints: Annotated[Texts, Meta(description="What must hold, in the author's words.")] = ()
    notes: Annotated[
        Texts, Meta(description="What the player asks of whoever tells the story; never a fact of it.")
    ] = ()
    recent: Annotated[tuple[RecentScene, ...], Meta(description="The latest scenes, the oldest first.")] = ()
    history: Annotated[Texts, Meta(description="The story before those, in paragraphs.")] = ()
    kept: Annotated[tuple[KeptFacts, ...], Meta(description="What is kept however long the story gets.")] = ()
    rules: Annotated[RulesFacts, Meta(description="The campaign's rules.")] = RulesFacts()
    leaning: Annotated[LeaningFacts | None, Meta(description="The ending the story leans to.")] = None
    ending: Annotated[EndingFacts | None, Meta(description="The end, when it comes here.")] = None
    looking_back: Annotated[
        tuple[PastAction, ...], Meta(description="What the player did, when the story is over.")
    ] = ()
    ledger: Annotated[LedgerFacts, Meta(description="What prose must not contradict.")] = LedgerFacts()
    limits: Annotated[LimitsFacts, Meta(description="The player's content limits.")] = LimitsFacts()
    next: Annotated[
        dict[str, NextFacts], Meta(description="What can be done then, by the outcome of the roll.")
    ] = {}
    draft: Annotated[Texts, Meta(description="The scene as the narrator would tell it.")] = ()
    drafts: Annotated[dict[str, Texts], Meta(description="The same, by the outcome of the roll.")] = {}
    brief: Annotated[BriefFacts, Meta(description="What a model that tells the scene needs besides.")] = (
        BriefFacts()
    )

    def to_json_values(self) -> dict[str, Any]:
        """Return the facts as plain JSON values, under their names on the wire."""
        document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return document


def schema() -> dict[str, Any]:
    """Return the JSON Schema that `scene-facts.schema.json` holds."""
    _, parts = msgspec.json.schema_components([SceneFacts], ref_template="#/$defs/{name}")
    for struct in Part.__subclasses__():
        part = parts[struct.__name__]
        part["description"] = cleandoc(struct.__doc__ or "")
        part["additionalProperties"] = False
        # every field is written, unless its part leaves out what has its default
        if not struct.__struct_config__.omit_defaults:
            part["required"] = list(part["properties"])
        for field in part["properties"].values():
            field.pop("default", None)
    whole = parts.pop("SceneFacts")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:narratoria:contract:scene-facts",
        **whole,
        "$defs": dict(sorted(parts.items())),
    }
