"""The plot as an index: who sets what, who calls whom, and what must have come before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from narratoria.campaign.campaign import Beat, Campaign, Manifest
from narratoria.campaign.plot import Cause, Plot, expression_flags, is_offered, state_phrases


def beat(id_: str, **fields: Any) -> Beat:
    return msgspec.convert({"id": id_, "title": id_, "description": id_, **fields}, Beat)


def plot(*beats: Beat) -> Plot:
    return Plot(Campaign(Path("/nowhere"), Manifest(title="T", version="1"), beats=beats))


def test_a_flag_is_known_by_the_beats_and_outcomes_that_set_it() -> None:
    found = plot(
        beat("fire", consequences=["burnt"]),
        beat("leap", outcomes=[{"name": "success", "description": "S", "consequences": ["landed"]}]),
    )
    assert found.setters == {"burnt": {Cause("fire")}, "landed": {Cause("leap", "success")}}
    assert found.settled == {"burnt", "landed"}


def test_a_beat_is_called_by_an_outcome_or_when_another_was_not_told_in_time() -> None:
    found = plot(
        beat("a", outcomes=[{"name": "failure", "description": "F", "next_beat": "b"}]),
        beat("b", timeout={"scenes": 5, "fallback_beat": "c"}),
        beat("c"),
    )
    assert found.callers == {"b": {Cause("a", "failure")}, "c": {Cause("b", wait=5)}}


def test_of_two_beats_with_one_name_the_first_counts() -> None:
    found = plot(beat("a", consequences=["one"]), beat("a", consequences=["two"]))
    assert set(found.setters) == {"one"}


def test_what_must_have_come_before_is_followed_to_its_beginning() -> None:
    first = beat("first", consequences=["lit"])
    second = beat("second", conditions={"custom": '"lit" in flags'})
    third = beat("third", conditions={"requires_beat": "second"})
    found = plot(first, second, third)
    assert found.certain(third) == {"second": "", "first": ""}
    assert found.certain_flags(third) == {"lit": "first"}
    assert found.certain(first) == {}


def test_a_beat_that_may_be_called_brings_none_of_its_conditions() -> None:
    caller = beat("caller", outcomes=[{"name": "success", "description": "S", "next_beat": "second"}])
    second = beat("second", conditions={"requires_beat": "first"})
    third = beat("third", conditions={"requires_beat": "second"})
    assert plot(caller, beat("first"), second, third).certain(third) == {"second": ""}


def test_a_flag_that_two_beats_set_is_certain_of_neither() -> None:
    needs = beat("needs", conditions={"custom": '"lit" in flags'})
    found = plot(beat("a", consequences=["lit"]), beat("b", consequences=["lit"]), needs)
    assert found.needs_of(needs) == ()


def test_an_outcome_that_an_expression_asks_for_is_needed() -> None:
    needs = beat("needs", conditions={"custom": 'told["leap"] == "success" && scene > 3'})
    assert plot(beat("leap"), needs).needs_of(needs) == (Cause("leap", "success"),)


def test_beats_that_need_each_other_are_followed_once() -> None:
    a, b = beat("a", conditions={"requires_beat": "b"}), beat("b", conditions={"requires_beat": "a"})
    assert plot(a, b).certain(a) == {"b": "", "a": ""}


def test_the_parts_of_conditions_are_read() -> None:
    one = beat(
        "a", conditions={"custom": '"x" in flags && ("y" in flags || scene > 1)', "world_state": "it rains"}
    )
    assert expression_flags(one) == {"x"}
    assert list(state_phrases(one)) == [("/conditions/world_state", "it rains")]
    assert not is_offered(one)
    assert is_offered(beat("b", conditions={"player_choice": "Wait"}))
