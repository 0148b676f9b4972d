"""References: which values are one, where they stand, and what they are replaced by."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.planning.prepare import is_pointer, is_reference, references, resolve, resolve_input

OUTPUTS: dict[str, dict[str, Any] | None] = {
    "roll": {
        "total": 7,
        "rolls": [3, [4, 5]],
        "": "empty key",
        "a/b": 1,
        "m~n": 2,
        "~1": 3,
        "0": "a key, not an index",
        "null": None,
        "not a reference any more": {"$from": "roll", "path": "/total"},
    },
    "empty": {},
    "failed": None,
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("a~/0", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("tool", "path", "part"),
    [
        ("roll", "/total", 7),
        ("roll", "/rolls", [3, [4, 5]]),
        ("roll", "/rolls/0", 3),
        ("roll", "/rolls/1/1", 5),
        ("roll", "/", "empty key"),
        ("roll", "/a~1b", 1),
        ("roll", "/m~0n", 2),
        ("roll", "/~01", 3),
        ("roll", "/0", "a key, not an index"),
        ("roll", "/null", None),
        ("roll", "/not a reference any more", {"$from": "roll", "path": "/total"}),
        ("empty", "", {}),
        ("failed", "", None),
    ],
)
def test_a_reference_is_replaced_by_what_its_pointer_leads_to(tool: str, path: str, part: Any) -> None:
    assert resolve({"$from": tool, "path": path}, OUTPUTS) == part


@pytest.mark.parametrize(
    ("tool", "path"),
    [
        ("roll", "/nothing"),
        ("roll", "/total/deeper"),
        ("roll", "/total/0"),
        ("roll", "/rolls/2"),
        ("roll", "/rolls/-1"),
        ("roll", "/rolls/-"),
        ("roll", "/rolls/01"),
        ("roll", "/rolls/+1"),
        ("roll", "/rolls/1.0"),
        ("roll", "/rolls/ 1"),
        ("roll", "/rolls/١"),
        ("roll", "/rolls/" + "1" * 5000),
        ("roll", "/rolls/"),
        ("roll", "/TOTAL"),
        ("roll", "/null/deeper"),
        ("empty", "/total"),
        ("failed", "/total"),
    ],
)
def test_what_is_not_there_is_null(tool: str, path: str) -> None:
    assert resolve({"$from": tool, "path": path}, OUTPUTS) is None


def test_without_a_path_the_whole_output_is_meant() -> None:
    assert resolve({"$from": "roll"}, OUTPUTS) == OUTPUTS["roll"]


def test_references_are_found_wherever_they_stand() -> None:
    value = {"a/b": [1, {"$from": "x"}], "~": {"deep": {"$from": "y", "path": "/p"}}, "plain": "$from"}
    assert list(references(value)) == [("/a~1b/1", "x", ""), ("/~0/deep", "y", "/p")]
    assert list(references({"$from": "x"})) == [("", "x", "")]


@pytest.mark.parametrize(
    "value", [{"$from": "x", "more": 1}, {"path": "/x"}, {}, "$from", ["$from"], None, {"$FROM": "x"}]
)
def test_an_object_with_other_keys_is_no_reference_and_stays(value: Any) -> None:
    assert not is_reference(value)
    assert resolve(value, OUTPUTS) == value


@pytest.mark.parametrize("path", ["", "/", "/a", "/a/0", "/~0~1", "//", "/ä b", "/a\nb"])
def test_these_are_json_pointers(path: str) -> None:
    assert is_pointer(path)


@pytest.mark.parametrize("path", ["a", "a/b", "#/a", "/~", "/~2", "/a~", "$.a", None, 0, ["/a"], {}])
def test_these_are_not(path: Any) -> None:
    assert not is_pointer(path)


def test_an_input_stays_an_object() -> None:
    assert resolve_input({"x": {"$from": "failed"}}, OUTPUTS) == {"x": None}
    assert resolve_input({"$from": "empty"}, OUTPUTS) == {}
    assert resolve_input({"$from": "roll"}, OUTPUTS) == OUTPUTS["roll"]
    assert resolve_input({"$from": "failed"}, OUTPUTS) == {}
    assert resolve_input({"$from": "roll", "path": "/total"}, OUTPUTS) == {}
    assert resolve_input({"$from": "roll", "path": "/rolls"}, OUTPUTS) == {}


@given(value=JSON)
def test_an_input_without_references_is_left_as_it_is(value: Any) -> None:
    assert resolve(value, OUTPUTS) == value
    assert list(references(value)) == []


@given(output=st.dictionaries(st.text("a~/0", max_size=3), JSON, max_size=4))
def test_every_part_of_an_output_can_be_pointed_at(output: dict[str, Any]) -> None:
    for pointer, part in parts(output):
        assert is_pointer(pointer)
        assert resolve([{"$from": "x", "path": pointer}], {"x": output}) == [part]


def parts(value: Any, pointer: str = "") -> list[tuple[str, Any]]:
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = [(key.replace("~", "~0").replace("/", "~1"), item) for key, item in value.items()]
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [(pointer, value), *(found for key, item in items for found in parts(item, f"{pointer}/{key}"))]
