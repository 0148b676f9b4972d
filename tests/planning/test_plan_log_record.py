"""A line of the plan log: whole, short enough, and what it says of a turn."""

from __future__ import annotations

import json
from typing import get_type_hints

import msgspec
import pytest
from tests.planning.test_plan_log import FIRST, asked, chatter, execute, lines_of, plan_of, rolled

from narratoria.contracts import check, load
from narratoria.planning import plan_log_record as entries_module
from narratoria.planning.plan import FailedAttempt
from narratoria.planning.plan_log import (
    PlanLog,
    read_plan_log,
)
from narratoria.planning.plan_log_record import MAX_EVENTS, MAX_LINE, PlanLogRecord


def test_type_and_contract_have_the_same_fields_defaults_and_requirements():
    schema = load("journal-line")
    for struct, part in (
        (PlanLogRecord, schema),
        (entries_module.OmittedEvents, schema["$defs"]["omittedEvents"]),
    ):
        fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
        assert set(fields) == set(part["properties"])
        assert {name for name, field in fields.items() if field.required} == set(part["required"])
    entry = PlanLogRecord(
        kind="execution",
        at="",
        plan_id=None,
        parent_plan_id=None,
        attempt=1,
        outcome="success",
        duration_ms=0,
    )
    defaults = {name: field["default"] for name, field in schema["properties"].items() if "default" in field}
    assert defaults.items() <= json.loads(msgspec.json.encode(entry)).items()
    assert set(get_type_hints(PlanLogRecord)["left_out"].__args__[0].__args__) == set(
        schema["properties"]["leftOut"]["items"]["enum"]
    )


def test_a_chatty_tool_keeps_its_first_and_its_last_events_and_the_count_of_the_others(tmp_path):
    events = chatter(10_000)
    execute(PlanLog(tmp_path), plan_of(), rolled(events))
    (entry,) = read_plan_log(tmp_path)
    (omitted,) = entry.omitted_events
    assert (omitted.tool_id, omitted.attempt, omitted.count) == ("roll", 1, 10_000 - MAX_EVENTS)
    half = MAX_EVENTS // 2
    assert entry.result().of("roll").attempts[0].events == events[:half] + events[-half:]
    assert check("journal-line", lines_of(tmp_path)[0]) == ()


@pytest.mark.parametrize(
    ("plan", "tools", "fields", "left_out"),
    [
        (plan_of(), rolled(chatter(50, 100_000)), {}, ("events",)),
        (plan_of(), rolled(output={"map": "x" * MAX_LINE}), {}, ("events", "values")),
        (plan_of(), rolled(), {"aggregated_state": {"map": "x" * MAX_LINE}}, ("events", "values")),
        (plan_of(input={"map": "x" * MAX_LINE}), rolled(), {}, ("events", "values")),
        (plan_of(), [rolled(runs=11)] * 1_500, {}, ("events", "values", "attempts")),
        (plan_of(tool_path="x" * MAX_LINE), rolled(), {}, ("events", "values", "attempts", "plan")),
        (
            plan_of(tool_path="x" * MAX_LINE),
            rolled(tool_path="x" * MAX_LINE),
            {},
            ("events", "values", "attempts", "plan", "result"),
        ),
    ],
    ids=["events", "output", "state", "input", "attempts", "plan", "result"],
)
def test_a_line_never_gets_long_and_says_what_was_left_out(tmp_path, plan, tools, fields, left_out):
    execute(PlanLog(tmp_path), plan, *(tools if isinstance(tools, list) else [tools]), **fields)
    (line,) = lines_of(tmp_path)
    (entry,) = read_plan_log(tmp_path)
    assert len(line) <= MAX_LINE
    assert (entry.left_out, entry.plan_id, entry.outcome) == (left_out, FIRST, "success")
    assert check("journal-line", line) == ()


@pytest.mark.parametrize(
    "value",
    [object(), "\ud800", {"deep": [object()]}, {(1, 2): 3}],
    ids=["an object", "half a character", "an object within", "a key of two"],
)
def test_values_that_json_cannot_hold_cost_the_values_and_not_the_line(tmp_path, value):
    PlanLog(tmp_path).record_generation(asked("half \ud800"), plan_of(input={"odd": value}), 0.1)
    (entry,) = read_plan_log(tmp_path)
    assert (entry.player_input, entry.plan_id, entry.left_out) == ("half ?", FIRST, ("events", "values"))
    assert entry.plan() == plan_of()


def test_an_id_that_json_cannot_hold_does_not_stop_the_story_either(tmp_path):
    PlanLog(tmp_path).record_generation(asked(), plan_of("\ud800"), 0.1)
    PlanLog(tmp_path).record_generation(asked(), FailedAttempt(1, "half \ud800", "process_error"), 0.1)
    first, second = read_plan_log(tmp_path)
    assert (first.plan_id, second.reason) == ("?", "half ?")


def test_a_players_long_speech_is_cut(tmp_path):
    PlanLog(tmp_path).record_generation(asked("word " * 2_000_000), plan_of(), 0.1)
    (entry,) = read_plan_log(tmp_path)
    assert entry.player_input.startswith("word word")
    assert len(entry.player_input) == 4_000
