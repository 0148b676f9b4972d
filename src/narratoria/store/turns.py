"""Writes the log of turns: a choice is on the disk before it is acted on, a scene before it is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select

from narratoria.errors import ContractViolation, NoSuchRecord, Problem, StoreUnavailable
from narratoria.store.engines.database import Database, Writing
from narratoria.store.leases import Presence
from narratoria.store.lineage import View, view_of
from narratoria.store.playthroughs import Playthrough, create_playthrough, get_playthrough, last_turn
from narratoria.store.positions import Position
from narratoria.store.record_versions import remove_rows
from narratoria.store.records import NewRecord
from narratoria.store.stories import (
    finish_story_turn,
    give_back,
    latest_unfinished,
    mark_of_text,
    raise_fence,
    refuse_other_choice,
    require_fence,
    require_position,
    row_of_branch,
    set_player,
    summarize,
)
from narratoria.store.tables import change, record, scene, turn
from narratoria.store.validation import now

if TYPE_CHECKING:
    from narratoria.store.store import Store


class Turn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Holds one choice and its scene; without a scene, the turn was begun and not finished."""

    playthrough_id: str
    number: int
    session_id: str
    choice: dict[str, Any]
    begun_at: str
    scene: dict[str, Any] | None = None
    state: dict[str, Any] | None = None  # the session's state after it
    game_time: float | None = None  # minutes since the story began
    finished_at: str | None = None
    seq: int = 0  # of the choice's row
    fence: int | None = None  # of the story while the turn is under way


class TurnLog:
    def __init__(self, database: Database, presence: Presence) -> None:
        self._database, self._presence = database, presence

    async def begin(
        self,
        playthrough_id: str,
        choice: dict[str, Any],
        *,
        session_id: str = "",
        follows: Position | None = None,
        resumes: int | None = None,
    ) -> Turn:
        """Write the choice down and take the story for the turn.

        A turn that was begun and never finished is begun anew: what it left is taken away, so that a turn
        happens completely or not at all. With `follows`, StoryConflict is raised when the story does not
        stand there, or when a choice of another session waits to be told, unless `resumes` is its number.
        Busy is raised while another server tells a turn.
        """

        def work(writing: Writing) -> tuple[Turn, bool]:
            row = row_of_branch(writing.connection, playthrough_id)
            self._presence.refuse_held(writing.connection, row.holder)
            if follows is not None:
                require_position(row, follows)
                # in a file nobody else accepts choices: the player may change one that was not heard of
                same = choice if self._database.is_shared else None
                refuse_other_choice(writing.connection, row, session_id, resumes, same)
            begun, cleared = begin_turn(writing, playthrough_id, choice, session_id)
            if row.line != playthrough_id:
                return begun, cleared
            fence = self._presence.take(writing, row)
            if row.turn == 0:
                set_player(writing, row, choice)
            return msgspec.structs.replace(begun, fence=fence), cleared

        begun, cleared = await self._database.write(work)
        self._presence.begin()
        self._database.removals += cleared
        return begun

    async def finish(
        self, begun: Turn, scene_shown: dict[str, Any], state: dict[str, Any], *, game_time: float
    ) -> Turn:
        """Writes down how the turn ended; store the turn's records before, and show the scene after."""
        return await self._database.write(
            lambda writing: finish_turn(writing, begun, scene_shown, state, game_time)
        )

    async def revise(
        self, playthrough_id: str, number: int, choice: dict[str, Any], *, follows: Position | None = None
    ) -> int:
        """Write the choice of the last finished turn anew, with what the player has changed since.

        Returns the story's new fence. Raises StoryConflict when it does not stand where `follows` says."""

        def work(writing: Writing) -> int:
            link = writing.connection
            row = row_of_branch(link, playthrough_id)
            require_position(row, follows)
            self._presence.refuse_held(link, row.holder)
            if last_turn(link, playthrough_id) != number:
                message = f"turn {number} is not the last one of {playthrough_id!r}"
                raise ContractViolation([Problem(message, "/turn")])
            (before,) = _history(link, playthrough_id, number, number)
            (seq,) = writing.draw()
            link.execute(
                insert(turn).values(
                    seq=seq,
                    line=playthrough_id,
                    turn=number,
                    session_id=before.session_id,
                    choice=msgspec.json.encode(choice).decode(),
                    begun_at=before.begun_at,
                )
            )
            return raise_fence(writing, row)

        return await self._database.write(work)

    async def abandon(self, playthrough_id: str, *, session_id: str | None = None) -> bool:
        """Remove a turn that was begun, with everything it stored, and return whether there was one.

        With a `session_id`, a turn that another session has begun stays."""

        def work(writing: Writing) -> tuple[bool, bool]:
            link = writing.connection
            number = last_turn(link, playthrough_id) + 1
            waiting = latest_unfinished(link, playthrough_id, number)
            if waiting is None or session_id not in (None, waiting.session_id):
                return False, False
            give_back(writing, playthrough_id)
            cleared = _clear(link, playthrough_id, number)
            gone = link.execute(delete(turn).where(turn.c.line == playthrough_id, turn.c.turn == number))
            return gone.rowcount > 0, cleared

        there, cleared = await self._database.write(work)
        self._database.removals += cleared
        return there

    async def unfinished(self, playthrough_id: str) -> Turn | None:
        """Return the turn that was under way when the runtime ended, with the choice to begin it anew."""
        return await self._database.read(lambda link: _unfinished(link, playthrough_id))

    async def history(
        self, playthrough_id: str, *, first: int = 1, last: int | None = None
    ) -> tuple[Turn, ...]:
        """Return the finished turns of a story from its beginning, shared ones among them."""
        return await self._database.read(lambda link: _history(link, playthrough_id, first, last))

    async def get(self, playthrough_id: str, number: int) -> Turn:
        turns = await self.history(playthrough_id, first=number, last=number)
        if not turns:
            raise NoSuchRecord(f"{playthrough_id!r} has no finished turn {number}")
        return turns[0]


def begin_turn(
    writing: Writing, playthrough_id: str, choice: dict[str, Any], session_id: str
) -> tuple[Turn, bool]:
    """Return the turn, and whether rows of an unfinished one were removed."""
    number = last_turn(writing.connection, playthrough_id) + 1
    cleared = _clear(writing.connection, playthrough_id, number)
    begun = Turn(
        playthrough_id=playthrough_id, number=number, session_id=session_id, choice=choice, begun_at=now()
    )
    (seq,) = writing.draw()
    writing.connection.execute(
        insert(turn).values(
            seq=seq,
            line=playthrough_id,
            turn=number,
            session_id=session_id,
            choice=msgspec.json.encode(choice).decode(),
            begun_at=begun.begun_at,
        )
    )
    return msgspec.structs.replace(begun, seq=seq), cleared


def finish_turn(
    writing: Writing, begun: Turn, scene_shown: dict[str, Any], state: dict[str, Any], game_time: float
) -> Turn:
    require_fence(writing.connection, begun.playthrough_id, begun.fence)
    open_turn = _unfinished(writing.connection, begun.playthrough_id)
    if open_turn is None or open_turn.number != begun.number:
        message = f"turn {begun.number} of {begun.playthrough_id!r} is not under way; begin it first"
        raise ContractViolation([Problem(message)])
    done = msgspec.structs.replace(
        begun, scene=scene_shown, state=state, game_time=game_time, finished_at=now(), fence=None
    )
    text = msgspec.json.encode(scene_shown).decode()
    (seq,) = writing.draw()
    writing.connection.execute(
        insert(scene).values(
            seq=seq,
            line=begun.playthrough_id,
            turn=begun.number,
            scene=text,
            state=msgspec.json.encode(state).decode(),
            game_time=game_time,
            finished_at=done.finished_at,
        )
    )
    finish_story_turn(
        writing,
        begun.playthrough_id,
        turn_number=begun.number,
        mark=mark_of_text(text),
        at=done.finished_at or "",
        summary=summarize(scene_shown, state),
    )
    return done


def game_time_of(connection: Connection, view: View) -> float:
    """Return the story's in-game time, as far as a view reaches."""
    for part in view.parts(scene):
        latest = select(scene.c.game_time).where(part).order_by(scene.c.turn.desc(), scene.c.seq.desc())
        if (moment := connection.execute(latest.limit(1)).scalar()) is not None:
            return float(moment)
    return 0.0


def turn_under_way(connection: Connection, view: View) -> int:
    """Return the turn that new records belong to: the last one begun, or the last one shared."""
    statement = select(turn.c.turn).where(turn.c.line == view.branch).order_by(turn.c.turn.desc())
    return connection.execute(statement.limit(1)).scalar() or view.fork_turn


def _unfinished(connection: Connection, playthrough_id: str) -> Turn | None:
    number = last_turn(connection, playthrough_id) + 1
    row = latest_unfinished(connection, playthrough_id, number)
    if row is None:
        return None
    held = row_of_branch(connection, playthrough_id)
    fence = held.fence if held.line == playthrough_id else None
    return msgspec.structs.replace(_turn(playthrough_id, row), fence=fence)


def _history(connection: Connection, playthrough_id: str, first: int, last: int | None) -> tuple[Turn, ...]:
    view = view_of(connection, playthrough_id, turn=last)
    scenes = {
        row.turn: row
        for row in connection.execute(select(scene).where(view.covers(scene), scene.c.turn >= first))
    }
    begun = connection.execute(
        select(turn).where(view.covers(turn), turn.c.turn >= first).order_by(turn.c.seq)
    )
    choices = {row.turn: row for row in begun}  # of a turn that was begun twice, the last
    if lost := sorted(scenes.keys() - choices.keys()):
        raise StoreUnavailable(
            f"turn {lost[0]} of {playthrough_id} has lost its choice: the store is damaged; "
            "`narratoria store restore` brings the latest whole backup back"
        )
    return tuple(_turn(playthrough_id, choices[number], scenes[number]) for number in sorted(scenes))


def _turn(
    playthrough_id: str, begun: Row[*tuple[Any, ...]], ended: Row[*tuple[Any, ...]] | None = None
) -> Turn:
    return Turn(
        playthrough_id=playthrough_id,
        number=begun.turn,
        session_id=begun.session_id,
        choice=msgspec.json.decode(begun.choice),
        begun_at=begun.begun_at,
        scene=msgspec.json.decode(ended.scene) if ended is not None else None,
        state=msgspec.json.decode(ended.state) if ended is not None else None,
        game_time=ended.game_time if ended is not None else None,
        finished_at=ended.finished_at if ended is not None else None,
        seq=begun.seq,
    )


def _clear(connection: Connection, branch: str, number: int) -> bool:
    """Remove the rows of an unfinished turn, and return whether there were any."""
    if (
        connection.execute(select(turn.c.seq).where(turn.c.line == branch, turn.c.turn == number)).first()
        is None
    ):
        return False
    connection.execute(delete(change).where(change.c.line == branch, change.c.turn == number))
    left = list(
        connection.execute(
            select(record.c.seq).where(
                record.c.line == branch, record.c.turn == number, record.c.data_type != "session"
            )
        ).scalars()
    )
    remove_rows(connection, branch, left)
    return bool(left)


IMPORT_SESSION = "imported"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTurn:
    """Holds a finished turn of an imported story, with the records it stored."""

    choice: dict[str, Any]
    scene: dict[str, Any]
    state: dict[str, Any]
    game_time: float
    records: Sequence[tuple[str, Sequence[NewRecord]]] = ()  # by skill, in order


async def import_story(
    store: Store,
    branch: str,
    turns: Sequence[ImportedTurn],
    *,
    campaign: str,
    title: str,
    seed: int,
    owner: str = "",
) -> Playthrough:
    """Store a whole story or nothing of it.

    Raises ContractViolation for a record that is not valid, RecordExists for a name that is taken.
    """
    # records get their vectors before: nobody else's writing waits for a model
    adding = [
        [
            await store.at(branch, IMPORT_SESSION, number, skill=skill).adding(items)
            for skill, items in imported.records
        ]
        for number, imported in enumerate(turns, start=1)
    ]

    def work(writing: Writing) -> Playthrough:
        create_playthrough(writing, branch, campaign=campaign, title=title, seed=seed, owner=owner)
        for imported, records in zip(turns, adding, strict=True):
            _import_turn(writing, branch, imported, records)
        return get_playthrough(writing.connection, branch)

    return await store.database.write(work)


def _import_turn(
    writing: Writing, branch: str, imported: ImportedTurn, records: Sequence[Callable[[Writing], object]]
) -> None:
    begun, _ = begin_turn(writing, branch, imported.choice, IMPORT_SESSION)
    for add in records:
        add(writing)
    finish_turn(writing, begun, imported.scene, imported.state, imported.game_time)
