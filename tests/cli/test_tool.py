"""`narratoria tool run`, with real tools in real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from tests.warm_process import run_warm

REPOSITORY = Path(__file__).parents[2]
TORCH = REPOSITORY / "examples" / "tools" / "torch.py"
ZOO = REPOSITORY / "tests" / "tools" / "v0"
NARRATORIA = (sys.executable, "-m", "narratoria.cli")

ECHO = """
import sys, json
request = json.load(sys.stdin)
print(json.dumps({"version": "0", "type": "done", "ok": True, "output": request}))
"""


def narratoria(*arguments: object, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    return run_warm("narratoria.cli", *map(str, arguments), input=stdin, env={**os.environ, **env})


@pytest.fixture
def tool(tmp_path):
    def write(source: str, name: str = "tool.py") -> Path:
        path = tmp_path / name
        path.write_text(source, encoding="utf-8")
        return path

    return write


def request_of(done: subprocess.CompletedProcess[bytes]) -> dict:
    return json.loads(done.stdout)["output"]


def test_every_kind_of_event_is_shown_on_a_line_of_its_own(tool, tmp_path):
    (tmp_path / "map.png").write_bytes(b"png")
    source = """
from narratoria import sdk
sdk.log("Drawing", "warn", {"ink": 3})
sdk.state_patch({"map": True})
sdk.asset("map-1", "map.png", kind="image", media_type="image/png")
sdk.ui_event("show_map", {"zoom": 2})
sdk.error("SMUDGE", "The ink ran")
sdk.done(False, "It is smudged", {"tries": 1})
"""
    done = narratoria("tool", "run", tool(source))

    assert done.stdout.decode().splitlines() == [
        'warn   Drawing {"ink": 3}',
        'patch  {"map": true}',
        f"asset  map-1 (image, image/png) {tmp_path / 'map.png'}",
        'ui     show_map {"zoom": 2}',
        "error  SMUDGE: The ink ran",
        'output {"tries": 1}',
        "done   It is smudged",
    ]
    assert done.returncode == 1


def test_success_closes_with_how_long_it_took():
    done = narratoria("tool", "run", TORCH, "--input", '{"name": "lantern"}')

    closing = done.stdout.decode().splitlines()[-1]
    assert closing.startswith("✓ torch.py succeeded in ")
    assert "4 events, the first after" in closing
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_failure_of_the_tool_is_exit_code_1_with_its_reason_on_stderr():
    done = narratoria("tool", "run", ZOO / "error_then_done_false.py")

    assert done.returncode == 1
    assert "✗ error_then_done_false.py failed in" in done.stderr.decode()
    assert "WET_WOOD" in done.stderr.decode()


def test_a_broken_protocol_is_exit_code_2_and_names_the_line_and_the_check():
    done = narratoria("tool", "run", ZOO / "bad_level.py")

    assert done.returncode == 2
    assert "INVALID_LINE: line 2: level" in done.stderr.decode()
    assert "narratoria tool check" in done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.py"], "there is no such file"),
        ([REPOSITORY / "examples" / "tools"], "is a directory"),
        ([REPOSITORY / "README.md"], "chmod +x"),
        ([REPOSITORY / "examples" / "mctl" / "hello-python"], "mctl run"),
        ([TORCH, "--input", "{"], "is not JSON"),
        ([TORCH, "--input", "[1]"], "is not a JSON object"),
        ([TORCH, "--input", '{"a": NaN}'], "NaN is not JSON"),
        ([TORCH, "--input", "@nowhere.json"], "nowhere.json cannot be read"),
        ([TORCH, "--timeout", "0"], "--timeout"),
    ],
)
def test_what_cannot_be_run_is_exit_code_2_and_a_sentence(arguments, words):
    done = narratoria("tool", "run", *arguments)

    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("hangs.py", ["--timeout", "0.3"], "ran longer than 0.3 s"),
        ("floods_events_forever.py", ["--max-events", "5"], "more than 5 events"),
        ("floods_events_forever.py", ["--max-output-bytes", "1000"], "more than 1000 bytes"),
    ],
)
def test_a_tool_is_stopped_at_the_limit_that_was_set(name, options, words):
    done = narratoria("tool", "run", ZOO / name, *options)

    assert done.returncode == 2
    assert words in done.stderr.decode()


def test_the_input_comes_from_the_option_a_file_or_stdin(tool, tmp_path):
    echo = tool(ECHO)
    (tmp_path / "input.json").write_text('{"from": "file é"}', encoding="utf-8")

    given = narratoria("tool", "run", echo, "--json", "--input", '{"from": "option"}')
    filed = narratoria("tool", "run", echo, "--json", "--input", f"@{tmp_path / 'input.json'}")
    piped = narratoria("tool", "run", echo, "--json", "--input", "-", stdin=b'{"from": "stdin"}')

    inputs = [request_of(done)["input"]["from"] for done in (given, filed, piped)]
    assert inputs == ["option", "file é", "stdin"]


def test_a_tool_is_asked_for_the_operation_of_its_own_name_or_the_one_given(tool):
    echo = tool(ECHO, "echo.py")

    plain = request_of(narratoria("tool", "run", echo, "--json"))
    named = request_of(narratoria("tool", "run", echo, "--json", "--operation", "douse"))

    assert (plain["tool"], plain["operation"], plain["input"]) == ("echo", "echo", {})
    assert named["operation"] == "douse"


def test_json_passes_the_tools_bytes_through_unchanged(tool):
    log = b'\xef\xbb\xbf{"version":"0", "type":"log","level":"info","message":"\xc3\xa9"}\r\n'
    said = log + b'\n  {"version":"0","type":"done","ok":true}'
    source = f"import sys; sys.stdout.buffer.write({said!r}); print('to stderr', file=sys.stderr)"

    done = narratoria("tool", "run", tool(source), "--json")

    assert done.stdout == said
    assert done.stderr.startswith(b"to stderr\n")
    assert done.returncode == 0


def test_json_tells_a_failure_on_stderr_alone():
    done = narratoria("tool", "run", ZOO / "plain_text.sh", "--json")

    assert done.returncode == 2
    assert done.stdout.startswith(b"Hello!")
    assert b"INVALID_LINE" in done.stderr


def test_lines_after_done_and_refused_assets_are_mentioned():
    late = narratoria("tool", "run", ZOO / "events_after_done.py")
    ghost = narratoria("tool", "run", ZOO / "asset_missing_file.py")

    assert (late.returncode, ghost.returncode) == (0, 0)
    assert "3 lines were dropped" in late.stderr.decode()
    assert ghost.stderr.decode().count("'ghost' was refused") == 1


def test_a_tool_cannot_write_control_characters_to_the_terminal(tool):
    source = 'from narratoria import sdk; sdk.log("\\x1b]0;mine\\x07"); sdk.done()'

    assert b"\x1b" not in narratoria("tool", "run", tool(source)).stdout


def test_events_are_shown_while_the_tool_still_runs(tool):
    process = subprocess.Popen([*NARRATORIA, "tool", "run", str(ZOO / "hangs.py")], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"info   still fine\n"
        assert process.poll() is None
    finally:
        process.terminate()
        process.communicate()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminate"]
)
def test_an_interrupt_ends_the_tool_and_everything_it_started(tool, number, code):
    source = """
import subprocess, sys
child = subprocess.Popen(["sleep", "600"])
print('{"version":"0","type":"log","level":"info","message":"%d"}' % child.pid, flush=True)
child.wait()
"""
    process = subprocess.Popen(
        [*NARRATORIA, "tool", "run", str(tool(source))], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    grandchild = int(process.stdout.readline().split()[1])
    process.send_signal(number)
    process.communicate(timeout=30)

    assert process.returncode == code
    assert gone(grandchild)


def test_a_reader_that_leaves_ends_the_tool(tool):
    process = subprocess.Popen(
        [*NARRATORIA, "tool", "run", "--json", str(ZOO / "trickles.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    process.stderr.read()

    assert process.wait(timeout=30) == 128 + 13
    process.stderr.close()


def gone(pid: int) -> bool:
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([], ["tool", "--version", "tool run PATH", "tool check PATH"]),
        (["tool"], ["run", "check", "standard input", '"type":"done"']),
        (["tool", "run"], ["--input JSON|@FILE|-", "--json", "--timeout", "--operation", "Exit code", "130"]),
        (["tool", "check"], ["--input JSON|@FILE|-", "--json", "manifest.json", "Exit code", "✓", "✗"]),
    ],
    ids=" ".join,
)
def test_help_says_what_a_stranger_needs(command, words):
    shown = " ".join(narratoria(*command, "--help", PYTHONUTF8="1").stdout.decode().split())

    assert [word for word in words if word not in shown] == []


def test_help_and_version_import_no_command():
    script = (
        "import sys; from narratoria.cli.commands import narratoria\n"
        "narratoria.main(['{0}'], standalone_mode=False)\n"
        "heavy = 'narratoria.cli.t', 'narratoria.protocol', 'msgspec', 'rich'\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    for option in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", script.format(option)], capture_output=True, check=True, text=True
        )
        assert done.stdout.endswith("[]\n")


def test_an_unknown_command_is_exit_code_2():
    done = narratoria("frobnicate")

    assert done.returncode == 2
    assert "No such command 'frobnicate'" in done.stderr.decode()
