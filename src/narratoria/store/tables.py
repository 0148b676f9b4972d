"""Defines the tables for queries; the migrations create them.

Every row of a story has a `line` (the playthrough that wrote it, or a campaign), the `turn` it belongs to and
a `seq`, which counts all rows of all tables in the order they were written. Rows are never changed: a later
row of the same record takes an earlier one's place, and branching before it shows the earlier one again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Dialect,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    func,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import InternalTraversal
from sqlalchemy.types import UserDefinedType


class Figures(UserDefinedType[bytes]):
    """Maps pgvector's type to the little-endian float32 that SQLite keeps."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "vector"

    def bind_processor(self, dialect: Dialect) -> Callable[[bytes | None], str | None]:
        def format_vector(data: bytes | None) -> str | None:
            if data is None:
                return None
            # nine digits name every float32
            return f"[{','.join(f'{figure:.9g}' for figure in np.frombuffer(data, '<f4').tolist())}]"

        return format_vector

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[bytes]:
        return func.vector_send(colexpr, type_=_Sent())


class _Sent(UserDefinedType[bytes]):
    """Decodes a vector from the server: a count, two bytes of nothing, big-endian figures."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "bytea"

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], bytes | None]:
        def read(value: Any) -> bytes | None:
            return None if value is None else np.frombuffer(value, ">f4", offset=4).astype("<f4").tobytes()

        return read


class BranchColumn(ColumnElement[str]):
    """Compares the branch column of rows that are selected by their numbers.

    SQLite finds a number faster than a branch, and is kept from using the branch's index.
    """

    inherit_cache = True
    type = Text()
    _traverse_internals = [("branch", InternalTraversal.dp_clauseelement)]  # noqa: RUF012 - as the library says it

    def __init__(self, branch: ColumnElement[str]) -> None:
        self.branch = branch


@compiles(BranchColumn)
def _as_it_is(column: BranchColumn, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(column.branch, **options)


@compiles(BranchColumn, "sqlite")
def _without_its_index(column: BranchColumn, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(column.branch, **options)}"


metadata = MetaData()
Seq = BigInteger().with_variant(Integer, "sqlite")

clock = Table("clock", metadata, Column("id", Integer, primary_key=True), Column("seq", Seq, nullable=False))

playthrough = Table(
    "playthrough",
    metadata,
    Column("id", Text, primary_key=True),
    Column("campaign", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("parent_id", Text),
    Column("fork_turn", Seq, nullable=False),  # the last turn shared with the parent
    Column("fork_seq", Seq, nullable=False),  # and the last row
    Column("seed", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("superseded_by", Text),  # the branch that an undo went on with
    Column("deleted_at", Text),  # kept for the branches that share its past
    Column("story", Text, nullable=False),  # the id that the story has had from its beginning
)

story = Table(  # what lists show of a story, where it stands, and which server tells its next turn
    "story",
    metadata,
    Column("id", Text, primary_key=True),  # its first branch
    Column("line", Text, nullable=False),  # its present branch
    Column("root", Text, nullable=False),  # the first branch of all stories that share a beginning with it
    Column("campaign", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("number", Integer, nullable=False),  # among those with the same title and player
    Column("player", Text, nullable=False),  # the name of the player's character
    Column("seed", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("played_at", Text, nullable=False),
    Column("turn", Seq, nullable=False),  # the last finished one
    Column("mark", Text, nullable=False),  # of its scene; empty before the first
    Column("place", Text, nullable=False),
    Column("ended", Text, nullable=False),
    Column("seconds_played", Float, nullable=False),
    Column("parent", Text),  # the story it branched off
    Column("branched_at", Seq),  # the last turn they share
    Column("holder", Text, nullable=False),  # the server that tells a turn of it; empty between turns
    Column("fence", Seq, nullable=False),  # grows whenever somebody takes the story or changes it
    Column("owner", Text, nullable=False),  # the account whose story it is; empty for that of the home itself
)

story_reader = Table(  # who may read a story that is another's
    "story_reader",
    metadata,
    Column("story", Text, primary_key=True),
    Column("account", Text, primary_key=True),
)

server = Table(  # who has said lately that it is there, by the database's clock
    "server",
    metadata,
    Column("id", Text, primary_key=True),
    Column("seen_at", Float, nullable=False),
)

turn = Table(
    "turn",
    metadata,
    Column("seq", Seq, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    Column("turn", Seq, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("choice", Text, nullable=False),
    Column("begun_at", Text, nullable=False),
)

scene = Table(
    "scene",
    metadata,
    Column("seq", Seq, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    Column("turn", Seq, nullable=False),
    Column("scene", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("game_time", Float, nullable=False),
    Column("finished_at", Text, nullable=False),
)

record = Table(
    "record",
    metadata,
    Column("seq", Seq, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    Column("turn", Seq, nullable=False),
    Column("data_type", Text, nullable=False),
    Column("id", Text, nullable=False),
    Column("version", Integer, nullable=False),  # 0 for the first; only later ones can supersede
    Column("gone", Boolean, nullable=False),  # a version that says the record was deleted
    Column("origin", Seq, nullable=False),  # the seq of the first version
    Column("first_turn", Seq, nullable=False),  # and its turn: when it happened
    Column("session_id", Text, nullable=False),
    Column("skill", Text, nullable=False),
    Column("stored_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("timestamp", Text, nullable=False),
    Column("game_time", Float, nullable=False),
    Column("text", Text, nullable=False),  # what full text and vectors are about; empty for none
    Column("body", Text, nullable=False),  # the record itself, as JSON
)

label = Table(  # the values of a record's fields that filters ask for
    "label",
    metadata,
    Column("line", Text, primary_key=True),
    Column("data_type", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("seq", Seq, primary_key=True),
)

change = Table(
    "change",
    metadata,
    Column("seq", Seq, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    Column("turn", Seq, nullable=False),
    Column("data_type", Text, nullable=False),  # reputation or perception
    Column("subject", Text, nullable=False),
    Column("id", Text, nullable=False),
    Column("delta", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("game_time", Float, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("skill", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("rate", Float),  # in force from here on, as are the scale's ends
    Column("low", Float),
    Column("high", Float),
    Column("forgotten", Boolean, nullable=False),  # the opinion ends here
)

embedding_model = Table(
    "embedding_model",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column(
        "active", Boolean, nullable=False
    ),  # every record that can have a vector of it has one, or is pending
)

vector = Table(  # not called so in SQL: there it is the name of a type
    "embedding",
    metadata,
    Column("seq", Seq, primary_key=True),  # of the record
    Column("model", Integer, primary_key=True),
    Column("part", Integer, primary_key=True),  # which window of its text
    Column("line", Text, nullable=False),
    Column("data_type", Text, nullable=False),
    Column(  # float32, little-endian, of length one
        "data", LargeBinary().with_variant(Figures(), "postgresql"), nullable=False
    ),
)
