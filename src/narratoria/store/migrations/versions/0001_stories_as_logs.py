"""Playthroughs as lines of turns, records that belong to turns, ledgers, vectors and full text."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SEQ = sa.BigInteger().with_variant(sa.Integer, "sqlite")

FULL_TEXT = (
    """CREATE VIRTUAL TABLE record_text USING fts5(
         text, content='record', content_rowid='seq', tokenize='porter unicode61 remove_diacritics 2')""",
    "CREATE VIRTUAL TABLE record_terms USING fts5vocab('record_text', 'row')",
    """CREATE TRIGGER record_text_added AFTER INSERT ON record WHEN new.text <> '' BEGIN
         INSERT INTO record_text(rowid, text) VALUES (new.seq, new.text);
       END""",
    """CREATE TRIGGER record_text_removed AFTER DELETE ON record WHEN old.text <> '' BEGIN
         INSERT INTO record_text(record_text, rowid, text) VALUES ('delete', old.seq, old.text);
       END""",
)

# what was written stays as it was written, whoever forgets it in the code
APPEND_ONLY = """CREATE TRIGGER {table}_is_a_log BEFORE UPDATE ON {table} BEGIN
    SELECT RAISE(ABORT, '{table} is append-only');
END"""


def upgrade() -> None:
    _stories()
    _records()
    _vectors()
    op.execute("INSERT INTO clock (id, seq) VALUES (1, 0)")
    if op.get_bind().dialect.name == "sqlite":
        logs = (APPEND_ONLY.format(table=name) for name in ("turn", "scene", "record", "change"))
        for statement in (*FULL_TEXT, *logs):
            op.execute(statement)


def _stories() -> None:
    op.create_table(
        "clock", sa.Column("id", sa.Integer, primary_key=True), sa.Column("seq", SEQ, nullable=False)
    )
    op.create_table(
        "playthrough",
        sa.Column("id", sa.Text, primary_key=True),
        _text("campaign"),
        _text("title"),
        sa.Column("parent_id", sa.Text, sa.ForeignKey("playthrough.id")),
        sa.Column("fork_turn", sa.Integer, nullable=False),
        sa.Column("fork_seq", SEQ, nullable=False),
        _text("seed"),
        _text("created_at"),
        sa.Column("superseded_by", sa.Text),
        sa.Column("deleted_at", sa.Text),
    )
    op.create_index("playthrough_parent", "playthrough", ["parent_id"])
    op.create_table("turn", *_place(), _text("session_id"), _text("choice"), _text("begun_at"))
    op.create_index("turn_place", "turn", ["line", "turn"])
    op.create_table(
        "scene",
        *_place(),
        _text("scene"),
        _text("state"),
        sa.Column("game_time", sa.Float, nullable=False),
        _text("finished_at"),
        sa.UniqueConstraint("line", "turn"),
    )


def _records() -> None:
    op.create_table(
        "record",
        *_place(),
        _text("data_type"),
        _text("id"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("gone", sa.Boolean, nullable=False),
        sa.Column("origin", SEQ, nullable=False),
        sa.Column("first_turn", sa.Integer, nullable=False),
        *map(_text, ("session_id", "skill", "stored_at", "updated_at", "timestamp")),
        sa.Column("game_time", sa.Float, nullable=False),
        _text("text"),
        _text("body"),
    )
    op.create_index("record_place", "record", ["line", "data_type"])
    op.create_index("record_name", "record", ["data_type", "id"])
    later = sa.text("version > 0")
    op.create_index("record_later", "record", ["data_type", "id"], sqlite_where=later, postgresql_where=later)
    op.create_table(
        "label",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("line", "data_type", "name", "value")),
        sa.Column("seq", SEQ, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_index("label_record", "label", ["seq"])
    op.create_table(
        "change",
        *_place(),
        *map(_text, ("data_type", "subject", "id", "reason", "session_id", "skill", "at")),
        sa.Column("delta", sa.Float, nullable=False),
        sa.Column("game_time", sa.Float, nullable=False),
        *(sa.Column(name, sa.Float) for name in ("rate", "low", "high")),
        sa.Column("forgotten", sa.Boolean, nullable=False),
    )
    op.create_index("change_place", "change", ["line", "data_type", "subject"])


def _vectors() -> None:
    op.create_table(
        "embedding_model",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("active", sa.Boolean, nullable=False),
    )
    op.create_table(
        "vector",
        sa.Column("seq", SEQ, primary_key=True, autoincrement=False),
        sa.Column("model", sa.Integer, primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        _text("line"),
        _text("data_type"),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_index("vector_place", "vector", ["line", "model"])


def _place() -> tuple[sa.Column[int], sa.Column[str], sa.Column[int]]:
    return (
        sa.Column("seq", SEQ, primary_key=True, autoincrement=False),
        _text("line"),
        sa.Column("turn", sa.Integer, nullable=False),
    )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)
