"""Session state: what a patch does, what it never does, and the laws of merging."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narratoria.state import MAX_DEPTH, SessionState, deep_merge

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3)
keys = st.sampled_from("abcd")
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(keys, values, max_size=4)


def nested(depth: int, leaf: Any = 1) -> dict[str, Any]:
    value: Any = leaf
    for _ in range(depth):
        value = {"a": value}
    return value


def holds_null(value: Any) -> bool:
    return isinstance(value, dict) and any(item is None or holds_null(item) for item in value.values())


# the three examples of the architecture


def test_objects_merge_key_by_key() -> None:
    assert deep_merge({"a": {"b": 1, "c": 2}}, {"a": {"c": 3, "d": 4}}) == {"a": {"b": 1, "c": 3, "d": 4}}


def test_an_array_replaces_the_array_before_it() -> None:
    assert deep_merge({"items": [1, 2, 3]}, {"items": [4, 5]}) == {"items": [4, 5]}


def test_a_null_in_a_patch_deletes_the_key() -> None:
    assert deep_merge({"a": 1, "b": 2}, {"b": None}) == {"a": 1}


# nulls


def test_a_null_for_a_key_that_is_not_there_changes_nothing() -> None:
    assert deep_merge({"a": 1}, {"b": None}) == {"a": 1}


def test_a_null_in_an_object_that_is_new_leaves_no_key_behind() -> None:
    assert deep_merge({}, {"door": {"key": None, "open": True}}) == {"door": {"open": True}}


def test_a_null_in_an_object_that_replaces_a_number_leaves_no_key_behind() -> None:
    assert deep_merge({"door": 7}, {"door": {"key": None}}) == {"door": {}}


def test_nulls_inside_arrays_are_kept() -> None:
    assert deep_merge({}, {"slots": [None, {"item": None}]}) == {"slots": [None, {"item": None}]}


def test_an_empty_object_in_a_patch_does_not_clear_what_is_there() -> None:
    assert deep_merge({"a": {"b": 1}}, {"a": {}}) == {"a": {"b": 1}}


def test_a_falsy_value_is_a_value() -> None:
    assert deep_merge({"a": 1, "b": 1, "c": [1]}, {"a": 0, "b": False, "c": []}) == {
        "a": 0,
        "b": False,
        "c": [],
    }


def test_a_state_made_from_values_holds_no_nulls_either() -> None:
    assert SessionState({"a": None, "b": {"c": None}}).to_dict() == {"b": {}}


# laws


@given(objects)
def test_the_empty_patch_changes_nothing(target: dict[str, Any]) -> None:
    assert deep_merge(target, {}) == target


@given(objects, objects)
def test_a_patch_applied_twice_is_a_patch_applied_once(target: dict[str, Any], patch: dict[str, Any]) -> None:
    once = SessionState(target).apply_patch(patch)
    assert once.apply_patch(patch) == once


@given(objects, objects)
def test_a_state_never_holds_a_null_outside_arrays(target: dict[str, Any], patch: dict[str, Any]) -> None:
    assert not holds_null(SessionState(target).apply_patch(patch).to_dict())


@given(objects, objects)
def test_every_key_goes_by_the_rule(target: dict[str, Any], patch: dict[str, Any]) -> None:
    before = SessionState(target).to_dict()
    merged = deep_merge(before, patch)
    for key in before.keys() | patch.keys():
        if key not in patch:
            assert merged[key] == before[key]
        elif patch[key] is None:
            assert key not in merged
        elif isinstance(patch[key], dict):
            below = before.get(key)
            assert merged[key] == deep_merge(below if isinstance(below, dict) else {}, patch[key])
        else:
            assert merged[key] == patch[key]


# Merging is associative for patches that agree on which paths are objects, if the later one deletes nothing:
# the sum of two patches cannot remember that a key was deleted, or was not an object for a moment. Here the
# first letter of a key says what it holds, so that all patches agree.
leaves = st.dictionaries(
    st.sampled_from(["v1", "v2"]), st.integers(0, 9) | st.lists(st.none(), max_size=2), max_size=2
)
agreeing = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda values, children: values | children,
        leaves,
        st.dictionaries(st.sampled_from(["o1", "o2"]), inner, max_size=2),
    ),
    max_leaves=8,
)
deleting = st.dictionaries(st.sampled_from(["v1", "v2"]), st.none(), max_size=2)


@given(agreeing, st.builds(dict.__or__, agreeing, deleting), agreeing)
def test_agreeing_patches_may_be_added_up_before_they_are_applied(
    state: dict[str, Any], earlier: dict[str, Any], later: dict[str, Any]
) -> None:
    one_by_one = deep_merge(deep_merge(state, earlier), later)
    assert deep_merge(state, deep_merge(earlier, later)) == one_by_one


def test_the_sum_of_patches_forgets_a_deletion_so_order_has_to_be_kept() -> None:
    state, earlier, later = {"a": {"old": 1}}, {"a": None}, {"a": {"new": 2}}
    assert deep_merge(deep_merge(state, earlier), later) == {"a": {"new": 2}}
    assert deep_merge(state, deep_merge(earlier, later)) == {"a": {"old": 1, "new": 2}}


@given(objects, objects, objects)
def test_patches_to_different_keys_may_come_in_any_order(
    target: dict[str, Any], left: dict[str, Any], right: dict[str, Any]
) -> None:
    right = {key: value for key, value in right.items() if key not in left}
    assert deep_merge(deep_merge(target, left), right) == deep_merge(deep_merge(target, right), left)


# nothing is shared with the outside, everything is shared between states


def ruin(value: Any) -> None:
    """Changes every container there is, from the inside out."""
    if isinstance(value, dict):
        for item in value.values():
            ruin(item)
        value["ruined"] = True
    elif isinstance(value, list):
        for item in value:
            ruin(item)
        value.append("ruined")


@given(objects, objects)
def test_no_change_to_patch_or_copy_reaches_a_state(target: dict[str, Any], patch: dict[str, Any]) -> None:
    first = SessionState(target)
    second = first.apply_patch(patch)
    first_was, second_was = copy.deepcopy(first.to_dict()), copy.deepcopy(second.to_dict())
    ruin(target)
    ruin(patch)
    ruin(second.to_dict())
    for key in second_was:
        ruin(second.get(key))
    second.apply_patch({"a": {"b": {"c": 1}}})
    assert first.to_dict() == first_was
    assert second.to_dict() == second_was


@given(objects, objects)
def test_merging_leaves_its_arguments_alone(target: dict[str, Any], patch: dict[str, Any]) -> None:
    target_was, patch_was = copy.deepcopy(target), copy.deepcopy(patch)
    ruin(deep_merge(target, patch))
    assert (target, patch) == (target_was, patch_was)


def test_what_a_patch_does_not_touch_is_shared_between_states() -> None:
    first = SessionState({"world": {"places": {"inn": [1] * 1000}}, "hp": 10})
    second = first.apply_patch({"hp": 9})
    assert second._root["world"] is first._root["world"]


def test_a_snapshot_stays_what_it_was() -> None:
    state = SessionState({"hp": 10, "bag": {"torch": 1}})
    saved = state.snapshot()
    state = state.apply_patch({"hp": 3, "bag": {"torch": None}})
    assert saved.to_dict() == {"hp": 10, "bag": {"torch": 1}}
    assert state.to_dict() == {"hp": 3, "bag": {}}


# reading


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("inventory.torch.lit", True),
        ("party.1.name", "Ada"),
        ("party", [{"name": "Bo"}, {"name": "Ada"}]),
        ("scores.0", 7),
        (
            "",
            {
                "inventory": {"torch": {"lit": True}},
                "party": [{"name": "Bo"}, {"name": "Ada"}],
                "scores": {"0": 7},
            },
        ),
    ],
)
def test_a_dotted_path_leads_to_a_value(path: str, value: Any) -> None:
    state = SessionState(
        {
            "inventory": {"torch": {"lit": True}},
            "party": [{"name": "Bo"}, {"name": "Ada"}],
            "scores": {"0": 7},
        }
    )
    assert state.get(path) == value


@pytest.mark.parametrize(
    "path", ["x", "a.x", "a.b.c", "list.2", "list.-1", "list.x", "list.²", "list." + "9" * 5000, "."]
)
def test_a_path_that_leads_nowhere_gives_the_default(path: str) -> None:
    assert SessionState({"a": {"b": 1}, "list": [1, 2]}).get(path, "default") == "default"


def test_a_stored_falsy_value_is_not_the_default() -> None:
    assert SessionState({"a": 0}).get("a", 5) == 0


# depth


def test_a_state_of_the_allowed_depth_works_throughout() -> None:
    state = SessionState(nested(MAX_DEPTH)).apply_patch(nested(MAX_DEPTH, 2))
    assert state.to_dict() == nested(MAX_DEPTH, 2)


@pytest.mark.parametrize("deep", [nested(MAX_DEPTH + 1), nested(100_000), {"a": [nested(MAX_DEPTH - 1)]}])
def test_a_patch_that_is_too_deep_is_refused(deep: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="100 levels"):
        SessionState().apply_patch(deep)
