"""Writes a story as one JSON document, and reads and validates such documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from narratoria.contracts.read import JsonFault, read_json
from narratoria.engine.memory.export import MOST, Remembered, by_skill
from narratoria.engine.persistence.story import Story
from narratoria.engine.persistence.turn_record import LARGEST_TRACE, TurnRecord, TurnTrace, expand
from narratoria.errors import ContractViolation, Problem
from narratoria.state import MAX_DEPTH, SessionState

if TYPE_CHECKING:
    from narratoria.store import Playthrough, Store

FORMAT: Literal["narratoria-story"] = "narratoria-story"
VERSION: Literal[1] = 1
LARGEST = 256 * 1024 * 1024  # bytes
LARGEST_EXPANDED = 4 * LARGEST  # of all traces together, once they are unpacked


class Save(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    format: Literal["narratoria-story"]
    version: Literal[1]
    story: Story
    turns: tuple[TurnRecord, ...]
    remembered: tuple[Remembered, ...] = ()


def write_save(story: Story, turns: tuple[TurnRecord, ...], remembered: tuple[Remembered, ...] = ()) -> bytes:
    """Encode a story, without the paths of this machine."""
    here = msgspec.structs.replace(story, branch="", parent=None, branched_at=None)
    save = Save(format=FORMAT, version=VERSION, story=here, turns=_anywhere(turns), remembered=remembered)
    return msgspec.json.format(msgspec.json.encode(save), indent=1) + b"\n"


def _anywhere(turns: tuple[TurnRecord, ...]) -> tuple[TurnRecord, ...]:
    return tuple(
        msgspec.structs.replace(told, input=msgspec.structs.replace(told.input, folder="")) for told in turns
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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"this is no story that `narratoria stories export` wrote: {error}"
        raise ContractViolation([Problem(message)]) from None
    if problems := _problems(save):
        raise ContractViolation(problems)
    # a stranger's file does not say which folder of this machine is opened, and written into
    return msgspec.structs.replace(save, turns=_anywhere(save.turns))


async def write_into(store: Store, line: str, save: Save) -> Playthrough:
    """Write all turns of a story with their memories into the store, or none."""
    from narratoria.store.turns import ImportedTurn, import_story

    remembered: dict[int, list[Remembered]] = {}
    for one in save.remembered:
        remembered.setdefault(one.turn, []).append(one)
    turns = [
        ImportedTurn(
            choice=msgspec.to_builtins(told.input),
            scene=msgspec.to_builtins(told.output),
            state=told.state,
            game_time=told.output.progress.game_time,
            records=by_skill(remembered.get(told.number, ())),
        )
        for told in save.turns
    ]
    about = save.story
    return await import_story(store, line, turns, campaign=about.campaign, title=about.title, seed=about.seed)


def _problems(save: Save) -> list[Problem]:
    problems = []
    room = LARGEST_EXPANDED
    if not save.story.campaign.strip():
        problems.append(Problem("a story belongs to a campaign; give its name", "/story/campaign"))
    elif save.story.campaign in (".", "..") or any(mark in save.story.campaign for mark in "/\\:\0"):
        message = "a campaign is meant by its name, not by a path; give the name of its folder"
        problems.append(Problem(message, "/story/campaign"))
    for index, told in enumerate(save.turns):
        where = f"/turns/{index}"
        expected = index + 1
        if told.number != expected or told.output.scene.number != expected:
            problems.append(
                Problem(f"turn {expected} is expected here; none may be missing", f"{where}/number")
            )
        if not told.output.scene.paragraphs or not told.output.scene.choices:
            problems.append(Problem("a scene has prose and choices", f"{where}/ended/scene"))
        try:
            SessionState(told.state)
        except ValueError:
            problems.append(Problem(f"state is at most {MAX_DEPTH} levels deep", f"{where}/state"))
        if told.output.trace:
            try:
                document = expand(told.output.trace, max(min(room, LARGEST_TRACE), 1))
                room -= len(document)
                TurnTrace.read(document)
            except ValueError as error:
                problems.append(Problem(str(error), f"{where}/ended/trace"))
    if len(save.remembered) > MOST:
        problems.append(Problem(f"a story remembers at most {MOST:,} things", "/remembered"))
    for index, one in enumerate(save.remembered[:MOST]):
        if not 1 <= one.turn <= len(save.turns):
            problems.append(Problem(f"there is no turn {one.turn}", f"/remembered/{index}/turn"))
    return problems
