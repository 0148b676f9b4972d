"""The runner: events as they come, limits that hold, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import textwrap
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from narratoria.protocol.command import Command
from narratoria.protocol.dialect import Limits
from narratoria.protocol.dialects.narratoria_v0 import NARRATORIA_V0, encode_request
from narratoria.protocol.events import Event, LogEvent
from narratoria.protocol.process import Outcome, run

PRELUDE = """
import json, os, sys, time, subprocess
def say(**event): print(json.dumps({"version": "0", **event}), flush=True)
def log(message): say(type="log", level="info", message=message)
def done(**more): say(type="done", ok=True, **more)
"""


class Tools:
    """Writes little tools and runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = f"TEST_{uuid.uuid4().hex}"
        self.events: list[Event] = []

    def command(self, source: str) -> Command:
        path = self.folder / "tool.py"
        path.write_text(PRELUDE + textwrap.dedent(source))
        return Command((sys.executable, "-I", str(path)), cwd=self.folder, env={self.mark: "1"})

    async def run(self, source: str, request: bytes = b"{}", **limits: Any) -> Outcome:
        return await run(
            self.command(source),
            request,
            NARRATORIA_V0,
            limits=Limits(**limits),
            on_events=self.events.extend,
        )

    @property
    def messages(self) -> list[str]:
        return [event.message for event in self.events if isinstance(event, LogEvent)]

    def alive(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                if self.mark in process.environ():
                    found.append(process)
            except psutil.Error:
                continue
        return found


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


async def test_a_tool_finds_its_request_on_stdin_and_its_output_is_handed_on(tools: Tools) -> None:
    request = encode_request(request_id="r1", tool="t", operation="op", input={"n": 20}, context={"seed": 1})
    outcome = await tools.run(
        "r = json.load(sys.stdin); done(output={'n': r['input']['n'] + r['context']['seed']})", request
    )
    assert outcome.ok
    assert outcome.output == {"n": 21}
    assert outcome.exit_code == 0


async def test_without_an_output_the_merged_patches_and_the_summary_are_the_answer(tools: Tools) -> None:
    outcome = await tools.run(
        """
        say(type="state_patch", patch={"a": {"b": 1, "c": 2}})
        say(type="state_patch", patch={"a": {"c": None, "d": 3}})
        done(summary="Done.")
        """
    )
    assert outcome.output == {"a": {"b": 1, "d": 3}, "summary": "Done."}


async def test_a_log_of_an_error_is_no_failure(tools: Tools) -> None:
    outcome = await tools.run("say(type='log', level='error', message='no wick'); done()")
    assert outcome.ok
    assert tools.messages == ["no wick"]


async def test_a_tool_need_say_nothing_but_that_it_is_done(tools: Tools) -> None:
    assert (await tools.run("done()")).ok


async def test_an_empty_output_is_an_answer_of_its_own(tools: Tools) -> None:
    outcome = await tools.run("say(type='state_patch', patch={'a': 1}); done(output={})")
    assert outcome.output == {}


async def test_a_tool_that_exited_in_time_is_not_blamed_for_a_slow_consumer(tools: Tools) -> None:
    async def slowly(events: Sequence[Event]) -> None:
        if not tools.events:
            await asyncio.sleep(3.5)  # beyond the tool's limit, which is long enough for it on a busy machine
        tools.events.extend(events)

    command = tools.command("for i in range(3): log(str(i)); time.sleep(0.02)\ndone()")
    outcome = await run(command, b"", NARRATORIA_V0, limits=Limits(timeout=3), on_events=slowly)
    assert outcome.ok
    assert tools.messages == ["0", "1", "2"]


async def test_events_arrive_while_the_tool_runs(tools: Tools) -> None:
    gate = tools.folder / "gate"

    async def open_gate(events: Sequence[Event]) -> None:
        tools.events.extend(events)
        gate.touch()

    command = tools.command(f"""
        log("before")
        while not os.path.exists({str(gate)!r}): time.sleep(0.01)
        done()
    """)
    outcome = await run(command, b"", NARRATORIA_V0, limits=Limits(timeout=20), on_events=open_gate)
    assert outcome.ok
    assert tools.messages == ["before"]


async def test_a_slow_consumer_slows_the_tool_and_loses_nothing(tools: Tools) -> None:
    progress = tools.folder / "progress"
    seen: list[str] = []
    written_ahead: list[int] = []

    async def slowly(events: Sequence[Event]) -> None:
        await asyncio.sleep(0.02)
        seen.extend(event.message for event in events if isinstance(event, LogEvent))
        written_ahead.append(int(progress.read_text() or 0) - len(seen))

    count, size = 400, 20_000
    command = tools.command(f"""
        for i in range({count}):
            log(str(i) + " " + "x" * {size})
            open({str(progress)!r}, "w").write(str(i))
        done()
    """)
    outcome = await run(command, b"", NARRATORIA_V0, limits=Limits(max_output_bytes=10**9), on_events=slowly)
    assert outcome.ok
    assert [message.split()[0] for message in seen] == [str(i) for i in range(count)]
    in_flight = 1024 * 1024 // size + 8  # what the pipe holds, and the chunk in hand
    assert max(written_ahead) <= in_flight


async def test_a_consumer_that_raises_ends_the_tool_and_is_heard(tools: Tools) -> None:
    def refuse(events: Sequence[Event]) -> None:
        raise RuntimeError("not today")

    with pytest.raises(RuntimeError, match="not today"):
        await run(tools.command("log('x'); time.sleep(600)"), b"", NARRATORIA_V0, on_events=refuse)
    assert not tools.alive()


@pytest.mark.parametrize("delay", [0, 0.001, 0.01, 0.05, 0.2])
async def test_cancelling_at_any_moment_ends_the_whole_tree(tools: Tools, delay: float) -> None:
    command = tools.command("""
        subprocess.Popen(["sleep", "600"])
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        while True: log("working")
    """)
    before = psutil.Process().num_fds()
    task = asyncio.create_task(run(command, b"", NARRATORIA_V0, limits=Limits(max_events=10**9)))
    await asyncio.sleep(delay)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not tools.alive()
    # one more when this was the first tool: the watchdog's pipe
    assert psutil.Process().num_fds() <= before + 1


async def test_a_second_cancellation_does_not_wait_for_the_grace(tools: Tools) -> None:
    command = tools.command("""
        import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)
        log("deaf"); time.sleep(600)
    """)
    heard = asyncio.Event()
    task = asyncio.create_task(
        run(command, b"", NARRATORIA_V0, limits=Limits(kill_grace=600), on_events=lambda _: heard.set())
    )
    await heard.wait()
    task.cancel()
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 30)
    assert not tools.alive()


async def test_sixty_four_tools_at_once_each_keep_their_own_events(tools: Tools) -> None:
    command = tools.command(
        "n = json.load(sys.stdin)['n']\nfor i in range(50): log(f'{n}.{i}')\ndone(output={'n': n})"
    )
    heard: dict[int, list[str]] = {n: [] for n in range(64)}

    async def one(n: int) -> Outcome:
        def listen(events: Sequence[Event]) -> None:
            heard[n].extend(event.message for event in events if isinstance(event, LogEvent))

        return await run(command, json.dumps({"n": n}).encode(), NARRATORIA_V0, on_events=listen)

    outcomes = await asyncio.gather(*(one(n) for n in range(64)))
    assert [outcome.output for outcome in outcomes] == [{"n": n} for n in range(64)]
    assert heard == {n: [f"{n}.{i}" for i in range(50)] for n in range(64)}
    assert not tools.alive()


async def test_stderr_is_kept_to_its_tail(tools: Tools) -> None:
    outcome = await tools.run("sys.stderr.write('x' * 1_000_000 + 'the end'); done()", stderr_tail=100)
    assert outcome.ok
    assert outcome.stderr_bytes == 1_000_007
    assert outcome.stderr_tail == "x" * 93 + "the end"


async def test_what_was_said_before_a_bad_line_is_delivered_and_what_comes_after_is_not(tools: Tools) -> None:
    outcome = await tools.run(
        "log('one'); print(); print('{oops', flush=True); log('two'); done(); time.sleep(600)"
    )
    assert tools.messages == ["one"]
    assert outcome.failure
    assert outcome.failure.category == "invalid_json"
    assert outcome.failure.details["line"] == 3


async def test_the_event_limit_delivers_exactly_as_many_as_are_allowed(tools: Tools) -> None:
    outcome = await tools.run("for i in range(500): log(str(i))\ntime.sleep(600)", max_events=123)
    assert outcome.failure
    assert outcome.failure.code == "RUNNER_GUARDRAIL"
    assert tools.messages == [str(i) for i in range(123)]
    assert outcome.events == 123


async def test_a_relative_asset_path_starts_at_the_tools_working_folder(tools: Tools) -> None:
    outcome = await tools.run(
        """
        open("map.png", "w").write("png")
        say(type="asset", assetId="a", kind="image", mediaType="image/png", path="map.png")
        say(type="asset", assetId="a", kind="image", mediaType="image/png", path="map.png")
        say(type="asset", assetId="b", kind="image", mediaType="image/png", path="gone.png")
        done()
        """
    )
    assert outcome.ok
    assert [getattr(event, "path", None) for event in tools.events] == [str(tools.folder / "map.png"), None]
    assert [warning.split(":")[0] for warning in outcome.warnings] == [
        "asset 'a' was refused",
        "asset 'b' was refused",
    ]


async def test_warnings_are_told_as_they_come_and_only_so_many_of_them(tools):
    told: list[str] = []
    source = """
        for number in range(300):
            say(type="asset", assetId=str(number), kind="image", mediaType="image/png", path="gone.png")
        done()
    """

    outcome = await run(tools.command(source), b"{}", NARRATORIA_V0, on_warnings=told.extend)

    assert outcome.ok
    assert told == list(outcome.warnings)
    assert len(told) == 101
    assert told[-1] == "… and more like these"


async def test_a_thousand_launches_leak_no_descriptor_and_no_process(tools: Tools) -> None:
    command = Command(("true",), env={tools.mark: "1"})
    await run(command, b"", NARRATORIA_V0)
    gc.collect()
    before = psutil.Process().num_fds()
    for _ in range(1000):
        outcome = await run(command, b"{}", NARRATORIA_V0)
        assert outcome.failure
        assert outcome.failure.code == "MISSING_DONE"
    assert psutil.Process().num_fds() == before
    assert not tools.alive()
    assert not [child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE]
