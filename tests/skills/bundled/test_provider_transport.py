"""What is sent to a provider, what is read from it, what is counted, and every way in which it goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.skills.bundled.provider_servers import PIECES, Provider, served

from narratoria import paths
from narratoria.sdk.usage import UsageLog

ASK = Path(__file__).with_name("ask_provider.py")
SCRIPTS = paths.BUNDLED_SKILLS / "storyteller" / "scripts"
KINDS = ("ollama", "openai", "claude")
KEY = "sk-a-key-for-tests-0123"
SCHEMA = {"type": "object", "properties": {"prose": {"type": "string"}}, "required": ["prose"]}


def ask(provider: Provider, folder: Path, *, config: dict[str, Any] | None = None, **given: Any) -> Any:
    """Ask it from a process of its own, with a data folder and settings."""
    settings = {"provider": provider.kind, "baseUrl": provider.url, "apiKey": KEY, "model": "m"}
    request = {
        "requestId": "1",
        "tool": "narrate",
        "operation": "narrate",
        "input": given,
        "context": {
            "config": {**settings, **(config or {})},
            "dataDir": str(folder),
            "playthroughId": "story",
        },
    }
    path = os.pathsep.join([str(SCRIPTS), str(paths.PACKAGE.parent)])
    done = subprocess.run(
        [sys.executable, str(ASK)],
        input=json.dumps(request),
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_provider_counted_is_written_down(kind: str, tmp_path: Path) -> None:
    with served(Provider(kind, counts=True)) as provider:
        told = ask(provider, tmp_path, config={"inputPrice": 1, "outputPrice": 5})
    assert told["text"] == "".join(PIECES)
    used = UsageLog(str(tmp_path)).of_day()
    assert (used.requests, used.input, used.output, used.estimated) == (1, 100, 20, 0)
    assert used.cached == (0 if kind == "ollama" else 60)
    assert used.money == pytest.approx(0.0002)
    assert KEY not in "".join(file.read_text() for file in tmp_path.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_what_nobody_counted_is_estimated_and_said_to_be(kind: str, tmp_path: Path) -> None:
    with served(Provider(kind)) as provider:
        ask(provider, tmp_path)
    used = UsageLog(str(tmp_path)).of_story("story")
    assert used.estimated == 1
    assert used.input > 0
    assert used.output > 0


def test_an_answer_that_nobody_reads_to_its_end_is_counted(tmp_path: Path) -> None:
    with served(Provider("claude", counts=True)) as provider:
        ask(provider, tmp_path, most=4)
    assert UsageLog(str(tmp_path)).of_day().input == 100


@pytest.mark.parametrize("kind", KINDS)
def test_when_the_budget_is_used_up_nobody_is_asked(kind: str, tmp_path: Path) -> None:
    with served(Provider(kind, counts=True)) as provider:
        first = ask(provider, tmp_path, config={"budgetTokens": 120})
        second = ask(provider, tmp_path, config={"budgetTokens": 120})
        third = ask(provider, tmp_path, config={"budgetTokens": 500, "budgetPer": "story"})
    assert (first["error"], third["error"]) == ("", "")
    assert second["error"] == "today's budget of 120 tokens is used up"
    assert len(provider.asked) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_who_names_a_time_to_wait_is_asked_again_then(kind: str, tmp_path: Path) -> None:
    with served(Provider(kind, "429", wait="1", refusals=1)) as provider:
        told = ask(provider, tmp_path)
    assert told["text"] == "".join(PIECES)
    assert told["signs"] > 0, "whoever reads knows that it is at work"
    assert len(provider.asked) == 2


@pytest.mark.parametrize("wait", ["3600", "Wed, 01 Jan 2098 00:00:00 GMT"])
def test_who_names_a_time_too_far_away_is_not_waited_for(wait: str, tmp_path: Path) -> None:
    with served(Provider("openai", "429", wait=wait)) as provider:
        told = ask(provider, tmp_path)
    assert "wants fewer requests" in told["error"]
    assert "again in" in told["error"]
    assert len(provider.asked) == 1


def test_a_time_that_makes_no_sense_is_no_time(tmp_path: Path) -> None:
    with served(Provider("openai", "503", wait="soon")) as provider:
        assert "in trouble" in ask(provider, tmp_path)["error"]
    assert len(provider.asked) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_who_is_slow_and_keeps_writing_is_read_to_the_end(kind: str, tmp_path: Path) -> None:
    with served(Provider(kind, "slow")) as provider:
        assert ask(provider, tmp_path, timeout=2)["text"] == "".join(PIECES)


@pytest.mark.parametrize("kind", KINDS)
def test_thoughts_are_signs_of_life_and_no_text(kind: str, tmp_path: Path) -> None:
    with served(Provider(kind, thoughts=("The user wants", " a scene."))) as provider:
        told = ask(provider, tmp_path)
    assert told["text"] == "".join(PIECES)
    assert told["signs"] >= 2


@pytest.mark.parametrize(
    ("kind", "end", "error"),
    [
        ("openai", "content_filter", "declines to tell this"),
        ("claude", "refusal", "declines to tell this"),
        ("openai", "length", "broke off: it may write no more"),
        ("claude", "max_tokens", "broke off: it may write no more"),
        ("ollama", "length", "broke off: it may write no more"),
        ("openai", "tool_calls", "wants to call a tool"),
        ("claude", "tool_use", "wants to call a tool"),
    ],
)
def test_an_answer_that_ends_for_another_reason_is_none(
    kind: str, end: str, error: str, tmp_path: Path
) -> None:
    with served(Provider(kind, end=end)) as provider:
        assert error in ask(provider, tmp_path)["error"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [("wrong", "without a text"), ("empty", "cannot be read"), ("garbage", "cannot be read")],
)
def test_wrong_json_is_no_answer(fault: str, error: str, tmp_path: Path) -> None:
    with served(Provider("openai", fault)) as provider:
        assert error in ask(provider, tmp_path)["error"]


@pytest.mark.parametrize("key", ["sk-with\na line", "sk-schlüssel", "sk-\x00"])
def test_a_key_that_cannot_be_sent_is_not_shown(key: str, tmp_path: Path) -> None:
    with served(Provider("openai")) as provider:
        told = ask(provider, tmp_path, config={"apiKey": key})
    assert told["error"] == "the API key holds characters that no key has: paste it again"
    assert provider.asked == []


def test_what_stays_the_same_is_marked_for_claudes_cache(tmp_path: Path) -> None:
    with served(Provider("claude")) as provider:
        ask(provider, tmp_path, stable="The world is old. ")
        ask(provider, tmp_path)
    first, second = (asked.body for asked in provider.asked)
    stable, rest = first["messages"][0]["content"]
    assert (stable["text"], stable["cache_control"]) == ("The world is old. ", {"type": "ephemeral"})
    assert "cache_control" not in rest
    assert second["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_a_server_nearby_keeps_what_it_has_read_and_others_are_not_asked_to(tmp_path: Path) -> None:
    with served(Provider("openai")) as provider:
        told = ask(provider, tmp_path, stable="The world is old. ")
    body = provider.asked[0].body
    assert body["cache_prompt"] is True
    assert body["messages"][-1]["content"] == "The world is old. Tell."
    assert told["features"] == {
        "schema": "response_format",
        "cache": "cache_prompt",
        "usage": "asked",
        "reasons": False,
    }


@pytest.mark.parametrize(
    ("kind", "name"), [("openai", "response_format"), ("ollama", "format"), ("claude", "tools")]
)
def test_a_schema_goes_where_each_provider_expects_it(kind: str, name: str, tmp_path: Path) -> None:
    with served(Provider(kind, pieces=('{"prose": ', '"Rain."}'))) as provider:
        assert json.loads(ask(provider, tmp_path, schema=SCHEMA)["text"]) == {"prose": "Rain."}
    assert "prose" in json.dumps(provider.asked[0].body[name])


@pytest.mark.parametrize("name", ["stream_options", "cache_prompt", "response_format"])
def test_a_server_that_refuses_a_setting_is_asked_without_it(name: str, tmp_path: Path) -> None:
    class Strict(Provider):
        def refusal(self, question: dict[str, Any]) -> str:
            return f"Unrecognized request argument supplied: {name}" if name in question else ""

    with served(Strict("openai", "picky")) as provider:
        assert ask(provider, tmp_path, schema=SCHEMA)["error"] == ""
    assert name in provider.asked[0].body
    assert name not in provider.asked[1].body
