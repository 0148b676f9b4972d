"""Shows the record behind each receipt: why something is told or offered, and the file it stands in."""

from __future__ import annotations

from typing import Any

import msgspec

from narratoria.campaign.campaign import Campaign
from narratoria.engine.answer_context import units_of
from narratoria.engine.beats import consequences
from narratoria.engine.evidence_origin import EvidenceOrigin, find_origin
from narratoria.engine.receipts import JOURNAL, OFFERS, describe_unit
from narratoria.engine.scene import Receipt, ReceiptKind
from narratoria.engine.story_session import StorySession
from narratoria.engine.topics import find_topic
from narratoria.errors import NoSuchRecord
from narratoria.narrator.repertoire import load_repertoire
from narratoria.store.records import MemoryEvent
from narratoria.web.app_state import AppState
from narratoria.web.memories import FACTIONS, PEOPLE, load_story_campaign, name_of, words_for
from narratoria.web.operation import Operations, not_found

reasons = Operations("Reasons", "Why something is told or offered.")


class Reason(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The record behind a receipt."""

    kind: ReceiptKind
    id: str
    title: str
    text: str
    turn: int | None
    record: dict[str, Any]


@reasons.get("/stories/{story}/why/{kind}/{id:path}")
async def show_reason(app_state: AppState, story: str, kind: ReceiptKind, id: str) -> Reason:  # noqa: A002  the API's word
    """Why something is told or offered: the record behind a receipt."""
    session = await app_state.open_story(story)
    match kind:
        case "memory":
            return await _memory_reason(session, id)
        case "standing":
            return await _standing_reason(app_state, session, id)
        case "roll":
            return _roll_reason(session, id)
        case "evidence":
            return _evidence_reason(load_story_campaign(app_state, session), session, id)
        case "unit":
            return _unit_reason(load_story_campaign(app_state, session), session, id)
    find = {"beat": _beat_reason, "state": _state_reason, "place": _place_reason, "topic": _topic_reason}
    return find[kind](app_state, session, id)


async def _memory_reason(session: StorySession, name: str) -> Reason:
    entry = await (await session.memory.scope()).get("memory", name)
    record = entry.record
    assert isinstance(record, MemoryEvent)
    return Reason(
        kind="memory",
        id=name,
        title="What is remembered",
        text=record.summary,
        turn=record.turn,
        record=msgspec.to_builtins(record),
    )


async def _standing_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """`npc`, `perception.npc` or `reputation.faction`."""
    ledger, _, subject = name.replace("/", ".").strip(".").rpartition(".")
    data_types = (ledger,) if ledger in ("perception", "reputation") else ("perception", "reputation")
    scope = await session.memory.scope()
    campaign = load_story_campaign(app_state, session)
    for data_type in data_types:
        if changes := await scope.history(data_type, subject):
            last = changes[-1]
            words = words_for(last.score_after, PEOPLE if data_type == "perception" else FACTIONS)
            return Reason(
                kind="standing",
                id=name,
                title=f"{name_of(campaign, subject)} {words}",
                text=last.reason,
                turn=last.turn,
                record={"history": [msgspec.to_builtins(change) for change in changes]},
            )
    raise NoSuchRecord(f"nothing is written down about what {subject} thinks of you")


def _beat_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    campaign = load_story_campaign(app_state, session)
    beat = campaign.beat(name) if campaign else None
    scene_number = next((scene.number for scene in session.snapshot.scenes if name in scene.beats), None)
    if beat is None or scene_number is None:  # what has not happened yet is nobody's business
        raise not_found("beat that was told", name)
    return Reason(
        kind="beat",
        id=name,
        title=beat.title,
        text=beat.description,
        turn=scene_number,
        record={"outcome": session.snapshot.progress.beat_outcomes.get(name, "")},
    )


def _roll_reason(session: StorySession, name: str) -> Reason:
    number = "".join(letter for letter in name if letter.isdigit())
    scene = next((one for one in session.snapshot.scenes if str(one.number) == number), None)
    if scene is None or scene.roll is None:
        raise not_found("roll", name)
    roll = scene.roll
    text = f"{roll.formula} came to {roll.total}" + (f": {roll.outcome}" if roll.outcome else "")
    return Reason(
        kind="roll",
        id=name,
        title=scene.action,
        text=text,
        turn=scene.number,
        record=msgspec.to_builtins(roll),
    )


def _state_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    if name in session.snapshot.flags:
        return _flag_reason(app_state, session, name)
    path = name.strip("/").replace("/", ".")
    value = session.snapshot.state.get(path)
    if value is None:
        value = _listed(session, path)
    if value is None:
        raise not_found("value in the state", name)
    return Reason(kind="state", id=name, title=path, text=_plain(value), turn=None, record={"value": value})


def _listed(session: StorySession, path: str) -> Any:
    """`persona.items.a folded letter`: what stands in a list is found by its own name."""
    snapshot = session.snapshot
    for at, letter in enumerate(path):
        held = snapshot.state.get(path[:at]) if letter == "." else None
        names = [one.get("name") if isinstance(one, dict) else one for one in held or ()]
        if isinstance(held, list) and path[at + 1 :] in names:
            return held[names.index(path[at + 1 :])]
    return None


def _flag_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """Return the record of what has come to be so, and the beat that brought it about."""
    campaign, progress = load_story_campaign(app_state, session), session.snapshot.progress
    left = next(
        (
            beat
            for beat_id, outcome in progress.beat_outcomes.items()
            if (beat := campaign.beat(beat_id) if campaign else None) and name in consequences(beat, outcome)
        ),
        None,
    )
    return Reason(
        kind="state",
        id=name,
        title=left.title if left else "So it is",
        text=name,
        turn=progress.beat_scenes.get(left.id) if left else None,
        record={"value": True, **({"beat": left.id} if left else {})},
    )


def _topic_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """Return whom a question can be put to, and once it was answered the file that answers it."""
    campaign, progress = load_story_campaign(app_state, session), session.snapshot.progress
    choices = (choice for scene in reversed(session.snapshot.scenes) for choice in scene.choices)
    offered = next((choice for choice in choices if choice.topic == name), None)
    occurrence = _find_receipt(session, "topic", name)
    if campaign is None or (offered is None and occurrence is None):
        raise not_found("question that was offered or answered", name)
    person = (offered.target if offered else "") or name.partition("/")[0]
    topic, origin = find_topic(name, campaign), find_origin(name, campaign) if occurrence else None
    return Reason(
        kind="topic",
        id=name,
        title=name_of(campaign, person),
        text=offered.text if offered else topic.ask if topic else "",
        turn=occurrence[0] if occurrence else None,
        record={"answered": name in progress.evidence, **_origin_record(origin)},
    )


def _evidence_reason(campaign: Campaign | None, session: StorySession, name: str) -> Reason:
    """Return what an answer quoted, and the campaign's file it stands in; only what was told is shown."""
    occurrence = _find_receipt(session, "evidence", name)
    origin = find_origin(name, campaign) if campaign else None
    if occurrence is None or (origin is None and name not in (JOURNAL, OFFERS)):
        raise not_found("evidence that was told", name)
    return Reason(
        kind="evidence",
        id=name,
        title=origin.title if origin else "What has happened" if name == JOURNAL else "What is offered",
        text=(origin.text if origin else "") or occurrence[1].text,
        turn=occurrence[0],
        record=_origin_record(origin),
    )


def _unit_reason(campaign: Campaign | None, session: StorySession, name: str) -> Reason:
    """Return the unit of the repertoire that told a paragraph: its acts, its outcome and its file."""
    occurrence = _find_receipt(session, "unit", name)
    units = units_of(campaign) if campaign else load_repertoire()
    unit = next((one for one in units if one.id == name), None)
    if occurrence is None or unit is None:
        raise not_found("unit that was told", name)
    return Reason(
        kind="unit",
        id=name,
        title=describe_unit(unit),
        text=unit.text,
        turn=occurrence[0],
        record={
            "acts": list(unit.acts),
            "outcome": unit.outcome,
            "file": unit.source.rpartition(":")[0],
            "line": int(unit.source.rpartition(":")[2]),
        },
    )


def _find_receipt(session: StorySession, kind: ReceiptKind, name: str) -> tuple[int, Receipt] | None:
    """Return the last receipt of this id that a paragraph has, and its scene; None where none has it."""
    receipts = (
        (scene.number, receipt)
        for scene in reversed(session.snapshot.scenes)
        for passage in scene.passages
        for receipt in passage.because
    )
    return next((one for one in receipts if (one[1].kind, one[1].id) == (kind, name)), None)


def _origin_record(origin: EvidenceOrigin | None) -> dict[str, Any]:
    if origin is None:
        return {}
    return {"file": origin.file, **({"field": origin.field} if origin.field else {})}


def _place_reason(app_state: AppState, session: StorySession, name: str) -> Reason:
    """Return the record of a place where the player is or was; nobody has told anything of the others."""
    campaign, progress = load_story_campaign(app_state, session), session.snapshot.progress
    name = progress.place if name == "here" else name
    place = campaign.places.get(name) if campaign else None
    seen = [scene.number for scene in session.snapshot.scenes if scene.place == name]
    if place is None or not seen:
        raise not_found("place that was seen", name)
    return Reason(
        kind="place",
        id=name,
        title=place.name,
        text=place.arrival,
        turn=seen[0],
        record={"visits": progress.visits.get(name, 0), "scenes": seen},
    )


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str() | int() | float():
            return str(value)
        case _:
            return msgspec.json.encode(value).decode()[:500]
