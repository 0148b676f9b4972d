"""The request as a tool reads it: whole, once, or refused."""

from __future__ import annotations

import os
import textwrap

import pytest
from tests.sdk.conftest import HEAD, Said, Start, Tell

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
