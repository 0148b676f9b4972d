"""Playthroughs as lines of turns, records that belong to turns, ledgers, vectors and full text."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from narratoria.store.tables import Figures

revision = "0001"
down_revision = None

SEQ = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")  # sorted by its bytes, as SQLite does
LOGS = ("turn", "scene", "record", "change")
PARTED: dict[str, Any] = {"postgresql_partition_by": "LIST (line)"}  # a part for each line

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

POSTGRESQL_FIRST = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    # the stems of FTS5's porter, and every word counts
    "CREATE TEXT SEARCH DICTIONARY narratoria_stem (TEMPLATE = snowball, LANGUAGE = porter)",
    "CREATE TEXT SEARCH CONFIGURATION narratoria (COPY = simple)",
    """ALTER TEXT SEARCH CONFIGURATION narratoria
         ALTER MAPPING FOR asciiword, word, numword WITH narratoria_stem""",
    # without accents, and with nothing that would make one word of two: addresses, paths, hyphens, tags
    r"""CREATE FUNCTION letters_of(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
         translate(regexp_replace(normalize($1, NFKD), E'[\u0300-\u036f]', '', 'g'),
                   E'-/.@_:''\u2019+<>&;%#?=~*|', repeat(' ', 20))""",
    """CREATE FUNCTION words_of(text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
         to_tsvector('narratoria'::regconfig, letters_of($1))""",
)
POSTGRESQL_LAST = (
    "ALTER TABLE record ADD COLUMN words tsvector GENERATED ALWAYS AS (words_of(text)) STORED",
    "CREATE INDEX record_words ON record USING gin (words)",
    """CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION '% is append-only', TG_ARGV[0];
       END $$""",
    # the bytes of a vector's figures, as SQLite counts them
    """CREATE FUNCTION length(vector) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
         RETURN 4 * vector_dims($1)""",
)
POSTGRESQL_APPEND_ONLY = """CREATE TRIGGER {table}_is_a_log BEFORE UPDATE ON {table}
    FOR EACH ROW EXECUTE FUNCTION refuse_update('{table}')"""


def upgrade() -> None:
    for statement in POSTGRESQL_FIRST if _on_postgresql() else ():
        _execute(statement)
    _stories()
    _records()
    _vectors()
    op.execute("INSERT INTO clock (id, seq) VALUES (1, 0)")
    more, log = (POSTGRESQL_LAST, POSTGRESQL_APPEND_ONLY) if _on_postgresql() else (FULL_TEXT, APPEND_ONLY)
    for statement in (*more, *(log.format(table=name) for name in LOGS)):
        _execute(statement)


def _execute(statement: str) -> None:
    op.get_bind().exec_driver_sql(statement.replace("%", "%%") if _on_postgresql() else statement)


def _on_postgresql() -> bool:
    return op.get_bind().dialect.name == "postgresql"


def _stories() -> None:
    op.create_table(
        "clock", sa.Column("id", sa.Integer, primary_key=True), sa.Column("seq", SEQ, nullable=False)
    )
    op.create_table(
        "playthrough",
        sa.Column("id", TEXT, primary_key=True),
        _text("campaign"),
        _text("title"),
        sa.Column("parent_id", TEXT, sa.ForeignKey("playthrough.id")),
        sa.Column("fork_turn", SEQ, nullable=False),
        sa.Column("fork_seq", SEQ, nullable=False),
        _text("seed"),
        _text("created_at"),
        sa.Column("superseded_by", TEXT),
        sa.Column("deleted_at", TEXT),
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
        *_place(parted=True),
        _text("data_type"),
        _text("id"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("gone", sa.Boolean, nullable=False),
        sa.Column("origin", SEQ, nullable=False),
        sa.Column("first_turn", SEQ, nullable=False),
        *map(_text, ("session_id", "skill", "stored_at", "updated_at", "timestamp")),
        sa.Column("game_time", sa.Float, nullable=False),
        _text("text"),
        _text("body"),
        **PARTED,
    )
    later = sa.text("version > 0")
    # on a server a part is a line, and an index of lines would only lead it astray while it knows no figures;
    # names are found by hash: a key of its other indexes has at most 2,700 bytes
    if _on_postgresql():
        op.create_index("record_name", "record", ["id"], postgresql_using="hash")
        op.create_index("record_later", "record", ["id"], postgresql_using="hash", postgresql_where=later)
    else:
        op.create_index("record_place", "record", ["line", "data_type"])
        op.create_index("record_name", "record", ["data_type", "id"])
        op.create_index("record_later", "record", ["data_type", "id"], sqlite_where=later)
    _labels()
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


def _labels() -> None:
    names = ("line", "data_type", "name", "value")
    unique = not _on_postgresql()  # there it would be by key, which may be too long
    op.create_table(
        "label",
        *(sa.Column(name, TEXT, primary_key=unique, nullable=False) for name in names),
        sa.Column("seq", SEQ, primary_key=unique, nullable=False),
        sqlite_with_rowid=False,
        **PARTED,
    )
    op.create_index("label_record", "label", ["seq"])
    if _on_postgresql():
        op.create_index("label_value", "label", ["value"], postgresql_using="hash")
        op.create_index("label_name", "label", ["data_type", "name"])


def _vectors() -> None:
    op.create_table(
        "embedding_model",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("name", TEXT, nullable=False, unique=True),
        sa.Column("active", sa.Boolean, nullable=False),
    )
    op.create_table(
        "embedding",
        sa.Column("seq", SEQ, primary_key=True, autoincrement=False),
        sa.Column("model", sa.Integer, primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        _line(parted=True),
        _text("data_type"),
        sa.Column("data", sa.LargeBinary().with_variant(Figures(), "postgresql"), nullable=False),
        **PARTED,
    )
    if not _on_postgresql():
        op.create_index("embedding_place", "embedding", ["line", "model"])


def _place(*, parted: bool = False) -> tuple[sa.Column[int], sa.Column[str], sa.Column[int]]:
    return (
        sa.Column("seq", SEQ, primary_key=True, autoincrement=False),
        _line(parted=parted),
        sa.Column("turn", SEQ, nullable=False),
    )


def _line(*, parted: bool) -> sa.Column[str]:
    # what tells the parts of a table apart must be in its key
    return sa.Column("line", TEXT, primary_key=parted and _on_postgresql(), nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, TEXT, nullable=False)
