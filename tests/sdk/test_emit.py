"""Events as a tool sends them: one line each, whole, in UTF-8, and refused where they are wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.sdk.conftest import Said, Start, Tell


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
