"""Programs that speak no protocol: lines are logs, the exit code is the answer, the input is easy to find."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.plain_text import PLAIN_TEXT, add_input
from narratoria.protocol.events import DoneEvent, Event, LogEvent
from narratoria.protocol.process import Outcome, run


async def python(source: str, *, limits: Limits = Limits(), **input: Any) -> tuple[Outcome, list[Event]]:
    events: list[Event] = []
    command = add_input(Command((sys.executable, "-c", source)), input)
    request = json.dumps({"input": input}).encode()
    return await run(command, request, PLAIN_TEXT, limits=limits, on_events=events.extend), events


def logs(events: list[Event]) -> list[str]:
    return [event.message for event in events if isinstance(event, LogEvent)]


async def test_each_line_is_a_log_and_exit_code_0_is_done() -> None:
    outcome, events = await python("print('one\\n\\n  two  \\nthree', end='')")
    assert logs(events) == ["one", "two", "three"]
    assert events[-1] == DoneEvent(version="0", ok=True)
    assert outcome.ok
    assert outcome.output == {"text": "one\n\n  two  \nthree"}


async def test_another_exit_code_is_a_failure_of_the_tool_with_its_last_words() -> None:
    outcome, events = await python("print('there is no such file'); raise SystemExit(3)")
    assert outcome.failure is not None
    assert (outcome.failure.code, outcome.failure.category) == ("TOOL_FAILED", "tool_failure")
    assert outcome.failure.message == "exited with code 3: there is no such file"
    assert outcome.failure.details == {"exitCode": 3}
    assert events[-1] == DoneEvent(version="0", ok=False, summary=outcome.failure.message)


async def test_a_program_that_prints_nothing_is_done_as_well() -> None:
    outcome, events = await python("pass")
    assert (outcome.output, events) == ({"text": ""}, [DoneEvent(version="0", ok=True)])


@pytest.mark.parametrize(
    ("printed", "value"),
    [('{"a": [1, 2]}', {"a": [1, 2]}), ("[1,\n 2]\n", [1, 2])],
)
async def test_a_json_document_is_handed_on_as_such(printed: str, value: Any) -> None:
    outcome, _ = await python(f"print({printed!r})")
    assert outcome.output["json"] == value


@pytest.mark.parametrize("printed", ["[NaN]", "{broken", "12", '"text"', "[" * 100_000])
async def test_what_is_no_document_stays_text(printed: str) -> None:
    outcome, _ = await python(f"print({printed!r})")
    assert outcome.output == {"text": printed}


async def test_other_encodings_are_shown_as_well_as_can_be() -> None:
    outcome, events = await python("import sys; sys.stdout.buffer.write(b'W\\xfcrfel\\r\\n')")
    assert outcome.ok
    assert logs(events) == ["W\ufffdrfel"]


async def test_a_program_that_hangs_crashes_or_floods_ends_like_any_other() -> None:
    quick = Limits(timeout=0.5, kill_grace=0.2, max_events=50)
    hangs, _ = await python("import time; print('hm', flush=True); time.sleep(60)", limits=quick)
    crashes, _ = await python("import os; os.kill(os.getpid(), 11)")
    floods, events = await python("while True: print('y')", limits=Limits(max_events=50, kill_grace=0.2))
    assert [outcome.failure and outcome.failure.code for outcome in (hangs, crashes, floods)] == [
        "TIMEOUT",
        "KILLED_BY_SIGNAL",
        "RUNNER_GUARDRAIL",
    ]
    assert len(logs(events)) == 50
    assert not any(isinstance(event, DoneEvent) for event in events)


async def test_a_program_that_is_not_there_is_told() -> None:
    outcome = await run(Command(("/nowhere/at-all",)), b"{}", PLAIN_TEXT)
    assert outcome.failure is not None
    assert outcome.failure.code == "NOT_STARTED"


async def test_the_input_comes_on_stdin_in_the_environment_and_as_arguments() -> None:
    source = """
import json, os, sys
print(json.load(sys.stdin)["input"]["angle"])
print(*(os.environ[f"NARRATORIA_INPUT_{name}"] for name in ("ANGLE", "DARK_MODE", "WHO")))
print(sys.argv[1:])
"""
    _, events = await python(
        source, angle=90, who="Ädä; rm -rf /", args=["in.pdf", 90, "--deep"], **{"dark mode": True}
    )
    assert logs(events) == ["90", "90 true Ädä; rm -rf /", "['in.pdf', '90', '--deep']"]


def test_what_no_variable_can_hold_is_in_the_request_alone() -> None:
    told = add_input(
        Command(("x",)), {"long": "x" * 10_000, "nul": "a\0b", "args": "not a list", "PATH": "/evil"}
    )
    assert told == Command(("x",), env={"NARRATORIA_INPUT_PATH": "/evil"})
    assert add_input(Command(("x",)), {"args": ["a\0b", "c"]}).argv == ("x", "c")


async def test_a_line_without_end_is_cut_and_the_output_kept_within_bounds() -> None:
    outcome, events = await python("print('x' * 9_000_000)")
    assert outcome.ok
    assert [len(message) for message in logs(events)] == [64 * 1024]
    assert len(outcome.output["text"]) == 256 * 1024
    assert outcome.output["cut"] is True
