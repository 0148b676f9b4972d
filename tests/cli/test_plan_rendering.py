"""`narratoria trace`, as a real process, over what real runs and a planner's turn have written down."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from narratoria import contracts
from narratoria.errors import PlanRejected, Problem
from narratoria.planning.execute import execute
from narratoria.planning.plan import FailedAttempt, Plan, PlanRequest, RetryPolicy, ToolInvocation
from narratoria.planning.plan_log import PlanLog
from narratoria.planning.prepare import prepare_plan
from narratoria.planning.replan import run_replan_loop
from narratoria.skills.discovery import Catalogue, discover
from narratoria.skills.resolve import Tools
from narratoria.state import SessionState

DONE = 'emit("log", level="info", message="here")\nemit("done", ok=True)\n'
FAIL = 'print("squinting", file=sys.stderr)\nemit("error", errorCode="TOO_DARK", errorMessage="too dark")\n'
FAIL += 'emit("done", ok=False)\n'
FIRST, SECOND = "aaaa0000-0000-4000-8000-000000000001", "aaaa1111-0000-4000-8000-000000000002"
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
TOOK = re.compile(r" *\b(?:\d+ ms|\d+\.\d\d s)")


def steady(text: str) -> list[str]:
    """The lines with their times taken out."""
    return [TOOK.sub(" TOOK", TIME.sub("TIME", line)).rstrip() for line in text.splitlines()]


class Planned:
    """A planner that says what it was told to say, one thing after the other."""

    def __init__(self, *answers: Plan | Exception) -> None:
        self._answers: Iterator[Plan | Exception] = iter(answers)

    async def generate(self, request: PlanRequest) -> Plan:
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def plan_of(plan_id: str, tool_path: str) -> Plan:
    once = RetryPolicy(max_retries=0)
    return Plan(
        request_id=plan_id, tools=(ToolInvocation(tool_id="see", tool_path=tool_path, retry_policy=once),)
    )


@pytest.fixture
def turn(cave) -> None:
    """Three attempts: no plan, a plan whose tool fails, a plan that comes to its end."""
    cave.skill("eyes", FAIL)
    cave.skill("ears", DONE)
    catalogue: Catalogue = discover([cave.home / "skills"])
    rejected = PlanRejected([Problem("a JSON value is expected", "/tools", "answer", 3)])
    asyncio.run(
        run_replan_loop(
            "I look around",
            SessionState(),
            planner=Planned(rejected, plan_of(FIRST, "eyes/act"), plan_of(SECOND, "ears/act")),
            skills=catalogue.skills,
            resolve=Tools(catalogue).resolve,
            execute=execute,
            plan_log=PlanLog(cave.home / "logs"),
        )
    )


# the list


def test_the_latest_runs_are_a_table_the_newest_first(cave, call, turn):
    listed = cave.narratoria("trace")

    assert (listed.returncode, listed.stderr) == (0, "")
    heading, *rows = (re.split(r"  +", line) for line in listed.stdout.splitlines())
    assert heading == ["TIME", "ID", "OUTCOME", "TOOLS", "DURATION", "ATTEMPT", "REASON"]
    assert [row[1:4] + row[5:] for row in rows] == [
        ["aaaa1111", "success", "1/1", "3"],
        ["aaaa0000", "failed", "0/1", "2", "see: too dark"],
        ["–", "no plan", "–", "1", "answer:3 /tools: a JSON value is expected"],
    ]
    assert all(TIME.fullmatch(row[0]) for row in rows)


def test_the_list_is_as_long_as_it_is_asked_to_be(cave, turn):
    assert len(cave.narratoria("trace", "-n", "1").stdout.splitlines()) == 2
    assert cave.narratoria("trace", "-n", "0").returncode == 2


def test_a_plan_that_was_rejected_is_in_the_list_with_its_problems_in_the_tree(cave):
    plan = plan_of(FIRST, "nobody/act")
    with pytest.raises(PlanRejected) as rejected:
        prepare_plan(plan, Tools(Catalogue()).resolve)
    problems = rejected.value.problems
    failed = FailedAttempt(1, str(rejected.value), "invalid_json", plan, problems)
    PlanLog(cave.home / "logs").record_generation(PlanRequest("I look", []), failed, 0.1)

    assert re.search("aaaa0000  rejected  0/1 ", cave.narratoria("trace").stdout)
    assert steady(cave.narratoria("trace", FIRST).stdout) == [
        f"plan {FIRST}",
        "  “I look”",
        "  TIME  rejected in TOOK (attempt 1 of 5)",
        f"    /tools/0/toolPath: {problems[0].message}",
        "└─ see  nobody/act",
    ]


def test_where_nothing_was_run_the_list_says_so(cave):
    listed = cave.narratoria("trace")
    assert (listed.returncode, listed.stdout) == (0, "")
    assert "No plan has been run yet" in listed.stderr


# the tree


def test_a_run_is_a_tree_of_tools_with_their_attempts_events_and_errors(cave, call):
    cave.skill("eyes", FAIL)
    cave.skill("ears", DONE)
    plan = cave.plan(
        call("hear", "ears/act", required=False),
        call("see", "eyes/act", "hear", retries=1),
        call("tell", "ears/act", "hear", "see"),
    )
    assert cave.narratoria("run", plan).returncode == 1

    shown = cave.narratoria("trace", cave.plan_id[:13])

    assert (shown.returncode, shown.stderr) == (0, "")
    assert steady(shown.stdout) == [
        f"plan {cave.plan_id}",
        "  TIME  failed after TOOK: see: too dark",
        "├─ hear  success TOOK  ears/act, optional",
        "│     events: 1 log, 1 done",
        "├─ see   failed TOOK  eyes/act, after hear, 1 retry",
        "│  ├─ run 1  failed  from TOOK, took TOOK",
        "│  │     TOO_DARK: too dark",
        "│  │     stderr: squinting",
        "│  │     events: 1 error, 1 done",
        "│  └─ run 2  failed  from TOOK, took TOOK",
        "│        TOO_DARK: too dark",
        "│        stderr: squinting",
        "│        events: 1 error, 1 done",
        "└─ tell  skipped            ears/act, after hear, see",
        "      DEPENDENCY_FAILED: needs 'see', which failed",
    ]


def test_the_tree_shows_the_turn_with_the_plans_before_and_after(cave, turn):
    shown = cave.narratoria("trace", SECOND)

    assert steady(shown.stdout) == [
        f"plan {SECOND}",
        "  “I look around”",
        "  TIME  generated in TOOK (attempt 3 of 5) with ears, without eyes",
        "  TIME  success after TOOK",
        "└─ see  success TOOK  ears/act",
        "      events: 1 log, 1 done",
        "turn",
        "  1  no plan   failed  answer:3 /tools: a JSON value is expected",
        "  2  aaaa0000  failed  see: too dark",
        "→ 3  aaaa1111  success",
    ]


def test_a_chatty_tools_events_are_counted_even_where_they_are_not_kept(cave, call):
    script = 'for n in range(1000): emit("log", level="debug", message=str(n))\nemit("done", ok=True)\n'
    cave.narratoria("run", cave.plan(call("chat", cave.skill("chatter", script))), "--json")
    assert "events: 199 log, 1 done, 801 not kept" in cave.narratoria("trace", cave.plan_id).stdout


def test_a_plan_that_ran_twice_is_shown_with_both_runs(cave, call):
    plan = cave.plan(call("hear", cave.skill("ears", DONE)))
    for _ in range(2):
        cave.narratoria("run", plan, "--json")
    assert cave.narratoria("trace", cave.plan_id).stdout.count("└─ hear") == 2
    assert len(cave.narratoria("trace").stdout.splitlines()) == 3


# as JSON


def test_json_prints_the_stored_lines_of_the_turn(cave, turn):
    shown = cave.narratoria("trace", FIRST, "--json")
    assert shown.stdout == (cave.home / "logs" / "plans.jsonl").read_text()
    assert len(shown.stdout.splitlines()) == 5
    assert all(contracts.check("journal-line", line) == () for line in shown.stdout.splitlines())


def test_json_without_an_id_prints_the_latest_runs(cave, turn):
    lines = cave.narratoria("trace", "--json", "-n", "2").stdout.splitlines()
    assert [json.loads(line)["planId"] for line in lines] == [SECOND, FIRST]


# what cannot be shown


def test_an_id_that_nobody_has_is_told_with_what_to_do_next(cave, turn):
    shown = cave.narratoria("trace", "bbbb")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "no plan has an id that begins with 'bbbb'; `narratoria trace` lists the latest" in shown.stderr


def test_a_beginning_that_several_ids_have_is_refused_with_their_names(cave, turn):
    shown = cave.narratoria("trace", "aaaa")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert f"2 plans have an id that begins with 'aaaa': {SECOND}, {FIRST}; give more of it" in shown.stderr


def test_a_torn_line_hides_no_other(cave, call):
    plan = cave.plan(call("hear", cave.skill("ears", DONE)))
    cave.narratoria("run", plan, "--json")
    file: Path = cave.home / "logs" / "plans.jsonl"
    file.write_bytes(file.read_bytes() + b'{"kind": "execution", "at": "20')
    assert len(cave.narratoria("trace").stdout.splitlines()) == 2
    cave.narratoria("run", plan, "--json")
    assert len(cave.narratoria("trace").stdout.splitlines()) == 3


def test_a_journal_that_is_a_folder_is_told_apart_from_an_empty_one(cave):
    (cave.home / "logs" / "plans.jsonl").mkdir(parents=True)
    shown = cave.narratoria("trace")
    assert shown.returncode == 2
    assert "plans.jsonl: cannot be read: Is a directory" in shown.stderr


def test_a_players_words_cannot_move_the_cursor(cave):
    plan = plan_of(str(uuid.uuid4()), "eyes/act")
    PlanLog(cave.home / "logs").record_generation(PlanRequest("\x1b[2J", []), plan, 0.1)
    assert "\x1b" not in cave.narratoria("trace", plan.request_id).stdout
