"""The kit tells the misbehaving tools of the zoo apart, each by the rules it breaks and by no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from narratoria.protocol.command import command_for
from narratoria.protocol.conformance.mctl import MctlKit
from narratoria.protocol.conformance.observe import record
from narratoria.protocol.conformance.rules import RuleViolation
from narratoria.protocol.conformance.v0 import V0Kit
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.process import run

ZOO = Path(__file__).parents[2] / "tools"
PATIENT = Limits(timeout=40)
BRIEF = Limits(timeout=1, exit_grace=0.3, kill_grace=0.3)  # for endings that have to be brought about

V0 = {
    "aborts.py": "exit-code",
    "array.py": "json-lines",
    "asset_directory.py": "asset-files",
    "asset_names_no_file_can_have.py": "asset-files",
    "asset_duplicate_id.py": "asset-ids",
    "asset_missing_file.py": "asset-files",
    "asset_without_path.py": "event-fields",
    "bad_level.py": "event-fields",
    "bad_media_type.py": "event-fields",
    "bad_timestamp.py": "event-fields",
    "binary_stderr.py": "",
    "blank_lines.py": "no-blank-lines unix-newlines",
    "blank_lines_then_junk.py": "json-lines no-blank-lines",
    "bom_on_first_line.py": "no-bom",
    "bom_on_second_line.py": "json-lines",
    "brackets_in_a_string.py": "",
    "closes_stderr.py": "",
    "closes_stdin.py": "",
    "closes_stdout_and_exits.py": "one-done",
    "comment.py": "json-lines",
    "control_character.py": "json-lines",
    "crlf.py": "unix-newlines",
    "done_false_then_exits_3.py": "exit-code",
    "done_false_without_error.py": "error-before-failure",
    "duplicate_ignored_key.py": "unique-keys",
    "duplicate_key.py": "unique-keys",
    "duplicate_key_in_disguise.py": "unique-keys",
    "duplicate_key_in_patch.py": "unique-keys",
    "empty_error_code.py": "event-fields",
    "empty_object.py": "event-type version",
    "error_then_done_false.py": "",
    "error_then_done_true.py": "failure-after-error",
    "error_without_done.py": "one-done",
    "event_over_two_lines.py": "json-lines",
    "events_after_done.py": "nothing-after-done",
    "exits_0_silently.sh": "one-done",
    "exits_1_with_stderr.py": "exit-code",
    "exits_255.sh": "exit-code",
    "exits_3_after_the_end.py": "exit-code",
    "fields_array.py": "event-fields",
    "floods_events.py": "output-limits",
    "half_a_line_after_done.py": "last-newline nothing-after-done",
    "half_a_line_then_exit.py": "json-lines last-newline one-done",
    "huge_number.py": "event-fields",
    "infinity.py": "json-lines",
    "invalid_utf8.py": "utf-8",
    "invalid_utf8_in_ignored_field.py": "utf-8",
    "junk_after_done.py": "nothing-after-done",
    "junk_after_the_object.py": "json-lines",
    "kills_itself.py": "exit-code",
    "line_of_9_mib.py": "line-limits",
    "line_within_8_mib.py": "",
    "lone_surrogate.py": "event-fields",
    "missing_type.py": "event-type",
    "missing_version.py": "version",
    "nan.py": "json-lines",
    "nan_in_ignored_field.py": "json-lines",
    "nested_100.py": "",
    "nested_101.py": "line-limits",
    "nested_100000.py": "line-limits",
    "never_reads_stdin.py": "",
    "no_done.py": "one-done",
    "no_last_newline.py": "last-newline",
    "nul_bytes.py": "json-lines",
    "null.py": "json-lines",
    "odd_line_separators.py": "",
    "ok_as_string.py": "event-fields",
    "ok_missing.py": "event-fields",
    "old_mac_newlines.py": "json-lines",
    "patch_array.py": "event-fields",
    "plain_text.sh": "json-lines",
    "request_id_as_number.py": "event-fields",
    "single_quotes.py": "json-lines",
    "splits_a_character.py": "",
    "trailing_comma.py": "json-lines",
    "two_dones.py": "one-done",
    "two_objects_on_a_line.py": "json-lines",
    "type_as_number.py": "event-type",
    "type_in_capitals.py": "event-type",
    "unknown_fields.py": "",
    "unknown_type.py": "event-type",
    "utf16.py": "json-lines last-newline one-done utf-8",
    "version_as_number.py": "version",
    "wrong_version.py": "version",
}

V0_ENDLESS = {
    "bad_line_then_hangs.py": "ends-in-time json-lines",
    "done_then_floods.py": "exits-after-done nothing-after-done",
    "done_then_hangs.py": "exits-after-done",
    "half_a_line_then_hang.py": "ends-in-time",
    "hangs.py": "ends-in-time",
}

MCTL = {
    "aborts.py": "exit-code",
    "bad_level.py": "event-fields",
    "bad_ts.py": "event-fields",
    "blank_lines.py": "no-blank-lines unix-newlines",
    "duplicate_key.py": "unique-keys",
    "error_then_exit_1.py": "",
    "exits_0_silently.sh": "result-on-success",
    "exits_1_silently.sh": "error-on-failure",
    "exits_255.sh": "exit-code",
    "floods_events.py": "output-limits",
    "invalid_utf8.py": "utf-8",
    "junk_only.py": "json-lines started-first",
    "missing_payload.py": "event-fields",
    "missing_ts.py": "event-fields",
    "missing_type.py": "event-type",
    "no_result.py": "result-on-success",
    "plain_text.sh": "json-lines",
    "two_results.py": "",
    "unknown_fields.py": "",
    "unknown_type.py": "event-type",
    "wrong_tool_id.py": "tool-id",
}


async def breaches_of(path: Path, kit: V0Kit | MctlKit, limits: Limits = PATIENT) -> list[RuleViolation]:
    transcript = await record(command_for(path), next(kit.probes()), limits, kit.is_last)
    return [*kit.examine(transcript), *kit.ending(transcript)]


async def broken_rules(path: Path, kit: V0Kit | MctlKit, limits: Limits = PATIENT) -> str:
    return " ".join(sorted({breach.rule.id for breach in await breaches_of(path, kit, limits)}))


@pytest.mark.parametrize("name", V0)
async def test_a_tool_of_the_zoo_breaks_just_these_rules(name):
    assert await broken_rules(ZOO / "v0" / name, V0Kit("zoo")) == V0[name]


@pytest.mark.parametrize("name", V0_ENDLESS)
async def test_a_tool_that_does_not_end_breaks_just_these_rules(name):
    assert await broken_rules(ZOO / "v0" / name, V0Kit("zoo"), BRIEF) == V0_ENDLESS[name]


@pytest.mark.parametrize("name", V0)
async def test_what_the_runner_refuses_fails_and_what_it_accepts_does_not_fail_for_its_lines(name):
    """The kit and the runner never disagree; what the runner overlooks, the kit may still mind."""
    path = ZOO / "v0" / name
    outcome = await run(command_for(path), b"{}", NARRATORIA_V0, limits=PATIENT)
    breaches = await breaches_of(path, V0Kit("zoo"))
    overlooked = {"nothing-after-done", "one-done", "asset-ids", "asset-files"}
    broken = {breach.rule.id for breach in breaches if breach.rule.weight == "fail"}

    if outcome.failure and outcome.failure.category != "tool_failure":
        assert broken
    else:
        assert broken <= overlooked


async def test_a_breach_names_the_line_the_value_and_a_way_out():
    (breach,) = await breaches_of(ZOO / "v0" / "bad_level.py", V0Kit("zoo"))

    assert breach.line == 2
    assert breach.happened == "log: level: 'fatal' is not a level (debug, info, warn, error)"
    assert breach.advice
