"""The SDK as a tool author meets it: a script in a process of its own, on a pipe."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., "subprocess.Popen[bytes]"]

HEAD = "import json, os, sys, threading, time\nfrom narratoria import sdk\n"


class Said:
    """What a finished script said."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes) -> None:
        out, err = process.communicate(stdin, timeout=30)
        self.lines = out.split(b"\n")
        assert self.lines.pop() == b"", "the last line has no end"
        self.events: list[dict[str, Any]] = [json.loads(line) for line in self.lines]
        self.stderr = err.decode()
        self.exit_code = process.returncode

    @property
    def kinds(self) -> list[str]:
        assert all(event["version"] == "0" for event in self.events)
        return [event["type"] for event in self.events]

    @property
    def last(self) -> dict[str, Any]:
        return self.events[-1]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    def starting(code: str, **options: Any) -> subprocess.Popen[bytes]:
        script = tmp_path / "tool.py"
        script.write_text(HEAD + textwrap.dedent(code), encoding="utf-8")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, **(pipes | options))

    return starting


@pytest.fixture
def tell(start: Start) -> Callable[..., Said]:
    """Run a script to its end; a function `main` in it is run by the SDK."""

    def telling(code: str, request: Any = None, *, stdin: bytes | None = None, **options: Any) -> Said:
        text = textwrap.dedent(code)
        if "def main" in text:
            text += "\nsdk.run(main)\n"
        if stdin is None:
            stdin = b"" if request is None else json.dumps(request).encode()
        return Said(start(text, **options), stdin)

    return telling


Tell = Callable[..., Said]


# --- importing --------------------------------------------------------------------------------------------


def test_importing_the_sdk_loads_nothing_heavy() -> None:
    code = "import sys; from narratoria import sdk; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "typing",
        "dataclasses",
        "inspect",
        "traceback",
        "datetime",
        "logging",
        "pathlib",
        "threading",
        "asyncio",
    }
    assert not heavy & set(loaded.stdout.split())
    assert not [name for name in loaded.stdout.split() if name.startswith(("msgspec", "click", "rich"))]


# --- the request ------------------------------------------------------------------------------------------

ECHO = """
def main(request):
    names = "request_id tool operation input config dependencies state data_dir asset_dir".split()
    names += "campaign_dir playthrough_id session_id seed".split()
    return {name: getattr(request, name) for name in names}
"""


def test_a_request_is_read_whole(tell: Tell) -> None:
    context = {
        "config": {"sides": 20},
        "dependencies": {"roll": {"total": 7}, "mood": None},
        "state": {"flags": {"torchLit": True}},
        "dataDir": "/data",
        "assetDir": "/assets",
        "campaignDir": "/campaign",
        "playthroughId": "p-1",
        "sessionId": "s-1",
        "seed": 42,
        "somethingNew": True,
    }
    request = {
        "requestId": "r-1",
        "tool": "torch",
        "operation": "light",
        "input": {"ö": "🔥"},
        "context": context,
    }

    assert tell(ECHO, request).last["output"] == {
        "request_id": "r-1",
        "tool": "torch",
        "operation": "light",
        "input": {"ö": "🔥"},
        "config": {"sides": 20},
        "dependencies": {"roll": {"total": 7}, "mood": None},
        "state": {"flags": {"torchLit": True}},
        "data_dir": "/data",
        "asset_dir": "/assets",
        "campaign_dir": "/campaign",
        "playthrough_id": "p-1",
        "session_id": "s-1",
        "seed": 42,
    }


@pytest.mark.parametrize("stdin", [b"", b"\n", b"{}"])
def test_a_tool_started_by_hand_gets_an_empty_request(tell: Tell, stdin: bytes) -> None:
    output = tell(ECHO, stdin=stdin).last["output"]
    assert output.pop("seed") is None
    assert not any(output.values())


def test_a_closed_stdin_is_an_empty_request(tell: Tell) -> None:
    closing = textwrap.dedent(ECHO) + "\nif sys.stdin is None:\n    sdk.run(main)\n"
    script = f"os.close(0)\nos.execv(sys.executable, [sys.executable, '-c', {HEAD + closing!r}])"
    assert tell(script).last["output"]["input"] == {}


def test_a_tool_at_a_terminal_does_not_wait_for_input(start: Start) -> None:
    ours, theirs = os.openpty()
    process = start(ECHO + "\nsdk.run(main)", stdin=theirs)
    try:
        assert Said(process, b"").last["ok"] is True
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("stdin", "reason"),
    [
        (b"{", "stdin does not hold JSON"),
        (b"\xff\xfe\x00", "stdin does not hold JSON"),
        (b"[" * 100_000, "stdin does not hold JSON"),
        (b"[1]", "one JSON object"),
        (b'{"input": [1]}', "input must be an object"),
        (b'{"context": null}', "context must be an object"),
        (b'{"requestId": 7}', "requestId must be a string"),
    ],
)
def test_a_bad_request_ends_in_an_error_and_a_failed_done(tell: Tell, stdin: bytes, reason: str) -> None:
    said = tell(ECHO, stdin=stdin)
    assert said.kinds == ["error", "done"]
    assert said.events[0]["errorCode"] == "BAD_REQUEST"
    assert reason in said.events[0]["errorMessage"]
    assert said.last["ok"] is False
    assert said.exit_code == 0


def test_the_request_is_read_once_and_cannot_be_changed(tell: Tell) -> None:
    said = tell(
        """
        def main(request):
            assert sdk.read_request() is request is sdk.read_request()
            try:
                request.tool = "other"
            except AttributeError:
                return {"frozen": True}
        """,
        {"tool": "torch"},
    )
    assert said.last["output"] == {"frozen": True}


# --- events -----------------------------------------------------------------------------------------------


def test_each_event_is_one_line_that_answers_its_request(tell: Tell, tmp_path: Path) -> None:
    (tmp_path / "map.png").write_bytes(b"png")
    said = tell(
        """
        def main(request):
            sdk.log("Striking", "debug", {"try": 1})
            sdk.log("Burning")
            sdk.state_patch({"flags": {"torchLit": True, "dark": None}})
            sdk.asset("map", "map.png", kind="image", media_type="image/png", metadata={"width": 8})
            sdk.ui_event("torch", {"lit": True})
            sdk.ui_event("blink")
            sdk.error("SMOKE", "It smokes", {"much": True})
            sdk.done(True, "Lit.", {"brightness": 3})
        """,
        {"requestId": "r-9"},
    )
    head = {"version": "0", "requestId": "r-9"}
    assert said.events == [
        {**head, "type": "log", "level": "debug", "message": "Striking", "fields": {"try": 1}},
        {**head, "type": "log", "level": "info", "message": "Burning"},
        {**head, "type": "state_patch", "patch": {"flags": {"torchLit": True, "dark": None}}},
        {
            **head,
            "type": "asset",
            "assetId": "map",
            "kind": "image",
            "mediaType": "image/png",
            "path": "map.png",
            "metadata": {"width": 8},
        },
        {**head, "type": "ui_event", "event": "torch", "payload": {"lit": True}},
        {**head, "type": "ui_event", "event": "blink"},
        {
            **head,
            "type": "error",
            "errorCode": "SMOKE",
            "errorMessage": "It smokes",
            "details": {"much": True},
        },
        {**head, "type": "done", "ok": True, "summary": "Lit.", "output": {"brightness": 3}},
    ]
    assert said.exit_code == 0


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ('sdk.log("")', "ValueError: log: message must not be empty"),
        ("sdk.log(7)", "TypeError: log: message must be a str, not int"),
        (
            'sdk.log("hm", "fatal")',
            "ValueError: log: level must be one of debug, info, warn, error, not 'fatal'",
        ),
        ('sdk.log("hm", fields=[1])', "TypeError: log: fields must be a dict, not list"),
        ('sdk.log("\\ud83d")', "ValueError: log: cannot be written as JSON"),
        ("sdk.state_patch([1])", "TypeError: state_patch: patch must be a dict, not list"),
        ("sdk.state_patch(None)", "TypeError: state_patch: patch must be a dict, not NoneType"),
        ('sdk.state_patch({"x": float("nan")})', "ValueError: state_patch: cannot be written as JSON"),
        ('sdk.state_patch({"x": float("-inf")})', "ValueError: state_patch: cannot be written as JSON"),
        (
            'sdk.state_patch({"x": {1, 2}})',
            "TypeError: state_patch: Object of type set is not JSON serializable",
        ),
        (
            'loop = {}; loop["x"] = loop; sdk.state_patch(loop)',
            "ValueError: state_patch: cannot be written as JSON",
        ),
        ('sdk.state_patch({"x": "y" * 9_000_000})', "bytes in one line, 8388608 are allowed"),
        ('sdk.ui_event("")', "ValueError: ui_event: event must not be empty"),
        ('sdk.error("", "hm")', "ValueError: error: code must not be empty"),
        ('sdk.error("HM", "")', "ValueError: error: message must not be empty"),
        ("sdk.done(1)", "TypeError: done: ok must be True or False, not 1"),
        ("sdk.done(True, output=[])", "TypeError: done: output must be a dict, not list"),
        (
            'sdk.asset("a", "gone.png", kind="image", media_type="image/png")',
            "there is no file at 'gone.png'",
        ),
        ('sdk.asset("a", "tool.py", kind="text", media_type="text")', "must read like image/png, not 'text'"),
        ('sdk.asset("", "tool.py", kind="text", media_type="text/plain")', "asset_id must not be empty"),
        ('raise sdk.ToolFailure("", "hm")', "ValueError: ToolFailure: code must not be empty"),
        (
            'raise sdk.ToolFailure("HM", "hm", {"x": float("nan")})',
            "ValueError: ToolFailure: cannot be written",
        ),
    ],
)
def test_a_wrong_event_is_refused_at_the_authors_own_line(tell: Tell, call: str, complaint: str) -> None:
    said = tell(f"def main(request):\n    {call}\n")
    assert said.kinds == ["error", "done"]
    assert said.events[0]["errorCode"] == "UNHANDLED_EXCEPTION"
    assert complaint in said.events[0]["errorMessage"]
    assert f"{call}\n" in said.stderr
    assert said.last["ok"] is False


def test_an_asset_id_is_used_once(tell: Tell) -> None:
    said = tell(
        """
        def main(request):
            for _ in range(2):
                sdk.asset("twin", "tool.py", kind="text", media_type="text/plain; charset=utf-8")
        """
    )
    assert said.kinds == ["asset", "error", "done"]
    assert "already used" in said.events[1]["errorMessage"]


def test_events_arrive_while_the_tool_still_works(start: Start) -> None:
    process = start('sdk.log("early")\nsys.stdin.read()\n')
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["message"] == "early"
    assert process.poll() is None
    Said(process, b"")


def test_lines_of_many_threads_never_mix(tell: Tell) -> None:
    said = tell(
        """
        def talk(name):
            for turn in range(40):
                sdk.log(f"{name}-{turn}", fields={"filler": name * 20_000})

        def main(request):
            threads = [threading.Thread(target=talk, args=(name,)) for name in "abcdef"]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        """
    )
    assert said.kinds == ["log"] * 240 + ["done"]
    for event in said.events[:-1]:
        assert set(event["fields"]["filler"]) == {event["message"][0]}


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_the_lines_are_utf8_whatever_the_locale(tell: Tell, locale: str) -> None:
    environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    said = tell(
        'def main(request):\n    sdk.log(request.input["x"])\n',
        {"input": {"x": "Zünder 🔥"}},
        env=environment,
    )
    assert said.events[0]["message"] == "Zünder 🔥"
    assert "🔥".encode() in said.lines[0]


# --- the ending -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "done"),
    [
        ("pass", {"ok": True}),
        ("return {}", {"ok": True, "output": {}}),
        ("return {'x': 1}", {"ok": True, "output": {"x": 1}}),
        ("sdk.done(False, 'Too wet.')", {"ok": False, "summary": "Too wet."}),
        ("sdk.done()", {"ok": True}),
    ],
)
def test_there_is_exactly_one_done(tell: Tell, ending: str, done: dict[str, Any]) -> None:
    said = tell(f"def main(request):\n    {ending}\n")
    assert said.events == [{"version": "0", "type": "done", **done}]
    assert said.exit_code == 0


def test_an_uncaught_exception_becomes_an_error_and_a_failed_done(tell: Tell) -> None:
    said = tell("def main(request):\n    sdk.log('so far')\n    return 1 / 0\n")
    assert said.kinds == ["log", "error", "done"]
    assert said.events[1]["errorCode"] == "UNHANDLED_EXCEPTION"
    assert said.events[1]["errorMessage"] == "ZeroDivisionError: division by zero"
    assert said.last == {
        "version": "0",
        "type": "done",
        "ok": False,
        "summary": "ZeroDivisionError: division by zero",
    }
    assert said.exit_code == 0
    assert "Traceback" in said.stderr
    assert "return 1 / 0" in said.stderr


@pytest.mark.parametrize(
    "raised", ["ValueError()", "ValueError('\\udcff')", "AssertionError", "RecursionError('x')"]
)
def test_an_exception_with_odd_words_is_still_reported(tell: Tell, raised: str) -> None:
    said = tell(f"def main(request):\n    raise {raised}\n")
    assert said.kinds == ["error", "done"]
    assert said.events[0]["errorMessage"].startswith(raised.partition("(")[0])


def test_a_tool_failure_carries_its_own_code(tell: Tell) -> None:
    said = tell(
        "def main(request):\n    raise sdk.ToolFailure('WET_WOOD', 'The wood is wet', {'humidity': 0.9})\n"
    )
    assert said.events == [
        {
            "version": "0",
            "type": "error",
            "errorCode": "WET_WOOD",
            "errorMessage": "The wood is wet",
            "details": {"humidity": 0.9},
        },
        {"version": "0", "type": "done", "ok": False, "summary": "The wood is wet"},
    ]
    assert said.exit_code == 0
    assert said.stderr == ""


def test_an_input_that_cannot_be_used_is_refused_with_its_field(tell: Tell) -> None:
    said = tell("def main(request):\n    raise sdk.InvalidInput('wood/0', 'expected a dry piece')\n")
    error = said.events[0]
    assert (error["errorCode"], error["errorMessage"]) == ("INVALID_INPUT", "wood/0: expected a dry piece")
    assert error["details"] == {"field": "wood/0"}
    assert said.last["ok"] is False


def test_main_must_return_a_dict_or_nothing(tell: Tell) -> None:
    said = tell("def main(request):\n    return [1, 2]\n")
    assert said.kinds == ["error", "done"]
    assert said.events[0]["errorMessage"] == "TypeError: done: output must be a dict, not list"


@pytest.mark.parametrize(
    "late", ["sdk.log('late')", "sdk.done(False)", "return {'x': 1}", "raise ValueError('late')"]
)
def test_what_comes_after_done_is_refused_and_told_by_the_exit_code(tell: Tell, late: str) -> None:
    said = tell(f"def main(request):\n    sdk.done(True, 'Lit.')\n    {late}\n")
    assert said.kinds == ["done"]
    assert said.last["ok"] is True
    assert said.exit_code == 1
    assert "Traceback" in said.stderr


def test_a_stray_print_does_not_reach_the_protocol(tell: Tell) -> None:
    said = tell(
        """
        def main(request):
            print("debugging")
            sys.stdout.write("half a line")
            os.write(1, b"straight to the descriptor\\n")
            os.system("echo from a child")
            return {"fine": True}
        """
    )
    assert said.kinds == ["done"]
    for text in ("debugging", "half a line", "straight to the descriptor", "from a child"):
        assert text in said.stderr


def test_an_exit_code_of_the_authors_own_is_kept(tell: Tell) -> None:
    said = tell("def main(request):\n    sys.exit(4)\n")
    assert said.kinds == []
    assert said.exit_code == 4


def test_a_runtime_that_is_gone_ends_the_tool_quietly(start: Start) -> None:
    process = start("def main(request):\n    while True:\n        sdk.log('anybody?')\n\nsdk.run(main)\n")
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdin.close()
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 128 + signal.SIGPIPE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_tool_that_is_told_to_stop_tidies_up_and_leaves_quietly(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    process = start(
        """
        def main(request):
            try:
                sdk.log("working")
                time.sleep(600)
            finally:
                open("tidy", "w").close()

        sdk.run(main)
        """
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdin = None
    process.stdout.readline()
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (out, err) == (b"", b"")
    assert process.returncode == 128 + number
    assert (tmp_path / "tidy").exists()
