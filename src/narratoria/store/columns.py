"""Columns that the engines see in different ways: figures of a vector, and the line of a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Dialect, Text, func
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import InternalTraversal
from sqlalchemy.types import UserDefinedType


class Figures(UserDefinedType[bytes]):
    """pgvector's type, handed over as the little-endian float32 that SQLite keeps."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "vector"

    def bind_processor(self, dialect: Dialect) -> Callable[[bytes | None], str | None]:
        def told(data: bytes | None) -> str | None:
            if data is None:
                return None
            # nine digits name every float32
            return f"[{','.join(f'{figure:.9g}' for figure in np.frombuffer(data, '<f4').tolist())}]"

        return told

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[bytes]:
        return func.vector_send(colexpr, type_=_Sent())


class _Sent(UserDefinedType[bytes]):
    """A vector on its way from the server: how many figures, two bytes of nothing, big-endian figures."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "bytea"

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], bytes | None]:
        def read(value: Any) -> bytes | None:
            return None if value is None else np.frombuffer(value, ">f4", offset=4).astype("<f4").tobytes()

        return read


class Part(ColumnElement[str]):
    """The line of rows that are asked for by their numbers.

    It tells PostgreSQL in which parts of a table to look. SQLite finds a number faster than a line, and is
    kept from believing otherwise.
    """

    inherit_cache = True
    type = Text()
    _traverse_internals = [("line", InternalTraversal.dp_clauseelement)]  # noqa: RUF012 - as the library says it

    def __init__(self, line: ColumnElement[str]) -> None:
        self.line = line


@compiles(Part)
def _as_it_is(part: Part, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(part.line, **options)


@compiles(Part, "sqlite")
def _without_its_index(part: Part, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(part.line, **options)}"
