"""Where the words of both commands go: readers who pause or were never there, and disks that are full."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from narratoria.terminal import visible

FULL = Path("/dev/full")
CHILDREN = Path("/proc/self/task").exists()
NARRATORIA = (sys.executable, "-m", "narratoria.cli")
MCTL = (sys.executable, "-m", "narratoria.mctl")
LONG = "y" * 300  # more than a name may have

SAYS = {
    "v0": """
import json, sys, time
for _ in range({lines}):
    print(json.dumps({{"version": "0", "type": "log", "level": "info", "message": "x" * 200}}))
sys.stderr.write("y" * {stderr})
sys.stdout.flush(); sys.stderr.flush()
time.sleep({sleep})
print(json.dumps({{"version": "0", "type": "done", "ok": True}}))
""",
    "mctl": """
import json, sys, time
def emit(kind, payload):
    print(json.dumps({{"type": kind, "ts": "2025-02-25T10:00:00Z", "toolId": "talk", "payload": payload}}))
emit("started", {{}})
for _ in range({lines}):
    emit("log", {{"level": "info", "message": "x" * 200}})
sys.stderr.write("y" * {stderr})
sys.stdout.flush(); sys.stderr.flush()
time.sleep({sleep})
emit("result", {{}})
""",
}
MANIFEST = """{"manifestVersion": 1, "id": "talk", "version": "1.0.0", "name": "Talk",
"description": "Talks.", "runtime": "python", "entry": "tool.py"}"""


@pytest.fixture(params=["v0", "v0 --json", "mctl", "mctl --json"])
def talk(request, tmp_path):
    """A command that runs a tool which says this much, and then sleeps."""
    dialect, *options = request.param.split()

    def command(*, lines: int = 5, stderr: int = 0, sleep: float = 0, timeout: float = 60) -> list[str]:
        (tmp_path / "tool.py").write_text(SAYS[dialect].format(lines=lines, stderr=stderr, sleep=sleep))
        (tmp_path / "manifest.json").write_text(MANIFEST)
        start = (*NARRATORIA, "tool") if dialect == "v0" else MCTL
        if dialect == "v0":
            (tmp_path / "manifest.json").unlink()
        tool = tmp_path / ("tool.py" if dialect == "v0" else "manifest.json")
        return [*start, "run", str(tool), *options, "--timeout", str(timeout)]

    return command


@pytest.mark.skipif(not FULL.exists(), reason="a disk that is always full is a Linux matter")
def test_output_that_finds_no_room_is_a_failure_and_said_so(talk):
    with FULL.open("wb") as full:
        done = subprocess.run(talk(), stdout=full, stderr=subprocess.PIPE, check=False)

    assert done.returncode == 2
    assert "the output: No space left on device" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.skipif(not CHILDREN, reason="the tool is looked for in /proc")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_who_pauses_stops_neither_the_clock_nor_a_signal(talk, stream):
    """Nothing is read: the tool has its time and no more, and SIGTERM ends the command that waits for us."""
    amount = {"lines": 9000} if stream == "stdout" else {"stderr": 3_000_000}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: subprocess.PIPE}
    with subprocess.Popen(talk(**amount, sleep=3600, timeout=2), **pipes) as process:
        _wait_until_gone(_child(process.pid))
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM


@pytest.mark.skipif(not CHILDREN, reason="the tool is looked for in /proc")
def test_what_nobody_reads_of_a_flood_on_stderr_is_counted(talk):
    with subprocess.Popen(
        talk(stderr=30_000_000), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        _wait_until_gone(_child(process.pid))
        said = process.stderr.read()

    assert len(said) < 20_000_000
    assert b"bytes that nobody read in time" in said


@pytest.mark.parametrize("closed", [1, 2])
def test_a_stream_that_was_closed_beforehand_is_no_crash(talk, closed):
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *talk()], capture_output=True, check=False
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        (*NARRATORIA, "tool", "run", LONG),
        (*NARRATORIA, "tool", "check", LONG),
        (*NARRATORIA, "play", LONG),
    ],
)
def test_a_name_no_file_can_have_is_told_in_a_sentence(arguments):
    done = subprocess.run(arguments, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr.decode()
    assert "ile name too long" in done.stderr.decode()


@pytest.mark.parametrize("seconds", ["nan", "-1", "0", "inf"])
def test_a_time_that_is_none_is_refused(talk, seconds):
    done = subprocess.run([*talk(), "--timeout", seconds], capture_output=True, check=False)
    assert done.returncode == 2
    assert "Invalid value for '--timeout'" in done.stderr.decode()


@pytest.mark.parametrize("text", [r'{"name": "\ud800"}', '{"a": 1, "a": 2}', '{"a": NaN}'])
def test_an_input_that_no_document_may_hold_is_refused(talk, text):
    done = subprocess.run([*talk(), "--input", text], capture_output=True, check=False)
    assert done.returncode == 2
    assert "is not JSON" in done.stderr.decode()


def _child(pid: int) -> int:
    """The tool, once it runs; the other child is the runtime's guard: both begin as copies of the parent."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    copy = Path(f"/proc/{pid}/cmdline").read_bytes()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for child in children.read_text().split():
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            if b"tool.py" in command and command != copy:
                return int(child)
        time.sleep(0.01)
    raise AssertionError("no tool was started")


def test_a_strangers_words_neither_move_the_cursor_nor_turn_the_line_around() -> None:
    assert visible("a\x1b[2Jb\u202ec\u2066d") == "a�[2Jb�c�d"
    assert visible("שלום, 家\u200f") == "שלום, 家\u200f"


def _wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 120
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "the tool outlived its time"
        time.sleep(0.02)
