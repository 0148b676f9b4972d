"""A provider's key is in its settings file and in what is sent to the provider, and nowhere else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.skills.bundled.provider_servers import Provider, served
from tests.web.serving import Server

from narratoria.engine.persistence.export import Format

KEY = "sk-a-key-for-tests-0123"


def files_with_the_key(home: Path) -> list[str]:
    files = (file for file in home.rglob("*") if file.is_file())
    return sorted(str(file.relative_to(home)) for file in files if KEY.encode() in file.read_bytes())


@pytest.mark.parametrize(
    ("kind", "fault"), [("claude", "401"), ("openai", "500"), ("ollama", "403"), ("openai", "")]
)
def test_the_key_is_in_no_log_trace_export_or_answer(kind: str, fault: str, tmp_path: Path) -> None:
    pieces = (f"You hold {KEY} in your hand.\n\n", f"The key {KEY} turns.\n\n", "Rain.")
    with served(Provider(kind, fault, pieces=pieces, repeats_key=True)) as provider:
        server = Server(tmp_path / "home").start()
        try:
            body = {"provider": kind, "baseUrl": provider.url, "model": "m", "apiKey": KEY, "consent": True}
            server.post("/api/providers/use", body)
            story = server.begin()
            shown: list[Any] = [server.choose(story)]
            assert provider.asked, "the provider was asked, with the key"
            pages = ("/home", "/skills", "/providers", "/privacy", "/teller", f"/stories/{story}")
            shown += [server.get(f"/api{path}") for path in pages]
            exported = [
                server.ask("GET", f"/api/stories/{story}/export?format={form}") for form in get_args(Format)
            ]
        finally:
            server.stop()
        printed = (
            server.process.stdout.read()
            if server.process.stdout and not server.process.stdout.closed
            else b""
        )
    assert KEY in json.dumps([asked.headers for asked in provider.asked])
    assert KEY not in json.dumps(shown)
    assert {answer.status for answer in exported} == {200}
    assert not any(KEY.encode() in content for content in [*(one.content for one in exported), printed])
    assert files_with_the_key(tmp_path / "home") == ["skills/storyteller/config.json"]


def test_the_key_is_in_no_crash_text_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    command = [sys.executable, "-m", "narratoria.cli"]
    connect = [*command, "model", "connect", "anthropic", "--key", "--yes"]
    subprocess.run(connect, input=KEY, capture_output=True, text=True, check=True)
    file = tmp_path / "home" / "skills" / "storyteller" / "config.json"
    file.write_text(file.read_text()[:-3])  # it can no longer be read
    for arguments in (["model", "list"], ["doctor"], ["skills", "config", "get", "storyteller"]):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        assert KEY not in done.stdout + done.stderr
