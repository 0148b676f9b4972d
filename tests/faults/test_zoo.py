"""Each tool of the zoo comes to its exact end, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.faults.zoo import TOOLS, ZOO, Case, Expected

from narratoria.errors import NotRunnable
from narratoria.protocol.command import Command, command_for
from narratoria.protocol.dialects import mctl_v1, narratoria_v0
from narratoria.protocol.process import Outcome, run

MARK = "ZOO_MARK"


@pytest.fixture(scope="module", autouse=True)
def first_run() -> None:
    """What the runner starts once and keeps belongs to no single case."""
    asyncio.run(run(Command(("true",)), b"", narratoria_v0.NARRATORIA_V0))


@pytest.fixture
def mark() -> Iterator[str]:
    """A mark in the environment of everything the test starts; at its end nothing bears it any more."""
    value = uuid.uuid4().hex
    descriptors = open_descriptors()
    yield value
    left = await_none_left(value)
    for process in left:
        process.kill()
    assert not left, f"still there: {left}"
    assert set(open_descriptors()) <= set(descriptors)


def open_descriptors() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208  a listing, not paths to follow


def await_none_left(value: str) -> list[psutil.Process]:
    """Those still there after a moment: the kernel takes its time to bury what was killed."""
    until = time.monotonic() + 30
    while (left := list(bearers(value))) and time.monotonic() < until:
        time.sleep(0.01)
    return left


def bearers(value: str) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        for place in ("environ", "cmdline"):
            try:
                if value.encode() in Path(f"/proc/{process.pid}/{place}").read_bytes():
                    yield process
                    break
            except OSError:
                continue


@pytest.mark.parametrize("case", ZOO, ids=lambda case: case.id)
async def test_a_misbehaving_tool_comes_to_its_exact_end(case: Case, mark: str, tmp_path: Path) -> None:
    command = case.build(tmp_path) if case.build else command_for(case.path)
    command = replace(command, env={**command.env, MARK: mark})
    events: list[Any] = []

    def listen(batch: Sequence[Any]) -> None:
        events.extend(batch)

    outcome = await run(command, request_for(case), dialect_of(case), limits=case.limits, on_events=listen)

    assert differences(case.expected, outcome) == {}
    assert len(events) == outcome.events
    assert (outcome.exit_code is None) == (case.expected.code == "NOT_STARTED")
    if case.expected.says is not None:
        assert messages(events) == case.expected.says


def request_for(case: Case) -> bytes:
    filler = {"filler": "x" * case.request_bytes}
    if case.dialect == "v0":
        return narratoria_v0.encode_request(request_id="r-1", tool=case.name, operation="run", input=filler)
    return mctl_v1.encode_request(tool_id="zoo", config={}, workspace_root=Path("/"), input=filler)


def dialect_of(case: Case) -> Any:
    return narratoria_v0.NARRATORIA_V0 if case.dialect == "v0" else mctl_v1.mctl_v1("zoo", strict=case.strict)


def messages(events: Sequence[Any]) -> tuple[str, ...]:
    said = (getattr(event, "payload", event) for event in events)
    return tuple(text for event in said if (text := getattr(event, "message", None)) is not None)


def differences(expected: Expected, outcome: Outcome) -> dict[str, tuple[Any, Any]]:
    """Each figure that is not as expected, with what was expected and what came."""
    failure = outcome.failure
    wanted = {
        "code": expected.code,
        "category": expected.category,
        "exit_code": expected.exit_code,
        "events": expected.events,
        "dropped": expected.dropped,
        "output": expected.output,
        "stderr_bytes": expected.stderr_bytes,
        "details": expected.details,
    }
    came = {
        "code": failure.code if failure else None,
        "category": failure.category if failure else None,
        "exit_code": outcome.exit_code,
        "events": outcome.events,
        "dropped": outcome.dropped,
        "output": outcome.output,
        "stderr_bytes": outcome.stderr_bytes,
        "details": failure.details if failure else None,
    }
    found = {
        name: (value, came[name])
        for name, value in wanted.items()
        if came[name] != value and (value is not None or name in ("code", "category"))
    }
    message = failure.message if failure else ""
    for part in expected.message:
        if part.lower() not in message.lower():
            found["message"] = (expected.message, message)
    if expected.warnings is not None and not matched(expected.warnings, outcome.warnings):
        found["warnings"] = (expected.warnings, outcome.warnings)
    return found


def matched(parts: Sequence[str], warnings: Sequence[str]) -> bool:
    return len(parts) == len(warnings) and all(
        part in text for part, text in zip(parts, warnings, strict=True)
    )


def test_a_path_that_cannot_run_is_refused_with_its_reason(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"#!/bin/sh\n")
    for path, reason in (
        (tmp_path / "ghost", "no such file"),
        (tmp_path, "directory"),
        (plain, "chmod \\+x"),
    ):
        with pytest.raises(NotRunnable, match=reason) as refusal:
            command_for(path)
        assert str(path) in str(refusal.value)


def test_every_tool_in_the_zoo_has_its_case() -> None:
    files = {path for dialect in ("v0", "mctl") for path in (TOOLS / dialect).iterdir() if path.is_file()}
    assert files == {case.path for case in ZOO if case.build is None}


def test_no_two_cases_have_the_same_name() -> None:
    assert len({case.id for case in ZOO}) == len(ZOO)


def test_the_zoo_is_large_enough() -> None:
    assert len({case.name for case in ZOO if case.dialect == "v0"}) >= 30
    assert len({case.name for case in ZOO if case.dialect == "mctl"}) >= 30
