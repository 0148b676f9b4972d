"""The plan_log: what a line holds, that it rotates, and that nothing about it can stop a story."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path
from typing import Any

import pytest

from narratoria.contracts import check
from narratoria.errors import Problem
from narratoria.planning.plan import FailedAttempt, Plan, PlanMetadata, PlanRequest, ToolInvocation
from narratoria.planning.plan_log import (
    NAME,
    PlanLog,
    plan_ids,
    read_last_records,
    read_plan_log,
    records_of_turn,
    rotated_files,
)
from narratoria.planning.plan_log_record import PlanLogRecord
from narratoria.planning.result import Attempt, ExecutionResult, ToolError, ToolResult
from narratoria.protocol.events import DoneEvent, Event, LogEvent
from narratoria.skills.health import SessionHealth, SkillHealth
from narratoria.skills.skill import Skill, SkillScript

FIRST, SECOND, THIRD = (str(uuid.UUID(int=number << 120)) for number in (1, 2, 3))
DICE = Skill(
    name="dice-roller",
    version="1.0.0",
    description="Rolls.",
    folder=Path("/skills/dice-roller"),
    scripts=(SkillScript("roll-dice", Path("/skills/dice-roller/scripts/roll.py")),),
)


def plan_of(plan_id: str = FIRST, *, attempt: int = 1, parent: str | None = None, **call: Any) -> Plan:
    tool = ToolInvocation(**{"tool_id": "roll", "tool_path": "dice-roller/roll-dice"} | call)
    metadata = PlanMetadata(generation_attempt=attempt, parent_plan_id=parent)
    return Plan(request_id=plan_id, tools=(tool,), metadata=metadata)


def result_of(plan: Plan, *tools: ToolResult, **fields: Any) -> ExecutionResult:
    failed = tuple(tool.tool_id for tool in tools if tool.state in ("failed", "timeout"))
    return ExecutionResult(
        **{
            "plan_id": plan.request_id,
            "success": not failed,
            "can_replan": bool(failed),
            "failed_tools": failed,
            "disabled_skills": (),
            "tool_results": tools,
            "aggregated_state": {},
            "aggregated_assets": (),
            "execution_time_ms": 12,
            "attempt_number": plan.metadata.generation_attempt,
        }
        | fields
    )


def rolled(events: tuple[Event, ...] = (), *, runs: int = 1, **fields: Any) -> ToolResult:
    attempts = [Attempt(state="success", events=events, execution_time_ms=12, exit_code=0)] * runs
    return ToolResult.from_attempts(
        "roll", attempts, **{"output": {"total": 17}, "skill": "dice-roller"} | fields
    )


def broken() -> ToolResult:
    error = ToolError(code="NONZERO_EXIT", message="exited with 3", category="process_error")
    return ToolResult.from_attempts("roll", [Attempt(state="failed", error=error)], skill="dice-roller")


def asked(player_input: str = "I roll", **fields: Any) -> PlanRequest:
    return PlanRequest(player_input=player_input, skills=[DICE], **fields)


def lines_of(folder: Path) -> list[bytes]:
    return (folder / NAME).read_bytes().splitlines()


def execute(plan_log: PlanLog, plan: Plan, *tools: ToolResult, **fields: Any) -> None:
    plan_log.record_execution(plan, result_of(plan, *tools, **fields), SessionHealth())


# what a line holds


def test_a_generation_is_a_line_with_the_players_words_the_skills_chosen_and_the_time_it_took(tmp_path):
    request = asked(disabled_skills=frozenset({"memory", "lore"}), attempt=2, parent_plan_id=FIRST)
    PlanLog(tmp_path, story="mill-1").record_generation(
        request, plan_of(SECOND, attempt=2, parent=FIRST), 0.25
    )
    (line,) = lines_of(tmp_path)
    assert check("journal-line", line) == ()
    told = json.loads(line)
    assert told.pop("at").endswith("Z")
    assert told.pop("plan")["requestId"] == SECOND
    assert told == {
        "kind": "generation",
        "planId": SECOND,
        "parentPlanId": FIRST,
        "attempt": 2,
        "outcome": "success",
        "durationMs": 250,
        "playerInput": "I roll",
        "skills": ["dice-roller"],
        "disabledSkills": ["lore", "memory"],
        "category": None,
        "reason": "",
        "problems": [],
        "result": None,
        "health": {},
        "omittedEvents": [],
        "leftOut": [],
        "story": "mill-1",
    }


def test_a_generation_that_gave_no_plan_says_why(tmp_path):
    PlanLog(tmp_path).record_generation(asked(), FailedAttempt(1, "no plan within 5 s", "timeout"), 5.0)
    (entry,) = read_plan_log(tmp_path)
    assert (entry.plan_id, entry.plan(), entry.outcome) == (None, None, "failed")
    assert (entry.category, entry.reason) == ("timeout", "no plan within 5 s")
    assert check("journal-line", lines_of(tmp_path)[0]) == ()


def test_a_plan_that_may_not_run_is_kept_with_its_problems(tmp_path):
    problem = Problem("no skill owns 'x'", "/tools/0/toolPath")
    refused = plan_of(tool_path="x")
    PlanLog(tmp_path).record_generation(
        asked(), FailedAttempt(1, "bad", "invalid_json", refused, (problem,)), 0.1
    )
    (entry,) = read_plan_log(tmp_path)
    assert (entry.plan(), entry.problems, entry.skills) == (refused, (problem,), ())
    assert check("journal-line", lines_of(tmp_path)[0]) == ()


def test_an_execution_is_a_line_with_the_whole_result_and_the_health_of_the_skills(tmp_path):
    plan, events = (
        plan_of(),
        (LogEvent(version="0", level="info", message="17!"), DoneEvent(version="0", ok=True)),
    )
    result = result_of(plan, rolled(events), aggregated_state={"total": 17})
    health = SessionHealth({"dice-roller": SkillHealth("degraded", 2)})
    PlanLog(tmp_path).record_execution(plan, result, health)
    (entry,) = read_plan_log(tmp_path)
    assert (entry.kind, entry.outcome, entry.duration_ms) == ("execution", "success", 12)
    assert (entry.plan(), entry.result(), entry.health) == (plan, result, dict(health.skills))
    assert (entry.skills, entry.omitted_events, entry.left_out) == (("dice-roller",), (), ())
    assert check("journal-line", lines_of(tmp_path)[0]) == ()


def test_an_execution_that_failed_names_category_and_reason(tmp_path):
    execute(PlanLog(tmp_path), plan_of(), broken(), disabled_skills=("dice-roller",))
    (entry,) = read_plan_log(tmp_path)
    assert (entry.outcome, entry.category, entry.reason) == ("failed", "process_error", "roll: exited with 3")
    assert entry.disabled_skills == ("dice-roller",)


def test_an_execution_without_time_to_start_anything_says_that(tmp_path):
    late = ToolError(code="PLAN_DEADLINE", message="the plan's 1 s were over", category="timeout")
    execute(PlanLog(tmp_path), plan_of(), ToolResult.skipped("roll", late), success=False)
    (entry,) = read_plan_log(tmp_path)
    assert (entry.category, entry.reason) == ("timeout", "roll: the plan's 1 s were over")


def test_an_execution_that_succeeded_needs_no_reason_even_if_an_optional_tool_failed(tmp_path):
    execute(PlanLog(tmp_path), plan_of(), broken(), success=True)
    (entry,) = read_plan_log(tmp_path)
    assert (entry.outcome, entry.category, entry.reason) == ("success", None, "")


def test_a_plan_that_was_given_up_is_a_line_too(tmp_path):
    PlanLog(tmp_path).record_cancellation(plan_of(), 1.5)
    (entry,) = read_plan_log(tmp_path)
    assert (entry.outcome, entry.duration_ms, entry.plan(), entry.result()) == (
        "cancelled",
        1500,
        plan_of(),
        None,
    )
    assert check("journal-line", lines_of(tmp_path)[0]) == ()


# keeping it short


def chatter(count: int, size: int = 1) -> tuple[Event, ...]:
    return tuple(LogEvent(version="0", level="info", message=f"{n} {'x' * size}") for n in range(count))


# files


def test_a_journal_is_for_its_owner_alone(tmp_path):
    plan_log = PlanLog(tmp_path / "home" / "logs", max_bytes=1)
    execute(plan_log, plan_of(), rolled())
    execute(plan_log, plan_of(), rolled())
    folder = tmp_path / "home" / "logs"
    files = [folder / NAME, *rotated_files(folder)]
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_full_file_is_put_aside_and_only_so_many_are_kept(tmp_path):
    plan_log = PlanLog(tmp_path, max_bytes=3_000, max_rotated_files=2)
    for _ in range(40):
        execute(plan_log, plan_of(), rolled())
    assert len(rotated_files(tmp_path)) == 2
    assert all(0 < file.stat().st_size <= 3_000 for file in [tmp_path / NAME, *rotated_files(tmp_path)])


def test_reading_goes_from_the_oldest_to_the_newest_across_the_files(tmp_path):
    plan_log = PlanLog(tmp_path, max_bytes=2_000, max_rotated_files=100)
    for number in range(30):
        plan_log.record_cancellation(plan_of(), number / 1000)
    assert len(rotated_files(tmp_path)) > 3
    assert [entry.duration_ms for entry in read_plan_log(tmp_path)] == list(range(30))


def test_a_file_put_aside_while_it_is_read_is_read_once(tmp_path):
    plan_log = PlanLog(tmp_path, max_bytes=2_000, max_rotated_files=100)
    for number in range(10):
        plan_log.record_cancellation(plan_of(), number / 1000)
    reading = read_plan_log(tmp_path)
    seen = [next(reading).duration_ms]
    current = tmp_path / NAME
    current.rename(tmp_path / "plans-29991231T000000000000-1.jsonl")
    plan_log.record_cancellation(plan_of(), 99)
    assert seen + [entry.duration_ms for entry in reading] == list(range(10))


def test_there_is_nothing_to_read_where_there_is_no_journal(tmp_path):
    assert list(read_plan_log(tmp_path / "nowhere")) == []


def test_torn_lines_are_passed_over_and_the_next_line_starts_afresh(tmp_path):
    plan_log = PlanLog(tmp_path)
    plan_log.record_cancellation(plan_of(), 1)
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole + whole[: len(whole) // 2])
    assert [entry.duration_ms for entry in read_plan_log(tmp_path)] == [1000]
    plan_log.record_cancellation(plan_of(), 2)
    assert [entry.duration_ms for entry in read_plan_log(tmp_path)] == [1000, 2000]


@pytest.mark.parametrize(
    "junk", [b"\xff\xfe\n", b"[]\n", b"{}\n", b"\n\n", b"[" * 100_000 + b"\n", b"\0" * 4096]
)
def test_lines_that_are_no_entries_are_passed_over(tmp_path, junk):
    (tmp_path / NAME).write_bytes(junk)
    PlanLog(tmp_path).record_cancellation(plan_of(), 1)
    assert [entry.duration_ms for entry in read_plan_log(tmp_path)] == [1000]


WRITER = """
    import sys
    from pathlib import Path
    from narratoria.planning.plan_log import PlanLog
    from narratoria.planning.plan import Plan
    plan_log = PlanLog(Path(sys.argv[1]), max_bytes=20_000, max_rotated_files=1_000)
    plan = Plan(request_id=sys.argv[2], tools=())
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(400):
        plan_log.record_cancellation(plan, number / 1000)
"""


def test_two_processes_lose_no_line_while_the_files_rotate(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path)]
    with (
        subprocess.Popen([*command, FIRST], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one,
        subprocess.Popen([*command, SECOND], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other,
    ):
        assert (one.stdout.readline(), other.stdout.readline()) == (b"ready\n", b"ready\n")
        for writer in (one, other):
            writer.stdin.write(b"go\n")
            writer.stdin.flush()
    assert (one.returncode, other.returncode) == (0, 0)
    found = list(read_plan_log(tmp_path))
    for plan_id in (FIRST, SECOND):
        numbers = sorted(entry.duration_ms for entry in found if entry.plan_id == plan_id)
        assert numbers == list(range(400))
    files = [*rotated_files(tmp_path), tmp_path / NAME]
    assert len(files) > 5
    lines = [line for file in files for line in file.read_bytes().splitlines() if line]  # blank ones may be
    assert len(lines) == 800
    assert all(line.startswith(b"{") and line.endswith(b"}") for line in lines)


# a journal is no reason to stop


def test_a_folder_that_cannot_be_is_told_once_and_the_story_goes_on(tmp_path, caplog):
    (tmp_path / "logs").write_text("a file where the folder should be")
    plan_log = PlanLog(tmp_path / "logs")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            execute(plan_log, plan_of(), rolled())
    (record,) = caplog.records
    assert str(tmp_path / "logs") in record.getMessage()
    assert "the story goes on" in record.getMessage()


FULL_DISK = """
    import resource, sys
    from pathlib import Path
    from narratoria.planning.plan_log import PlanLog
    from narratoria.planning.plan import Plan
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500, resource.RLIM_INFINITY))
    plan_log = PlanLog(Path(sys.argv[1]))
    for number in range(10):
        plan_log.record_cancellation(Plan(request_id=sys.argv[2], tools=()), number / 1000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    plan_log.record_cancellation(Plan(request_id=sys.argv[2], tools=()), 99)
    print("the story goes on")
"""


@pytest.mark.skipif(os.name == "nt", reason="no limit on the size of files")
def test_a_full_disk_tears_one_line_is_told_once_and_the_next_line_counts_again(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), str(tmp_path), FIRST],
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"the story goes on\n"
    assert done.stderr.count(b"\n") == 1
    assert b"cannot be written (File too large)" in done.stderr
    assert [entry.duration_ms for entry in read_plan_log(tmp_path)] == [0, 1, 99_000]


# looking things up


@pytest.fixture
def replanned(tmp_path) -> list[PlanLogRecord]:
    """A turn whose first attempt gave no plan, whose second failed and whose fourth came to an end."""
    plan_log = PlanLog(tmp_path)
    plan_log.record_generation(asked("I wait"), FailedAttempt(1, "another turn", "timeout"), 1)
    plan_log.record_generation(asked(), FailedAttempt(1, "too slow", "timeout"), 1)
    plan_log.record_generation(asked(attempt=2), plan_of(FIRST, attempt=2), 1)
    execute(plan_log, plan_of(FIRST, attempt=2), broken())
    plan_log.record_generation(
        asked(attempt=3, parent_plan_id=FIRST), FailedAttempt(3, "no JSON", "invalid_json"), 1
    )
    plan_log.record_generation(
        asked(attempt=4, parent_plan_id=FIRST), plan_of(SECOND, attempt=4, parent=FIRST), 1
    )
    execute(plan_log, plan_of(SECOND, attempt=4, parent=FIRST), rolled())
    plan_log.record_generation(asked("I leave"), plan_of(THIRD), 1)
    return list(read_plan_log(tmp_path))


@pytest.mark.parametrize("plan_id", [FIRST, SECOND])
def test_a_turn_is_found_from_each_of_its_plans_with_the_attempts_that_gave_none(replanned, plan_id):
    assert records_of_turn(replanned, plan_id) == replanned[1:7]


def test_a_plan_without_relatives_is_a_turn_of_its_own(replanned):
    assert records_of_turn(replanned, THIRD) == replanned[7:]
    assert records_of_turn(replanned, str(uuid.uuid4())) == []


def test_ids_are_found_by_how_they_begin_the_latest_first(replanned):
    assert plan_ids(replanned, "") == [THIRD, SECOND, FIRST]
    assert plan_ids(replanned, SECOND[:4]) == [SECOND]
    assert plan_ids(replanned, SECOND.upper()) == [SECOND]
    assert plan_ids(replanned, "f") == []


def test_the_last_records_come_first_and_only_the_end_of_a_long_file_is_read(tmp_path):
    log = PlanLog(tmp_path)
    assert list(read_last_records(tmp_path)) == []
    for words in ("one", "two", "three"):
        log.record_generation(asked(words), plan_of(), 0.1)
    assert [record.player_input for record in read_last_records(tmp_path)] == ["three", "two", "one"]
    length = len(lines_of(tmp_path)[-1])
    last = read_last_records(tmp_path, most_bytes=length + length // 2)
    assert [record.player_input for record in last] == ["three"]
