"""The state of an ink story is plain data, and comes back from it as it was."""

from __future__ import annotations

import json

import pytest

from narratoria.campaign.ink.state import Frame, OfferedChoice, RunState, read_state, write_state
from narratoria.campaign.ink.values import InkList, ListItem, Reference, Target

STATE = RunState(
    seed=7,
    turn=3,
    random=99,
    variables={
        "whole": 2,
        "part": 2.0,
        "so": True,
        "text": "a \u2014 b",
        "where": Target("mill.door"),
        "things": InkList(
            frozenset((ListItem("things", "rope", 2), ListItem("things", "lamp", 1))), ("things",)
        ),
        "none": InkList(frozenset(), ("things",)),
    },
    visits={"mill": 2},
    last_turns={"mill": 1},
    choices=[
        OfferedChoice("Go", 12, [Frame("story", 3), Frame("tunnel", 9, {"x": Reference("y", 0)})], ("loud",))
    ],
)


def test_a_state_is_the_same_after_it_was_written_and_read():
    data = json.loads(json.dumps(write_state(STATE, "abc")))

    assert read_state(data) == STATE
    assert write_state(read_state(data), "abc") == data
    assert isinstance(read_state(data).variables["part"], float)


@pytest.mark.parametrize("change", [{"seed": None}, {"choices": [{}]}, {"variables": {"x": {"odd": 1}}}])
def test_what_is_no_state_is_refused(change: dict[str, object]):
    with pytest.raises(ValueError, match="ink story"):
        read_state({**write_state(STATE, "abc"), **change})
