"""How fast events come out of tools, how soon, and what it costs to start one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import peers
from benchmarks.measure import Contender, Effort, Table, Timing, side_by_side, table
from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0
from narratoria.protocol.events import Event, LogEvent
from narratoria.protocol.process import Outcome, run
from narratoria.sdk.emit import Wire

DONE = '{"version":"0","type":"done","ok":true}'
ROOMY = Limits(max_events=10**9, max_output_bytes=10**12)  # a rate, not the guardrail, is in question
TOOLS = 64
HALF = 0.5  # of the bare decoder's rate: what is asked of a runner, whatever its tools write and however many

_WORDS = ("lantern", "shadow", "stone", "below", "counting", "slowly", "the", "and", "bells", "wet", "runs")
_decoder = msgspec.json.Decoder(Event)


async def measure(effort: Effort) -> list[Table]:
    with tempfile.TemporaryDirectory() as folder:
        return [
            *[await _events(Path(folder), effort, *kind) for kind in KINDS],
            await _many_tools(Path(folder), effort),
            *[await _launches(effort, *tool) for tool in LAUNCHED],
            await _latency(effort),
            *await _beside_mcp(Path(folder), effort),
        ]


# events through one tool: `cat` of a prepared file, so that the tool is not what is measured


async def _events(folder: Path, effort: Effort, title: str, share_of_logs: float, spaced: bool) -> Table:
    data, tool = _prepared(folder / "events", effort.of(100_000), share_of_logs, spaced)
    timings = await side_by_side(
        {
            "bare decoder, line by line": lambda: _decode_lines_alone(data),
            "bare decoder, decode_lines": lambda: _decoder.decode_lines(data),
            "one tool": lambda: _listen(tool),
        },
        effort.repeats,
    )
    note = (
        "As tools write that call `json.dumps` without `separators`."
        if spaced
        else "`decode_lines` keeps every event of the file; the other two let each go."
    )
    return _rates(title, timings, data, "one tool", note)


def _rates(title: str, timings: Mapping[str, Timing], data: bytes, measured: str, note: str) -> Table:
    return table(
        title,
        timings,
        amount=data.count(b"\n"),
        megabytes=len(data) / 1e6,
        unit="events/s",
        limit="bare decoder, line by line",
        better="higher",
        targets={measured: HALF},
        note=note,
    )


KINDS = (
    ("Events through one tool: logs", 1.0, False),
    ("Events through one tool: 80 % logs, 10 % narration, 10 % state patches", 0.8, False),
    ("Events through one tool: the same mix, with spaces after commas and colons", 0.8, True),
)


async def _many_tools(folder: Path, effort: Effort) -> Table:
    data, tool = _prepared(folder / "many", effort.of(3_000), 0.8, spaced=False)
    whole = data * TOOLS

    async def all_at_once() -> None:
        await asyncio.gather(*(_listen(tool) for _ in range(TOOLS)))

    timings = await side_by_side(
        {
            "bare decoder, line by line": lambda: _decode_lines_alone(whole),
            f"{TOOLS} tools at once": all_at_once,
        },
        effort.repeats,
    )
    return _rates(
        f"Events through {TOOLS} tools at once: the same mix",
        timings,
        whole,
        f"{TOOLS} tools at once",
        f"The time includes starting and ending {TOOLS} processes.",
    )


def _prepared(path: Path, events: int, share_of_logs: float, spaced: bool) -> tuple[bytes, Command]:
    """A file of events as the SDK writes them, and the tool that says them."""
    rng = random.Random(7)
    wire = Wire()
    wire.request_id = "4f6b2c1e-turn-12/narrate/1"
    wire.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        for number in range(events - 1):
            wire.send(*_event(number, rng, share_of_logs))
        wire.send("done", {"ok": True, "summary": "the bells have been counted"})
    finally:
        os.close(wire.fd)
    if spaced:
        lines = path.read_bytes().splitlines()
        path.write_text("".join(json.dumps(json.loads(line)) + "\n" for line in lines))
    return path.read_bytes(), Command((_program("cat"), str(path)))


def _event(number: int, rng: random.Random, share_of_logs: float) -> tuple[str, dict[str, Any]]:
    sentence = " ".join(rng.choices(_WORDS, k=8))
    if number % 10 < share_of_logs * 10:
        return "log", {"level": "info", "message": f"{number}: {sentence}"}
    if number % 2:
        return "ui_event", {"event": "narration_delta", "payload": {"text": f"{sentence} "}}
    patch = {
        "player": {"hp": number % 40, "place": rng.choice(_WORDS)},
        "world": {"light": round(rng.random(), 2), "flags": {rng.choice(_WORDS): True}},
    }
    return "state_patch", {"patch": patch}


def _decode_lines_alone(data: bytes) -> None:
    decode = _decoder.decode
    for line in data.split(b"\n"):
        if line:
            decode(line)


async def _listen(tool: Command) -> None:
    heard = 0

    def count(events: Sequence[Event]) -> None:
        nonlocal heard
        heard += len(events)

    outcome = await run(tool, b"{}", NARRATORIA_V0, limits=ROOMY, on_events=count)
    _expect(outcome.ok and heard == outcome.events > 0, outcome)


# launches


async def _launches(effort: Effort, title: str, argv: tuple[str, ...]) -> Table:
    async def run_tool() -> None:
        outcome = await run(Command(argv), b"{}", NARRATORIA_V0)
        _expect(outcome.exit_code == 0, outcome)

    timings = await side_by_side(
        {
            "bare spawn and wait": lambda: _wait_for(argv),
            "bare spawn, pipes, communicate": lambda: _communicate_with(argv),
            "run": run_tool,
        },
        effort.of(200),
    )
    return table(
        title,
        timings,
        amount=1,
        unit="ms",
        limit="bare spawn and wait",
        better="lower",
        targets={"run": 2.0},
    )


def _wait_for(argv: tuple[str, ...]) -> None:
    null = subprocess.DEVNULL
    subprocess.Popen(argv, stdin=null, stdout=null, stderr=null).wait()


def _communicate_with(argv: tuple[str, ...]) -> None:
    pipe = subprocess.PIPE
    subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe).communicate(b"{}")


def _program(name: str) -> str:
    found = shutil.which(name)
    if not found:
        raise SystemExit(f"the protocol benchmark needs the program '{name}', which is not on the PATH")
    return found


PYTHON_TOOL = (sys.executable, "-I", "-S", "-c", f"print('{DONE}')")
LAUNCHED = (
    ("A launch: the smallest process (`true`)", (_program("true"),)),
    ("A launch: a Python tool (`python -I -S`)", PYTHON_TOOL),
)


# latency: from just before a tool writes to the moment the consumer has the event

_SPEAKER = """
import os, sys, time
for _ in range(int(sys.argv[1])):
    time.sleep(0.002)
    line = '{"version":"0","type":"log","level":"info","message":"%d"}\\n' % time.monotonic_ns()
    os.write(1, line.encode())
os.write(1, b'{"version":"0","type":"done","ok":true}\\n')
"""


async def _latency(effort: Effort) -> Table:
    argv = (sys.executable, "-I", "-S", "-c", _SPEAKER, str(effort.of(100)))
    bare: list[float] = []
    ours: list[float] = []
    for _ in range(effort.repeats):
        bare += _read_blocking(argv)
        ours += await _read_events(argv)
    timings = {"a blocking read of the pipe": Timing(tuple(bare)), "run": Timing(tuple(ours))}
    return table(
        "Latency: from a tool's write to its consumer",
        timings,
        amount=1,
        unit="ms",
        limit="a blocking read of the pipe",
        better="lower",
        note="One event every 2 ms, so the reader sleeps in between: most of this is the kernel waking it.",
    )


def _read_blocking(argv: tuple[str, ...]) -> list[float]:
    taken: list[float] = []
    with subprocess.Popen(argv, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        while lines := os.read(process.stdout.fileno(), 65536):
            taken += _ages(_decoder.decode_lines(lines))
    return taken


async def _read_events(argv: tuple[str, ...]) -> list[float]:
    taken: list[float] = []

    def note(events: Sequence[Event]) -> None:
        taken.extend(_ages(events))

    outcome = await run(Command(argv), b"", NARRATORIA_V0, on_events=note)
    _expect(outcome.ok, outcome)
    return taken


def _ages(events: Sequence[Event]) -> list[float]:
    now = time.monotonic_ns()
    return [(now - int(event.message)) / 1e9 for event in events if isinstance(event, LogEvent)]


# beside the client of another protocol that speaks JSON lines with processes


async def _beside_mcp(folder: Path, effort: Effort) -> list[Table]:
    messages = effort.of(5_000)
    data, _ = _prepared(folder / "peer", messages + 1, 1.0, spaced=False)
    speaks = "import sys; sys.stdout.write(open(sys.argv[1]).read())"
    speaker = Command((sys.executable, "-I", "-S", "-c", speaks, str(folder / "peer")))
    flood: dict[str, Contender] = {"Narratoria": lambda: _listen(speaker)}
    call: dict[str, Contender] = {"Narratoria": lambda: run(Command(PYTHON_TOOL), b"{}", NARRATORIA_V0)}
    async with contextlib.AsyncExitStack() as stack:
        if peers.HAS_MCP:
            logs = [event for event in _decoder.decode_lines(data) if isinstance(event, LogEvent)]
            said = peers.write_mcp_notifications(folder / "mcp", [log.message for log in logs])
            flood["MCP python-sdk"] = lambda: peers.mcp_call(said, expect=messages)
            call["MCP python-sdk"] = lambda: peers.mcp_call(None, expect=0)
            call["MCP python-sdk, the server stays"] = await stack.enter_async_context(peers.mcp_server())
        return _peer_tables(
            messages,
            await side_by_side(flood, effort.repeats),
            await side_by_side(call, effort.repeats),
        )


def _peer_tables(messages: int, flooded: dict[str, Timing], called: dict[str, Timing]) -> list[Table]:
    missing = "" if peers.HAS_MCP else "The MCP client is not installed here; `make bench` installs it."
    return [
        table(
            "Beside a peer: log messages of one tool call",
            flooded,
            amount=messages,
            unit="messages/s",
            limit="Narratoria",
            better="higher",
            note=missing
            or "Both start `python -I -S`, ask once, and hear the same sentences, each in its envelope.",
        ),
        table(
            "Beside a peer: one tool call",
            called,
            amount=1,
            unit="ms",
            limit="Narratoria",
            better="lower",
            note=missing
            or "Start `python -I -S`, shake hands where the protocol does, call, hear the answer, see the "
            "process end. An MCP server may stay for the next call, which then costs no start; a tool here "
            "never does.",
        ),
    ]


def _expect(right: bool, outcome: Outcome) -> None:
    if not right:
        raise RuntimeError(f"the benchmark's own tool failed, so its figures would mean nothing: {outcome}")
