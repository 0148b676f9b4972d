"""How a tool ends: one done, its failures told, and nothing else on its pipe."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from tests.sdk.conftest import Start, Tell


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
