"""Writes a story with its memories as one JSON document, and reads and validates such documents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from narratoria.contracts.read import UNDECODABLE, JsonFault, read_json
from narratoria.engine.memory.follow import record_body
from narratoria.engine.persistence.story import Story
from narratoria.engine.persistence.turn_record import LARGEST_TRACE, TurnRecord, TurnTrace, expand
from narratoria.errors import ContractViolation, Problem
from narratoria.signatures import Maker, read_signature, sign, verify
from narratoria.state import MAX_DEPTH, SessionState

if TYPE_CHECKING:  # its import takes longer than a scene may wait for it
    from narratoria.store import NewRecord, Playthrough, Store, StoredRecord
    from narratoria.store.scope import Scope

PURPOSE = "story"  # of a signature
FORMAT: Literal["narratoria-story"] = "narratoria-story"
VERSION: Literal[1] = 1
LARGEST = 256 * 1024 * 1024  # bytes
LARGEST_EXPANDED = 4 * LARGEST  # of all traces together, once they are unpacked

RecordType: TypeAlias = Literal["memory", "reputation", "perception"]
SUBJECTS: dict[Literal["reputation", "perception"], str] = {"reputation": "factionId", "perception": "npcId"}
MAX_RECORDS = 100_000  # in a save
_SIGNED, _END = b',\n "signature": ', b"\n}\n"  # before a signature, and at the end of every save


class ExportedRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    turn: int
    data_type: RecordType
    record: dict[str, Any]  # as it was handed to the store
    identifier: str | None = None
    skill: str = ""  # who stored it; empty for the runtime itself


class Save(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    format: Literal["narratoria-story"]
    version: Literal[1]
    story: Story
    turns: tuple[TurnRecord, ...]
    records: tuple[ExportedRecord, ...] = msgspec.field(default=(), name="remembered")


def write_save(
    story: Story, turns: tuple[TurnRecord, ...], records: tuple[ExportedRecord, ...] = ()
) -> bytes:
    """Encode a story, without the paths of this machine."""
    here = msgspec.structs.replace(story, branch="", parent=None, branched_at=None, owner="")
    save = Save(format=FORMAT, version=VERSION, story=here, turns=_anywhere(turns), records=records)
    return msgspec.json.format(msgspec.json.encode(save), indent=1) + b"\n"


def _anywhere(turns: tuple[TurnRecord, ...]) -> tuple[TurnRecord, ...]:
    return tuple(
        msgspec.structs.replace(record, input=msgspec.structs.replace(record.input, folder=""))
        for record in turns
    )


def read_save(document: bytes) -> Save:
    """Decode a story, or raise ContractViolation with every problem."""
    if len(document) > LARGEST:
        raise ContractViolation(
            [Problem(f"this save has {len(document):,} bytes; at most {LARGEST:,} are read")]
        )
    try:
        read_json(document)  # no duplicate keys, no NaN, not too deep
        save = msgspec.json.decode(document, type=Save)
    except JsonFault as fault:
        raise ContractViolation([Problem(f"this is not JSON: {fault.message}")]) from None
    except UNDECODABLE as error:
        message = f"this is no story that `narratoria stories export` wrote: {error}"
        raise ContractViolation([Problem(message)]) from None
    if problems := _problems(save):
        raise ContractViolation(problems)
    # a stranger's file does not say which folder of this machine is opened, and written into
    return msgspec.structs.replace(save, turns=_anywhere(save.turns))


def sign_save(document: bytes, home: Path) -> bytes:
    """Return a save with the signature of the user as its last member."""
    body = document.rstrip().removesuffix(b"}").rstrip()
    signature = msgspec.json.encode(sign(home, PURPOSE, body + _END))
    return body + _SIGNED + signature + _END


def open_save(document: bytes, home: Path) -> tuple[Save, Maker | None]:
    """Decode a story and return who has signed it, or None; ContractViolation lists every problem.

    What is read is what was signed: the bytes before the signature, and nothing after it."""
    body, mark, rest = document.rpartition(_SIGNED)
    if not mark:
        return read_save(document), None
    signature = read_signature(rest.rstrip().removesuffix(b"}"))
    maker = verify(home, PURPOSE, body + _END, signature)
    return read_save(body + _END), maker


async def write_into(store: Store, line: str, save: Save, *, owner: str = "") -> Playthrough:
    """Write all turns of a story with their memories into the store, or none."""
    from narratoria.store.turns import ImportedTurn, import_story

    records_by_turn: dict[int, list[ExportedRecord]] = {}
    for one in save.records:
        records_by_turn.setdefault(one.turn, []).append(one)
    turns = [
        ImportedTurn(
            choice=msgspec.to_builtins(record.input),
            scene=msgspec.to_builtins(record.output),
            state=record.state,
            game_time=record.output.progress.game_time,
            records=group_by_skill(records_by_turn.get(record.number, ())),
        )
        for record in save.turns
    ]
    about = save.story
    return await import_story(
        store, line, turns, campaign=about.campaign, title=about.title, seed=about.seed, owner=owner
    )


def _problems(save: Save) -> list[Problem]:
    problems = []
    room = LARGEST_EXPANDED
    if not save.story.campaign.strip():
        problems.append(Problem("a story belongs to a campaign; give its name", "/story/campaign"))
    elif save.story.campaign in (".", "..") or any(mark in save.story.campaign for mark in "/\\:\0"):
        message = "a campaign is meant by its name, not by a path; give the name of its folder"
        problems.append(Problem(message, "/story/campaign"))
    for index, record in enumerate(save.turns):
        where = f"/turns/{index}"
        number = index + 1
        if record.number != number or record.output.scene.number != number:
            problems.append(
                Problem(f"turn {number} is expected here; none may be missing", f"{where}/number")
            )
        if not record.output.scene.paragraphs or not record.output.scene.choices:
            problems.append(Problem("a scene has prose and choices", f"{where}/ended/scene"))
        try:
            SessionState(record.state)
        except ValueError:
            problems.append(Problem(f"state is at most {MAX_DEPTH} levels deep", f"{where}/state"))
        if record.output.trace:
            try:
                document = expand(record.output.trace, max(min(room, LARGEST_TRACE), 1))
                room -= len(document)
                TurnTrace.read(document)
            except ValueError as error:
                problems.append(Problem(str(error), f"{where}/ended/trace"))
    if len(save.records) > MAX_RECORDS:
        problems.append(Problem(f"a story remembers at most {MAX_RECORDS:,} things", "/remembered"))
    for index, one in enumerate(save.records[:MAX_RECORDS]):
        if not 1 <= one.turn <= len(save.turns):
            problems.append(Problem(f"there is no turn {one.turn}", f"/remembered/{index}/turn"))
    return problems


async def collect_records(scope: Scope) -> tuple[ExportedRecord, ...]:
    """Return the memories and opinions of a story, in the order in which they came about."""
    records = [_memory(entry) for entry in await scope.exact_match("memory")]
    for ledger, subject in SUBJECTS.items():
        for entry in await scope.exact_match(ledger):
            records += await _changes(scope, ledger, subject, entry)
    return tuple(sorted(records, key=lambda one: one.turn))


def group_by_skill(records: Sequence[ExportedRecord]) -> list[tuple[str, list[NewRecord]]]:
    """Return what each skill stored, in the order in which it was stored."""
    from narratoria.store import NewRecord

    return [
        (skill, [NewRecord(one.data_type, one.record, one.identifier) for one in of_skill])
        for skill, of_skill in groupby(records, lambda one: one.skill)
    ]


def _memory(entry: StoredRecord) -> ExportedRecord:
    return ExportedRecord(
        turn=entry.turn,
        data_type="memory",
        record=record_body(entry),
        identifier=entry.identifier,
        skill=entry.skill,
    )


async def _changes(
    scope: Scope, ledger: Literal["reputation", "perception"], subject: str, entry: StoredRecord
) -> list[ExportedRecord]:
    who = msgspec.to_builtins(entry.record)
    records: list[ExportedRecord] = []
    for change in await scope.history(ledger, who[subject]):
        body = {
            subject: change.subject,
            "change": change.change,
            "reason": change.reason,
            "gameTime": change.game_time,
            **({} if records else {"decayRate": who["decayRate"]}),
        }
        one = ExportedRecord(
            turn=change.turn,
            data_type=ledger,
            record=body,
            identifier=change.identifier,
            skill=change.skill,
        )
        records.append(one)
    return records
