"""`narratoria model find`, `connect`, `disconnect` and `usage`, as a person uses them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.inference.model_servers import OLLAMA, served, speaking_openai
from tests.warm_process import run_warm

from narratoria.sdk.usage import Usage, UsageLog
from narratoria.skills.skill import data_dir

KEY = "sk-a-key-for-tests-0123"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def model(*arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **env}
    return run_warm("narratoria.cli", "model", *arguments, input=stdin, env=environment, text=True)


def config(home: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads((home / "skills" / "storyteller" / "config.json").read_text())
    return document


def granted(home: Path) -> list[str]:
    document = json.loads((home / "skills.json").read_text())
    permissions: list[str] = document["skills"]["storyteller"]["permissions"]
    return permissions


def test_a_server_is_found_listed_and_connected_by_one_command(home: Path) -> None:
    with served(OLLAMA) as asked:
        shown = model("find", "--port", str(asked.port))
        assert f"Ollama  http://127.0.0.1:{asked.port}" in shown.stdout
        assert "  llama3.2:3b" in shown.stdout
        assert not (home / "skills.json").exists(), "looking changes nothing"
        several = model("connect", f"http://127.0.0.1:{asked.port}", "--yes")
        assert several.returncode == 2
        assert "llama3.2:3b" in several.stderr
        done = model("connect", f"http://127.0.0.1:{asked.port}", "qwen2.5:7b", "--yes")
    assert done.returncode == 0, done.stderr
    assert "qwen2.5:7b at 127.0.0.1" in done.stdout
    assert "tells from the next scene on" in done.stdout
    assert config(home)["provider"] == "ollama"
    assert config(home)["model"] == "qwen2.5:7b"
    assert granted(home) == ["network"]
    back = model("disconnect")
    assert "campaign's own words" in back.stdout
    assert (config(home)["provider"], granted(home)) == ("local", [])


def test_the_only_model_of_a_server_need_not_be_named(home: Path) -> None:
    with served(speaking_openai("the-one.gguf", owner="llamacpp")) as asked:
        model("connect", f"http://127.0.0.1:{asked.port}/v1", "--yes")
    assert config(home)["model"] == "the-one.gguf"
    assert config(home)["baseUrl"] == f"http://127.0.0.1:{asked.port}/v1"


def test_who_does_not_agree_changes_nothing(home: Path) -> None:
    declined = model("connect", "openrouter", "--key", stdin=f"{KEY}\nn\n")
    assert declined.returncode == 1
    assert "sent over the network to OpenRouter" in declined.stdout
    assert "not checked since" in declined.stdout
    assert not (home / "skills" / "storyteller" / "config.json").exists()
    assert not (home / "skills.json").exists()


def test_a_service_is_set_up_with_key_and_budget_and_the_key_is_not_shown(home: Path) -> None:
    done = model("connect", "anthropic", "--key", "--yes", "--tokens", "5000", "--per", "story", stdin=KEY)
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    values = config(home)
    assert values["apiKey"] == KEY
    assert (values["provider"], values["budgetTokens"], values["budgetPer"]) == ("claude", 5000, "story")
    assert (values["inputPrice"], values["outputPrice"]) == (1.0, 5.0)
    assert "at Anthropic tells from the next scene on" in done.stdout
    assert KEY not in model("list", "--json").stdout


def test_a_key_can_stay_in_the_environment(home: Path) -> None:
    model("connect", "openai", "--key-from", "MY_KEY", "--yes", MY_KEY=KEY)
    assert config(home)["apiKey"] == "${MY_KEY}"


def test_what_nobody_knows_is_refused_with_what_there_is(home: Path) -> None:
    unknown = model("connect", "nobody", "--yes")
    assert unknown.returncode == 2
    assert "anthropic, openai, openrouter" in unknown.stderr
    assert model("connect", "https://api.example.com/v1", "--yes").returncode == 2


def test_what_was_used_today_is_shown(home: Path) -> None:
    assert "No hosted model was asked today." in model("usage").stdout
    usage = Usage(2, 3000, 2500, 400, 0.01)
    UsageLog(str(data_dir("storyteller"))).add(story="a", provider="openai", model="m", usage=usage)
    assert "3,000 tokens read (2,500 of them from a cache), 400 written" in model("usage").stdout
