"""The tables of the queries are those that the migrations make; vectors keep every bit of their figures."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import create_engine, inspect, select
from sqlalchemy.dialects import postgresql, sqlite

from narratoria.store.tables import BranchColumn, Figures, metadata, record


def test_every_table_and_column_is_one_that_the_migrations_make(empty: Path) -> None:
    engine = create_engine(f"sqlite:///{empty}")
    with contextlib.closing(engine.connect()) as connection:
        made = inspect(connection)
        tables = set(made.get_table_names())
        for table in metadata.sorted_tables:
            assert table.name in tables
            columns = {column["name"]: column["nullable"] for column in made.get_columns(table.name)}
            assert set(columns) == {column.name for column in table.columns}, table.name
    engine.dispose()


@pytest.mark.parametrize("figures", [[], [0.0], [1 / 3, -1e-38, 3.4e38], [np.nextafter(np.float32(1), 2)]])
def test_a_vector_is_written_with_digits_that_name_each_of_its_figures(figures: list[float]) -> None:
    stored = np.array(figures, "<f4").tobytes()
    written = Figures().bind_processor(postgresql.dialect())(stored)
    assert written is not None
    read = [float(figure) for figure in written.strip("[]").split(",") if figure]
    assert np.array(read, "<f4").tobytes() == stored


def test_no_vector_is_none() -> None:
    assert Figures().bind_processor(postgresql.dialect())(None) is None


def test_sqlite_is_kept_from_the_index_of_a_branch_and_postgresql_is_not() -> None:
    statement = select(record.c.seq).where(BranchColumn(record.c.line) == "a")
    assert "+record.line" in str(statement.compile(dialect=sqlite.dialect()))
    assert "+record.line" not in str(statement.compile(dialect=postgresql.dialect()))
