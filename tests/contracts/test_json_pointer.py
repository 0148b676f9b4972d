"""Finding a pointer's place in a JSON text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from narratoria.contracts.json_pointer import (
    SourceOffsets,
    join_pointer,
    line_and_column,
    locate_pointers,
    split_pointer,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


def pointers(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[str, Any]]:
    found = [(join_pointer(path), value)]
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return found + [pair for key, child in children for pair in pointers(child, (*path, key))]


@given(values, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_pointer_is_found_where_its_value_is_written(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    expected = pointers(value)
    spots = locate_pointers(text, [pointer for pointer, _ in expected])
    assert spots.keys() == {pointer for pointer, _ in expected}
    decoder = json.JSONDecoder()
    for pointer, part in expected:
        assert decoder.raw_decode(text, spots[pointer].value)[0] == part
        key_at = spots[pointer].key
        if key_at is not None:
            assert decoder.raw_decode(text, key_at)[0] == split_pointer(pointer)[-1]


def test_a_pointer_that_leads_nowhere_is_left_out() -> None:
    assert locate_pointers('{"a": [1]}', ["/a/1", "/b", "/a/x", "/a"]) == {"/a": SourceOffsets(6, 1)}


def test_brackets_and_quotes_inside_texts_do_not_confuse_it() -> None:
    text = '{"a\\"{": "]},:[", "b": 1}'
    assert locate_pointers(text, ["/b"]) == {"/b": SourceOffsets(text.index("1"), text.index('"b"'))}


def test_lines_and_columns_count_from_one() -> None:
    assert [line_and_column("a\nbc\r\nd", at) for at in (0, 2, 3, 6)] == [(1, 1), (2, 1), (2, 2), (3, 1)]
